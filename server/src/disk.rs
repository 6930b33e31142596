//! The disk under the data folder.

use std::path::Path;

/// How many bytes somebody who is not root may still write where `folder` is; nothing where that cannot be told.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// Nobody says it here.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}
