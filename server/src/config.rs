//! Configuration: one table of settings. The struct, the parser, the output of `check-config` and the test of README's
//! list are generated from it. So a new setting is one row here and one in README.
//!
//! - [`places`]: locations of rows and files
//! - [`value`]: parsers of values, with their limits
//! - [`sources`]: precedence of command line, environment and TOML file; rejection of unknown names

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
    /// Name in a configuration file, equal to the name of the field.
    pub name: &'static str,
    /// Default value in the syntax of the setting.
    pub default: &'static str,
}

impl Setting {
    /// Returns whether the value is never printed, because it may hold a secret.
    pub fn is_secret(&self) -> bool {
        ["class_tokens", "database", "nats"].contains(&self.name)
    }
}

/// The source of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Default value.
    Default,
    /// Configuration file.
    File,
    /// Environment variable, which overrides the file.
    Environment,
    /// Argument of the command, which overrides the environment.
    CommandLine,
}

/// Generates the struct, [`SETTINGS`] and the parser of all values. A row is: documentation, `field: type = variable,
/// default, parser`.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $field:ident: $type:ty = $variable:literal, $default:literal, $read:expr;)+) => {
        /// Settings of the server. Numbers may be written as `4e12`, sizes as `256 MiB`.
        #[derive(Clone, Debug)]
        pub struct Config {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\n`", $variable, "`, `", $default, "` where nobody says otherwise.")]
                pub $field: $type,
            )+
            /// Sources of all values, in the order of [`SETTINGS`].
            pub from: Vec<Source>,
        }

        /// All settings, in the order of the fields.
        pub const SETTINGS: &[Setting] =
            &[$(Setting { variable: $variable, name: stringify!($field), default: $default }),+];

        impl Config {
            /// Parses the values that `given` returns, and the defaults of all other settings.
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

            /// Returns every setting with its value in TOML.
            pub fn values(&self) -> Vec<(&'static Setting, toml::Value)> {
                let values = [$(toml::Value::try_from(&self.$field)),+];
                let or_off = |value: Result<toml::Value, _>| value.unwrap_or_else(|_| value::OFF.into());
                SETTINGS.iter().zip(values.map(or_off)).collect()
            }
        }
    };
}

