//! Locations of database rows and files ([`RowDatabase`], [`FileStorage`]), and the roles of the processes that share
//! them ([`ProcessRoles`]). The address of a database is never printed with its password.

use std::fmt;
use std::str::FromStr;

use anyhow::bail;
use serde::{Serialize, Serializer};

use super::Config;
use crate::storage::ports::{BucketAddress, PostgresAddress};

/// Default value of the setting for the database. It stands for SQLite in the data folder.
const SQLITE_VALUE: &str = "SQLite in the data folder";

/// Default value of the setting for the file storage. It stands for a folder in the data folder.
const FOLDER_VALUE: &str = "a folder in the data folder";

/// The database with the rows of jobs, uploads and links.
#[derive(Clone, Debug)]
pub enum RowDatabase {
    /// SQLite, in a file of the data folder.
    Sqlite,
    /// PostgreSQL at this address.
    Postgres(PostgresAddress),
}

/// The storage for the files of texts and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStorage {
    /// A folder in the data folder.
    Folder,
    /// A bucket of an S3 server.
    Bucket(BucketAddress),
}

/// The roles of a process in its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessRoles {
    /// Whether the process answers visitors and solves brief jobs.
    pub web: bool,
    /// Whether the process takes jobs from the cluster's queue.
    pub worker: bool,
    /// Whether the process removes expired data and queues jobs again if their messages were lost.
    pub sweeper: bool,
}

impl ProcessRoles {
    /// All roles.
    pub const ALL: Self = Self { web: true, worker: true, sweeper: true };
}

impl fmt::Display for ProcessRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [(self.web, "web"), (self.worker, "worker"), (self.sweeper, "sweeper")];
        let names: Vec<&str> = names.iter().filter(|(is_one, _)| *is_one).map(|(_, name)| *name).collect();
        f.write_str(&names.join(","))
    }
}

impl Serialize for ProcessRoles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Config {
    /// Checks that the settings for a cluster are consistent, and returns the settings.
    ///
    /// # Errors
    /// Returns an error that names the settings to change.
    pub(super) fn checked(self) -> anyhow::Result<Self> {
        let is_alone = [
            (matches!(self.database, RowDatabase::Sqlite), "EDITSCOPE_DATABASE as in postgres://user:password@host/database"),
            (matches!(self.files, FileStorage::Folder), "EDITSCOPE_FILES as in s3://bucket/prefix"),
        ];
        let missing: Vec<&str> = is_alone.iter().filter(|(is_alone, _)| *is_alone).map(|(_, setting)| *setting).collect();
        if self.nats.is_some() && !missing.is_empty() {
            bail!("EDITSCOPE_NATS is for hosts that share their rows and files: it needs {}", missing.join(", and "));
        }
        if self.nats.is_none() && self.roles != ProcessRoles::ALL {
            bail!("EDITSCOPE_ROLES is {}: without EDITSCOPE_NATS a process does all, since it hears of no other", self.roles);
        }
        Ok(self)
    }
}

impl FromStr for RowDatabase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == SQLITE_VALUE {
            return Ok(Self::Sqlite);
        }
        text.parse::<PostgresAddress>().map(Self::Postgres).map_err(|why| why.to_string())
    }
}

impl FromStr for FileStorage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == FOLDER_VALUE {
            return Ok(Self::Folder);
        }
        text.parse::<BucketAddress>().map(Self::Bucket).map_err(|why| why.to_string())
    }
}

impl fmt::Display for RowDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite => f.write_str(SQLITE_VALUE),
            Self::Postgres(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for FileStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder => f.write_str(FOLDER_VALUE),
            Self::Bucket(place) => place.fmt(f),
        }
    }
}

impl Serialize for RowDatabase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for FileStorage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
