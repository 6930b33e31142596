//! NATS with JetStream, for tests.

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::PathBuf;

use super::{Certificates, PASSWORD, Running, folder, free_port, in_path, shell, skipped, until};

/// A NATS server.
pub(crate) struct Nats {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    /// What makes it one of several, or has it take encrypted connections only.
    arguments: Vec<String>,
    signal: &'static str,
    running: Option<Running>,
}

impl Nats {
    /// One with a store of its own. None where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::with(Vec::new())
    }

    /// One that takes encrypted connections only. None where it is not installed.
    pub(crate) fn encrypted(certificates: &Certificates) -> Option<Self> {
        let [certificate, key] = [certificates.certificate(), certificates.key()].map(|file| file.display().to_string());
        Self::with(vec!["--tls".into(), "--tlscert".into(), certificate, "--tlskey".into(), key])
    }

    fn with(arguments: Vec<String>) -> Option<Self> {
        let Some(program) = in_path("nats-server") else { return skipped("NATS (nats-server)") };
        let mut nats = Self { program, folder: folder(), port: free_port(), arguments, signal: "TERM", running: None };
        nats.go_on();
        Some(nats)
    }

    /// Three that are one cluster, and are killed where they are stopped. None where it is not installed.
    pub(crate) fn cluster() -> Option<[Self; 3]> {
        let Some(program) = in_path("nats-server") else { return skipped("NATS (nats-server)") };
        let between = [free_port(), free_port(), free_port()].map(|port| format!("nats://127.0.0.1:{port}"));
        let routes = between.join(",");
        let mut number = 0;
        Some(between.map(|own| {
            number += 1;
            let name = format!("--server_name=nats-{number}");
            let arguments = vec![name, "--cluster_name=editscope".into(), format!("--cluster={own}"), format!("--routes={routes}")];
            let mut nats = Self { program: program.clone(), folder: folder(), port: free_port(), arguments, signal: "KILL", running: None };
            nats.go_on();
            nats
        }))
    }

    /// Starts it again after [`stop`](Self::stop), with what it had.
    pub(crate) fn go_on(&mut self) {
        let mut shell = shell(&self.folder, self.signal, &self.program);
        shell.args(["--addr", "127.0.0.1", "--port", &self.port.to_string(), "--jetstream", "--store_dir"]).arg(self.folder.join("store"));
        shell.args(["--user", "editscope", "--pass", PASSWORD]).args(&self.arguments);
        self.running = Some(Running(shell.spawn().unwrap()));
        until(&self.folder, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Stops it; its store stays.
    pub(crate) fn stop(&mut self) {
        let mut running = self.running.take().unwrap();
        running.0.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
        running.0.wait().unwrap();
    }

    /// Has lost all that it had, while it is stopped.
    pub(crate) fn forget(&self) {
        fs::remove_dir_all(self.folder.join("store")).unwrap();
    }

    /// Its address.
    pub(crate) fn address(&self) -> String {
        let scheme = if self.arguments.iter().any(|argument| argument == "--tls") { "tls" } else { "nats" };
        format!("{scheme}://editscope:{PASSWORD}@127.0.0.1:{}", self.port)
    }
}
