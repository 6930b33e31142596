//! A text read forwards or backwards. Section 3.1 of paper 001: reversing strings at each call would cost too much, so there is a second
//! function `llcs'` that looks at them from behind. Here it is the same function on another view.

/// Symbols in one of two directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'t, T> {
    symbols: &'t [T],
    is_reversed: bool,
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only devices have texts by their place"))]
    start: usize,
}

impl<'t, T: Copy> View<'t, T> {
    /// From the first symbol.
    pub(crate) fn forwards(symbols: &'t [T]) -> Self {
        Self { symbols, is_reversed: false, start: 0 }
    }

    /// From the last symbol.
    pub(super) fn backwards(symbols: &'t [T]) -> Self {
        Self { symbols, is_reversed: true, start: 0 }
    }

    /// The same of symbols that begin at this position of a text.
    pub(super) fn starting_at(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Where its symbols begin in the text, counted from the text's first symbol.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Whether it is read from the last symbol.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn is_reversed(&self) -> bool {
        self.is_reversed
    }

    /// Number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The symbol at a position in its direction.
    pub(super) fn at(&self, at: usize) -> T {
        self.symbols[if self.is_reversed { self.symbols.len() - 1 - at } else { at }]
    }

    /// All symbols in its direction.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + use<'t, T> {
        let view = *self;
        (0..view.len()).map(move |at| view.at(at))
    }
}
