//! What the lowest bit of a worker's values says about its generator.

use hitm_experiment::record::Observation;

/// What is told.
pub(crate) const NAME: &str = "low-bit-periodic";

/// Of fewer values a period would be chance.
const LEAST: usize = 64;

/// Workers whose values' lowest bit repeats itself with a period of at most half of them, of all workers that drew 64 values or
/// more.
pub(crate) fn observe(samples: &[Vec<u64>]) -> Observation {
    let enough = samples.iter().filter(|values| values.len() >= LEAST);
    let periodic = enough.clone().filter(|values| low_bit_period(values) <= values.len() / 2);
    Observation { name: NAME.to_owned(), count: periodic.count() as u64, of: enough.count() as u64 }
}

/// After how many values the lowest bits are what they were, from the first to the last; as many as there are where they never are. By the failure
/// function of D. Knuth, J. Morris and V. Pratt (Fast pattern matching in strings, 1977), in a time that grows with the number of values.
pub(crate) fn low_bit_period(values: &[u64]) -> usize {
    // How long the longest beginning of the values up to here is that they also end in.
    let mut borders = vec![0usize; values.len()];
    let mut border = 0;
    for index in 1..values.len() {
        while border > 0 && (values[index] ^ values[border]) & 1 == 1 {
            border = borders[border - 1];
        }
        border += usize::from((values[index] ^ values[border]) & 1 == 0);
        borders[index] = border;
    }
    values.len() - border
}

#[cfg(test)]
mod tests {
    use hitm_keys::rng::{Rand48, WiredTigerMwc, WordState, Xoshiro256PlusPlus};

    use super::*;

    #[test]
    fn periods_are_the_shortest() {
        for (bits, period) in
            [("", 0), ("1", 1), ("0000", 1), ("0101010", 2), ("00100100", 3), ("0001", 4), ("011010110", 5)]
        {
            let values: Vec<u64> = bits.bytes().map(u64::from).collect();
            assert_eq!(low_bit_period(&values), period, "{bits}");
        }
    }

    /// Bit k of a congruential generator's state repeats every 2^(k + 1) draws; the lowest bit of lrand48 is the state's 17th.
    #[test]
    fn periods_of_generators_are_the_known_ones() {
        let mut generator = Rand48::seeded(5);
        let words: Vec<u64> = (0..1 << 20).map(|_| generator.draw()).collect();
        assert_eq!(low_bit_period(&words), 1 << 18);
        let mut generator = Rand48::seeded(5);
        let states: Vec<u64> = (0..1000)
            .map(|_| {
                generator.draw();
                generator.words()[0] >> 4
            })
            .collect();
        assert_eq!(low_bit_period(&states), 32);
    }

    #[test]
    fn counts_workers() {
        fn drawn<G: WordState>(mut generator: G, count: usize) -> Vec<u64> {
            (0..count).map(|_| generator.draw()).collect()
        }
        // One of WiredTiger's two words stuck: the lowest bit is that of the other, or stands still.
        let samples = [
            drawn(Xoshiro256PlusPlus::seeded(1), 1000),
            drawn(WiredTigerMwc::from_words([0, 9]), 1000),
            drawn(WiredTigerMwc::from_words([9, 0]), 1000),
            vec![7; 63],
        ];
        let seen = observe(&samples);
        assert_eq!((&*seen.name, seen.of), (NAME, 3));
        assert_eq!(seen.count, 1);
        assert_eq!((observe(&[]).count, observe(&[]).of), (0, 0));
    }
}
