//! Bytes: reads numbers from the input of a fuzz target. Each number takes as few bytes as it needs, in order, so that
//! a change of one byte changes one number.

/// A reader of numbers from the bytes of a fuzzer. Returns zeros after the last byte.
pub(crate) struct Bytes<'d> {
    rest: &'d [u8],
}

impl<'d> Bytes<'d> {
    pub(crate) fn new(rest: &'d [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// Reads a number below `bound`, which must not be 0. Takes as many bytes as the number `bound` − 1 needs.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let (mut number, mut most) = (0, 0);
        while most < bound - 1 {
            number = number << 8 | usize::from(self.byte());
            most = most << 8 | 0xff;
        }
        number % bound
    }

    /// Reads a position in a list of `len` elements. The position is often near an end of the list, and sometimes far
    /// beyond the list.
    pub(crate) fn place(&mut self, len: u64) -> u64 {
        match self.byte() {
            near @ 0..64 => near.into(),
            near @ 64..128 => (len + 1).saturating_sub((near - 64).into()),
            128..240 => self.below(len as usize + 2) as u64,
            far => u64::MAX - u64::from(far - 240),
        }
    }

    /// Returns all unread bytes.
    pub(crate) fn rest(self) -> &'d [u8] {
        self.rest
    }
}
