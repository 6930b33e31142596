//! Services for tests: PostgreSQL, an S3 server (moto) and NATS as child processes on the loopback interface, with
//! temporary data.
//!
//! Each runs under a shell that waits for the end of its input, a pipe from the test. However the test ends, the shell
//! stops the service and removes its folder. If a program is not installed, tests report that and are skipped; with
//! `EDITSCOPE_TEST_SERVICES=required` they fail.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "only tests use this crate")]

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

mod certificates;
mod nats;

pub use self::certificates::Certificates;
pub use self::nats::Nats;

/// Timeout for the start of a service.
const START: Duration = Duration::from_secs(30);

/// Shell script that runs a service. `$0` is the folder, `$1` the signal that stops the service, and the rest its
/// command line. A line of input stops the service and leaves the folder; the end of input removes the folder too. The
/// signal is repeated until the service has exited, because a starting service may not handle it yet.
const SHELL: &str = r#"signal=$1; shift; "$@" </dev/null >"$0/log" 2>&1 & read line; left=$?
    while kill -s "$signal" $! 2>/dev/null; do sleep 0.1; done; [ $left = 0 ] || rm -rf "$0""#;

pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    user: Option<(u32, u32)>,
    pub port: u16,
    /// Arguments for encrypted connections, if the server accepts no others.
    arguments: Vec<String>,
    running: Option<Running>,
}

/// An S3 server (moto) for tests, which stores everything in memory.
pub struct S3 {
    program: PathBuf,
    pub port: u16,
    /// Arguments for encrypted connections, if the server accepts no others.
    arguments: Vec<String>,
    running: Option<Running>,
}

