//! YCSB's hash of a number.

/// FNV-1a over the eight octets of a number, the lowest first, without its sign (`Utils.fnvhash64`): 0 to 2⁶³.
///
/// Java's `abs` leaves the smallest `long` negative; here it is 2⁶³.
#[inline]
pub const fn hash(number: u64) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut octets = 0;
    while octets < 8 {
        hash = (hash ^ (number >> (8 * octets) & 0xff)).wrapping_mul(1_099_511_628_211);
        octets += 1;
    }
    (hash as i64).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn hashes_are_those_of_ycsb() {
        assert_eq!([hash(0), hash(1)], [6_284_781_860_667_377_211, 8_517_097_267_634_966_620]);
    }

    /// A hash is no permutation: keys that share one are never told apart, and others never drawn.
    #[test]
    fn hashes_of_all_ranks_miss_keys() {
        for (keys, expected) in [(1000, 678), (10_000, 7_490), (100_000, 71_982)] {
            let mut reached = vec![false; keys as usize];
            (0..keys).for_each(|rank| reached[(hash(rank) % keys) as usize] = true);
            assert_eq!(reached.iter().filter(|&&reached| reached).count(), expected, "{keys}");
        }
    }
}
