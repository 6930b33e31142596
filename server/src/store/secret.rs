//! Secret: a key of this server, which lies beside its rows and in no backup of them. What is found again by who asked lies in a row as a hash
//! under this key: whoever reads the database, and knows every address that there is, learns nothing of who has asked what.
//!
//! Where it is lost another one is made, and what lies under the old one is forgotten. Servers on one database of PostgreSQL have the same one: it lies there, in a table that
//! backups can leave out.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::id::Id;
use crate::ports::files::Hash;
use crate::ports::rows::postgres::PostgresRows;

/// Its file in the data folder.
const NAME: &str = "secret";

/// 256 random bits.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A new one.
    ///
    /// # Panics
    /// When the operating system has no random bytes.
    pub fn random() -> Self {
        Self(*blake3::hash(format!("{}{}", Id::random(), Id::random()).as_bytes()).as_bytes())
    }

    /// That of a data folder, made where there is none or a broken one. Blocks on the disk.
    ///
    /// # Errors
    /// When it can neither be read nor made.
    pub fn kept(folder: &Path) -> io::Result<Self> {
        let file = folder.join(NAME);
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

    /// That of a database, made by whoever comes first.
    ///
    /// # Errors
    /// When it can neither be read nor made.
    pub async fn shared(rows: &PostgresRows) -> anyhow::Result<Self> {
        Ok(Self(rows.secret(Self::random().0).await?))
    }

    /// A hash that only this server makes of these parts.
    pub fn hash(&self, parts: &[&[u8]]) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            // Where one ends is part of it.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let hash = |secret: Secret| secret.hash(&[b"one", b"two"]);
        let first = hash(Secret::kept(folder.path()).unwrap());
        assert_eq!(hash(Secret::kept(folder.path()).unwrap()), first);
        fs::write(folder.path().join(NAME), b"torn").unwrap();
        let second = hash(Secret::kept(folder.path()).unwrap());
        assert_ne!(second, first);
        assert_eq!(hash(Secret::kept(folder.path()).unwrap()), second, "the broken one was replaced");
        let secret = Secret::random();
        assert_ne!(secret.hash(&[b"one", b"two"]), secret.hash(&[b"onet", b"wo"]));
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
