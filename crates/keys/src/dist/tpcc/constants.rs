//! The constants C of a run.

use rand_core::Rng;

use crate::Refusal;
use crate::rng::{WordState, Xoshiro256PlusPlus};

/// A of a customer's last name.
pub const LAST_NAME_A: u64 = 255;
/// A of a customer's number.
pub(super) const CUSTOMER_A: u64 = 1023;
/// A of an item's number.
pub(super) const ITEM_A: u64 = 8191;

/// The constants C of [`Nurand`](super::Nurand): drawn once for the load and once for a run, and the same for all terminals of it (clause 2.1.6.1).
///
/// A constant of each terminal's own, or the same one for all numbers and all runs, is a fault of many programs (yugabyte/tpcc#11): the hot
/// rows then are others than the clause has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// For last names, 0 to 255.
    pub last_name: u64,
    /// For customers' numbers, 0 to 1023.
    pub customer: u64,
    /// For items' numbers, 0 to 8191.
    pub item: u64,
}

impl Constants {
    /// Those of a load that this seed decides.
    pub fn load(seed: u64) -> Self {
        let mut stream = Xoshiro256PlusPlus::seeded(seed);
        // Of powers of two, so the remainder favours none.
        let mut upto = |a: u64| stream.next_u64() % (a + 1);
        Constants { last_name: upto(LAST_NAME_A), customer: upto(CUSTOMER_A), item: upto(ITEM_A) }
    }

    /// Those of a run over what was loaded with `load`: that of last names as far from the load's as the clause asks.
    ///
    /// # Errors
    /// The load's last name has a constant above 255.
    pub fn run(load: Constants, seed: u64) -> Result<Self, Refusal> {
        if load.last_name > LAST_NAME_A {
            let why = format!("{} is not among 0 to 255", load.last_name);
            return Err(Refusal::new("last_name", why, "give the constant that the load had"));
        }
        let fit: Vec<u64> = (0..=LAST_NAME_A).filter(|&run| Self::differ(load.last_name, run)).collect();
        let mut stream = Xoshiro256PlusPlus::seeded(seed);
        let run = Constants::load(stream.next_u64());
        // There are 53 distances; of 0 to 255 at least one constant lies at 65 or more from any.
        let last_name = fit.get((stream.next_u64() % fit.len().max(1) as u64) as usize).copied();
        Ok(Constants { last_name: last_name.unwrap_or(run.last_name), ..run })
    }

    /// Whether the constants of last names of a load and of a run are as far apart as they must be: 65 to 119, and neither 96 nor 112.
    pub fn differ(load: u64, run: u64) -> bool {
        let distance = load.abs_diff(run);
        (65..=119).contains(&distance) && distance != 96 && distance != 112
    }
}

#[cfg(test)]
mod tests {
    use super::Constants;

    #[test]
    fn a_run_differs_from_its_load_as_it_must() {
        let distances: Vec<u64> = (0..=255).filter(|&run| Constants::differ(0, run)).collect();
        assert_eq!((distances.len(), distances[0], distances[52]), (53, 65, 119));
        assert!(!Constants::differ(96, 0) && !Constants::differ(0, 112) && !Constants::differ(7, 7));
        for seed in 0..2000 {
            let load = Constants { last_name: seed % 256, ..Constants::load(seed) };
            let run = Constants::run(load, seed ^ 5).unwrap();
            assert!(Constants::differ(load.last_name, run.last_name), "{load:?} {run:?}");
            assert!(run.last_name <= 255 && run.customer <= 1023 && run.item <= 8191);
            assert_eq!(Constants::run(load, seed ^ 5).unwrap(), run, "a seed decides");
        }
        let wrong = Constants { last_name: 256, customer: 0, item: 0 };
        assert_eq!(Constants::run(wrong, 1).unwrap_err().setting, "last_name");
    }
}
