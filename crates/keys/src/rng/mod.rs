//! The generators that benchmarks of databases draw their keys from, each with its source, its known defect and
//! reference values.
//!
//! All of them are [`rand_core::Rng`] and [`SeedableRng`](rand_core::SeedableRng). All but [`SplitMix64`] are also
//! [`WordState`]: their state is a few machine words that a benchmark may lay where it likes, so that what sharing it
//! costs can be measured. Two of them are the crates that programs really use: [`Xoshiro256PlusPlus`] is
//! `rand_xoshiro`'s and [`Pcg32`] is `rand_pcg`'s.
//!
//! # Streams of several workers
//!
//! [`WordState::seeded`] spreads a 64-bit seed over the whole state by [`SplitMix64`], so seeds that look alike (0,
//! 1, 2, …) give states that have nothing in common. Streams seeded so are independent draws of a place on the
//! generator's cycle; they do not exclude each other by construction. `n` streams of `L` draws overlap with a
//! probability of about `n²·L / period`: never for [`Xoroshiro128Plus`], [`Xoshiro256PlusPlus`] and [`Pcg32`] (which
//! also picks one of 2⁶³ cycles), about 10⁻⁵ for two [`Rand48`] of 10⁹ draws, and nearly always for long streams of
//! [`SysbenchLcg`], whose cycle holds just 2³² states: its defect, kept.
//!
//! [`WordState::stream`] parts the cycle of one seed instead: streams a stride apart, which have no state in common in as many
//! draws. [`SysbenchLcg`] has none: parted for a thousand workers, each would come to the next one's numbers within milliseconds.
//!
//! | generator | strides | streams |
//! | --- | --- | --- |
//! | [`Rand48`] | 8.5·10¹⁰ draws, an odd number | 3313 |
//! | [`Pcg32`] | 8.7·10¹³ draws, an odd number; on the seed's own cycle | 212,078 |
//! | [`WiredTigerMwc`] | 5.4·10¹² draws of the pair, an odd number; the halves' own cycles of 2³⁰ draws are shared | 131,434 |
//! | [`Xoroshiro128Plus`] | 2⁶⁴ draws | 2⁶⁴ |
//! | [`Xoshiro256PlusPlus`] | 2¹²⁸ draws | 2¹²⁸ |

mod affine;
mod pcg32;
mod rand48;
mod splitmix64;
mod strides;
mod sysbench_lcg;
mod wiredtiger_mwc;
mod word_state;
mod xoroshiro128plus;
mod xoshiro256plusplus;

pub use rand_pcg::Pcg32;
pub use rand_xoshiro::Xoshiro256PlusPlus;
pub use rand48::Rand48;
pub use splitmix64::SplitMix64;
pub use strides::Strides;
pub use sysbench_lcg::{SB_MAX_RND, SysbenchLcg};
pub use wiredtiger_mwc::WiredTigerMwc;
pub use word_state::{Word, WordMemory, WordState};
pub use xoroshiro128plus::Xoroshiro128Plus;
