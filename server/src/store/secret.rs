//! Secret: a key of this server ([`SecretKey`]), stored beside its rows but not in their backups.
//!
//! Data that identifies clients is stored as hashes under this key. A reader of the database who tries all addresses
//! therefore cannot learn who sent which request.
//!
//! If the key is lost, a new one is created, and data under the old key is forgotten. Servers with one PostgreSQL
//! database share a key. It is stored in a table of its own, which backups can leave out.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::id::Id;
use crate::storage::ports::files::ContentHash;

/// Name of the file with the key, in the data folder.
const SECRET_FILE_NAME: &str = "secret";

/// A key of 256 random bits, with which hashes are computed that only this server can compute.
#[derive(Clone)]
pub struct SecretKey(pub(super) [u8; 32]);

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl SecretKey {
    /// Creates a new random key.
    ///
    /// # Panics
    /// Panics if the operating system has no random bytes.
    pub fn random() -> Self {
        Self(*blake3::hash(format!("{}{}", Id::random(), Id::random()).as_bytes()).as_bytes())
    }

    /// Reads the key in the data folder `folder`. Creates a new one if it is missing or broken. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the key can neither be read nor created.
    pub fn read_or_create(folder: &Path) -> io::Result<Self> {
        let file = folder.join(SECRET_FILE_NAME);
        match fs::read(&file).map(<[u8; 32]>::try_from) {
            Ok(Ok(bytes)) => return Ok(Self(bytes)),
            Ok(Err(_)) => fs::remove_file(&file)?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cause),
        }
        let made = Self::random();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(file)?;
        file.write_all(&made.0)?;
        file.sync_all()?;
        Ok(made)
    }

    /// Hashes `parts` with the key. Different lists of parts give different hashes.
    pub fn hash(&self, parts: &[&[u8]]) -> ContentHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            // Prefixing the length distinguishes different splits of the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_stored_in_its_folder_and_replaced_if_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let hash = |secret: SecretKey| secret.hash(&[b"one", b"two"]);
        let first = hash(SecretKey::read_or_create(folder.path()).unwrap());
        assert_eq!(hash(SecretKey::read_or_create(folder.path()).unwrap()), first);
        fs::write(folder.path().join(SECRET_FILE_NAME), b"torn").unwrap();
        let second = hash(SecretKey::read_or_create(folder.path()).unwrap());
        assert_ne!(second, first);
        assert_eq!(hash(SecretKey::read_or_create(folder.path()).unwrap()), second, "the damaged secret was replaced");
        let secret = SecretKey::random();
        assert_ne!(secret.hash(&[b"one", b"two"]), secret.hash(&[b"onet", b"wo"]));
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
