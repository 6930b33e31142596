//! Logs: lines for a person or JSON for a collector. Requests are told by their route, never by their path or query, and no line has a text
//! of a visitor: a message of a panic may quote one and is not written.

use std::io::IsTerminal as _;
use std::panic::Location;

use serde::Serialize;
use tracing::error;
use tracing_subscriber::EnvFilter;

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// For a person.
    Text,
    /// A JSON object a line.
    Json,
}

/// A library that would tell the addresses of requests, where there are ids of links.
const TELLS_ADDRESSES: &str = "tower_http::csrf=info";

/// Writes logs to standard error from now on, what `RUST_LOG` asks for or else what is worth knowing; panics too, by their places.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = filter.add_directive(TELLS_ADDRESSES.parse().expect("a module and a level"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(true).with_span_list(false).init(),
    }
    std::panic::set_hook(Box::new(|panic| panicked(panic.location())));
}

fn panicked(at: Option<&Location<'_>>) {
    let thread = std::thread::current();
    let at = at.map_or_else(|| "a place that is not known".into(), |at| format!("{}:{}", at.file(), at.line()));
    error!(thread = thread.name().unwrap_or("unnamed"), "panic at {at}");
}
