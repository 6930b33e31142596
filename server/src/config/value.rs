//! Value: parsers of the values of settings. The error of a parser says which values are valid.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use kernels::engine::Cpu;
use kernels::humanize::grouped;
use kernels::plan::EngineName;

use super::locations::ProcessRoles;
use crate::identity::address::{ProxyHeader, TrustedProxies};
use crate::identity::class::ClassTokens;
use crate::ops::log::LogFormat;
use crate::storage::ports::NatsAddress;

/// Value that switches off the feature of a setting, such as the metrics listener.
pub const OFF_VALUE: &str = "off";

/// Default value of the setting for the page's folder. It stands for the folder `site` beside the program.
const BESIDE_PROGRAM_VALUE: &str = "site beside the program";

/// Default value of the setting for the number of concurrent brief jobs. It stands for the number of cores, but at
/// least 2.
const CORES_VALUE: &str = "cores, at least 2";

/// Maximum value of a setting in bytes: a million TiB, which fits the signed integers of TOML.
const MAX_SIZE_BYTES: u64 = 1 << 60;

/// Maximum value of a setting in seconds: a hundred years, which clocks can represent.
const MAX_DURATION_SECONDS: u64 = 100 * 366 * 86_400;

/// Units that may follow a number, each with its number of bytes.
const NUMBER_UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Checks that `text` is a host and a port, such as `127.0.0.1:3000`, and returns it.
pub(super) fn address(text: &str) -> Result<String, String> {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
    port.map(|_| text.to_owned()).ok_or_else(|| "it must be a host and a port, such as 127.0.0.1:3000".into())
}

/// Parses an IP address with a port. Returns `None` for the value `off`.
pub(super) fn or_off(text: &str) -> Result<Option<SocketAddr>, String> {
    let wanted = "it must be off, or an address and a port, such as 127.0.0.1:9464";
    if text == OFF_VALUE { Ok(None) } else { text.parse().map(Some).map_err(|_| wanted.into()) }
}

/// Parses the addresses of NATS servers. Returns `None` for the value `off`.
pub(super) fn nats(text: &str) -> Result<Option<NatsAddress>, String> {
    if text == OFF_VALUE { Ok(None) } else { text.parse::<NatsAddress>().map(Some).map_err(|why| why.to_string()) }
}

/// Parses the roles of a process, separated by commas, in any order.
pub(super) fn roles(text: &str) -> Result<ProcessRoles, String> {
    let mut roles = ProcessRoles { web: false, worker: false, sweeper: false };
    for name in text.split(',').map(str::trim) {
        let role = match name {
            "web" => &mut roles.web,
            "worker" => &mut roles.worker,
            "sweeper" => &mut roles.sweeper,
            _ => return Err("it must be one or more of web, worker and sweeper, with commas between them".into()),
        };
        *role = true;
    }
    Ok(roles)
}

/// Parses the format of logs, `text` or `json`.
pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("it must be text or json".into()),
    }
}

/// Parses the path of a folder, which need not exist.
pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("it must be a folder".into()) } else { Ok(text.into()) }
}

/// Parses the path of the page's folder, or the value [`BESIDE_PROGRAM_VALUE`].
pub(super) fn site(text: &str) -> Result<PathBuf, String> {
    if text == BESIDE_PROGRAM_VALUE { Ok(default_site()) } else { folder(text) }
}

/// Returns the default folder of the page: the folder `site` beside the program, or in the parent folder, where
/// builds have it.
fn default_site() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let near = program.with_file_name("site");
    if near.is_dir() {
        return near;
    }
    program.parent().and_then(Path::parent).map_or(near, |up| up.join("site"))
}

/// Parses names of engines, separated by commas.
pub(super) fn engines(text: &str) -> Result<Vec<EngineName>, String> {
    let engine = |name: &str| match name.trim() {
        "cpu" => Ok(EngineName::Cpu),
        "cuda" => Ok(EngineName::Cuda),
        other => Err(format!("there is no engine {other:?}; the engines are cpu and cuda")),
    };
    text.split(',').map(engine).collect()
}

/// Parses a number of bytes, such as `256 MiB`.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    parse_in_range(0..=MAX_SIZE_BYTES, text, "bytes")
}

/// Parses a number of matrix cells, such as `1e14`.
pub(super) fn cells(text: &str) -> Result<u64, String> {
    parse_in_range(0..=1 << 62, text, "cells")
}

