//! What two readings of a group must hold to for their difference to be a number.

use crate::snapshot::{Count, GroupSnapshot};
use crate::unavailable::Unavailable;

/// Number of events, time enabled, time running.
pub(crate) const HEADER_WORDS: usize = 3;

/// The difference of two readings of one group of `members` events: one outcome for each, in the group's order.
pub(crate) fn difference(
    before: &GroupSnapshot,
    after: &GroupSnapshot,
    members: usize,
) -> Vec<Result<Count, Unavailable>> {
    match times(before, after, members) {
        Err(why) => vec![Err(why); members],
        Ok((enabled_ns, running_ns)) => (HEADER_WORDS..HEADER_WORDS + members)
            .map(|word| {
                let value = possible(fallen("count", before.words[word], after.words[word])?, running_ns)?;
                Ok(Count { value, enabled_ns, running_ns })
            })
            .collect(),
    }
}

fn times(before: &GroupSnapshot, after: &GroupSnapshot, members: usize) -> Result<(u64, u64), Unavailable> {
    whole(before, members)?;
    whole(after, members)?;
    let enabled_ns = fallen("enabled time", before.words[1], after.words[1])?;
    let running_ns = fallen("running time", before.words[2], after.words[2])?;
    if running_ns > enabled_ns {
        return Err(inconsistent(format!("it ran for {running_ns} ns but was enabled for only {enabled_ns} ns")));
    }
    if running_ns == 0 {
        return Err(Unavailable::NeverRan { enabled_ns });
    }
    Ok((enabled_ns, running_ns))
}

/// Whether one reading has all its words.
fn whole(reading: &GroupSnapshot, members: usize) -> Result<(), Unavailable> {
    let due = (HEADER_WORDS + members) * size_of::<u64>();
    match reading.read {
        Err(errno) => {
            let error = std::io::Error::from_raw_os_error(errno);
            Err(inconsistent(format!("reading it failed: {error}")))
        }
        // What the kernel answers for a group that it has put into its error state.
        Ok(0) => Err(inconsistent("the read was empty: the kernel could not keep the group on the PMU".to_owned())),
        Ok(bytes) if bytes != due || reading.words.len() < HEADER_WORDS + members => {
            Err(inconsistent(format!("the read gave {bytes} bytes where {due} were due")))
        }
        Ok(_) if reading.words[0] != members as u64 => {
            Err(inconsistent(format!("the group has {} events where {members} were opened", reading.words[0])))
        }
        Ok(_) => Ok(()),
    }
}

/// The most that anything counts in a nanosecond. Events of occupancy add up to some 64 open requests each cycle, at 6 GHz some 400 a
/// nanosecond; twice that and more is left as room.
const MOST_PER_NS: u64 = 1_000;

/// For stretches so short that the clock and the count are not read at the same time.
const SLACK: u64 = 1_000_000;

/// No hardware counts this fast: a counter that was set rather than counted, as by a fault of a hypervisor.
fn possible(value: u64, running_ns: u64) -> Result<u64, Unavailable> {
    if value > running_ns.saturating_mul(MOST_PER_NS).saturating_add(SLACK) {
        return Err(inconsistent(format!("it counted {value} in {running_ns} ns, more than any counter can")));
    }
    Ok(value)
}

/// The same of an event that counts the thread's own nanoseconds.
pub(crate) fn possible_time(count: Count) -> Result<Count, Unavailable> {
    /// The two clocks need not agree, as where a virtual machine's time is stolen, but are of one size.
    const TIMES: u64 = 4;
    if count.value > count.running_ns.saturating_mul(TIMES).saturating_add(SLACK) {
        let Count { value, running_ns, .. } = count;
        return Err(inconsistent(format!("it counted {value} ns of the thread within {running_ns} ns")));
    }
    Ok(count)
}

/// The widths of counters in bits, below the kernel's own 64.
const WIDTHS: [u32; 3] = [32, 40, 48];

/// Counts of the kernel are 64 bits wide and only grow. A smaller one later is told, and so is that a narrow counter may have wrapped
/// around beneath the kernel; how often it did nobody knows, so no difference is made of it.
pub(crate) fn fallen(what: &str, before: u64, after: u64) -> Result<u64, Unavailable> {
    after.checked_sub(before).ok_or_else(|| {
        let near_its_end = |width: &&u32| before >> **width == 0 && before > (1 << **width) / 2;
        let wrapped = WIDTHS.iter().find(near_its_end);
        let wrapped = wrapped.map_or(String::new(), |width| format!(", as if a counter of {width} bits had wrapped"));
        inconsistent(format!("its {what} fell from {before} to {after}{wrapped}"))
    })
}

