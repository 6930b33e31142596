//! `cargo xtask serve`: builds page and server, optimized by default, and starts the server.

use std::{path::PathBuf, thread};

use anyhow::anyhow;
use lexopt::{Arg, Parser, ValueExt as _};

use crate::{
    page::{self, BuildMode},
    prerequisites,
    shell::{cargo, command, run, target},
};

/// The arguments of `cargo xtask serve`. For a missing one, the server uses its environment or its default.
#[derive(Default)]
pub(crate) struct ServeOptions {
    addr: Option<String>,
    data: Option<PathBuf>,
    build_mode: BuildMode,
}

impl ServeOptions {
    /// Parses `--addr`, `--data`, `--quick` and `--release`.
    pub(crate) fn parse(mut args: Parser) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("addr") => options.addr = Some(args.value()?.string()?),
                Arg::Long("data") => options.data = Some(args.value()?.into()),
                Arg::Long(BuildMode::QUICK_FLAG) => options.build_mode = BuildMode::Quick,
                Arg::Long(BuildMode::RELEASE_FLAG) => options.build_mode = BuildMode::Release,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}

/// Builds page and server, starts the server, and waits until it ends.
pub(crate) fn run_server(options: ServeOptions) -> anyhow::Result<()> {
    prerequisites::install_required(&page::PAGE_PREREQUISITES)?;
    let (profile, folder) = match options.build_mode {
        // This profile solves jobs as fast as the release profile, but compiles in less time.
        BuildMode::Release | BuildMode::Local => ("--profile=serve", "serve"),
        BuildMode::Quick => ("--config=profile.dev.package.kernels.opt-level=0", "debug"),
    };
    // Without the clients of PostgreSQL, S3 and NATS, because only sites need them and they take long to compile.
    let mut build = cargo("build --locked --quiet --package server --bin editscope --no-default-features");
    build.arg(profile);
    // Builds both at once, because the page is mostly compiled and compressed on one core. They use separate target
    // folders, so that cargo does not make one wait for the other.
    let (page, built) = thread::scope(|scope| {
        let built = scope.spawn(|| run(&mut build));
        let page = page::build(options.build_mode);
        println!("  waiting for the server, which is compiled meanwhile");
        (page, built.join())
    });
    let page = page?;
    built.map_err(|_| anyhow!("a thread panicked"))??;
    let mut server = command(target()?.join(folder).join("editscope"));
    server.env("EDITSCOPE_SITE", page.site);
    if let Some(addr) = options.addr {
        server.env("EDITSCOPE_ADDR", addr);
    }
    if let Some(data) = options.data {
        server.env("EDITSCOPE_DATA", std::path::absolute(data)?);
    }
    run(&mut server)
}
