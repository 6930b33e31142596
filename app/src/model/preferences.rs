//! Settings of a visitor for all results, stored in cookies: the number of the first position, and single-key
//! shortcuts.
//!
//! Each setting is a thread-local value, like the language, which plain functions read; a browser has only one thread.
//! After a change the page must be rendered again. A server never changes the settings, so that pages that it renders
//! count positions from 0.

use std::cell::Cell;

/// The convention for displayed positions of symbols. Exported files ignore it, because each format has its own rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionBase {
    /// The first symbol is 0, and a range excludes its end. The first three symbols are 0–3.
    #[default]
    FromZero,
    /// The first symbol is 1, and a range includes both ends. The first three symbols are 1–3.
    FromOne,
}

/// Name of the position setting in cookies and addresses.
pub const POSITIONS: &str = "positions";

/// Name of the shortcut setting in cookies.
pub const SHORTCUTS: &str = "shortcuts";

impl PositionBase {
    /// Both conventions, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::FromZero, Self::FromOne];

    /// Returns the number of the first symbol (`0` or `1`), which is the convention's name in cookies and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::FromZero => "0",
            Self::FromOne => "1",
        }
    }

    /// Parses the name of a convention, `0` or `1`. Returns `None` for any other name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// Converts the 0-based position `at` to the number that is displayed.
    pub fn to_displayed(self, at: u64) -> u64 {
        at + u64::from(self == Self::FromOne)
    }

    /// Converts the half-open, 0-based range `from..to` to the first and last number that are displayed.
    pub fn range(self, from: u64, to: u64) -> (u64, u64) {
        (self.to_displayed(from), to)
    }

    /// Converts a displayed number to a 0-based position.
    pub fn to_zero_based(self, number: u64) -> u64 {
        number.saturating_sub(u64::from(self == Self::FromOne))
    }
}

thread_local! {
    static COUNTED: Cell<PositionBase> = const { Cell::new(PositionBase::FromZero) };
    static HAS_SHORTCUTS: Cell<bool> = const { Cell::new(true) };
}

/// Returns the current convention for positions.
pub fn positions() -> PositionBase {
    COUNTED.get()
}

/// Returns whether single-key shortcuts are enabled.
pub fn has_shortcuts() -> bool {
    HAS_SHORTCUTS.get()
}

/// Sets both settings to the values in the browser's cookies, or else to their defaults.
pub fn read_cookies(cookies: &str) {
    let value = |name| cookie(cookies, name);
    COUNTED.set(value(POSITIONS).and_then(PositionBase::of_name).unwrap_or_default());
    HAS_SHORTCUTS.set(value(SHORTCUTS) != Some("off"));
}

/// Sets the convention for positions, for example to that of a link. Does not change the cookie that stores the setting
/// for later visits.
pub fn count_positions(positions: PositionBase) {
    COUNTED.set(positions);
}

/// Enables or disables single-key shortcuts. Does not change the cookie that stores the setting for later visits.
pub fn use_shortcuts(on: bool) {
    HAS_SHORTCUTS.set(on);
}

/// Returns the value of the cookie `name`, or `None` if there is none. `cookies` is a `Cookie` header or the value of
/// `document.cookie`.
pub(crate) fn cookie<'c>(cookies: &'c str, name: &str) -> Option<&'c str> {
    cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_from_0_and_from_1_name_the_same_symbols() {
        let [zero, one] = PositionBase::ALL;
        // GATC in phage is at 36..40: BLAST reports 37 to 40.
        assert_eq!((zero.range(36, 40), one.range(36, 40)), ((36, 40), (37, 40)));
        for positions in PositionBase::ALL {
            assert_eq!(positions.to_zero_based(positions.to_displayed(7)), 7);
            assert_eq!(PositionBase::of_name(positions.name()), Some(positions));
        }
        assert_eq!((one.to_zero_based(0), PositionBase::of_name("2")), (0, None));
    }

    #[test]
    fn preferences_are_read_from_cookies() {
        read_cookies("theme=dark; positions=1; shortcuts=off");
        assert_eq!((positions(), has_shortcuts()), (PositionBase::FromOne, false));
        read_cookies("positions=7");
        assert_eq!((positions(), has_shortcuts()), (PositionBase::FromZero, true));
    }
}
