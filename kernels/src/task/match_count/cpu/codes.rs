//! Codes: the pattern's own symbols numbered by bytes, so that one kernel does for every alphabet.

/// A symbol's number: `u8` where a text has at most 256 distinct symbols, else `u32`.
pub trait Symbol: Copy + PartialEq + Send + Sync + Into<u32> + sealed::Sealed {
    /// Whether it is a byte already.
    const IS_BYTE: bool;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u32 {}
}

impl Symbol for u8 {
    const IS_BYTE: bool = true;
}

impl Symbol for u32 {
    const IS_BYTE: bool = false;
}

/// How symbols become codes.
#[derive(Clone, Debug)]
pub(super) enum Codes {
    /// Bytes are their own codes.
    Same,
    /// The pattern's symbols are the numbers below this, which stands for all others.
    Below(u8),
    /// A code for each symbol; the last one also for those that are not in the table.
    Table(Vec<u8>),
}

impl Codes {
    /// Appends the codes of a text.
    pub(super) fn encode<T: Symbol>(&self, text: &[T], codes: &mut Vec<u8>) {
        match self {
            Self::Same => codes.extend(text.iter().map(|&symbol| symbol.into() as u8)),
            Self::Below(most) => codes.extend(text.iter().map(|&symbol| symbol.into().min((*most).into()) as u8)),
            Self::Table(table) => {
                let absent = table.len() - 1;
                codes.extend(text.iter().map(|&symbol| table[(symbol.into() as usize).min(absent)]));
            }
        }
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Same | Self::Below(_) => 0,
            Self::Table(table) => table.len(),
        }
    }
}
