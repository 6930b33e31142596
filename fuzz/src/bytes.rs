//! Numbers out of bytes: each takes as few as it needs, in order, so that a change of one byte changes one thing.

/// Bytes that are being read; zeros follow the last one.
pub(crate) struct Bytes<'d> {
    rest: &'d [u8],
}

impl<'d> Bytes<'d> {
    /// These bytes, from the first on.
    pub(crate) fn new(rest: &'d [u8]) -> Self {
        Self { rest }
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// A number below `bound`, which must not be 0, out of as many bytes as all of them need.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let (mut number, mut most) = (0, 0);
        while most < bound - 1 {
            number = number << 8 | usize::from(self.byte());
            most = most << 8 | 0xff;
        }
        number % bound
    }

    /// A place in a list of so many, often near an end of it, sometimes far beyond.
    pub(crate) fn place(&mut self, len: u64) -> u64 {
        match self.byte() {
            near @ 0..64 => near.into(),
            near @ 64..128 => (len + 1).saturating_sub((near - 64).into()),
            128..240 => self.below(len as usize + 2) as u64,
            far => u64::MAX - u64::from(far - 240),
        }
    }

    /// All that are left.
    pub(crate) fn rest(self) -> &'d [u8] {
        self.rest
    }
}