/// The shell process that runs a service. Dropping this value stops the service and removes its folder.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Postgres {
    /// Returns a server shared by all tests of this process, or `None` if it is not installed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Starts a server for a test that stops it. Returns `None` if it is not installed.
    pub fn start() -> Option<Self> {
        let mut postgres = Self::new()?;
        postgres.restart();
        Some(postgres)
    }

    /// Starts a server that accepts only encrypted connections. Returns `None` if it is not installed.
    pub fn encrypted(certificates: &Certificates) -> Option<Self> {
        let mut postgres = Self::new()?;
        fs::write(postgres.folder.join("data/pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n").unwrap();
        // PostgreSQL refuses a key that others may read.
        let key = postgres.folder.join("key.pem");
        fs::copy(certificates.key(), &key).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = postgres.user {
            chown(&key, Some(user), Some(group)).unwrap();
        }
        let certificate = postgres.folder.join("certificate.pem");
        fs::copy(certificates.certificate(), &certificate).unwrap();
        let settings = [format!("ssl_key_file={}", key.display()), format!("ssl_cert_file={}", certificate.display()), "ssl=on".into()];
        postgres.arguments = settings.into_iter().flat_map(|setting| ["-c".into(), setting]).collect();
        postgres.restart();
        Some(postgres)
    }

    /// Initializes a server without starting it. Returns `None` if it is not installed.
    fn new() -> Option<Self> {
        let Some(programs) = postgres_programs() else { return skipped("PostgreSQL") };
        let (folder, user) = (folder(), unprivileged());
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        let postgres = Self { programs, folder, user, port: free_port(), arguments: Vec::new(), running: None };
        let mut init = postgres.program("initdb");
        init.args(["--no-sync", "-A", "trust", "-U", "editscope", "-E", "UTF8", "--locale=C", "-D"]).arg(postgres.folder.join("data"));
        let said = init.output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        Some(postgres)
    }

    /// Starts the server again after [`stop`](Self::stop), with its data.
    pub fn restart(&mut self) {
        let port = self.port.to_string();
        let mut shell = shell(&self.folder, "INT", &self.programs.join("postgres"));
        shell.arg("-D").arg(self.folder.join("data")).arg("-k").arg(&self.folder).args(["-h", "127.0.0.1", "-p", &port]);
        shell.args(["-c", "fsync=off", "-c", "max_connections=200"]).args(&self.arguments);
        as_user(&mut shell, self.user);
        self.running = Some(Running(shell.spawn().unwrap()));
        until(&self.folder, || self.program("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &port]).status().unwrap().success());
    }

    /// Stops the server without removing its data.
    pub fn stop(&mut self) {
        let mut running = self.running.take().unwrap();
        running.0.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
        running.0.wait().unwrap();
    }

    /// Kills the server without removing its data.
    pub fn kill(&mut self) {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let killed = Command::new("kill").args(["-9", file.lines().next().unwrap()]).status().unwrap();
        assert!(killed.success());
        self.stop();
        // Its child processes need a moment to end; until then, a new server refuses to use the data.
        sleep(Duration::from_secs(1));
    }

    /// Creates a database and returns its address.
    pub fn database(&self) -> String {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        let port = self.port.to_string();
        let made = self.program("createdb").args(["-h", "127.0.0.1", "-p", &port, "-U", "editscope", &name]).status().unwrap();
        assert!(made.success());
        format!("postgres://editscope:{PASSWORD}@127.0.0.1:{port}/{name}")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        // PostgreSQL programs look for certificates in the home folder.
        command.current_dir(&self.folder).env("HOME", &self.folder);
        as_user(&mut command, self.user);
        command
    }
}

/// Password in the addresses of services. PostgreSQL does not check it.
pub const PASSWORD: &str = "correct-horse";

impl S3 {
    /// Returns a server shared by all tests of this process, or `None` if it is not installed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<S3>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Starts a server for a test that stops it. Returns `None` if it is not installed.
    pub fn start() -> Option<Self> {
        Self::with(Vec::new())
    }

    /// Starts a server that accepts only encrypted connections. Returns `None` if it is not installed.
    pub fn encrypted(certificates: &Certificates) -> Option<Self> {
        let [certificate, key] = [certificates.certificate(), certificates.key()].map(|file| file.display().to_string());
        Self::with(vec!["-s".into(), "-c".into(), certificate, "-k".into(), key])
    }

    fn with(arguments: Vec<String>) -> Option<Self> {
        let Some(program) = in_path("moto_server") else { return skipped("S3 server (moto_server)") };
        let mut s3 = Self { program, port: free_port(), arguments, running: None };
        s3.restart();
        Some(s3)
    }

    /// Starts an empty server again after [`stop`](Self::stop).
    pub fn restart(&mut self) {
        let folder = folder();
        let mut shell = shell(&folder, "TERM", &self.program);
        shell.args(["-H", "127.0.0.1", "-p", &self.port.to_string()]).args(&self.arguments);
        self.running = Some(Running(shell.spawn().unwrap()));
        until(&folder, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub fn stop(&mut self) {
        self.running = None;
    }

    pub fn bucket(&self, name: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!("PUT /{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

fn skipped<T>(what: &str) -> Option<T> {
    let required = std::env::var("EDITSCOPE_TEST_SERVICES").is_ok_and(|wish| wish == "required");
    assert!(!required, "EDITSCOPE_TEST_SERVICES=required: no {what}");
    // Writes past the test harness, which captures the output of passing tests.
    std::io::stderr().write_all(format!("skipped: no {what}\n").as_bytes()).unwrap();
    None
}

fn shell(folder: &Path, signal: &str, program: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(SHELL).arg(folder).arg(signal).arg(program).current_dir(folder).stdin(Stdio::piped());
    shell
}

fn as_user(command: &mut Command, user: Option<(u32, u32)>) {
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
}

fn until(folder: &Path, is_there: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        let log = || fs::read_to_string(folder.join("log")).unwrap_or_default();
        assert!(begin.elapsed() < START, "the service does not answer: {}", log());
        sleep(Duration::from_millis(50));
    }
}

/// Creates the folder of a service. The service's shell removes it.
fn folder() -> PathBuf {
    tempfile::Builder::new().prefix("editscope-service-").tempdir().unwrap().keep()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns the user and group ids to run PostgreSQL with if the tests run as root, because it refuses to run as root.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let said = Command::new("id").args(arguments).output().ok().filter(|said| said.status.success())?;
        String::from_utf8(said.stdout).ok()?.trim().parse::<u32>().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| id(&["-u", "postgres"]).zip(id(&["-g", "postgres"]))).flatten()
}

/// Finds the folder of the PostgreSQL programs: Debian's folder of the latest version, or the folder to which a link in
/// `PATH` points.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let latest = versions.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok()).max();
    let of_debian = latest.map(|latest| Path::new("/usr/lib/postgresql").join(latest.to_string()).join("bin"));
    let in_path = || in_path("initdb")?.canonicalize().ok()?.parent().map(Path::to_owned);
    of_debian
        .or_else(in_path)
        .filter(|folder| ["initdb", "postgres", "pg_isready", "createdb"].iter().all(|name| folder.join(name).is_file()))
}

fn in_path(program: impl AsRef<OsStr>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program.as_ref())).find(|file| file.is_file())
}
