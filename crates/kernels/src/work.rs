//! Local work between two touches of shared memory.

use crate::registry::{DefaultValue, Parameter, ParameterKind};

/// Core cycles that one unit of [`work`] takes where a 64-bit multiplication takes 3: x86-64 since 2008. Others are
/// near: 4 to 6.
pub const WORK_CYCLES: u32 = 4;

/// `units` steps of a chain of which each needs the one before: an exclusive or and a multiplication, [`WORK_CYCLES`]
/// a step, about 1 ns.
///
/// The result depends on `value` one to one. It touches no memory. An exclusive or stands where an addition would do
/// in a generator, because compilers fold several multiply-and-add steps into one.
#[inline]
pub fn work(value: u64, units: u32) -> u64 {
    let mut value = value;
    for _ in 0..units {
        value = (value ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd134_2543_de82_ef95);
    }
    value
}

/// The parameter `work` with its default.
pub(crate) const fn parameter(default: i64, help: &'static str) -> Parameter {
    Parameter {
        name: "work",
        kind: ParameterKind::Integer { range: 0..=65_536, step: 1 },
        default: DefaultValue::Integer(default),
        help,
    }
}

#[cfg(test)]
mod tests {
    use super::work;

    #[test]
    fn chains() {
        assert_eq!(work(7, 0), 7);
        assert_eq!(work(work(7, 3), 4), work(7, 7));
        assert_ne!(work(7, 64), work(8, 64));
    }
}
