//! The comparisons that this browser remembers in its own storage. They are never sent to the server.

use web_sys::Storage;

use crate::model::recent::{RecentComparison, RecentComparisons};

/// Storage key of the list of comparisons.
const LIST: &str = "recent comparisons";

/// Storage key of an entry that exists if comparisons are not remembered.
const OFF: &str = "recent comparisons off";

/// Returns whether comparisons are remembered.
pub fn is_on() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(OFF), Ok(None)))
}

/// Switches the remembering of comparisons on. Or switches it off, which also removes all remembered comparisons.
pub fn turn(on: bool) {
    let Some(storage) = storage() else { return };
    if on {
        let _ = storage.remove_item(OFF);
    } else {
        let _ = storage.set_item(OFF, "1");
        let _ = storage.remove_item(LIST);
    }
}

/// Returns whether a list of comparisons is stored, without parsing it.
pub fn is_any() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(LIST), Ok(Some(_))))
}

/// Returns the remembered comparisons.
pub fn load() -> RecentComparisons {
    storage().and_then(|storage| storage.get_item(LIST).ok()?).map(|written| RecentComparisons::read(&written)).unwrap_or_default()
}

/// Remembers a comparison, unless remembering is switched off. If the storage is full, the old list stays.
pub fn add(comparison: RecentComparison) {
    if is_on() {
        let mut recent = load();
        recent.add(comparison);
        write(&recent);
    }
}

/// Removes the comparison with this `address` from the list.
pub fn remove(address: &str) {
    let mut recent = load();
    recent.remove(address);
    write(&recent);
}

/// Removes all remembered comparisons.
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
