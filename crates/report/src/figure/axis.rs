//! Axes: where a value stands, and the ticks that are labelled.

use crate::number::{significant, trim};

/// How values are laid along an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Axis {
    /// Evenly.
    Linear { low: f64, high: f64, step: f64 },
    /// By ratio.
    Log { low: f64, high: f64 },
    /// By ratio, with a place of its own for zero before a break.
    LogWithZero { low: f64, high: f64 },
}

/// Values of cost that span this factor, and more, are laid by ratio.
const BY_RATIO: f64 = 40.0;
/// The part of an axis that the zero before a break takes.
const ZERO_SLOT: f64 = 0.14;

/// A tick with its label.
pub(crate) type Tick = (f64, String);

impl Axis {
    /// An axis for values of cost: from zero, or by ratio where they span a factor of 40 and more.
    pub(crate) fn of_values(low: f64, high: f64, may_be_log: bool) -> Self {
        if may_be_log && low > 0.0 && high / low >= BY_RATIO {
            return Axis::Log { low: one_two_five(low, false), high: one_two_five(high, true) };
        }
        Axis::linear(low.min(0.0), high.max(0.0))
    }

    /// As [`of_values`](Self::of_values), where zeros among values far apart have a place of their own.
    pub(crate) fn of_values_with_zeros(values: &[f64]) -> Self {
        let (low, high) = reach(values);
        let least = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if low == 0.0 && least.is_finite() && high / least >= BY_RATIO {
            return Axis::LogWithZero { low: one_two_five(least, false), high: one_two_five(high, true) };
        }
        Axis::of_values(low, high, true)
    }

    /// An even axis that begins and ends at a tick.
    pub(crate) fn linear(low: f64, high: f64) -> Self {
        let span = high - low;
        if span.is_nan() || span <= 0.0 {
            return Axis::Linear { low: 0.0, high: 1.0, step: 0.5 };
        }
        let step = one_two_five(span / 6.0, true);
        // A little below zero, such as an interval's end, is not worth a whole step.
        let low = if low < 0.0 && -low < step / 2.0 && high > 0.0 { low * 1.2 } else { (low / step).floor() * step };
        Axis::Linear { low, high: (high / step).ceil() * step, step }
    }

    /// An axis for the values of a parameter: by powers of two where they span a factor of 4 and more.
    pub(crate) fn of_parameter(values: &[f64]) -> Self {
        let (low, high) = reach(values);
        let least_above_zero = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if low > 0.0 && high / low >= 4.0 {
            Axis::Log { low, high }
        } else if low == 0.0 && least_above_zero.is_finite() && high / least_above_zero >= 4.0 {
            Axis::LogWithZero { low: least_above_zero, high }
        } else if high > low {
            Axis::Linear { low, high, step: 0.0 }
        } else {
            Axis::Linear { low: low - 1.0, high: low + 1.0, step: 0.0 }
        }
    }

    /// Where a value stands, from 0 at the axis's beginning to 1 at its end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let place = match *self {
            Axis::Linear { low, high, .. } => (value - low) / (high - low),
            Axis::Log { low, high } => ratio_place(value, low, high),
            Axis::LogWithZero { .. } if value <= 0.0 => 0.0,
            Axis::LogWithZero { low, high } => ZERO_SLOT + (1.0 - ZERO_SLOT) * ratio_place(value, low, high),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The place of the break between zero and the rest.
    pub(crate) fn break_place(&self) -> Option<f64> {
        matches!(self, Axis::LogWithZero { .. }).then_some(ZERO_SLOT / 2.0)
    }

