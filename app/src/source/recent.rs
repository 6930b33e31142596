//! The comparisons that this browser remembers, in its own storage. Nothing of them is sent.

use web_sys::Storage;

use crate::model::recent::{Comparison, Recent};

/// Name of the list.
const LIST: &str = "recent comparisons";

/// Name of the mark that nothing is to be remembered.
const OFF: &str = "recent comparisons off";

/// Whether comparisons are remembered.
pub fn is_on() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(OFF), Ok(None)))
}

/// Remembers comparisons from now on, or forgets all of them and remembers none.
pub fn turn(on: bool) {
    let Some(storage) = storage() else { return };
    if on {
        let _ = storage.remove_item(OFF);
    } else {
        let _ = storage.set_item(OFF, "1");
        let _ = storage.remove_item(LIST);
    }
}

/// Whether there are any, without reading them.
pub fn is_any() -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(LIST), Ok(Some(_))))
}

/// All of them.
pub fn all() -> Recent {
    storage().and_then(|storage| storage.get_item(LIST).ok()?).map(|written| Recent::read(&written)).unwrap_or_default()
}

/// Remembers one more, unless that is turned off. A full storage keeps what it has.
pub fn add(comparison: Comparison) {
    if is_on() {
        let mut recent = all();
        recent.add(comparison);
        write(&recent);
    }
}

/// Forgets the one at this address.
pub fn remove(address: &str) {
    let mut recent = all();
    recent.remove(address);
    write(&recent);
}

/// Forgets all of them.
pub fn clear() {
    write(&Recent::default());
}

fn write(recent: &Recent) {
    let Some(storage) = storage() else { return };
    let _ = if recent.comparisons().is_empty() { storage.remove_item(LIST) } else { storage.set_item(LIST, &recent.write()) };
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}
