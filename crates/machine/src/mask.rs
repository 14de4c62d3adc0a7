//! CPU masks of any length, as the kernel takes them: words of `unsigned long`, the lowest PU in the lowest bit.

use libc::c_ulong;

/// Bits of a word.
const BITS: u32 = c_ulong::BITS;

/// The mask of one PU, just as long as it must be.
pub(crate) fn of_pu(pu: u32) -> Vec<c_ulong> {
    let mut mask = vec![0; (pu / BITS) as usize + 1];
    mask[(pu / BITS) as usize] = 1 << (pu % BITS);
    mask
}

/// The PUs of a mask, ascending.
pub(crate) fn pus(mask: &[c_ulong]) -> Vec<u32> {
    let bits = mask
        .iter()
        .zip(0u32..)
        .flat_map(|(word, i)| (0..BITS).filter(move |bit| word & (1 << bit) != 0).map(move |bit| i * BITS + bit));
    bits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_no_ceiling() {
        for pu in [0, 1, 31, 32, 63, 64, 1023, 1024, 1279, 4095, (1 << 20) - 1] {
            assert_eq!(pus(&of_pu(pu)), [pu]);
        }
        assert_eq!(of_pu(1279).len() * size_of::<c_ulong>(), 160);
        assert!(pus(&[]).is_empty());
        assert_eq!(pus(&[0b101, 1]), [0, 2, BITS]);
    }
}