    /// Ticks at round values.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        match *self {
            Axis::Linear { low, high, step } if step > 0.0 => {
                let decimals = (-(step.log10().floor())).max(0.0) as usize;
                let first = (low / step - 1e-9).ceil() * step;
                let number = ((high - first) / step).round() as i64;
                let tick = |i: i64| {
                    let value = first + i as f64 * step;
                    // The sum of steps may miss zero by a rounding.
                    let value = if value.abs() < step / 1e6 { 0.0 } else { value };
                    (value, label(value, decimals))
                };
                (0..=number.clamp(1, 12)).map(tick).collect()
            }
            Axis::Log { low, high } | Axis::LogWithZero { low, high } => {
                let decades = high.log10() - low.log10();
                let digits: &[f64] = if decades <= 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let every = ((decades / 8.0).ceil() as i32).max(1);
                let exponents = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
                let values = exponents
                    .filter(|exponent| exponent % every == 0)
                    .flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)));
                let inside = values.filter(|value| *value >= low * 0.999 && *value <= high * 1.001);
                let zero = matches!(self, Axis::LogWithZero { .. }).then(|| (0.0, "0".to_owned()));
                zero.into_iter().chain(inside.map(|value| (value, trim(&significant(value, 1)).to_owned()))).collect()
            }
            Axis::Linear { low, high, .. } => vec![(low, label(low, 2)), (high, label(high, 2))],
        }
    }
}

fn label(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e7 || decimals > 6 { significant(value, 3) } else { format!("{value:.decimals$}") }
}

fn ratio_place(value: f64, low: f64, high: f64) -> f64 {
    if high <= low { 0.5 } else { (value / low).ln() / (high / low).ln() }
}

/// The least and the largest of some values; zeros where there are none.
pub(crate) fn reach(values: &[f64]) -> (f64, f64) {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
    let (low, high) = (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max));
    if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 0.0) }
}

/// 1, 2 or 5 times a power of ten, at or above the value with `up`, else at or below.
fn one_two_five(value: f64, up: bool) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let mantissa = value / power;
    let steps = [1.0, 2.0, 5.0, 10.0];
    let close = 1e-9;
    let step = if up {
        steps.into_iter().find(|step| *step >= mantissa - close)
    } else {
        steps.into_iter().rev().find(|step| *step <= mantissa + close)
    };
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_axes_hold_their_values_between_round_ticks() {
        for (low, high) in [(0.0, 24.3), (-3.0, 118.0), (0.0, 1e-9), (0.0, 3e12), (-5.0, -1.0), (0.0, 0.0)] {
            let axis = Axis::of_values(low, high, false);
            let ticks = axis.ticks();
            assert!(ticks.len() >= 3 && ticks.len() <= 12, "{low} {high}: {ticks:?}");
            assert!((0.0..=1.0).contains(&axis.place(low)) && (0.0..=1.0).contains(&axis.place(high)));
            if high > low {
                assert!(axis.place(high) > axis.place(low));
            }
        }
    }

    #[test]
    fn ratio_axes_have_ticks_and_a_place_for_zero() {
        let axis = Axis::of_values(1.3, 312.0, true);
        assert_eq!(axis, Axis::Log { low: 1.0, high: 500.0 });
        let labels: Vec<String> = axis.ticks().into_iter().map(|tick| tick.1).collect();
        assert_eq!(labels, ["1", "2", "5", "10", "20", "50", "100", "200", "500"]);
        let work = Axis::of_parameter(&[0.0, 64.0, 256.0]);
        assert_eq!(work.place(0.0), 0.0);
        assert!(work.place(64.0) > 0.1 && work.place(256.0) == 1.0);
        assert!(matches!(Axis::of_values(0.0, 300.0, true), Axis::Linear { .. }), "no zero on a ratio axis");
        let with_zero = Axis::of_values_with_zeros(&[0.0, 0.03, 500.0]);
        assert_eq!(with_zero, Axis::LogWithZero { low: 0.02, high: 500.0 });
        assert_eq!((with_zero.ticks()[0].clone(), with_zero.place(0.0)), ((0.0, "0".to_owned()), 0.0));
        assert!(with_zero.place(0.03) > 0.1 && with_zero.place(500.0) == 1.0);
        assert!(matches!(Axis::of_values_with_zeros(&[0.0, 3.0, 5.0]), Axis::Linear { .. }));
    }

    #[test]
    fn one_value_stands_in_the_middle() {
        assert_eq!(Axis::of_parameter(&[2.0]).place(2.0), 0.5);
        assert_eq!(Axis::of_parameter(&[0.0]).place(0.0), 0.5);
    }
}
