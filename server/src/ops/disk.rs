//! Disk: the free space on a disk ([`free_bytes`]), and folders that only the server can read ([`make_private`]).

use std::fs;
use std::io;
use std::path::Path;

/// Returns the number of bytes that an unprivileged user may still write to the disk with `folder`, or `None` if the
/// number is unknown.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// Returns `None`, because free space can be read only on Unix.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Creates `folder` so that only the user of this process can access it, because it contains visitors' texts. If the
/// folder exists, restricts access to it.
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
