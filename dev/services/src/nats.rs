//! NATS servers with JetStream for tests: [`Nats`].

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::PathBuf;

use crate::{Certificates, PASSWORD, Running, folder, free_port, in_path, shell, skipped, until};

pub struct Nats {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    /// Arguments for a cluster or for encrypted connections.
    arguments: Vec<String>,
    signal: &'static str,
    running: Option<Running>,
}

impl Nats {
    /// Starts a server with an empty store. Returns `None` if it is not installed.
    pub fn start() -> Option<Self> {
        Self::with(Vec::new())
    }

    /// Starts a server that accepts only encrypted connections. Returns `None` if it is not installed.
    pub fn encrypted(certificates: &Certificates) -> Option<Self> {
        let [certificate, key] = [certificates.certificate(), certificates.key()].map(|file| file.display().to_string());
        Self::with(vec!["--tls".into(), "--tlscert".into(), certificate, "--tlskey".into(), key])
    }

    fn with(arguments: Vec<String>) -> Option<Self> {
        let Some(program) = in_path("nats-server") else { return skipped("NATS (nats-server)") };
        let mut nats = Self { program, folder: folder(), port: free_port(), arguments, signal: "TERM", running: None };
        nats.restart();
        Some(nats)
    }

    /// Starts a cluster of three servers, which are killed when stopped. Returns `None` if NATS is not installed.
    pub fn cluster() -> Option<[Self; 3]> {
        let Some(program) = in_path("nats-server") else { return skipped("NATS (nats-server)") };
        let between = [free_port(), free_port(), free_port()].map(|port| format!("nats://127.0.0.1:{port}"));
        let routes = between.join(",");
        let mut number = 0;
        Some(between.map(|own| {
            number += 1;
            let name = format!("--server_name=nats-{number}");
            let arguments = vec![name, "--cluster_name=editscope".into(), format!("--cluster={own}"), format!("--routes={routes}")];
            let mut nats = Self { program: program.clone(), folder: folder(), port: free_port(), arguments, signal: "KILL", running: None };
            nats.restart();
            nats
        }))
    }

    /// Starts the server again after [`stop`](Self::stop), with its old store.
    pub fn restart(&mut self) {
        let mut shell = shell(&self.folder, self.signal, &self.program);
        shell.args(["--addr", "127.0.0.1", "--port", &self.port.to_string(), "--jetstream", "--store_dir"]).arg(self.folder.join("store"));
        shell.args(["--user", "editscope", "--pass", PASSWORD]).args(&self.arguments);
        self.running = Some(Running(shell.spawn().unwrap()));
        until(&self.folder, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Stops the server without removing its store.
    pub fn stop(&mut self) {
        let mut running = self.running.take().unwrap();
        running.0.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
        running.0.wait().unwrap();
    }

    /// Removes the store of a stopped server.
    pub fn forget(&self) {
        fs::remove_dir_all(self.folder.join("store")).unwrap();
    }

    /// Returns the server's address, with user and password.
    pub fn address(&self) -> String {
        let scheme = if self.arguments.iter().any(|argument| argument == "--tls") { "tls" } else { "nats" };
        format!("{scheme}://editscope:{PASSWORD}@127.0.0.1:{}", self.port)
    }
}
