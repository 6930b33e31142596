//! Log: messages as text for people, or as JSON for a collector ([`LogFormat`]). Requests are logged by their routes,
//! and never by path or query. No message contains a visitor's text. The message of a panic is left out, because it may
//! quote one.

use std::io::IsTerminal as _;
use std::panic::Location;

use serde::Serialize;
use tracing::error;
use tracing_subscriber::EnvFilter;

/// The format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Log filter that suppresses messages of this library below the level `info`. They would contain addresses of
/// requests, and thus ids of links.
const CSRF_LOG_FILTER: &str = "tower_http::csrf=info";

/// Starts logging to standard error in the format `format`. The level is that of the variable `RUST_LOG`, or `info`. A
/// panic is logged with its position in the source code, but without its message.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = filter.add_directive(CSRF_LOG_FILTER.parse().expect("a module and a level"));
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
