//! Whether this browser has seen the first page before.

/// Key under which the browser's storage records that the page was visited.
const NAME: &str = "editscope-seen";

/// Returns whether this is the first call in this browser, and remembers the call. Returns `false` if the browser has
/// no storage, because otherwise every visit would be the first.
pub fn is_first_visit() -> bool {
    let storage = web_sys::window().and_then(|window| window.local_storage().ok()).flatten();
    storage.is_some_and(|storage| {
        let is_first = storage.get_item(NAME).is_ok_and(|seen| seen.is_none());
        is_first && storage.set_item(NAME, "1").is_ok()
    })
}
