//! The disk under the data folder, and folders on it.

use std::fs;
use std::io;
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

/// Makes the folder, for nobody else's eyes: visitors' texts lie in it. One that was there before is closed to others too.
///
/// # Errors
/// When it cannot be made.
pub fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if let Err(cause) = fs::set_permissions(folder, fs::Permissions::from_mode(0o700)) {
            tracing::warn!("others than the server may look into {}, which is not its own: {cause}", folder.display());
        }
    }
    Ok(())
}
