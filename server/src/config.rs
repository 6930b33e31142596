//! Configuration: one struct, from the environment. Every field names its variable and its default.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use kernels::plan::EngineName;

use crate::site::Site;

/// What the person who runs the server may decide. Numbers may be written as `4e12`.
#[derive(Clone, Debug)]
pub struct Config {
    /// `EDITSCOPE_ADDR`, `127.0.0.1:3000`: where it listens.
    pub addr: String,
    /// `EDITSCOPE_DATA`, `./data`: folder of everything it keeps; created on the first start.
    pub data: PathBuf,
    /// `EDITSCOPE_SITE`, `site` next to the program or one folder up: the built page.
    pub site: PathBuf,
    /// `EDITSCOPE_MAX_UPLOAD_BYTES`, 256 MiB: size of one upload.
    pub max_upload_bytes: u64,
    /// `EDITSCOPE_MAX_DATA_BYTES`, 20 GiB: size of all texts and alignments in the data folder together.
    pub max_data_bytes: u64,
    /// `EDITSCOPE_MAX_BODY_BYTES`, 4 MiB: size of a JSON request; longer texts are uploaded first.
    pub max_body_bytes: u64,
    /// `EDITSCOPE_MAX_SEALED_BYTES`, 2 MiB: size of what a private link leads to.
    pub max_sealed_bytes: u64,
    /// `EDITSCOPE_MAX_CELLS_CPU`, 1e14: cells that one job may be expected to fill on the CPU engine. Two texts of 10,000,000 symbols that
    /// have nothing in common fill half as many; similar ones a small part of that.
    pub max_cells_cpu: u64,
    /// `EDITSCOPE_MAX_CELLS_CUDA`, 1e16: the same on the CUDA engine.
    pub max_cells_cuda: u64,
    /// `EDITSCOPE_ENGINES`, `cpu,cuda`: engines that may be used, if they are there.
    pub engines: Vec<EngineName>,
    /// `EDITSCOPE_QUEUE`, 64: jobs that may wait, all engines together.
    pub queue: usize,
    /// `EDITSCOPE_RUNNING_CPU`, 1: jobs at once on the CPU engine. Each uses all cores.
    pub running_cpu: usize,
    /// `EDITSCOPE_RUNNING_CUDA`, 1: jobs at once on the CUDA engine.
    pub running_cuda: usize,
    /// `EDITSCOPE_RUNNING_CUDA_BRIEF`, 4: as many more, of jobs that are expected to take a tenth of a second at most.
    pub running_cuda_brief: usize,
    /// `EDITSCOPE_JOB_SECONDS`, 600: longest run of a job. One that is expected to take more than four times as long is refused.
    pub job_seconds: u64,
    /// `EDITSCOPE_LOOK_SECONDS`, 20: longest that a request may compute which looks at a result.
    pub look_seconds: u64,
    /// `EDITSCOPE_CLIENT_SECONDS`, 30: how long a body may stay behind 4 kB a second, a client take nothing of an answer, and in two and a
    /// half times as long a connection bring no request, before it is closed.
    pub client_seconds: u64,
    /// `EDITSCOPE_CONNECTIONS`, 4096: connections at a time, as far as the process may have so many files open.
    pub connections: usize,
    /// `EDITSCOPE_JOB_KEEP_SECONDS`, 3600: how long the result of a job is kept.
    pub job_keep_seconds: u64,
    /// `EDITSCOPE_UPLOAD_KEEP_SECONDS`, 86400: how long an upload is kept.
    pub upload_keep_seconds: u64,
    /// `EDITSCOPE_CACHE_BYTES`, 512 MiB: memory for parsed texts and alignments that are being looked at.
    pub cache_bytes: u64,
}

