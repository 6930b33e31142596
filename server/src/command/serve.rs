//! `editscope serve`: runs the server from reading its configuration to the end of the process.

use std::process::Command;

use anyhow::Context as _;
use tokio::sync::oneshot;
use tracing::info;

use crate::ServerState;
use crate::config::Config;
use crate::config::sources::ConfigSources;
use crate::engines::EnginePool;
use crate::http::connections;
use crate::http::page_assets::PageAssets;
use crate::ops::{log, memory, metrics};
use crate::serve::{serve as serve_until, wait_for_stop_signal};

/// Number of bytes of memory that are reserved at the start, so that a burst of requests does not wait for the system.
/// 200 small jobs take 15 MB, and 1,000 event streams 35 MB.
const PREPARED_BYTES: usize = 64 << 20;

/// Runs the server with the settings from `sources` until the process is told to stop, and then ends the process.
///
/// # Errors
/// Returns an error if the server cannot start: a setting is invalid, the address is in use, or the data folder is not
/// writable.
pub fn serve(sources: &ConfigSources) -> anyhow::Result<()> {
    let config = Config::load(sources)?;
    log::start(config.log_format);
    if config.roles.web {
        memory::prepare(PREPARED_BYTES);
        connections::prepare_files(config.connections);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the system has no free threads")?;
    runtime.block_on(run(config))
}

async fn run(config: Config) -> anyhow::Result<()> {
    info!("configuration: {}", config.in_one_line());
    let site = PageAssets::open(&config.site)?;
    let listener = connections::listen(&config.addr).await.with_context(|| format!("cannot listen on {}", config.addr))?;
    let metrics_listener = match config.metrics_address {
        Some(address) => Some(connections::listen(address).await.with_context(|| format!("cannot listen on {address}"))?),
        None => None,
    };
    let state = ServerState::open(config).await?;
    let (closing, closed) = oneshot::channel::<()>();
    if let Some(listener) = metrics_listener {
        info!("metrics on http://{}/metrics", listener.local_addr()?);
        tokio::spawn(crate::http::metrics::serve(listener, state.clone(), metrics::start()?, closed));
    }
    info!("listening on http://{}", listener.local_addr()?);
    let (outlived, engines) = (state.clone(), state.engines.clone());
    let mut again = false;
    let stop = async {
        tokio::select! {
            () = wait_for_stop_signal() => {}
            () = outlived.wait_for_lost_device() => again = true,
        }
    };
    serve_until(listener, state, Some(&site), stop).await?;
    drop(closing);
    if again {
        begin_again()?;
    }
    end(engines)
}

/// Ends the process without exit handlers, because kernels may still be compiling and a run may not have stopped.
/// Waiting for them would take seconds, and the exit handlers of the compiler and the driver would free memory that
/// they still use. All data are already on disk.
fn end(engines: EnginePool) -> ! {
    std::mem::forget(engines);
    signal_hook::low_level::exit(0)
}

/// Replaces this process by a new one of the same program and arguments. A driver that has lost a GPU may give it only
/// to a new process.
#[cfg(unix)]
fn begin_again() -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt as _;
    info!("restarting");
    let mut program = Command::new(std::env::current_exe()?);
    Err(program.args(std::env::args_os().skip(1)).exec()).context("cannot restart")
}

/// Starts a new process of the same program and arguments, which has another process id. This system cannot replace a
/// process.
#[cfg(not(unix))]
fn begin_again() -> anyhow::Result<()> {
    info!("restarting");
    Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).spawn().context("cannot restart").map(drop)
}
