//! Configuration: one table of settings. The struct, its reading from environment and file, what is printed at the start and the test of
//! README's list are all made from it, so that a new setting is one row here and one in README.
//!
//! - [`places`]: where rows and files are
//! - [`value`]: how a setting's text becomes its value, within limits
//! - [`sources`]: which text counts, from the command line, the environment or a TOML file; names that nobody knows are refused

use std::net::SocketAddr;
use std::path::PathBuf;

use kernels::plan::EngineName;

use self::places::{Database, Roles, Storage};
use self::sources::Given;
use self::value::{
    address, brief_count, bytes, cells, class_tokens, count, engines, folder, log_format, nats, number_of, or_off, proxies, proxy_header,
    roles, seconds, site,
};
use crate::clients::address::{Proxies, ProxyHeader};
use crate::clients::class::ClassTokens;
use crate::log::LogFormat;
use crate::ports::nats::Address;

pub mod places;
pub mod sources;
pub mod value;

/// A setting, as documentation and checks see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the environment variable.
    pub variable: &'static str,
    /// Name in a file, which is the field's name too.
    pub name: &'static str,
    /// What counts when nobody says otherwise, as it could be written.
    pub default: &'static str,
}

impl Setting {
    /// Whether its text is printed nowhere, since it may hold a secret.
    pub fn is_secret(&self) -> bool {
        ["class_tokens", "database", "nats"].contains(&self.name)
    }
}

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody has said otherwise.
    Default,
    /// The file.
    File,
    /// The environment, which counts more than the file.
    Environment,
    /// An argument of the command, which counts most.
    CommandLine,
}

/// Makes the struct, [`SETTINGS`] and the reading of all values. A row: documentation, `field: type = variable, default, reader`.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $field:ident: $type:ty = $variable:literal, $default:literal, $read:expr;)+) => {
        /// What the person who runs the server may decide. Numbers may be written as `4e12`, sizes as `256 MiB`.
        #[derive(Clone, Debug)]
        pub struct Config {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\n`", $variable, "`, `", $default, "` where nobody says otherwise.")]
                pub $field: $type,
            )+
            /// Where each value comes from, in the order of [`SETTINGS`].
            pub from: Vec<Source>,
        }

        /// All settings.
        pub const SETTINGS: &[Setting] =
            &[$(Setting { variable: $variable, name: stringify!($field), default: $default }),+];

        impl Config {
            /// What `given` says; defaults for what it does not.
            fn of(given: impl Fn(&Setting) -> Option<Given>) -> anyhow::Result<Self> {
                let mut from = Vec::new();
                $(
                    let setting = Setting { variable: $variable, name: stringify!($field), default: $default };
                    let $field = match given(&setting) {
                        Some(given) => {
                            from.push(given.source);
                            $read(&given.text).map_err(|why: String| given.wrong(&setting, &why))?
                        }
                        None => {
                            from.push(Source::Default);
                            $read($default).map_err(anyhow::Error::msg)?
                        }
                    };
                )+
                Ok(Self { $($field,)+ from })
            }

            /// Every setting with its value, as TOML has it.
            pub fn values(&self) -> Vec<(&'static Setting, toml::Value)> {
                let values = [$(toml::Value::try_from(&self.$field)),+];
                let or_off = |value: Result<toml::Value, _>| value.unwrap_or_else(|_| value::OFF.into());
                SETTINGS.iter().zip(values.map(or_off)).collect()
            }
        }
    };
}

