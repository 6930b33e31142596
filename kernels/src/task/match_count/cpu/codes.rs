//! Codes: the pattern's own symbols numbered by bytes, so that one kernel serves every alphabet.

use crate::symbol::Symbol;

/// The mapping from symbols to codes.
#[derive(Clone, Debug)]
pub(super) enum SymbolCodes {
    /// Bytes are their own codes.
    Same,
    /// The pattern's symbols are the numbers below this one, which stands for all other symbols.
    Below(u8),
    /// A code for each symbol. The last code also serves symbols that are not in the table.
    Table(Vec<u8>),
}

impl SymbolCodes {
    /// Appends the codes of a text.
    pub(super) fn encode<T: Symbol>(&self, text: &[T], codes: &mut Vec<u8>) {
        match self {
            Self::Same => codes.extend(text.iter().map(|&symbol| symbol.lowest())),
            Self::Below(most) => codes.extend(text.iter().map(|&symbol| symbol.number().min((*most).into()) as u8)),
            Self::Table(table) => {
                let absent = table.len() - 1;
                codes.extend(text.iter().map(|&symbol| table[(symbol.number() as usize).min(absent)]));
            }
        }
    }

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Same | Self::Below(_) => 0,
            Self::Table(table) => table.len(),
        }
    }
}
