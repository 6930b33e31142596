//! Natural numbers of any size ([`BigUint`]), for the numbers of optimal alignments. Two texts of 60 symbols may have
//! 10⁴⁵ optimal alignments.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Base of the groups of decimal digits in which a number is written: 10⁹.
const GROUP: u32 = 1_000_000_000;

/// A natural number of any size. Adding, subtracting and comparing take O(digits) time.
///
/// ```
/// use explain::matrix::natural::BigUint;
///
/// let number: BigUint = "340282366920938463463374607431768211456".parse().unwrap();
/// let mut twice = number.clone();
/// twice.add(&number);
/// assert_eq!(twice.to_string(), "680564733841876926926749214863536422912");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BigUint {
    /// Digits in base 2³², lowest first, without leading zeros.
    digits: Vec<u32>,
}

impl BigUint {
    /// The number 0.
    pub const ZERO: Self = Self { digits: Vec::new() };

    /// Returns whether the number is 0.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the number of 32-bit words of the number.
    pub fn words(&self) -> usize {
        self.digits.len()
    }

    /// Adds `other` to this number.
    pub fn add(&mut self, other: &Self) {
        let mut carry = 0u64;
        for at in 0..self.digits.len().max(other.digits.len()) {
            if at == self.digits.len() {
                self.digits.push(0);
            }
            carry += u64::from(self.digits[at]) + u64::from(other.digits.get(at).copied().unwrap_or(0));
            self.digits[at] = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.digits.push(carry as u32);
        }
    }

    /// Returns this number minus `other`, or `None` if the result would be negative.
    #[must_use]
    pub fn checked_sub(mut self, other: &Self) -> Option<Self> {
        if &self < other {
            return None;
        }
        let mut borrow = 0i64;
        for (at, digit) in self.digits.iter_mut().enumerate() {
            let difference = i64::from(*digit) - i64::from(other.digits.get(at).copied().unwrap_or(0)) + borrow;
            *digit = difference as u32;
            borrow = difference >> 32;
        }
        Some(self.trimmed())
    }

    /// Returns the product of this number and `other`. Takes time proportional to the product of their numbers of
    /// digits.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0u32; self.digits.len() + other.digits.len()];
        for (at, &x) in self.digits.iter().enumerate() {
            let mut carry = 0u64;
            for (digit, y) in digits[at..].iter_mut().zip(other.digits.iter().copied().chain(std::iter::repeat(0))) {
                carry += u64::from(x) * u64::from(y) + u64::from(*digit);
                *digit = carry as u32;
                carry >>= 32;
            }
        }
        Self { digits }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self
    }

    /// Multiplies the number by `by` and adds `plus`, in place.
    fn scale(&mut self, by: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for digit in &mut self.digits {
            carry += u64::from(*digit) * u64::from(by);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.digits.push(carry as u32);
        }
    }

    /// Divides the number by `by` in place and returns the remainder.
    fn divide(&mut self, by: u32) -> u32 {
        let mut rest = 0u64;
        for digit in self.digits.iter_mut().rev() {
            rest = rest << 32 | u64::from(*digit);
            *digit = (rest / u64::from(by)) as u32;
            rest %= u64::from(by);
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        rest as u32
    }
}

impl From<u32> for BigUint {
    fn from(number: u32) -> Self {
        Self { digits: vec![number] }.trimmed()
    }
}

impl Ord for BigUint {
    fn cmp(&self, other: &Self) -> Ordering {
        let lengths = self.digits.len().cmp(&other.digits.len());
        lengths.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }
}

impl PartialOrd for BigUint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes the number in decimal, without separators.
impl fmt::Display for BigUint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.clone();
        let mut groups = vec![left.divide(GROUP)];
        while !left.is_zero() {
            groups.push(left.divide(GROUP));
        }
        let mut groups = groups.iter().rev();
        groups.next().map_or(Ok(()), |first| write!(f, "{first}"))?;
        groups.try_for_each(|group| write!(f, "{group:09}"))
    }
}

/// Error for a text that is not a natural number in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("This is no whole number in decimal.")]
pub struct BigUintError;

impl FromStr for BigUint {
    type Err = BigUintError;

    fn from_str(text: &str) -> Result<Self, BigUintError> {
        if text.is_empty() {
            return Err(BigUintError);
        }
        text.chars().try_fold(Self::ZERO, |mut number, letter| {
            number.scale(10, letter.to_digit(10).ok_or(BigUintError)?);
            Ok(number)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn natural(number: u128) -> BigUint {
        number.to_string().parse().unwrap()
    }

    proptest! {
        #[test]
        fn big_numbers_agree_with_machine_integers(x in any::<u128>(), y in any::<u128>(), shift in 0u32..127) {
            let (x, y) = (x >> (shift / 2 + 1), y >> (shift + 1));
            let mut sum = natural(x);
            sum.add(&natural(y));
            prop_assert_eq!(sum.to_string(), (x + y).to_string());
            prop_assert_eq!(sum.checked_sub(&natural(y)), Some(natural(x)));
            prop_assert_eq!(natural(x).checked_sub(&natural(y)).is_some(), x >= y);
            prop_assert_eq!(natural(x).cmp(&natural(y)), x.cmp(&y));
            let (x, y) = (x >> 64, y >> 64);
            prop_assert_eq!(natural(x).times(&natural(y)), natural(x * y));
        }
    }

    #[test]
    fn numbers_grow_beyond_machine_words() {
        // 2^200, by doubling.
        let mut number = BigUint::from(1);
        for _ in 0..200 {
            let same = number.clone();
            number.add(&same);
        }
        assert_eq!(number.to_string(), "1606938044258990275541962092341162602522202993782792835301376");
        assert_eq!(number.words(), 7);
        let square = BigUint::from(u32::MAX).times(&BigUint::from(u32::MAX));
        assert_eq!(square.to_string(), "18446744065119617025");
    }

    #[test]
    fn invalid_digits_are_refused() {
        for text in ["", "-1", "1e9", "١", " 1"] {
            assert_eq!(text.parse::<BigUint>(), Err(BigUintError), "{text}");
        }
        assert_eq!("000".parse(), Ok(BigUint::ZERO));
        assert_eq!(BigUint::ZERO.to_string(), "0");
    }
}
