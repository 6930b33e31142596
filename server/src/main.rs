//! Editscope's server. Its configuration is the environment: see [`server::config::Config`].
#![forbid(unsafe_code)]

use std::io::IsTerminal as _;
use std::process::Command;

use anyhow::Context as _;
use server::State;
use server::config::Config;
use server::engines::Engines;
use server::serve::{serve, told_to_stop};
use server::site::Site;
use tokio::net::TcpListener;
use tracing::info;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).init();
    let config = Config::from_env()?;
    let site = Site::open(&config.site)?;
    let listener = TcpListener::bind(&config.addr).await.with_context(|| format!("cannot listen on {}", config.addr))?;
    let state = State::open(config).await?;
    info!("listening on http://{}", listener.local_addr()?);
    let (outlived, engines) = (state.clone(), state.engines.clone());
    let mut again = false;
    let stop = async {
        tokio::select! {
            () = told_to_stop() => {}
            () = outlived.outlives_its_device() => again = true,
        }
    };
    serve(listener, state, Some(&site), stop).await?;
    if again {
        begin_again()?;
    }
    end(engines)
}

/// Ends the process while kernels may be compiled still, or a run may not have stopped: waiting for them takes seconds, and the exit
/// handlers of compiler and driver, which do not run now, would take away what they are using. All that is kept is on disk.
fn end(engines: Engines) -> ! {
    std::mem::forget(engines);
    signal_hook::low_level::exit(0)
}

/// Replaces this process by one of the same program: after some errors a driver gives its device to no process that was there then.
#[cfg(unix)]
fn begin_again() -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt as _;
    info!("beginning again");
    let mut program = Command::new(std::env::current_exe()?);
    Err(program.args(std::env::args_os().skip(1)).exec()).context("cannot begin again")
}

/// As above, as far as it goes here: the new process has another number.
#[cfg(not(unix))]
fn begin_again() -> anyhow::Result<()> {
    info!("beginning again");
    Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).spawn().context("cannot begin again").map(drop)
}