impl Config {
    /// What the environment says.
    ///
    /// # Errors
    /// Names the variable that cannot be read.
    pub fn from_env() -> anyhow::Result<Self> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// What `lookup` says; defaults for what it does not know.
    ///
    /// # Errors
    /// Names the variable that cannot be read.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        const MIB: u64 = 1 << 20;
        let text = |name: &str, default: &str| lookup(name).unwrap_or_else(|| default.to_owned());
        let count = |name: &str, default: u64| lookup(name).map_or(Ok(default), |value| number(name, &value));
        let seconds = |name: &str, default: u64| -> anyhow::Result<u64> {
            let seconds = count(name, default)?;
            anyhow::ensure!(seconds <= LONGEST, "{name} is out of range: {seconds}");
            Ok(seconds)
        };
        Ok(Self {
            addr: text("EDITSCOPE_ADDR", "127.0.0.1:3000"),
            data: text("EDITSCOPE_DATA", "./data").into(),
            site: lookup("EDITSCOPE_SITE").map_or_else(Site::default_root, PathBuf::from),
            max_upload_bytes: count("EDITSCOPE_MAX_UPLOAD_BYTES", 256 * MIB)?,
            max_data_bytes: count("EDITSCOPE_MAX_DATA_BYTES", 20 * 1024 * MIB)?,
            max_body_bytes: count("EDITSCOPE_MAX_BODY_BYTES", 4 * MIB)?,
            max_sealed_bytes: count("EDITSCOPE_MAX_SEALED_BYTES", 2 * MIB)?,
            max_cells_cpu: count("EDITSCOPE_MAX_CELLS_CPU", 100_000_000_000_000)?,
            max_cells_cuda: count("EDITSCOPE_MAX_CELLS_CUDA", 10_000_000_000_000_000)?,
            engines: engines(&text("EDITSCOPE_ENGINES", "cpu,cuda"))?,
            queue: count("EDITSCOPE_QUEUE", 64)? as usize,
            running_cpu: count("EDITSCOPE_RUNNING_CPU", 1)?.max(1) as usize,
            running_cuda: count("EDITSCOPE_RUNNING_CUDA", 1)?.max(1) as usize,
            running_cuda_brief: count("EDITSCOPE_RUNNING_CUDA_BRIEF", 4)?.max(1) as usize,
            job_seconds: seconds("EDITSCOPE_JOB_SECONDS", 600)?,
            look_seconds: seconds("EDITSCOPE_LOOK_SECONDS", 20)?,
            client_seconds: seconds("EDITSCOPE_CLIENT_SECONDS", 30)?,
            connections: count("EDITSCOPE_CONNECTIONS", 4096)?.clamp(1, 1 << 20) as usize,
            job_keep_seconds: seconds("EDITSCOPE_JOB_KEEP_SECONDS", 3600)?,
            upload_keep_seconds: seconds("EDITSCOPE_UPLOAD_KEEP_SECONDS", 86_400)?,
            cache_bytes: count("EDITSCOPE_CACHE_BYTES", 512 * MIB)?,
        })
    }
}

/// Most seconds of anything: a hundred years. Clocks have room for that.
const LONGEST: u64 = 100 * 366 * 86_400;

fn number(name: &str, value: &str) -> anyhow::Result<u64> {
    let plain = value.trim().replace('_', "");
    if let Ok(number) = plain.parse() {
        return Ok(number);
    }
    let float: f64 = plain.parse().with_context(|| format!("{name} is not a number: {value}"))?;
    if !(0.0..=u64::MAX as f64).contains(&float) {
        bail!("{name} is out of range: {value}");
    }
    Ok(float as u64)
}

fn engines(list: &str) -> anyhow::Result<Vec<EngineName>> {
    list.split(',')
        .map(|name| match name.trim() {
            "cpu" => Ok(EngineName::Cpu),
            "cuda" => Ok(EngineName::Cuda),
            other => bail!("EDITSCOPE_ENGINES names an unknown engine: {other}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_overrides_defaults() {
        let config = Config::read(|name| match name {
            "EDITSCOPE_MAX_CELLS_CPU" => Some("4e3".into()),
            "EDITSCOPE_QUEUE" => Some("1_000".into()),
            "EDITSCOPE_ENGINES" => Some("cpu".into()),
            _ => None,
        })
        .unwrap();
        assert_eq!((config.max_cells_cpu, config.queue), (4000, 1000));
        assert_eq!(config.engines, [EngineName::Cpu]);
        assert_eq!(config.addr, "127.0.0.1:3000");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let years = ("EDITSCOPE_JOB_SECONDS", "1e19");
        for (name, value) in [years, ("EDITSCOPE_QUEUE", "many"), ("EDITSCOPE_QUEUE", "-1"), ("EDITSCOPE_ENGINES", "cpu,abacus")] {
            let error = Config::read(|asked| (asked == name).then(|| value.to_owned())).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
