//! Files of this device that forms name. The browser keeps a file for as long as a form names it, and no longer: a form is copied and
//! compared as plain data, and a file cannot be.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use web_sys::Blob;

/// A file of this device, which the browser keeps for as long as a form names it. Copies name the same file.
#[derive(Clone, Debug, Default)]
pub struct LocalFile(Arc<Handle>);

/// Lets the browser's file go when the last form that names it is gone.
#[derive(Debug)]
struct Handle(u32);

/// What is known of a file.
struct Opened {
    blob: Blob,
    /// Id of its upload, once it was sent.
    sent: Option<String>,
}

thread_local! {
    static OPENED: RefCell<HashMap<u32, Opened>> = RefCell::default();
    static NUMBERS: Cell<u32> = const { Cell::new(0) };
}

impl Default for Handle {
    fn default() -> Self {
        NUMBERS.set(NUMBERS.get() + 1);
        Self(NUMBERS.get())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // There is nothing to let go when the page itself is going.
        drop(OPENED.try_with(|opened| opened.borrow_mut().remove(&self.0)));
    }
}

impl PartialEq for LocalFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LocalFile {}

impl LocalFile {
    /// Keeps a file.
    pub fn new(blob: Blob) -> Self {
        let file = Self::default();
        OPENED.with_borrow_mut(|opened| opened.insert(file.0.0, Opened { blob, sent: None }));
        file
    }

    /// The browser's file.
    pub fn blob(&self) -> Option<Blob> {
        OPENED.with_borrow(|opened| opened.get(&self.0.0).map(|opened| opened.blob.clone()))
    }

    /// Under which id the server has it, if it was sent.
    pub fn sent(&self) -> Option<String> {
        OPENED.with_borrow(|opened| opened.get(&self.0.0)?.sent.clone())
    }

    /// Remembers under which id it was sent.
    pub fn remember_sent(&self, upload: &str) {
        OPENED.with_borrow_mut(|opened| {
            if let Some(opened) = opened.get_mut(&self.0.0) {
                opened.sent = Some(upload.to_owned());
            }
        });
    }
}

/// The server has files no more that were sent. Returns whether there were any.
pub fn forget_sent() -> bool {
    OPENED.with_borrow_mut(|opened| opened.values_mut().filter_map(|opened| opened.sent.take()).count() > 0)
}
