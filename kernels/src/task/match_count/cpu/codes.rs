//! Codes: the symbols of the pattern, numbered by bytes, so that one function serves every alphabet.

use fearless_simd::Level;

use crate::byte_table::ByteTable;
use crate::symbol::Symbol;

/// The mapping from symbols of pattern and text to codes (bytes).
#[derive(Clone, Debug)]
pub(super) enum SymbolCodes {
    /// Symbols are bytes, and each is its own code.
    Same,
    /// Symbols below this number are their own codes. All other symbols have this number as their code.
    Below(u8),
    /// For each symbol number, its code. The last entry is the code of all symbols beyond the table.
    Table(Vec<u8>),
    /// Symbols are bytes, whose codes are looked up many at a time.
    Bytes(Box<ByteTable>),
}

impl SymbolCodes {
    /// Appends the code of each symbol of `text` to `codes`.
    pub(super) fn encode<T: Symbol>(&self, text: &[T], codes: &mut Vec<u8>) {
        match self {
            Self::Same => codes.extend(text.iter().map(|&symbol| symbol.lowest())),
            Self::Below(most) => codes.extend(text.iter().map(|&symbol| symbol.number().min((*most).into()) as u8)),
            Self::Table(table) => {
                let absent = table.len() - 1;
                codes.extend(text.iter().map(|&symbol| table[(symbol.number() as usize).min(absent)]));
            }
            Self::Bytes(table) => {
                let (from, mut copy) = (codes.len(), Vec::new());
                codes.resize(from + text.len(), 0);
                table.look_up(Level::new(), T::lowest_bytes(text, &mut copy), &mut codes[from..]);
            }
        }
    }

    /// Returns the memory of the mapping in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Same | Self::Below(_) => 0,
            Self::Table(table) => table.len(),
            Self::Bytes(table) => table.bytes(),
        }
    }
}
