//! Values of the cells of a matrix ([`CellValue`]).

use std::fmt;

use kernels::job::Points;
use serde::{Serialize, Serializer};

/// The value of a cell: a number, or −∞ if no alignment ends in the cell. −∞ is less than every number. In JSON, a
/// number or `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellValue {
    tenths: i32,
}

impl CellValue {
    /// The value −∞ of a cell in which no alignment ends.
    pub const UNREACHABLE: Self = Self { tenths: i32::MIN };

    /// Returns the number, or `None` if the value is −∞.
    pub fn number(self) -> Option<Points> {
        (self != Self::UNREACHABLE).then(|| Points::from_tenths(self.tenths.into()))
    }

    /// Returns the value as a number of edits or of equal symbols. Returns 0 for −∞ and for numbers below 0, which only
    /// scores have.
    pub fn count(self) -> u32 {
        u32::try_from(self.tenths / 10).unwrap_or(0)
    }

    /// Returns the value plus `points`. −∞ stays −∞.
    #[must_use]
    pub fn plus(self, points: Points) -> Self {
        if self == Self::UNREACHABLE { self } else { Self { tenths: self.tenths + points.tenths() as i32 } }
    }
}

impl From<i32> for CellValue {
    fn from(number: i32) -> Self {
        Points::from(number).into()
    }
}

impl From<Points> for CellValue {
    fn from(number: Points) -> Self {
        Self { tenths: number.tenths() as i32 }
    }
}

impl PartialEq<i32> for CellValue {
    fn eq(&self, number: &i32) -> bool {
        self.number() == Some(Points::from(*number))
    }
}

impl fmt::Display for CellValue {
    /// Formats the value with a minus sign (U+2212), for example `−3` or `−∞`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            None => f.write_str("−∞"),
            Some(number) if number < Points::ZERO => write!(f, "−{}", number.abs()),
            Some(number) => write!(f, "{number}"),
        }
    }
}

impl Serialize for CellValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}
