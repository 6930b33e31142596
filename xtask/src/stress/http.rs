//! A client of one server, without an async runtime: each request has a thread's time and a connection of its own. An answer that breaks
//! off is known by its chunks; streams of events are asked for in HTTP/1.0, which has none, since each event says where it ends.
//! Addresses of 127.0.0.0/8 stand for different people.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// Longest wait for the next byte of an answer.
const SILENCE: Duration = Duration::from_secs(60);

/// Somebody who asks a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// The server.
    pub(crate) server: SocketAddr,
    /// Who asks.
    pub(crate) from: Ipv4Addr,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The header lines.
    head: String,
    pub(crate) body: Vec<u8>,
    /// From before the connection was made until the answer's last byte.
    pub(crate) took: Duration,
}

impl Answer {
    /// The value of this header, or nothing.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let value = |line: &'_ str| line.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(name));
        self.head.lines().find(|line| value(line)).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }

    /// The body as text, for messages.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// # Errors
    /// When the body is no JSON.
    pub(crate) fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("no JSON in an answer of status {}: {}", self.status, self.text()))
    }

    /// Whether this is an error as every client gets one: a problem document that says its own status.
    pub(crate) fn is_problem(&self) -> bool {
        let says = self.json().is_ok_and(|problem| problem["status"] == self.status && problem["detail"].is_string());
        says && self.header("content-type") == Some("application/problem+json")
    }

    /// The document's string member of this name.
    ///
    /// # Errors
    /// When the status is another one or there is no such member.
    pub(crate) fn member(&self, status: u16, name: &str) -> anyhow::Result<String> {
        if self.status != status {
            bail!("status {} where {status} was expected: {}", self.status, self.text());
        }
        Ok(self.json()?[name].as_str().with_context(|| format!("no {name} in {}", self.text()))?.to_owned())
    }
}

impl Client {
    /// The same server, asked from another address.
    pub(crate) fn at(self, from: Ipv4Addr) -> Self {
        Self { from, ..self }
    }

    /// A connection from this client's address.
    ///
    /// # Errors
    /// When the server takes none.
    pub(crate) fn connect(&self) -> anyhow::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((self.from, 0)).into()).with_context(|| format!("cannot ask from {}", self.from))?;
        socket.connect_timeout(&self.server.into(), SILENCE)?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// The first lines of a request, without the empty one that ends them.
    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.server)
    }

    /// Sends the beginning of a request on a connection of its own, of which nothing is read.
    ///
    /// # Errors
    /// When the server takes no connection.
    pub(crate) fn send_only(&self, text: &str) -> anyhow::Result<TcpStream> {
        let mut stream = self.connect()?;
        stream.write_all(text.as_bytes())?;
        Ok(stream)
    }

    /// Asks, and reads the answer to its end.
    ///
    /// # Errors
    /// When the connection breaks, or nothing comes for a minute.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &[u8]) -> anyhow::Result<Answer> {
        let begin = Instant::now();
        let mut stream = self.connect()?;
        let of_body = format!("Content-Length: {}\r\nContent-Type: application/json\r\n", body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{of_body}\r\n", self.server);
        stream.write_all(head.as_bytes())?;
        // Who refuses a body may answer and close before it has come.
        let sent = stream.write_all(body);
        let mut all = Vec::new();
        let read = stream.read_to_end(&mut all);
        let took = begin.elapsed();
        let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") else {
            sent.context("the request was not taken")?;
            read.context("no answer came")?;
            bail!("the connection was closed without an answer");
        };
        // A reset after the whole answer belongs to the body that was not read.
        if let Err(error) = read
            && error.kind() != ErrorKind::ConnectionReset
        {
            return Err(error).context("the answer broke off");
        }
        let body = all.split_off(end + 4);
        let head = String::from_utf8_lossy(&all).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status in an answer")?;
        let mut answer = Answer { status, head, body, took };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = joined(&answer.body).context("the answer broke off")?;
        }
        let promised = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
        if let Some(length) = promised.filter(|length| *length != answer.body.len()) {
            bail!("{} of {length} bytes of an answer came", answer.body.len());
        }
        Ok(answer)
    }

    /// As [`Client::ask`] without a body.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) fn get(&self, path: &str) -> anyhow::Result<Answer> {
        self.ask("GET", path, b"")
    }

    /// Sends JSON.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        self.ask("POST", path, body.to_string().as_bytes())
    }

    /// Uploads a text; returns its id.
    ///
    /// # Errors
    /// When it is not taken.
    pub(crate) fn upload(&self, bytes: &[u8]) -> anyhow::Result<String> {
        self.ask("PUT", "/api/v1/texts", bytes)?.member(201, "id")
    }

    /// Starts a job, which is solved though it was answered before; returns its id.
    ///
    /// # Errors
    /// When it is not taken.
    pub(crate) fn submit(&self, job: &Value) -> anyhow::Result<String> {
        let answer = self.post("/api/v1/jobs?fresh=1", job)?;
        // One whose answer is known already is 200.
        answer.member(if answer.status == 200 { 200 } else { 202 }, "id")
    }

    /// The events of a job after the one of this number, as they come.
    ///
    /// # Errors
    /// When there is no such stream.
    pub(crate) fn events(&self, job: &str, after: Option<u64>) -> anyhow::Result<Events> {
        let heard = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        let stream = self.send_only(&format!("{}{heard}\r\n", self.head("GET", &format!("/api/v1/jobs/{job}/events"))))?;
        let mut events = Events { stream, text: String::new(), status: 0 };
        let head = events.until("\r\n\r\n")?.context("a stream was closed before it began")?;
        events.status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status in an answer")?;
        Ok(events)
    }
}

/// What was sent in chunks, or nothing where the last of them did not come.
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

/// An open stream of server-sent events.
#[derive(Debug)]
pub(crate) struct Events {
    stream: TcpStream,
    text: String,
    /// 200, or 204 where there is nothing more to hear.
    pub(crate) status: u16,
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) name: String,
}

impl Event {
    /// Whether it is the last one of its job.
    pub(crate) fn is_last(&self) -> bool {
        ["answer", "failed", "cancelled"].contains(&self.name.as_str())
    }
}

impl Events {
    /// The next event, or nothing at the stream's end. Waits for a minute of silence at most.
    ///
    /// # Errors
    /// When the connection breaks or an event is not one.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<Event>> {
        while let Some(block) = self.until("\n\n")? {
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            if let Some(name) = field("event") {
                let id = field("id").and_then(|id| id.parse().ok()).context("an event without a number")?;
                return Ok(Some(Event { id, name: name.to_owned() }));
            }
        }
        Ok(None)
    }

    /// What comes before `mark`, or nothing where the stream ends first.
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
    fn an_answer_without_its_last_chunk_has_broken_off() {
        let whole = b"3\r\nkit\r\nA\r\nten, kitty\r\n0\r\n\r\n";
        assert_eq!(joined(whole).as_deref(), Some(&b"kitten, kitty"[..]));
        for end in 0..whole.len() - 4 {
            assert_eq!(joined(&whole[..end]), None, "{end}");
        }
    }
}
