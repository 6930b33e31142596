//! Configuration: one table of settings, from which [`Config`] and [`SETTINGS`] are made. The struct, its reading from
//! environment and file, the printed configuration and docs/configuration.md all follow from this table, so that a new
//! setting is one new row.
//!
//! - [`locations`]: locations of rows and files
//! - [`value`]: parsers of values, with their limits
//! - [`sources`]: precedence of command line, environment and TOML file; rejection of unknown names

use std::net::SocketAddr;
use std::path::PathBuf;

use kernels::plan::EngineName;

use self::locations::{FileStorage, ProcessRoles, RowDatabase};
use self::sources::SettingText;
use self::value::{
    address, brief_count, bytes, cells, class_tokens, count, engines, folder, log_format, nats, number_of, or_off, proxies, proxy_header,
    roles, seconds, site,
};
use crate::identity::address::{ProxyHeader, TrustedProxies};
use crate::identity::class::ClassTokens;
use crate::ops::log::LogFormat;
use crate::storage::ports::NatsAddress;

pub mod locations;
pub mod sources;
pub mod value;

/// A row of the table of settings: the names, the default and the description of one setting. Documentation and checks
/// are made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSetting {
    /// Heading of docs/configuration.md under which the setting is described.
    pub group: &'static str,
    /// Name of the environment variable.
    pub variable: &'static str,
    /// Name of the setting in a configuration file. The field in [`Config`] has the same name.
    pub name: &'static str,
    /// Default value, in the form in which a user could write it.
    pub default: &'static str,
    /// Description of the setting in Markdown. Each line begins with a space, as in the field's documentation.
    pub about: &'static str,
}

impl ServerSetting {
    /// Returns whether the value may contain a secret, so that errors must not repeat it.
    pub fn is_secret(&self) -> bool {
        ["class_tokens", "database", "nats"].contains(&self.name)
    }
}

/// The source of the value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// The default value of the setting.
    Default,
    /// The configuration file.
    File,
    /// An environment variable, which takes precedence over the file.
    Environment,
    /// An argument of the command, which takes precedence over the environment.
    CommandLine,
}

/// Generates [`Config`], [`SETTINGS`] and the functions that read and list all values. The table consists of groups,
/// each with a heading of docs/configuration.md and one row for each setting. A row is the setting's documentation and
/// `field: type = variable, default, parser`.
macro_rules! settings {
    ($($group:literal {
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $variable:literal, $default:literal, $read:expr;)+
    })+) => {
        /// Settings of the server. Numbers may be written as `4e12`, sizes as `256 MiB`.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(
                $(#[doc = $doc])+
                #[doc = concat!("\n\n`", $variable, "`; the default is `", $default, "`.")]
                pub $field: $type,
            )+)+
            /// The source of each value, in the order of [`SETTINGS`].
            pub from: Vec<SettingSource>,
        }

        /// All settings, in the order of the table.
        pub const SETTINGS: &[ServerSetting] = &[$($(ServerSetting {
            group: $group,
            variable: $variable,
            name: stringify!($field),
            default: $default,
            about: concat!($($doc, "\n"),+),
        }),+),+];

        impl Config {
            /// Creates the settings. `given` returns the unparsed value of a setting, or `None` to use its default.
            fn of(given: impl Fn(&ServerSetting) -> Option<SettingText>) -> anyhow::Result<Self> {
                let mut from = Vec::new();
                $($(
                    let setting = &SETTINGS[from.len()];
                    let $field = match given(setting) {
                        Some(given) => {
                            from.push(given.source);
                            $read(&given.text).map_err(|why: String| given.wrong(setting, &why))?
                        }
                        None => {
                            from.push(SettingSource::Default);
                            $read($default).map_err(anyhow::Error::msg)?
                        }
                    };
                )+)+
                Ok(Self { $($($field,)+)+ from })
            }

            /// Returns each setting with its value as TOML. Passwords in addresses and secrets are replaced.
            pub fn values(&self) -> Vec<(&'static ServerSetting, toml::Value)> {
                let values = [$($(toml::Value::try_from(&self.$field)),+),+];
                let or_off = |value: Result<toml::Value, _>| value.unwrap_or_else(|_| value::OFF_VALUE.into());
                SETTINGS.iter().zip(values.map(or_off)).collect()
            }
        }
    };
}

