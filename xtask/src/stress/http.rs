//! A blocking HTTP client of one server ([`StressClient`]), without an async runtime. Each request has its own
//! connection.
//!
//! An answer that breaks off is detected by its chunks or its length. Event streams use HTTP/1.0 without chunks,
//! because each event marks its own end. The server regards addresses of 127.0.0.0/8 as different clients.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// Maximum time to wait for the next byte of an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A client of the server under test, with an address of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StressClient {
    /// Address of the server.
    pub(crate) server: SocketAddr,
    /// Address from which the client connects. The server regards every address as a client of its own.
    pub(crate) address: Ipv4Addr,
}

/// The answer of the server to a request.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    /// Status line and headers of the answer, as text.
    head: String,
    pub(crate) body: Vec<u8>,
    /// Duration from before the connection was opened to the last byte of the answer.
    pub(crate) took: Duration,
}

impl HttpAnswer {
    /// Returns the value of a header, if present.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let value = |line: &'_ str| line.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(name));
        self.head.lines().find(|line| value(line)).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }

    /// Returns the body as text, for messages about an unexpected answer.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Parses the body.
    ///
    /// # Errors
    /// Returns an error if the body is not JSON.
    pub(crate) fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("no JSON in an answer of status {}: {}", self.status, self.text()))
    }

    /// Returns whether the body is a problem document whose status is the status of the answer.
    pub(crate) fn is_problem(&self) -> bool {
        let says = self.json().is_ok_and(|problem| problem["status"] == self.status && problem["detail"].is_string());
        says && self.header("content-type") == Some("application/problem+json")
    }

    /// Returns the string in the member `name` of the JSON body.
    ///
    /// # Errors
    /// Returns an error if the status is not `status` or there is no such member.
    pub(crate) fn member(&self, status: u16, name: &str) -> anyhow::Result<String> {
        if self.status != status {
            bail!("status {} where {status} was expected: {}", self.status, self.text());
        }
        Ok(self.json()?[name].as_str().with_context(|| format!("no {name} in {}", self.text()))?.to_owned())
    }
}

impl StressClient {
    /// Returns a client of the same server with the address `from`.
    pub(crate) fn with_address(self, from: Ipv4Addr) -> Self {
        Self { address: from, ..self }
    }

    /// Opens a connection from this client's address.
    ///
    /// # Errors
    /// Returns an error if the server does not accept it.
    pub(crate) fn connect(&self) -> anyhow::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((self.address, 0)).into()).with_context(|| format!("cannot ask from {}", self.address))?;
        socket.connect_timeout(&self.server.into(), READ_TIMEOUT)?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        stream.set_write_timeout(Some(READ_TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Returns the first line and the headers of a request, without the empty line that ends them.
    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.server)
    }

    /// Opens a connection and sends `text`, the beginning of a request. Reads nothing.
    ///
    /// # Errors
    /// Returns an error if the server does not accept the connection.
    pub(crate) fn send_only(&self, text: &str) -> anyhow::Result<TcpStream> {
        let mut stream = self.connect()?;
        stream.write_all(text.as_bytes())?;
        Ok(stream)
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// Returns an error if the connection breaks, or if nothing arrives for a minute.
    pub(crate) fn request(&self, method: &str, path: &str, body: &[u8]) -> anyhow::Result<HttpAnswer> {
        let begin = Instant::now();
        let mut stream = self.connect()?;
        let of_body = format!("Content-Length: {}\r\nContent-Type: application/json\r\n", body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{of_body}\r\n", self.server);
        stream.write_all(head.as_bytes())?;
        // A server that refuses the body may answer and close the connection before it has received all.
        let sent = stream.write_all(body);
        let mut all = Vec::new();
        let read = stream.read_to_end(&mut all);
        let took = begin.elapsed();
        let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") else {
            sent.context("the request was not taken")?;
            read.context("no answer came")?;
            bail!("the connection was closed without an answer");
        };
        // The connection may be reset after the complete answer, because the server has not read the whole body.
        if let Err(error) = read
            && error.kind() != ErrorKind::ConnectionReset
        {
            return Err(error).context("the answer broke off");
        }
        let body = all.split_off(end + 4);
        let head = String::from_utf8_lossy(&all).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status in an answer")?;
        let mut answer = HttpAnswer { status, head, body, took };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = joined(&answer.body).context("the answer broke off")?;
        }
        let promised = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
        if let Some(length) = promised.filter(|length| *length != answer.body.len()) {
            bail!("{} of {length} bytes of an answer came", answer.body.len());
        }
        Ok(answer)
    }

    /// Sends a GET request to `path`.
    ///
    /// # Errors
    /// Returns the errors of [`StressClient::request`].
    pub(crate) fn get(&self, path: &str) -> anyhow::Result<HttpAnswer> {
        self.request("GET", path, b"")
    }

    /// Sends a POST request with the JSON `body` to `path`.
    ///
    /// # Errors
    /// Returns the errors of [`StressClient::request`].
    pub(crate) fn post(&self, path: &str, body: &Value) -> anyhow::Result<HttpAnswer> {
        self.request("POST", path, body.to_string().as_bytes())
    }

    /// Uploads `bytes` as a text and returns the id of the upload.
    ///
    /// # Errors
    /// Returns an error if the upload is refused.
    pub(crate) fn upload(&self, bytes: &[u8]) -> anyhow::Result<String> {
        self.request("PUT", "/api/v1/texts", bytes)?.member(201, "id")
    }

    /// Starts a job without reusing an earlier answer, and returns the id of the job.
    ///
    /// # Errors
    /// Returns an error if the job is refused.
    pub(crate) fn submit(&self, job: &Value) -> anyhow::Result<String> {
        let answer = self.post("/api/v1/jobs?fresh=1", job)?;
        // The answer has status 200 if the job has already ended.
        answer.member(if answer.status == 200 { 200 } else { 202 }, "id")
    }

    /// Opens the event stream of the job `job`, from the first event after the number `after` on, or from the first
    /// event if it is `None`.
    ///
    /// # Errors
    /// Returns an error if there is no such stream.
    pub(crate) fn events(&self, job: &str, after: Option<u64>) -> anyhow::Result<EventStream> {
        let heard = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        let stream = self.send_only(&format!("{}{heard}\r\n", self.head("GET", &format!("/api/v1/jobs/{job}/events"))))?;
        let mut events = EventStream { stream, text: String::new(), status: 0 };
        let head = events.until("\r\n\r\n")?.context("a stream was closed before it began")?;
        events.status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status in an answer")?;
        Ok(events)
    }
}