pub(crate) fn inconsistent(what: String) -> Unavailable {
    Unavailable::Inconsistent { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(words: &[u64]) -> GroupSnapshot {
        GroupSnapshot { words: words.to_vec(), read: Ok(words.len() * 8) }
    }

    #[test]
    fn differences_are_taken_word_by_word() {
        let counts = difference(&reading(&[2, 100, 90, 7, 1_000]), &reading(&[2, 300, 190, 7, 100_000]), 2);
        let times = Count { value: 0, enabled_ns: 200, running_ns: 100 };
        assert_eq!(counts, [Ok(times), Ok(Count { value: 99_000, ..times })]);
    }

    #[test]
    fn no_count_is_faster_than_any_counter() {
        let count = |value, ns| {
            difference(&reading(&[1, 0, 0, 1 << 50]), &reading(&[1, ns, ns, (1 << 50) + value]), 1)[0].clone()
        };
        // All slots of a wide core at 6 GHz, and a core's full queue of open requests.
        for per_ns in [1, 6, 12 * 6, 64 * 6] {
            for ns in [1, 1_000_000, 1 << 50] {
                assert_eq!(count(per_ns * ns, ns).map(|count| count.value), Ok(per_ns * ns));
            }
        }
        for (value, ns) in [(1 << 40, 1_000_000), (1 << 63, 1_000_000_000), (SLACK + 1_001, 1)] {
            let error = count(value, ns).expect_err("impossible");
            assert!(error.reason().contains("more than any counter can"), "{}", error.reason());
        }
        let time = |value, running_ns| possible_time(Count { value, enabled_ns: running_ns, running_ns });
        assert!(time(1_000_000_000, 990_000_000).is_ok() && time(5_000, 1_000).is_ok());
        assert!(time(9_000_000_000, 1_000_000_000).unwrap_err().reason().contains("of the thread within"));
    }

    #[test]
    fn no_odd_reading_becomes_a_number() {
        let good = reading(&[1, 100, 100, 5]);
        let odd: [(&str, GroupSnapshot); 8] = [
            ("never given a counter", reading(&[1, 200, 100, 5])),
            ("not enabled", reading(&[1, 100, 100, 5])),
            ("enabled for only", reading(&[1, 150, 200, 9])),
            ("running time fell", reading(&[1, 150, 99, 9])),
            ("enabled time fell", reading(&[1, 99, 101, 9])),
            ("empty", GroupSnapshot { read: Ok(0), ..good.clone() }),
            ("16 bytes where 32", GroupSnapshot { read: Ok(16), ..good.clone() }),
            ("failed", GroupSnapshot { read: Err(libc::EIO), ..good.clone() }),
        ];
        for (said, after) in odd {
            let counts = difference(&good, &after, 1);
            let error = counts[0].clone().expect_err(said);
            assert!(error.reason().contains(said), "{said}: {}", error.reason());
        }
        let error = difference(&good, &reading(&[2, 200, 200, 9]), 1)[0].clone().unwrap_err();
        assert!(error.reason().contains("2 events where 1"), "{}", error.reason());
    }

    #[test]
    fn a_narrow_counter_that_wrapped_is_told_and_gives_no_number() {
        for (before, after, told) in [
            ((1 << 48) - 1000, 500, "a counter of 48 bits"),
            (u64::from(u32::MAX), 7, "a counter of 32 bits"),
            (9, 8, "fell from 9 to 8"),
        ] {
            let counts = difference(&reading(&[1, 0, 0, before]), &reading(&[1, 50, 50, after]), 1);
            let said = counts[0].clone().unwrap_err().reason();
            assert!(said.contains(told) && said.contains(", as if") == told.starts_with("a counter"), "{said}");
        }
    }

    #[test]
    fn a_count_that_fell_spoils_itself_alone() {
        let counts = difference(&reading(&[2, 0, 0, 9, 9]), &reading(&[2, 50, 50, 8, 10]), 2);
        assert!(counts[0].clone().unwrap_err().reason().contains("count fell from 9 to 8"));
        assert_eq!(counts[1], Ok(Count { value: 1, enabled_ns: 50, running_ns: 50 }));
    }
}
