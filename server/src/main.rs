//! Editscope's server. Its configuration is the environment: see [`server::config::Config`].
#![forbid(unsafe_code)]

use std::io::IsTerminal as _;

use anyhow::Context as _;
use server::State;
use server::config::Config;
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
    serve(listener, state, Some(&site), told_to_stop()).await
}
