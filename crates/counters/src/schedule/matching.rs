//! Events to counters, one each.

/// Wishes that cannot all be granted: these members want `counters` between them, which are fewer than they.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    pub(super) members: Vec<usize>,
    /// Bit `n` for counter `n`.
    pub(super) counters: u64,
}

/// Gives each member one of the counters that it takes (bit `n` for counter `n`), or finds who is too many (a violation of Hall's
/// condition, by augmenting paths).
pub(super) fn assign(wishes: &[u64]) -> Result<(), Shortage> {
    let mut holder = [None; 64];
    for member in 0..wishes.len() {
        let mut seen = 0;
        if !place(member, wishes, &mut holder, &mut seen) {
            // Every counter seen is held by a member whose other wishes were seen as well.
            let mut members: Vec<usize> =
                (0..64).filter(|counter| seen >> counter & 1 == 1).filter_map(|counter| holder[counter]).collect();
            members.push(member);
            members.sort_unstable();
            return Err(Shortage { members, counters: seen });
        }
    }
    Ok(())
}

fn place(member: usize, wishes: &[u64], holder: &mut [Option<usize>; 64], seen: &mut u64) -> bool {
    while let Some(counter) = lowest(wishes[member] & !*seen) {
        *seen |= 1 << counter;
        if holder[counter].is_none_or(|other| place(other, wishes, holder, seen)) {
            holder[counter] = Some(member);
            return true;
        }
    }
    false
}

fn lowest(mask: u64) -> Option<usize> {
    (mask != 0).then(|| mask.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_event_moves_an_earlier_one() {
        assert_eq!(assign(&[0b11, 0b01]), Ok(()));
        assert_eq!(assign(&[0b111, 0b011, 0b001]), Ok(()));
        assert_eq!(assign(&[]), Ok(()));
    }

    #[test]
    fn those_who_are_too_many_are_named_and_no_others() {
        let shortage = assign(&[0b100, 0b011, 0b010, 0b001]).unwrap_err();
        assert_eq!(shortage, Shortage { members: vec![1, 2, 3], counters: 0b011 });
        assert_eq!(assign(&[0b1, 0]).unwrap_err(), Shortage { members: vec![1], counters: 0 });
    }

    #[test]
    fn all_64_counters_can_be_given() {
        assert_eq!(assign(&[u64::MAX; 64]), Ok(()));
        assert_eq!(assign(&[u64::MAX; 65]).unwrap_err().members.len(), 65);
    }
}
