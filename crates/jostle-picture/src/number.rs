//! Numbers as people read them.

use std::fmt::Display;

/// The digits of a whole number that is not negative, in groups of three.
///
/// ```
/// use jostle_picture::grouped;
///
/// assert_eq!([0, 999, 1000, 123_456, 1_234_567].map(grouped), ["0", "999", "1,000", "123,456", "1,234,567"]);
/// ```
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
