//! Common prefix and suffix of two texts. An optimal alignment may always match their symbols.

use crate::alignment::{Alignment, EditKind};
use crate::symbol::Symbol;

/// Lengths of the common prefix and suffix of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommonAffix {
    /// Number of symbols in the common prefix.
    pub(crate) prefix: usize,
    /// Number of symbols in the common suffix, after the prefix is removed.
    pub(crate) suffix: usize,
}

impl CommonAffix {
    /// Cuts the common prefix and suffix off `a` and `b`. Returns the lengths of both, then the rest of `a` and the
    /// rest of `b`. Takes O(prefix + suffix) time.
    pub(crate) fn cut<'t, T: Symbol>(a: &'t [T], b: &'t [T]) -> (Self, &'t [T], &'t [T]) {
        let prefix = T::common_prefix(a, b);
        let (a, b) = (&a[prefix..], &b[prefix..]);
        let suffix = T::common_suffix(a, b);
        (Self { prefix, suffix }, &a[..a.len() - suffix], &b[..b.len() - suffix])
    }

    /// Returns `middle`, an alignment of the texts without their common prefix and suffix, extended by both.
    pub(crate) fn around(self, middle: Alignment) -> Alignment {
        if self == (Self { prefix: 0, suffix: 0 }) {
            return middle;
        }
        let mut alignment = Alignment::default();
        alignment.push(EditKind::Equal, self.prefix as u64);
        alignment.extend(&middle);
        alignment.push(EditKind::Equal, self.suffix as u64);
        alignment
    }
}
