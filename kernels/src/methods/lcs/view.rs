//! View: a text that is read forwards or backwards. In section 3.1 of paper 001, a second function `llcs'` reads
//! strings backwards, because reversing them at each call would be slow. Here one function reads two kinds of views.

/// A text or a part of a text that is read forwards or backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectedSymbols<'t, T> {
    symbols: &'t [T],
    is_reversed: bool,
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only devices have texts by their place"))]
    start: usize,
}

impl<'t, T: Copy> DirectedSymbols<'t, T> {
    /// Creates a view that reads `symbols` from the first one to the last.
    pub(crate) fn forwards(symbols: &'t [T]) -> Self {
        Self { symbols, is_reversed: false, start: 0 }
    }

    /// Creates a view that reads `symbols` from the last one to the first.
    pub(super) fn backwards(symbols: &'t [T]) -> Self {
        Self { symbols, is_reversed: true, start: 0 }
    }

    /// Returns this view with `start` as the position in the whole text at which the viewed symbols begin.
    pub(super) fn starting_at(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Returns the position in the whole text at which the viewed symbols begin. The position is counted from the start
    /// of the text in either direction of reading.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Returns whether the symbols are read backwards.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn is_reversed(&self) -> bool {
        self.is_reversed
    }

    /// Returns the number of symbols in this view.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Returns the symbol with the number `at`, counted from 0 in the direction of reading.
    pub(super) fn at(&self, at: usize) -> T {
        self.symbols[if self.is_reversed { self.symbols.len() - 1 - at } else { at }]
    }

    /// Iterates over all symbols in the direction of reading.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + use<'t, T> {
        let view = *self;
        (0..view.len()).map(move |at| view.at(at))
    }
}
