//! Texts of random digits.

/// The length of column `c`: ten groups of eleven digits.
pub const C_BYTES: usize = 119;

/// The length of column `pad`: five groups of eleven digits.
pub const PAD_BYTES: usize = 59;

/// Groups of eleven digits with dashes between.
#[inline]
pub(super) fn digits<const BYTES: usize>(mut digit: impl FnMut() -> u8) -> [u8; BYTES] {
    let mut text = [b'-'; BYTES];
    for group in text.chunks_mut(12) {
        for place in group.iter_mut().take(11) {
            *place = digit();
        }
    }
    text
}
