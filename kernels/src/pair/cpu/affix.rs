//! Equal ends of two texts: an optimal alignment need not leave them.

use crate::alignment::{Alignment, Edit};
use crate::symbol::Symbol;

/// How much two texts have in common at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommonAffix {
    /// Symbols of the common prefix.
    pub(crate) prefix: usize,
    /// Symbols of the common suffix of what is left.
    pub(crate) suffix: usize,
}

impl CommonAffix {
    /// Cuts both texts. Time O(prefix + suffix).
    pub(crate) fn cut<'t, T: Symbol>(a: &'t [T], b: &'t [T]) -> (Self, &'t [T], &'t [T]) {
        let prefix = T::common_prefix(a, b);
        let (a, b) = (&a[prefix..], &b[prefix..]);
        let suffix = T::common_suffix(a, b);
        (Self { prefix, suffix }, &a[..a.len() - suffix], &b[..b.len() - suffix])
    }

    /// The alignment of the whole texts, given the one of what was left.
    pub(crate) fn around(self, middle: Alignment) -> Alignment {
        if self == (Self { prefix: 0, suffix: 0 }) {
            return middle;
        }
        let mut alignment = Alignment::default();
        alignment.push(Edit::Equal, self.prefix as u64);
        alignment.extend(&middle);
        alignment.push(Edit::Equal, self.suffix as u64);
        alignment
    }
}
