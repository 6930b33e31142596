//! The disk under the data folder, and folders on it.

use std::fs;
use std::io;
use std::path::Path;

/// Returns the free bytes on the disk of `folder` that an unprivileged user may still write, or `None` if they are
/// unknown.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// Returns `None`, because free space can only be read on Unix.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Creates a folder that only this user can access, because it holds visitors' texts. Also restricts an existing
/// folder.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if let Err(cause) = fs::set_permissions(folder, fs::Permissions::from_mode(0o700)) {
            tracing::warn!("folder {} stays accessible to other users, because it has another owner: {cause}", folder.display());
        }
    }
    Ok(())
}
