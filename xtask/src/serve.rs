//! Builds page and server in release and starts the server.

use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};

use crate::{
    page,
    shell::{cargo, command, run, target},
};

/// What the command line may say; what it does not say, the server's environment or its defaults do.
#[derive(Default)]
pub(crate) struct Options {
    addr: Option<String>,
    data: Option<PathBuf>,
}

impl Options {
    /// Reads `--addr` and `--data`.
    pub(crate) fn parse(mut args: Parser) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("addr") => options.addr = Some(args.value()?.string()?),
                Arg::Long("data") => options.data = Some(args.value()?.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}

/// Returns when the server ends.
pub(crate) fn run_server(options: Options) -> anyhow::Result<()> {
    let page = page::build()?;
    run(&mut cargo("build --release --package server --bin editscope"))?;
    let mut server = command(target()?.join("release/editscope"));
    server.env("EDITSCOPE_SITE", page.site);
    if let Some(addr) = options.addr {
        server.env("EDITSCOPE_ADDR", addr);
    }
    if let Some(data) = options.data {
        server.env("EDITSCOPE_DATA", std::path::absolute(data)?);
    }
    run(&mut server)
}
