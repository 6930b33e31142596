//! The server under stress ([`StressServer`]): the real program on a free port with its own data folder. Its memory is
//! read from `/proc`.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

use super::http::StressClient;
use crate::shell::{cargo, run, target};

/// Maximum time from the start of a server to its first answer. It includes measuring the engines on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The environment in which a scenario starts servers: the program under test, its cores, and an empty folder.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioEnvironment {
    program: PathBuf,
    /// Cores that the server may use, in the syntax of `taskset`. Clients use all cores.
    cores: Option<String>,
    /// Folder that is empty when the scenario begins.
    pub(crate) folder: PathBuf,
}

/// Settings with which a scenario starts a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerSetup {
    /// Environment variables of the server.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Shell code that runs before the program, such as limits and mounts. The variable `$DATA` is the data folder.
    pub(crate) before: &'static str,
    /// Whether the server gets a private mount namespace. Mounts that the shell code `before` makes are then invisible
    /// to other processes.
    pub(crate) mounts: bool,
}

impl ServerSetup {
    /// Creates a setup with these environment variables, without shell code or mounts.
    pub(crate) fn with_variables(variables: &[(&'static str, &str)]) -> Self {
        Self { variables: variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(), ..Self::default() }
    }
}

/// A running server of a scenario. It is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct StressServer {
    child: Child,
    pub(crate) data: PathBuf,
    /// Client of the server, with the address 127.0.0.1.
    pub(crate) client: StressClient,
}

/// Builds the server and returns the path of the built program. If `debug`, uses cargo's profile `dev`, otherwise
/// `release`.
///
/// # Errors
/// Returns an error if the build fails.
pub(crate) fn build(debug: bool) -> anyhow::Result<PathBuf> {
    let (profile, folder) = if debug { ("--profile=dev", "debug") } else { ("--release", "release") };
    run(cargo("build --locked --quiet --package server --bin editscope").arg(profile))?;
    Ok(target()?.join(folder).join("editscope"))
}

impl ScenarioEnvironment {
    /// Creates the environment of the scenario `name`, with an empty folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(crate) fn new(program: PathBuf, cores: Option<String>, name: &str) -> anyhow::Result<Self> {
        let folder = target()?.join("stress").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        // Creates a dummy page, because the server needs one although only the API is used.
        fs::create_dir_all(folder.join("site/pkg/0"))?;
        fs::write(folder.join("site/release.txt"), "0\n")?;
        Ok(Self { program, cores, folder })
    }

    /// Starts a server on the data folder `name` with the settings `setup`, and returns when it answers.
    ///
    /// # Errors
    /// Returns an error with the server's log if it does not start.
    pub(crate) fn start(&self, name: &str, setup: &ServerSetup) -> anyhow::Result<StressServer> {
        let data = self.folder.join(name);
        fs::create_dir_all(&data)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        let mut command = if setup.mounts { namespace() } else { Command::new("sh") };
        if setup.mounts {
            command.arg("sh");
        }
        let pinned = self.cores.as_ref().map(|cores| format!("taskset --cpu-list {cores}")).unwrap_or_default();
        command.arg("-c").arg(format!("{} exec {pinned} \"$0\"", setup.before)).arg(&self.program);
        command.env("DATA", &data).env("EDITSCOPE_DATA", &data).env("EDITSCOPE_SITE", self.folder.join("site"));
        command.env("EDITSCOPE_ADDR", address.to_string()).env("EDITSCOPE_ENGINES", "cpu");
        command.envs(setup.variables.iter().cloned());
        let log = self.folder.join(format!("{name}.log"));
        let said = File::options().append(true).create(true).open(&log)?;
        command.stdout(said.try_clone()?).stderr(said);
        let child = command.spawn().context("cannot start the server")?;
        let mut server = StressServer { child, data, client: StressClient { server: address, address: Ipv4Addr::LOCALHOST } };
        let begin = Instant::now();
        while !server.client.get("/livez").is_ok_and(|answer| answer.status == 200) {
            if server.child.try_wait()?.is_some() || begin.elapsed() > START_TIMEOUT {
                let said = fs::read_to_string(&log).unwrap_or_default();
                bail!("the server does not start: {}", last_lines(&said));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }
}

impl StressServer {
    /// Returns the peak of the server's resident memory in MB, since its start or the last
    /// [`StressServer::forget_peak`].
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub(crate) fn peak_mb(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no memory in /proc")?;
        let kib: f64 = peak.trim().trim_end_matches(" kB").parse()?;
        Ok(kib * 1024.0 / 1e6)
    }

    /// Resets the peak of the server's resident memory to the current value.
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub(crate) fn forget_peak(&self) -> anyhow::Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5")?)
    }

    /// Returns the path by which the server's data folder can be read from outside its mount namespace.
    pub(crate) fn data_inside(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.child.id()));
        root.join(self.data.strip_prefix("/").unwrap_or(&self.data))
    }

    /// Runs the shell code `line` in the server's mount namespace. The variable `$DATA` is the data folder.
    ///
    /// # Errors
    /// Returns an error if the code fails.
    pub(crate) fn run_in_namespace(&self, line: &str) -> anyhow::Result<()> {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.child.id().to_string(), "--mount"]);
        if !is_root() {
            command.args(["--user", "--preserve-credentials"]);
        }
        run(command.args(["sh", "-c", line]).env("DATA", &self.data))
    }

    /// Returns whether the server's log contains `words`.
    ///
    /// # Errors
    /// Returns an error if there is no log.
    pub(crate) fn log_contains(&self, words: &str) -> anyhow::Result<bool> {
        Ok(fs::read_to_string(self.data.with_extension("log"))?.contains(words))
    }

    /// Kills the server by SIGKILL, so that it stops at any point of its execution.
    ///
    /// # Errors
    /// Returns an error if the server had already ended, which no scenario expects.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the server had ended by itself ({status})");
        }
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for StressServer {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lists all files below `folder`, recursively.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Returns whether this process may mount disks in a private mount namespace.
pub(crate) fn can_mount() -> bool {
    namespace().args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output().is_ok_and(|output| output.status.success())
}

fn namespace() -> Command {
    let mut command = Command::new("unshare");
    command.arg(if is_root() { "-m" } else { "-rm" });
    command
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}

/// Returns a port that was free a moment ago.
fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}