settings! {
    "Address and data" {
        /// Address and port on which the server listens.
        addr: String = "EDITSCOPE_ADDR", "127.0.0.1:3000", address;
        /// Data folder. The server creates it at the first start. It holds the SQLite file, texts, results and compiled kernels.
        /// For a day it also holds the measured rates of the engines.
        data: PathBuf = "EDITSCOPE_DATA", "./data", folder;
        /// Database for the rows of uploads, jobs and links: SQLite in the data folder, or PostgreSQL.
        /// An address of PostgreSQL is written `postgres://user:password@host/database`.
        database: RowDatabase = "EDITSCOPE_DATABASE", "SQLite in the data folder", str::parse;
        /// Storage for texts and results: the data folder, or a bucket of an S3 server. A bucket is written `s3://bucket/prefix`.
        files: FileStorage = "EDITSCOPE_FILES", "a folder in the data folder", str::parse;
        /// Folder of the built page. By default it is `site` next to the program, or one folder up.
        site: PathBuf = "EDITSCOPE_SITE", "site beside the program", site;
    }
    "Several processes" {
        /// Servers of NATS with JetStream, separated by commas, as in `nats://user:password@host:4222`.
        /// Processes with the same NATS, the same database and the same bucket are one site and share their jobs.
        nats: Option<NatsAddress> = "EDITSCOPE_NATS", "off", nats;
        /// Roles of this process in a site, separated by commas. `web` answers visitors and solves brief jobs.
        /// `worker` takes larger jobs from the queue in NATS.
        /// `sweeper` removes expired data and queues the jobs of lost processes again.
        roles: ProcessRoles = "EDITSCOPE_ROLES", "web,worker,sweeper", roles;
        /// Time for which a stopping worker of a site continues its job before it returns the job to the queue.
        /// The worker takes no other job meanwhile.
        drain_seconds: u64 = "EDITSCOPE_DRAIN_SECONDS", "0", number_of(0..=86_400);
    }
    "Engines and jobs" {
        /// Engines that the server may use, if the machine has them.
        engines: Vec<EngineName> = "EDITSCOPE_ENGINES", "cpu,cuda", engines;
        /// Largest expected number of cells of one job on the processor.
        /// Two texts of 10,000,000 symbols without anything in common fill half of the default.
        /// Similar texts fill a small part of it.
        max_cells_cpu: u64 = "EDITSCOPE_MAX_CELLS_CPU", "1e14", cells;
        /// Largest expected number of cells of one job on a GPU.
        max_cells_cuda: u64 = "EDITSCOPE_MAX_CELLS_CUDA", "1e16", cells;
        /// Largest number of scores in the answer about a collection of texts, if the scores of all pairs are requested.
        max_scores: u64 = "EDITSCOPE_MAX_SCORES", "25e6", cells;
        /// Largest number of pairs in the answer about a collection of texts, if some pairs are kept.
        max_pairs: u64 = "EDITSCOPE_MAX_PAIRS", "4e6", cells;
        /// Largest amount of queued work for an engine, in seconds of expected run time. One client may have a quarter of it.
        /// Brief jobs, with an expected run time of at most a tenth of a second, have a queue of their own.
        /// The queue of brief jobs holds a minute of work, and one client may have half of it.
        queue_seconds: u64 = "EDITSCOPE_QUEUE_SECONDS", "3600", seconds;
        /// Number of jobs that run at a time on the processor. Each uses all cores.
        running_cpu: usize = "EDITSCOPE_RUNNING_CPU", "1", count(1..=1024);
        /// Number of brief jobs that run at a time on the processor, beside the larger ones.
        running_cpu_brief: usize = "EDITSCOPE_RUNNING_CPU_BRIEF", "cores, at least 2", brief_count;
        /// Number of jobs that run at a time on each GPU.
        running_cuda: usize = "EDITSCOPE_RUNNING_CUDA", "1", count(1..=1024);
        /// Number of brief jobs that run at a time on each GPU, beside the larger ones.
        running_cuda_brief: usize = "EDITSCOPE_RUNNING_CUDA_BRIEF", "4", count(1..=1024);
        /// Interval at which the finished part of a comparison of a collection is stored. After a restart the comparison continues
        /// behind it.
        checkpoint_seconds: u64 = "EDITSCOPE_CHECKPOINT_SECONDS", "30", seconds;
        /// Longest run of a job. The server refuses a job with an expected run time of more than four times this limit.
        job_seconds: u64 = "EDITSCOPE_JOB_SECONDS", "600", seconds;
    }
    "Sizes" {
        /// Largest size of one upload.
        max_upload_bytes: u64 = "EDITSCOPE_MAX_UPLOAD_BYTES", "256 MiB", bytes;
        /// Largest size of a JSON request. Longer texts are uploaded first.
        max_body_bytes: u64 = "EDITSCOPE_MAX_BODY_BYTES", "4 MiB", bytes;
        /// Largest size of the encrypted content of a private link.
        max_sealed_bytes: u64 = "EDITSCOPE_MAX_SEALED_BYTES", "2 MiB", bytes;
        /// Largest size of all texts and alignments together.
        max_data_bytes: u64 = "EDITSCOPE_MAX_DATA_BYTES", "20 GiB", bytes;
        /// Largest size of the SQLite database in the data folder: the rows of jobs, uploads and links, without their texts.
        /// The setting does not limit PostgreSQL.
        max_database_bytes: u64 = "EDITSCOPE_MAX_DATABASE_BYTES", "4 GiB", bytes;
    }
    "Times" {
        /// Longest time for which a request for a part of a result may compute or wait for others.
        look_seconds: u64 = "EDITSCOPE_LOOK_SECONDS", "20", seconds;
        /// Longest time for which a client may send or receive less than 4 kB a second, or take nothing of an answer.
        /// A connection without a request is closed after two and a half times this time.
        client_seconds: u64 = "EDITSCOPE_CLIENT_SECONDS", "30", seconds;
        /// Time for which the server keeps the result of a job without a link.
        job_keep_seconds: u64 = "EDITSCOPE_JOB_KEEP_SECONDS", "3600", seconds;
        /// Time for which the server keeps an upload.
        upload_keep_seconds: u64 = "EDITSCOPE_UPLOAD_KEEP_SECONDS", "86400", seconds;
    }
    "Clients" {
        /// Trusted proxies in front of the server.
        /// A number counts proxies in a row, if the last has an address of a private network.
        /// Otherwise the setting lists their addresses, as in `10.0.0.0/8,192.0.2.1`.
        /// A client is an IPv4 address or the first 56 bits of an IPv6 address.
        proxies: TrustedProxies = "EDITSCOPE_PROXIES", "0", proxies;
        /// Header in which the proxies name the client's address: `x-forwarded-for` or `forwarded`.
        proxy_header: ProxyHeader = "EDITSCOPE_PROXY_HEADER", "x-forwarded-for", proxy_header;
        /// Secrets of at least 16 letters and digits, separated by commas. Each belongs to one class behind a shared address.
        /// A class with a secret is a client of its own.
        class_tokens: ClassTokens = "EDITSCOPE_CLASS_TOKENS", "off", class_tokens;
        /// Cells that the jobs of one client may fill in an hour.
        /// Requests for parts of results have a second budget of the same size.
        /// A class has thirty times each limit of a client. Clients from 127.0.0.1 or ::1 without a proxy have no limits.
        client_cells: u64 = "EDITSCOPE_CLIENT_CELLS", "1e16", cells;
        /// Bytes that one client may send in an hour. Texts that are read for parts of results count too.
        client_bytes: u64 = "EDITSCOPE_CLIENT_BYTES", "16 GiB", bytes;
        /// Bytes that one client may store in a day.
        client_stored_bytes: u64 = "EDITSCOPE_CLIENT_STORED_BYTES", "8 GiB", bytes;
        /// Event streams that one client may have open at a time.
        client_streams: u64 = "EDITSCOPE_CLIENT_STREAMS", "512", number_of(0..=1_000_000);
        /// Connections at a time, as far as the process may have so many files open.
        /// One address may have three eighths of them, unless it is a trusted proxy.
        connections: usize = "EDITSCOPE_CONNECTIONS", "4096", count(1..=1 << 20);
    }
    "Memory and disk" {
        /// Memory for texts while the server reads them: 5 bytes for each byte of a text, or 21 if the unit is not bytes.
        /// A text that needs more than this limit is read alone. Texts of at most 16 MiB together do not wait for memory.
        read_bytes: u64 = "EDITSCOPE_READ_BYTES", "4 GiB", bytes;
        /// Memory for the cache of parsed texts and alignments.
        cache_bytes: u64 = "EDITSCOPE_CACHE_BYTES", "512 MiB", bytes;
        /// Disk space in the data folder for copies of texts from a bucket. The copies save repeated downloads. 0 turns them off.
        disk_cache_bytes: u64 = "EDITSCOPE_DISK_CACHE_BYTES", "4 GiB", bytes;
        /// Free disk space below which `/readyz` reports that the server is not ready.
        min_free_bytes: u64 = "EDITSCOPE_MIN_FREE_BYTES", "256 MiB", bytes;
    }
    "Logs and metrics" {
        /// Format of the log: `text`, or `json` for a collector. The log never contains a text, an address with an id, or a query.
        log_format: LogFormat = "EDITSCOPE_LOG_FORMAT", "text", log_format;
        /// Address and port of `/metrics` for Prometheus, as in `127.0.0.1:9464`. Visitors must not reach it.
        metrics_address: Option<SocketAddr> = "EDITSCOPE_METRICS_ADDRESS", "off", or_off;
    }
}

impl Config {
    /// Formats all settings as a TOML file. The comment on each line names the source of the value.
    pub fn to_toml(&self) -> String {
        let rows = self.values().into_iter().zip(&self.from);
        rows.map(|((setting, value), from)| {
            let from = match from {
                SettingSource::Default => "default".to_owned(),
                SettingSource::File => "file".to_owned(),
                SettingSource::Environment => setting.variable.to_owned(),
                SettingSource::CommandLine => sources::argument(setting),
            };
            format!("{} = {value} # {from}\n", setting.name)
        })
        .collect()
    }

    /// Formats all settings in one line for the log, without secrets.
    pub fn in_one_line(&self) -> String {
        let rows: Vec<String> = self.values().iter().map(|(setting, value)| format!("{}={value}", setting.name)).collect();
        rows.join(" ")
    }
}

#[cfg(test)]
mod tests;