settings! {
    /// Where it listens.
    addr: String = "EDITSCOPE_ADDR", "127.0.0.1:3000", address;
    /// Folder of everything it keeps; created on the first start.
    data: PathBuf = "EDITSCOPE_DATA", "./data", folder;
    /// Where uploads, jobs and links are noted: in the data folder, or in PostgreSQL as in `postgres://user:password@host/database`.
    database: Database = "EDITSCOPE_DATABASE", "SQLite in the data folder", str::parse;
    /// Where texts and results lie: in the data folder, or in a bucket of an S3 server as in `s3://bucket/prefix`.
    files: Storage = "EDITSCOPE_FILES", "a folder in the data folder", str::parse;
    /// Servers of NATS with JetStream, as in `nats://user:password@host:4222`, with commas between them: processes with the same ones, the same database
    /// and the same bucket hear of each other's jobs.
    nats: Option<Address> = "EDITSCOPE_NATS", "off", nats;
    /// What this process does: `web` answers visitors and solves brief jobs, `worker` takes larger ones from the queue in NATS, `sweeper` removes what is over and
    /// queues jobs again whose process is gone.
    roles: Roles = "EDITSCOPE_ROLES", "web,worker,sweeper", roles;
    /// The built page: `site` next to the program, or one folder up.
    site: PathBuf = "EDITSCOPE_SITE", "site beside the program", site;
    /// Engines that may be used, if they are there.
    engines: Vec<EngineName> = "EDITSCOPE_ENGINES", "cpu,cuda", engines;
    /// Size of one upload.
    max_upload_bytes: u64 = "EDITSCOPE_MAX_UPLOAD_BYTES", "256 MiB", bytes;
    /// Size of a JSON request; longer texts are uploaded first.
    max_body_bytes: u64 = "EDITSCOPE_MAX_BODY_BYTES", "4 MiB", bytes;
    /// Size of what a private link leads to.
    max_sealed_bytes: u64 = "EDITSCOPE_MAX_SEALED_BYTES", "2 MiB", bytes;
    /// Cells that one job may be expected to fill on the CPU engine. Two texts of 10,000,000 symbols that have nothing in common fill half
    /// as many; similar ones a small part of that.
    max_cells_cpu: u64 = "EDITSCOPE_MAX_CELLS_CPU", "1e14", cells;
    /// The same on the CUDA engine.
    max_cells_cuda: u64 = "EDITSCOPE_MAX_CELLS_CUDA", "1e16", cells;
    /// Size of all texts and alignments together.
    max_data_bytes: u64 = "EDITSCOPE_MAX_DATA_BYTES", "20 GiB", bytes;
    /// Size of the database in the data folder: what jobs, uploads and links say beside their texts. PostgreSQL has an operator of its own.
    max_database_bytes: u64 = "EDITSCOPE_MAX_DATABASE_BYTES", "4 GiB", bytes;
    /// Work that may wait for an engine, in the seconds that it is expected to take by the measured rates; a quarter of it from one client.
    /// Jobs that are expected to take a tenth of a second at most have a line of their own, a minute long, half of it for one client.
    queue_seconds: u64 = "EDITSCOPE_QUEUE_SECONDS", "3600", seconds;
    /// Jobs at once on the CPU engine. Each uses all cores.
    running_cpu: usize = "EDITSCOPE_RUNNING_CPU", "1", count(1..=1024);
    /// Brief jobs at once on the CPU engine, which are expected to take a tenth of a second at most, beside the larger ones.
    running_cpu_brief: usize = "EDITSCOPE_RUNNING_CPU_BRIEF", "cores, at least 2", brief_count;
    /// Jobs at once on each GPU.
    running_cuda: usize = "EDITSCOPE_RUNNING_CUDA", "1", count(1..=1024);
    /// As many more on each GPU, of jobs that are expected to take a tenth of a second at most.
    running_cuda_brief: usize = "EDITSCOPE_RUNNING_CUDA_BRIEF", "4", count(1..=1024);
    /// Longest run of a job. One that is expected to take more than four times as long is refused.
    job_seconds: u64 = "EDITSCOPE_JOB_SECONDS", "600", seconds;
    /// How long a worker that is told to stop goes on with what it has, before it gives it back to others. It takes nothing more meanwhile.
    drain_seconds: u64 = "EDITSCOPE_DRAIN_SECONDS", "0", number_of(0..=86_400);
    /// Longest that a request may compute, or wait for others, which looks at a result.
    look_seconds: u64 = "EDITSCOPE_LOOK_SECONDS", "20", seconds;
    /// How long a body, or whoever takes a file, may stay behind 4 kB a second, a client take nothing of an answer, and in two and a half times as long a connection
    /// bring no request, before it is closed.
    client_seconds: u64 = "EDITSCOPE_CLIENT_SECONDS", "30", seconds;
    /// Which proxies say in a header whom they serve: how many stand one behind the other, where the last has an address of a private network, or a
    /// list of their addresses, such as `10.0.0.0/8,192.0.2.1`. A client is an address, of IPv6 the first 56 bits.
    proxies: Proxies = "EDITSCOPE_PROXIES", "0", proxies;
    /// The header that they write, `x-forwarded-for` or `forwarded`.
    proxy_header: ProxyHeader = "EDITSCOPE_PROXY_HEADER", "x-forwarded-for", proxy_header;
    /// Secrets of at least 16 letters and digits, one for each class that shares an address and shall not share its limits.
    class_tokens: ClassTokens = "EDITSCOPE_CLASS_TOKENS", "off", class_tokens;
    /// Cells that the jobs of one client, and what it looks at, may fill in an hour. A class may take thirty times as much of this and of the following,
    /// and who connects from 127.0.0.1 or ::1 without a proxy whatever there is.
    client_cells: u64 = "EDITSCOPE_CLIENT_CELLS", "1e16", cells;
    /// Bytes that one client may send, or have read to look at results, in an hour.
    client_bytes: u64 = "EDITSCOPE_CLIENT_BYTES", "16 GiB", bytes;
    /// Bytes that one client may have stored in a day.
    client_stored_bytes: u64 = "EDITSCOPE_CLIENT_STORED_BYTES", "8 GiB", bytes;
    /// Streams of events that one client may have open.
    client_streams: u64 = "EDITSCOPE_CLIENT_STREAMS", "512", number_of(0..=1_000_000);
    /// Connections at a time, as far as the process may have so many files open; three eighths of them from one address that is no proxy.
    connections: usize = "EDITSCOPE_CONNECTIONS", "4096", count(1..=1 << 20);
    /// How long the result of a job is kept.
    job_keep_seconds: u64 = "EDITSCOPE_JOB_KEEP_SECONDS", "3600", seconds;
    /// How long an upload is kept.
    upload_keep_seconds: u64 = "EDITSCOPE_UPLOAD_KEEP_SECONDS", "86400", seconds;
    /// Memory that texts may take together while they are read: 5 bytes for one of a text, 21 where units are no bytes. What takes more is read alone.
    /// Texts of 16 MiB together and less do not wait for it.
    read_bytes: u64 = "EDITSCOPE_READ_BYTES", "4 GiB", bytes;
    /// Memory for parsed texts and alignments that are being looked at.
    cache_bytes: u64 = "EDITSCOPE_CACHE_BYTES", "512 MiB", bytes;
    /// Disk for copies of what is read from a bucket, in the data folder, so that the same text is not fetched for each job. 0 keeps none.
    disk_cache_bytes: u64 = "EDITSCOPE_DISK_CACHE_BYTES", "4 GiB", bytes;
    /// Room on the data folder's disk below which `/readyz` says that the server is not ready.
    min_free_bytes: u64 = "EDITSCOPE_MIN_FREE_BYTES", "256 MiB", bytes;
    /// How logs are written: `text`, or `json` for a collector.
    log_format: LogFormat = "EDITSCOPE_LOG_FORMAT", "text", log_format;
    /// Where `/metrics` is answered, as in 127.0.0.1:9464: for whoever runs the server, and not for visitors.
    metrics_address: Option<SocketAddr> = "EDITSCOPE_METRICS_ADDRESS", "off", or_off;
}

impl Config {
    /// As a file that would say the same, each line with where its value comes from.
    pub fn to_toml(&self) -> String {
        let rows = self.values().into_iter().zip(&self.from);
        rows.map(|((setting, value), from)| {
            let from = match from {
                Source::Default => "default".to_owned(),
                Source::File => "file".to_owned(),
                Source::Environment => setting.variable.to_owned(),
                Source::CommandLine => sources::argument(setting),
            };
            format!("{} = {value} # {from}\n", setting.name)
        })
        .collect()
    }

    /// In one line, for the log.
    pub fn in_one_line(&self) -> String {
        let rows: Vec<String> = self.values().iter().map(|(setting, value)| format!("{}={value}", setting.name)).collect();
        rows.join(" ")
    }
}

#[cfg(test)]
mod tests;
