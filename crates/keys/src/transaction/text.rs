//! Texts of random digits.

use crate::Refusal;

/// The length of column `c`: ten groups of eleven digits.
pub const C_BYTES: usize = 119;

/// The length of column `pad`: five groups of eleven digits.
pub const PAD_BYTES: usize = 59;

/// How the digits of a text are drawn.
///
/// sysbench draws a number for every digit, 275 for the three texts of an update and an insert. The other two make several digits of
/// one number, which was proposed when its generator was found to be what threads wait for: 33 numbers, or 40.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    /// One number a digit, as every sysbench does.
    #[default]
    PerDigit,
    /// Nine digits of one number, by division. Of numbers below 2³⁰ − 1, as before 1.0, those below
    /// 73,741,823 come twice as often as the others, and the digit 0 comes 8 % too often: its fault.
    NineByDivision,
    /// Seven digits of one number, each of four of its bits by shifts and a multiplication. 16 values do not spread over ten digits: 0, 1, 3,
    /// 5, 6 and 8 come twice as often as 2, 4, 7 and 9: its fault.
    SevenByShifting,
}

/// What a digit is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// A number below 10.
    Digit,
    /// A number below 10⁹.
    NineDigits,
    /// A number below 2²⁸.
    Bits28,
}

impl Text {
    /// Their names, in the order of their declaration.
    pub const NAMES: [&str; 3] = ["per-digit", "nine-by-division", "seven-by-shifting"];

    /// The one of that name.
    ///
    /// # Errors
    /// A name that is none of [`Text::NAMES`].
    pub fn find(name: &str) -> Result<Text, Refusal> {
        let all = [Text::PerDigit, Text::NineByDivision, Text::SevenByShifting];
        Self::NAMES.iter().zip(all).find(|(known, _)| **known == name).map(|(_, text)| text).ok_or_else(|| {
            Refusal::new("text", format!("there is no text `{name}`"), format!("give {}", Self::NAMES.join(", ")))
        })
    }

    /// How many digits one number makes.
    pub const fn digits_a_number(self) -> u32 {
        match self {
            Text::PerDigit => 1,
            Text::NineByDivision => 9,
            Text::SevenByShifting => 7,
        }
    }

    /// Groups of eleven digits with dashes between. `draw` draws what is needed, one number a call.
    #[inline]
    pub(super) fn draw<const BYTES: usize>(self, mut draw: impl FnMut(Need) -> u32) -> [u8; BYTES] {
        match self {
            Text::PerDigit => digits(|| draw(Need::Digit)),
            Text::NineByDivision => {
                let (mut number, mut left) = (0, 0);
                digits(|| {
                    if left == 0 {
                        (number, left) = (draw(Need::NineDigits), 9);
                    }
                    let digit = number % 10;
                    (number, left) = (number / 10, left - 1);
                    digit
                })
            }
            Text::SevenByShifting => {
                let (mut number, mut left) = (0, 0);
                digits(|| {
                    if left == 0 {
                        (number, left) = (draw(Need::Bits28), 7);
                    }
                    let digit = ((number & 15) * 10) >> 4;
                    (number, left) = (number >> 4, left - 1);
                    digit
                })
            }
        }
    }
}

#[inline]
fn digits<const BYTES: usize>(mut digit: impl FnMut() -> u32) -> [u8; BYTES] {
    let mut text = [b'-'; BYTES];
    for group in text.chunks_mut(12) {
        for place in group.iter_mut().take(11) {
            *place = b'0' + digit() as u8;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_numbers() {
        let mut numbers = [123_456_789, 5].into_iter();
        let text: [u8; 11] = Text::NineByDivision.draw(|need| {
            assert_eq!(need, Need::NineDigits);
            numbers.next().unwrap()
        });
        assert_eq!(&text, b"98765432150");
        let mut numbers = [0x765_4321, 0xfff_dba8].into_iter();
        let text: [u8; 13] = Text::SevenByShifting.draw(|need| {
            assert_eq!(need, Need::Bits28);
            numbers.next().unwrap()
        });
        assert_eq!(&text, b"01123345668-9");
        assert_eq!(&Text::PerDigit.draw::<13>(|_| 7), b"77777777777-7");
    }

    #[test]
    fn names_are_in_order() {
        for name in Text::NAMES {
            let text = Text::find(name).unwrap();
            assert_eq!(Text::NAMES[text as usize], name);
        }
        assert!(Text::find("per digit").unwrap_err().cure.contains("per-digit"));
    }
}