/// Parses a duration in seconds.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    parse_in_range(0..=MAX_DURATION_SECONDS, text, "seconds")
}

/// Returns a parser of numbers within `range`.
pub(super) fn count(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<usize, String> {
    move |text| number_of(range.clone())(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// Returns a parser of 64-bit numbers within `range`.
pub(super) fn number_of(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> {
    move |text| parse_in_range(range.clone(), text, "")
}

/// Parses the number of concurrent brief jobs, or the value [`CORES_VALUE`].
pub(super) fn brief_count(text: &str) -> Result<usize, String> {
    if text == CORES_VALUE { Ok(Cpu::all_cores().threads.max(2)) } else { count(1..=1024)(text) }
}

/// Parses the trusted proxies: either their number or their addresses.
pub(super) fn proxies(text: &str) -> Result<TrustedProxies, String> {
    text.parse().map_err(|why| format!("it must be a number of proxies, or their addresses, such as 10.0.0.0/8,192.0.2.1; {why}"))
}

/// Parses the name of the header in which proxies report the address of the client.
pub(super) fn proxy_header(text: &str) -> Result<ProxyHeader, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "x-forwarded-for" => Ok(ProxyHeader::XForwardedFor),
        "forwarded" => Ok(ProxyHeader::Forwarded),
        _ => Err("it must be x-forwarded-for or forwarded".into()),
    }
}

/// Parses the secrets of school classes, separated by commas, or the value `off`. The error does not contain an invalid
/// secret.
pub(super) fn class_tokens(text: &str) -> Result<ClassTokens, String> {
    let tokens = text.split(',').map(str::trim).filter(|token| text != OFF_VALUE && !token.is_empty());
    let is_token = |token: &&str| token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let tokens: Vec<&str> = tokens.collect();
    let wanted = "it must be off, or secrets of at least 16 letters and digits, with commas between them";
    if tokens.iter().all(is_token) { Ok(ClassTokens::from_tokens(&tokens)) } else { Err(wanted.into()) }
}

fn parse_in_range(range: RangeInclusive<u64>, text: &str, of: &str) -> Result<u64, String> {
    let number = number(text).filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let of = if of.is_empty() { String::new() } else { format!(" of {of}") };
        format!("it must be a number{of} from {} to {}", grouped(*range.start()), grouped(*range.end()))
    })
}

/// Parses a number such as `4096`, `4_096`, `4e12` or `256 MiB`.
fn number(text: &str) -> Option<u64> {
    let plain = text.trim().replace('_', "");
    let unit = NUMBER_UNITS.iter().find_map(|(unit, size)| Some((plain.strip_suffix(unit)?.trim_end().to_owned(), *size)));
    let (digits, size) = unit.unwrap_or((plain, 1));
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(size);
    }
    let float = digits.parse::<f64>().ok()? * size as f64;
    (0.0..u64::MAX as f64).contains(&float).then_some(float as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parsed_in_every_notation() {
        let rows = [("0", 0), ("4_096", 4096), ("4e12", 4_000_000_000_000), ("256 MiB", 256 << 20), ("1.5GiB", 3 << 29), ("2 kB", 2000)];
        for (text, expected) in rows {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for wrong in ["", "-1", "many", "1e20", "NaN", "MiB", "16777216 TiB", "1 Mib"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn refused_value_is_reported_with_the_expected_form() {
        assert_eq!(count(1..=1024)("0").unwrap_err(), "it must be a number from 1 to 1,024");
        assert_eq!(seconds("1e19").unwrap_err(), "it must be a number of seconds from 0 to 3,162,240,000");
        assert!(address("3000").is_err() && address(":3000").is_err() && address("localhost:70000").is_err());
        assert!(or_off("9464").is_err() && log_format("JSON").is_err());
        assert_eq!((or_off("off"), or_off("127.0.0.1:9464")), (Ok(None), Ok(Some(([127, 0, 0, 1], 9464).into()))));
        assert_eq!(address("[::1]:3000").as_deref(), Ok("[::1]:3000"));
        assert_eq!(proxy_header("x-real-ip").unwrap_err(), "it must be x-forwarded-for or forwarded");
        assert!(proxies("many").unwrap_err().ends_with("many is no address") && class_tokens("a-class-of-thirty-phones,short").is_err());
    }
}
