//! `cargo xtask …`: builds and serves the page, runs all tests, and measures.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a command line program talks on its standard output")]

mod bench;
mod gate;
mod page;
mod prerequisites;
mod prose;
mod serve;
mod shell;
mod stress;
mod tools;

use lexopt::Arg;

const HELP: &str = "\
cargo xtask serve [--addr ADDRESS] [--data FOLDER]   build page and server, start the server
       … --release                                   with the page as visitors of a site get it: small, and slower to build
cargo xtask page                                     build the page only, as visitors of a site get it
       … --quick                                     for either: not optimized, ready in seconds
cargo xtask check                                    formatting, prose, clippy (native and wasm) and unit tests, in minutes
cargo xtask prose [--worst N] [--files]              share of plain comments of each crate; the N worst; a row for each file
cargo xtask test [STEP…]                             everything that a change must pass, or the named steps
       … cluster                                     a site of many processes on real engines, and every journey through it
cargo xtask bench [ARGUMENT…]                        run the benchmarks; `bench --help` lists the arguments
       … --chart                                     measure nothing; draw docs/speed.svg from the committed results
cargo xtask stress [NAME…] [--seed N]                load, abuse, kill, cluster, overhead, devices, disk, api, formats, biology: the server under stress, on loopback
       … --quick --debug --cores 0,1                 seconds instead of minutes; an unoptimized server; its cores";

fn main() {
    if let Err(error) = run() {
        println!("xtask: {error:#}");
        std::process::exit(1);
    }
}

fn run() -> anyhow::Result<()> {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next()? {
        Some(Arg::Value(command)) => command.to_string_lossy().into_owned(),
        Some(Arg::Long("help") | Arg::Short('h')) | None => "help".to_owned(),
        Some(other) => return Err(other.unexpected().into()),
    };
    match command.as_str() {
        "serve" => serve::run_server(serve::ServeOptions::parse(args)?),
        "page" => {
            let mode = match args.next()? {
                None => page::BuildMode::Release,
                Some(Arg::Long(page::BuildMode::QUICK_FLAG)) => page::BuildMode::Quick,
                Some(other) => return Err(other.unexpected().into()),
            };
            prerequisites::install_required(&page::PAGE_PREREQUISITES)?;
            page::build(mode).map(|_| ())
        }
        "check" => gate::run_steps(&gate::QUICK_STEPS.map(String::from)),
        "prose" => prose::report(&prose::ReportOptions::parse(args)?),
        "test" => {
            let steps = args.raw_args()?.map(|arg| arg.to_string_lossy().into_owned());
            gate::run_steps(&steps.collect::<Vec<_>>())
        }
        "bench" => bench::run_workloads(args.raw_args()?),
        "stress" => stress::run_scenarios(args),
        "metadata" => gate::deny::metadata(args.raw_args()?),
        "help" => {
            println!("{HELP}");
            Ok(())
        }
        other => anyhow::bail!("there is no command `{other}`; try `cargo xtask help`"),
    }
}
