//! Points of columns, costs of gaps, and their sums, as decimal numbers with at most one digit after the point.

use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cbor::Cbor;

/// A number of points, a cost of a gap, or a score: a decimal number with at most one digit after the point. It is exact.
///
/// ```
/// use kernels::job::Points;
///
/// let points: Points = serde_json::from_str("9.5").unwrap();
/// assert_eq!((points.tenths(), (points + Points::from(1)).to_string()), (95, "10.5".into()));
/// assert_eq!(serde_json::to_string(&Points::from(-3)).unwrap(), "-3");
/// assert!(serde_json::from_str::<Points>("0.25").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points {
    tenths: i64,
}

/// Error for a text that is no decimal number with at most one digit after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number with at most one digit after the point")]
pub struct PointsError;

impl Points {
    /// No points.
    pub const ZERO: Self = Self::whole(0);

    /// Creates a whole number of points.
    pub const fn whole(points: i32) -> Self {
        Self { tenths: points as i64 * 10 }
    }

    /// Creates a number of tenths of a point.
    pub const fn from_tenths(tenths: i64) -> Self {
        Self { tenths }
    }

    /// Creates the number of points of `units` units, of which a point has `scale`: 1, 2, 5 or 10.
    pub const fn from_units(units: i64, scale: u32) -> Self {
        Self { tenths: units * (10 / scale) as i64 }
    }

    /// Returns the first scale of 1, 2, 5 and 10 units a point in which all `numbers` are whole numbers of units.
    pub(crate) fn scale_of(numbers: impl Iterator<Item = Self> + Clone) -> u32 {
        let is_whole = |scale: u32| numbers.clone().all(|points| points.tenths % i64::from(10 / scale) == 0);
        [1, 2, 5].into_iter().find(|scale| is_whole(*scale)).unwrap_or(10)
    }

    /// Returns the number of units, of which a point has `scale`: 1, 2, 5 or 10. The number must be a whole number of units.
    pub const fn units(self, scale: u32) -> i64 {
        self.tenths / (10 / scale) as i64
    }

    /// Returns the number of tenths of a point.
    pub const fn tenths(self) -> i64 {
        self.tenths
    }

    /// Returns the number without its sign.
    pub const fn abs(self) -> Self {
        Self { tenths: self.tenths.abs() }
    }

    /// Returns whether the number has no digit after the point.
    pub const fn is_whole(self) -> bool {
        self.tenths % 10 == 0
    }

    /// Returns the number `count` times.
    pub const fn times(self, count: u64) -> Self {
        Self { tenths: self.tenths * count as i64 }
    }

    /// Returns the nearest whole number. A half is rounded up.
    pub const fn rounded(self) -> i64 {
        (self.tenths + 5).div_euclid(10)
    }

    /// Returns the greatest whole number that is not greater.
    pub const fn rounded_down(self) -> i64 {
        self.tenths.div_euclid(10)
    }

    /// Returns the least whole number that is not less.
    pub const fn rounded_up(self) -> i64 {
        -(-self.tenths).div_euclid(10)
    }

    /// Returns the nearest number of the type `f64`.
    pub fn approximate(self) -> f64 {
        self.tenths as f64 / 10.0
    }
}

impl From<i64> for Points {
    fn from(points: i64) -> Self {
        Self { tenths: points * 10 }
    }
}

impl From<i32> for Points {
    fn from(points: i32) -> Self {
        Self::whole(points)
    }
}

impl From<u32> for Points {
    fn from(points: u32) -> Self {
        i64::from(points).into()
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { tenths: self.tenths + other.tenths }
    }
}

impl Sub for Points {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Points {
    type Output = Self;

    fn neg(self) -> Self {
        Self { tenths: -self.tenths }
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl<'p> Sum<&'p Self> for Points {
    fn sum<I: Iterator<Item = &'p Self>>(numbers: I) -> Self {
        numbers.copied().sum()
    }
}

impl Display for Points {
    /// Writes the number with a hyphen as minus sign and a point before the tenths. Whole numbers have no point.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (sign, tenths) = (if self.tenths < 0 { "-" } else { "" }, self.tenths.unsigned_abs());
        write!(out, "{sign}{}", tenths / 10)?;
        if self.is_whole() { Ok(()) } else { write!(out, ".{}", tenths % 10) }
    }
}

impl FromStr for Points {
    type Err = PointsError;

