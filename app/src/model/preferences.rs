//! What a visitor has chosen for every result, kept in cookies for the next visit: from which number positions are counted, and whether
//! single keys are shortcuts.
//!
//! Like the language, each is a value of the browser's one thread that plain functions read; who changes one draws the page anew. A server
//! never sets them: what it renders counts from 0.

use std::cell::Cell;

/// From which number positions of symbols are counted where they are shown. Files that are exported do not follow it: each format has a rule
/// of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// The first symbol is 0, and a range leaves out the position it ends at: 0–3 are three symbols.
    #[default]
    FromZero,
    /// The first symbol is 1, and a range includes both ends: 1–3 are the same three symbols.
    FromOne,
}

/// The name of this choice in cookies and addresses.
pub const POSITIONS: &str = "positions";

/// The name of the cookie of shortcuts.
pub const SHORTCUTS: &str = "shortcuts";

impl Positions {
    /// Both, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::FromZero, Self::FromOne];

    /// The number of the first symbol, as cookies and addresses have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FromZero => "0",
            Self::FromOne => "1",
        }
    }

    /// The choice of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The number of the symbol that has `at` symbols before it.
    pub fn of(self, at: u64) -> u64 {
        at + u64::from(self == Self::FromOne)
    }

    /// The symbols `from..to` as the first and the last number of a range.
    pub fn range(self, from: u64, to: u64) -> (u64, u64) {
        (self.of(from), to)
    }

    /// The symbols before the one that somebody calls by this number.
    pub fn meant(self, number: u64) -> u64 {
        number.saturating_sub(u64::from(self == Self::FromOne))
    }
}

thread_local! {
    static COUNTED: Cell<Positions> = const { Cell::new(Positions::FromZero) };
    static HAS_SHORTCUTS: Cell<bool> = const { Cell::new(true) };
}

/// From which number positions are counted now.
pub fn positions() -> Positions {
    COUNTED.get()
}

/// Whether single keys are shortcuts.
pub fn has_shortcuts() -> bool {
    HAS_SHORTCUTS.get()
}

/// Reads both choices from the browser's cookies.
pub fn read_cookies(cookies: &str) {
    let value = |name| cookie(cookies, name);
    COUNTED.set(value(POSITIONS).and_then(Positions::of_name).unwrap_or_default());
    HAS_SHORTCUTS.set(value(SHORTCUTS) != Some("off"));
}

/// From now on positions are counted like this, without being remembered: a link has brought it.
pub fn count_positions(positions: Positions) {
    COUNTED.set(positions);
}

/// From now on single keys are shortcuts, or are not.
pub fn use_shortcuts(on: bool) {
    HAS_SHORTCUTS.set(on);
}

/// The value of a cookie in a `Cookie` header, or in what a browser says of a document.
pub(crate) fn cookie<'c>(cookies: &'c str, name: &str) -> Option<&'c str> {
    cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_the_same_symbols_both_ways() {
        let [zero, one] = Positions::ALL;
        // GATC in phage at 36..40: BLAST says 37 to 40.
        assert_eq!((zero.range(36, 40), one.range(36, 40)), ((36, 40), (37, 40)));
        for positions in Positions::ALL {
            assert_eq!(positions.meant(positions.of(7)), 7);
            assert_eq!(Positions::of_name(positions.name()), Some(positions));
        }
        assert_eq!((one.meant(0), Positions::of_name("2")), (0, None));
    }

    #[test]
    fn choices_come_from_cookies() {
        read_cookies("theme=dark; positions=1; shortcuts=off");
        assert_eq!((positions(), has_shortcuts()), (Positions::FromOne, false));
        read_cookies("positions=7");
        assert_eq!((positions(), has_shortcuts()), (Positions::FromZero, true));
    }
}