/// Joins the chunks of a body in HTTP's chunked coding. Returns `None` if the body breaks off before the last chunk.
fn joined(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).ok()?, 16).ok()?;
        if length == 0 {
            return Some(all);
        }
        all.extend(chunks.get(end + 2..end + 2 + length)?);
        chunks = chunks.get(end + 2 + length + 2..)?;
    }
}

/// An open stream of server-sent events about one job.
#[derive(Debug)]
pub(crate) struct EventStream {
    stream: TcpStream,
    text: String,
    /// HTTP status of the answer: 200, or 204 if the client has received the last event already.
    pub(crate) status: u16,
}

/// An event of a job, as received from an [`EventStream`].
#[derive(Clone, Debug)]
pub(crate) struct StreamEvent {
    pub(crate) id: u64,
    pub(crate) name: String,
}

impl StreamEvent {
    /// Returns whether the event is the last one of its job.
    pub(crate) fn is_last(&self) -> bool {
        ["answer", "failed", "cancelled"].contains(&self.name.as_str())
    }
}

impl EventStream {
    /// Returns the next event, or `None` at the end of the stream. Waits at most a minute.
    ///
    /// # Errors
    /// Returns an error if the connection breaks or an event is malformed.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<StreamEvent>> {
        while let Some(block) = self.until("\n\n")? {
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            if let Some(name) = field("event") {
                let id = field("id").and_then(|id| id.parse().ok()).context("an event without a number")?;
                return Ok(Some(StreamEvent { id, name: name.to_owned() }));
            }
        }
        Ok(None)
    }

    /// Reads up to the text `mark` and returns the text before it. Returns `None` if the stream ends first.
    fn until(&mut self, mark: &str) -> anyhow::Result<Option<String>> {
        let mut part = [0; 4096];
        loop {
            if let Some((before, after)) = self.text.split_once(mark) {
                let (before, after) = (before.to_owned(), after.to_owned());
                self.text = after;
                return Ok(Some(before));
            }
            match self.stream.read(&mut part)? {
                0 => return Ok(None),
                read => self.text.push_str(&String::from_utf8_lossy(&part[..read])),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_without_its_last_chunk_is_incomplete() {
        let whole = b"3\r\nkit\r\nA\r\nten, kitty\r\n0\r\n\r\n";
        assert_eq!(joined(whole).as_deref(), Some(&b"kitten, kitty"[..]));
        for end in 0..whole.len() - 4 {
            assert_eq!(joined(&whole[..end]), None, "{end}");
        }
    }
}
