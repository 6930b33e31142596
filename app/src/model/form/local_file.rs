//! Handles for files of this device: [`LocalFile`]. A form is copied and compared as plain data, which browser files
//! are not, so that the form holds handles. The browser's file is released when the last form that names it is dropped.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use web_sys::Blob;

/// A handle of a file of this device. Copies name the same file.
#[derive(Clone, Debug, Default)]
pub struct LocalFile(Arc<FileHandle>);

/// The number of a file in the table of opened files. Dropping it removes the browser's file from the table.
#[derive(Debug)]
struct FileHandle(u32);

struct RegisteredFile {
    blob: Blob,
    /// Id of the upload on the server, if the file was uploaded.
    upload_id: Option<String>,
}

thread_local! {
    static OPENED: RefCell<HashMap<u32, RegisteredFile>> = RefCell::default();
    static NUMBERS: Cell<u32> = const { Cell::new(0) };
}

impl Default for FileHandle {
    fn default() -> Self {
        NUMBERS.set(NUMBERS.get() + 1);
        Self(NUMBERS.get())
    }
}

impl Drop for FileHandle {
    fn drop(&mut self) {
        // The table may be gone already when the page is closed.
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
    /// Stores a browser file and returns its handle.
    pub fn new(blob: Blob) -> Self {
        let file = Self::default();
        OPENED.with_borrow_mut(|opened| opened.insert(file.0.0, RegisteredFile { blob, upload_id: None }));
        file
    }

    /// Returns the browser's file.
    pub fn blob(&self) -> Option<Blob> {
        OPENED.with_borrow(|opened| opened.get(&self.0.0).map(|opened| opened.blob.clone()))
    }

    /// Returns the id of the upload on the server, if the file was uploaded.
    pub fn upload_id(&self) -> Option<String> {
        OPENED.with_borrow(|opened| opened.get(&self.0.0)?.upload_id.clone())
    }

    /// Remembers that the file was uploaded under the id `upload`.
    pub fn remember_sent(&self, upload: &str) {
        OPENED.with_borrow_mut(|opened| {
            if let Some(opened) = opened.get_mut(&self.0.0) {
                opened.upload_id = Some(upload.to_owned());
            }
        });
    }
}

/// Forgets the upload ids of all files, because the server removed the uploads. Returns whether there were any.
pub fn forget_sent() -> bool {
    OPENED.with_borrow_mut(|opened| opened.values_mut().filter_map(|opened| opened.upload_id.take()).count() > 0)
}