settings! {
    /// Address on which the server listens.
    addr: String = "EDITSCOPE_ADDR", "127.0.0.1:3000", address;
    /// Folder of all data, created on the first start.
    data: PathBuf = "EDITSCOPE_DATA", "./data", folder;
    /// Location of the rows of uploads, jobs and links: SQLite in the data folder, or PostgreSQL as in
    /// `postgres://user:password@host/database`.
    database: Database = "EDITSCOPE_DATABASE", "SQLite in the data folder", str::parse;
    /// Location of texts and results: the data folder, or a bucket of an S3 server as in `s3://bucket/prefix`.
    files: Storage = "EDITSCOPE_FILES", "a folder in the data folder", str::parse;
    /// NATS servers with JetStream, separated by commas, as in `nats://user:password@host:4222`. Processes with the
    /// same NATS servers, database and bucket form a cluster and share their jobs.
    nats: Option<Address> = "EDITSCOPE_NATS", "off", nats;
    /// Roles of this process, separated by commas. `web` answers visitors and solves brief jobs. `worker` takes larger
    /// jobs from the queue in NATS. `sweeper` removes expired data and queues jobs again if their process is gone.
    roles: Roles = "EDITSCOPE_ROLES", "web,worker,sweeper", roles;
    /// Folder of the built page: `site` next to the program, or one folder up.
    site: PathBuf = "EDITSCOPE_SITE", "site beside the program", site;
    /// Engines that may be used, if they are available.
    engines: Vec<EngineName> = "EDITSCOPE_ENGINES", "cpu,cuda", engines;
    /// Maximum size of one upload, in bytes.
    max_upload_bytes: u64 = "EDITSCOPE_MAX_UPLOAD_BYTES", "256 MiB", bytes;
    /// Maximum size of a JSON request, in bytes. Longer texts must be uploaded first.
    max_body_bytes: u64 = "EDITSCOPE_MAX_BODY_BYTES", "4 MiB", bytes;
    /// Maximum size of the content of a private link, in bytes.
    max_sealed_bytes: u64 = "EDITSCOPE_MAX_SEALED_BYTES", "2 MiB", bytes;
    /// Maximum expected number of cells of a job on the CPU engine. Two texts of 10,000,000 symbols with nothing in
    /// common fill half as many cells; similar texts fill a small part of that.
    max_cells_cpu: u64 = "EDITSCOPE_MAX_CELLS_CPU", "1e14", cells;
    /// Maximum expected number of cells of a job on the CUDA engine.
    max_cells_cuda: u64 = "EDITSCOPE_MAX_CELLS_CUDA", "1e16", cells;
    /// Maximum size of all texts and alignments together, in bytes.
    max_data_bytes: u64 = "EDITSCOPE_MAX_DATA_BYTES", "20 GiB", bytes;
    /// Maximum size of the SQLite database, in bytes. The database holds everything about jobs, uploads and links
    /// except the texts. The size of PostgreSQL is left to its operator.
    max_database_bytes: u64 = "EDITSCOPE_MAX_DATABASE_BYTES", "4 GiB", bytes;
    /// Maximum work in the queue of an engine, in expected seconds; a quarter of it from one client. Jobs of at most
    /// 0.1 s have a queue of their own, which holds one minute of work, half of it from one client.
    queue_seconds: u64 = "EDITSCOPE_QUEUE_SECONDS", "3600", seconds;
    /// Number of concurrent jobs on the CPU engine. Each uses all cores.
    running_cpu: usize = "EDITSCOPE_RUNNING_CPU", "1", count(1..=1024);
    /// Number of concurrent brief jobs on the CPU engine, beside the larger ones. A brief job is expected to take at
    /// most 0.1 s.
    running_cpu_brief: usize = "EDITSCOPE_RUNNING_CPU_BRIEF", "cores, at least 2", brief_count;
    /// Number of concurrent jobs on each GPU.
    running_cuda: usize = "EDITSCOPE_RUNNING_CUDA", "1", count(1..=1024);
    /// Number of additional concurrent jobs on each GPU that are expected to take at most 0.1 s.
    running_cuda_brief: usize = "EDITSCOPE_RUNNING_CUDA_BRIEF", "4", count(1..=1024);
    /// Maximum duration of a job, in seconds. A job that is expected to take more than four times as long is refused.
    job_seconds: u64 = "EDITSCOPE_JOB_SECONDS", "600", seconds;
    /// Seconds for which a stopping worker continues its jobs before it returns them to the queue. It takes no new jobs
    /// meanwhile.
    drain_seconds: u64 = "EDITSCOPE_DRAIN_SECONDS", "0", number_of(0..=86_400);
    /// Maximum seconds for which a query into a result may compute or wait for others.
    look_seconds: u64 = "EDITSCOPE_LOOK_SECONDS", "20", seconds;
    /// Timeout of slow clients, in seconds. It bounds how long an upload or a download may lag behind 4 kB/s, and how
    /// long a client may read nothing. An idle connection is closed after 2.5 times as long.
    client_seconds: u64 = "EDITSCOPE_CLIENT_SECONDS", "30", seconds;
    /// Trusted proxies: the number of proxies in a chain whose last one has a private address, or a list of their
    /// addresses, such as `10.0.0.0/8,192.0.2.1`. A client is identified by its address, for IPv6 by the first 56 bits.
    proxies: Proxies = "EDITSCOPE_PROXIES", "0", proxies;
    /// Header in which proxies name their clients: `x-forwarded-for` or `forwarded`.
    proxy_header: ProxyHeader = "EDITSCOPE_PROXY_HEADER", "x-forwarded-for", proxy_header;
    /// Secrets of at least 16 letters and digits, one for each class whose pupils share an address but not the limits
    /// of that address.
    class_tokens: ClassTokens = "EDITSCOPE_CLASS_TOKENS", "off", class_tokens;
    /// Maximum number of cells that the jobs and queries of one client may fill in an hour. A class may use thirty
    /// times this and the following limits. A client that connects from 127.0.0.1 or ::1 without a proxy has no limit.
    client_cells: u64 = "EDITSCOPE_CLIENT_CELLS", "1e16", cells;
    /// Maximum bytes that one client may send, or have read for its queries, in an hour.
    client_bytes: u64 = "EDITSCOPE_CLIENT_BYTES", "16 GiB", bytes;
    /// Maximum bytes that one client may store in a day.
    client_stored_bytes: u64 = "EDITSCOPE_CLIENT_STORED_BYTES", "8 GiB", bytes;
    /// Maximum number of open event streams of one client.
    client_streams: u64 = "EDITSCOPE_CLIENT_STREAMS", "512", number_of(0..=1_000_000);
    /// Maximum number of connections, reduced if the process may not open enough files. One address that is no proxy
    /// may have three eighths of them.
    connections: usize = "EDITSCOPE_CONNECTIONS", "4096", count(1..=1 << 20);
    /// Seconds for which the result of a job is stored.
    job_keep_seconds: u64 = "EDITSCOPE_JOB_KEEP_SECONDS", "3600", seconds;
    /// Seconds for which an upload is stored.
    upload_keep_seconds: u64 = "EDITSCOPE_UPLOAD_KEEP_SECONDS", "86400", seconds;
    /// Maximum memory for reading texts, in bytes: 5 bytes for each byte of a text, 21 if the unit is not bytes. A
    /// larger text is read alone. Texts of at most 16 MiB together do not wait for this memory.
    read_bytes: u64 = "EDITSCOPE_READ_BYTES", "4 GiB", bytes;
    /// Memory for the cache of parsed texts and alignments, in bytes.
    cache_bytes: u64 = "EDITSCOPE_CACHE_BYTES", "512 MiB", bytes;
    /// Disk space in the data folder for copies of files from a bucket, in bytes, so that a text is not fetched for
    /// each job. 0 disables the copies.
    disk_cache_bytes: u64 = "EDITSCOPE_DISK_CACHE_BYTES", "4 GiB", bytes;
    /// Minimum free bytes on the disk of the data folder. `/readyz` reports that the server is not ready if there are
    /// fewer.
    min_free_bytes: u64 = "EDITSCOPE_MIN_FREE_BYTES", "256 MiB", bytes;
    /// Format of logs: `text`, or `json` for a log collector.
    log_format: LogFormat = "EDITSCOPE_LOG_FORMAT", "text", log_format;
    /// Address of `/metrics`, such as 127.0.0.1:9464, for operators and not for visitors.
    metrics_address: Option<SocketAddr> = "EDITSCOPE_METRICS_ADDRESS", "off", or_off;
}

impl Config {
    /// Formats the configuration as a TOML file, with the source of each value in a comment.
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

    /// Formats the configuration in one line for the log.
    pub fn in_one_line(&self) -> String {
        let rows: Vec<String> = self.values().iter().map(|(setting, value)| format!("{}={value}", setting.name)).collect();
        rows.join(" ")
    }
}

#[cfg(test)]
mod tests;