    /// Parses a decimal number such as `-9.5`, `+2` or `.5`. More digits after the point must be 0.
    fn from_str(text: &str) -> Result<Self, PointsError> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let has_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !has_digits(whole) || !has_digits(fraction) {
            return Err(PointsError);
        }
        let (first, rest) = fraction.split_at(fraction.len().min(1));
        if rest.bytes().any(|digit| digit != b'0') {
            return Err(PointsError);
        }
        let number = |digits: &str| if digits.is_empty() { Ok(0) } else { digits.parse::<i64>() };
        let tenths = number(whole).ok().and_then(|whole| whole.checked_mul(10)?.checked_add(number(first).ok()?)).ok_or(PointsError)?;
        Ok(Self { tenths: if is_negative { -tenths } else { tenths } })
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_whole() { serializer.serialize_i64(self.tenths / 10) } else { serializer.serialize_f64(self.approximate()) }
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PointsVisitor)
    }
}

/// The reader of a JSON number.
struct PointsVisitor;

impl Visitor<'_> for PointsVisitor {
    type Value = Points;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("a number with at most one digit after the point")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Points, E> {
        let tenths = number.checked_mul(10).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Signed(number), &self))?;
        Ok(Points { tenths })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Points, E> {
        i64::try_from(number)
            .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            .and_then(|number| self.visit_i64(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Points, E> {
        /// Greatest number of tenths that `f64` represents exactly.
        const MAX_TENTHS: f64 = 9_007_199_254_740_992.0;
        let tenths = (number * 10.0).round();
        // A decimal fraction is rounded to a binary one.
        if tenths.abs() <= MAX_TENTHS && tenths / 10.0 == number {
            Ok(Points { tenths: tenths as i64 })
        } else {
            Err(E::invalid_value(serde::de::Unexpected::Float(number), &self))
        }
    }
}

impl Cbor for Points {
    fn write(&self, out: &mut Vec<u8>) {
        self.tenths.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        i64::read(from).map(Self::from_tenths)
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use utoipa::openapi::schema::{ObjectBuilder, Type};
    use utoipa::openapi::{RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    impl PartialSchema for super::Points {
        fn schema() -> RefOr<Schema> {
            ObjectBuilder::new().schema_type(Type::Number).description(Some("A number with at most one digit after the point.")).into()
        }
    }

    impl ToSchema for super::Points {
        fn name() -> Cow<'static, str> {
            Cow::Borrowed("Points")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_and_read_without_loss() {
        for (tenths, text) in
            [(0, "0"), (5, "0.5"), (-5, "-0.5"), (95, "9.5"), (-100, "-10"), (-10_001, "-1000.1"), (1 << 52, "450359962737049.6")]
        {
            let points = Points::from_tenths(tenths);
            assert_eq!((points.to_string().as_str(), text.parse()), (text, Ok(points)));
            assert_eq!((serde_json::to_string(&points).unwrap().as_str(), serde_json::from_str(text).ok()), (text, Some(points)));
            assert_eq!(crate::cbor::from_bytes(&crate::cbor::to_bytes(&points)), Some(points));
        }
    }

    #[test]
    fn texts_may_have_signs_and_zeros_or_no_whole_part() {
        for (text, tenths) in [("+2", 20), (".5", 5), ("-.5", -5), ("3.", 30), ("1.500", 15), ("007", 70)] {
            assert_eq!(text.parse(), Ok(Points::from_tenths(tenths)), "{text}");
        }
        for text in ["", ".", "-", "--1", "1.25", "1e2", "1,5", " 1", "0x1", "99999999999999999999"] {
            assert_eq!(text.parse::<Points>(), Err(PointsError), "{text}");
        }
        for json in ["0.25", "1e300", "-9223372036854775808", "18446744073709551615", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Points>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::from_str::<Points>("1e2").ok(), Some(Points::from(100)));
    }

    #[test]
    fn sums_are_exact() {
        let tenth = Points::from_tenths(1);
        assert_eq!((std::iter::repeat_n(tenth, 10).sum::<Points>(), tenth - Points::from(1)), (Points::from(1), Points::from_tenths(-9)));
        assert!(Points::from(-1) < -tenth && -tenth < Points::ZERO);
    }
}
