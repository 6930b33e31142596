//! The comparisons that this browser remembers, in its own storage. They are never sent.

use web_sys::Storage;

use crate::model::recent::{RecentComparison, RecentComparisons};

/// Storage key of the list.
const LIST: &str = "recent comparisons";

/// Storage key of the entry that switches remembering off.
const OFF: &str = "recent comparisons off";

/// Returns whether comparisons are remembered.
pub fn is_on() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(OFF), Ok(None)))
}

/// Switches remembering on, or switches it off and forgets all comparisons.
pub fn turn(on: bool) {
    let Some(storage) = storage() else { return };
    if on {
        let _ = storage.remove_item(OFF);
    } else {
        let _ = storage.set_item(OFF, "1");
        let _ = storage.remove_item(LIST);
    }
}

/// Returns whether a list is stored, without parsing it.
pub fn is_any() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(LIST), Ok(Some(_))))
}

/// Returns the remembered comparisons.
pub fn all() -> RecentComparisons {
    storage().and_then(|storage| storage.get_item(LIST).ok()?).map(|written| RecentComparisons::read(&written)).unwrap_or_default()
}

/// Remembers a comparison, unless remembering is switched off. If the storage is full, keeps the old list.
pub fn add(comparison: RecentComparison) {
    if is_on() {
        let mut recent = all();
        recent.add(comparison);
        write(&recent);
    }
}

/// Forgets the comparison at an address.
pub fn remove(address: &str) {
    let mut recent = all();
    recent.remove(address);
    write(&recent);
}

/// Clears the list.
pub fn clear() {
    write(&RecentComparisons::default());
}

fn write(recent: &RecentComparisons) {
    let Some(storage) = storage() else { return };
    let _ = if recent.comparisons().is_empty() { storage.remove_item(LIST) } else { storage.set_item(LIST, &recent.write()) };
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}
