//! Powers for a hot loop: base two logarithms and exponentials by a table and a short series, inlined and without the cases that do not come.
//!
//! About half of the C library's time, for a relative error of a few 10⁻¹⁶ times the size of the exponent or of the result's logarithm.

use std::f64::consts::{LN_2, LOG2_E};

/// Parts of an octave for powers.
const PARTS: usize = 128;

/// Parts for logarithms: with twice as many, one term fewer is needed.
const LOG_PARTS: usize = 256;

/// Of each part's middle c: 1 / c and log₂ c.
static LOGARITHMS: [(f64, f64); LOG_PARTS] = logarithms();

/// The bits of 2^(i / 128).
static ROOTS: [u64; PARTS] = roots();

const fn logarithms() -> [(f64, f64); LOG_PARTS] {
    let mut table = [(0.0, 0.0); LOG_PARTS];
    let mut part = 0;
    while part < LOG_PARTS {
        let middle = 1.0 + (part as f64 + 0.5) / LOG_PARTS as f64;
        // ln c is twice the area tangent of this, which is below 1/3.
        let z = (middle - 1.0) / (middle + 1.0);
        let (mut sum, mut term) = (0.0, 20);
        while term > 0 {
            term -= 1;
            sum = sum * z * z + 1.0 / (2 * term + 1) as f64;
        }
        table[part] = (1.0 / middle, 2.0 * z * sum * LOG2_E);
        part += 1;
    }
    table
}

const fn roots() -> [u64; PARTS] {
    let mut table = [0; PARTS];
    let mut part = 0;
    while part < PARTS {
        let ln = LN_2 * part as f64 / PARTS as f64;
        let (mut sum, mut term) = (1.0, 20);
        while term > 0 {
            sum = 1.0 + ln / term as f64 * sum;
            term -= 1;
        }
        table[part] = f64::to_bits(sum);
        part += 1;
    }
    table
}

const MANTISSA: u64 = (1 << 52) - 1;

/// log₂ of a normal number above 0, to 10⁻¹⁵ where it is small.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) as i64 - 1023) as f64;
    let (inverse, log) = LOGARITHMS[(bits >> 44) as usize % LOG_PARTS];
    // How far from the part's middle: 1/512 at most.
    let r = f64::from_bits(bits & MANTISSA | 1023 << 52) * inverse - 1.0;
    let square = r * r;
    let (first, second) = (LOG2_E - LOG2_E / 2.0 * r, LOG2_E / 3.0 - LOG2_E / 4.0 * r);
    (exponent + log) + r * (first + square * (second + square * (LOG2_E / 5.0)))
}

/// 2^x of a number between −1000 and 1000.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    /// A number of this size has its last digit at 1/128.
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64 / PARTS as f64;
    let rounded = x + ROUND;
    let parts = rounded.to_bits();
    let r = x - (rounded - ROUND);
    let square = r * r;
    let low = LN_2 + LN_2 * LN_2 / 2.0 * r;
    let high = LN_2 * LN_2 * LN_2 / 6.0 + LN_2 * LN_2 * LN_2 * LN_2 / 24.0 * r;
    let series = r * low + r * square * high;
    let root = f64::from_bits(ROOTS[parts as usize % PARTS].wrapping_add((parts / PARTS as u64) << 52));
    root + root * series
}

/// `base` to the power of `exponent`, of a normal number above 0, where the result is between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰.
#[inline(always)]
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    exp2(log2(base) * exponent)
}

#[cfg(test)]
mod tests {
    use super::{exp2, log2, power};

    #[test]
    fn powers_are_those_of_the_c_library() {
        for i in 0..20_000 {
            let x = 1.001f64.powi(i % 4000 - 2000) * (1.0 + f64::from(i) * 1e-7);
            assert!((log2(x) - x.log2()).abs() <= 1e-15 * x.log2().abs().max(1.0), "log2 {x}: {}", log2(x) - x.log2());
            let x = f64::from(i) / 10.0 - 999.95;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 4e-15, "exp2 {x}");
            for exponent in [-1000.0, -2.0, -0.3, 0.01, 1.0, 2.5, 100.0] {
                let base = 2f64.powf((f64::from(i) / 10_000.0 - 1.0) * 60.0 / f64::max(1.0, f64::abs(exponent)));
                let error = power(base, exponent) / base.powf(exponent) - 1.0;
                let size = f64::abs(exponent) + f64::abs(base.log2() * exponent);
                assert!(error.abs() < 4e-15 + 4e-16 * size, "{base}^{exponent}: {error}");
            }
        }
    }
}
