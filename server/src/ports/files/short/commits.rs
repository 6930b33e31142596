//! Commits: short contents that come at the same moment are written by one statement, so that the disk is waited for once and not once for each. Two hundred people who
//! press a key together wait for 10 to 20 ms so, and for 60 to 120 ms where each has a statement of its own, on 16 connections and two cores.

use std::collections::BTreeMap;
use std::io;

use tokio::sync::{mpsc, oneshot};

use super::table::Table;
use crate::ports::files::Hash;
use crate::ports::files::held::Reserved;

/// Calls of one statement at most: others who write wait for as long as it takes.
const MOST: usize = 512;

/// Where contents are handed in.
#[derive(Clone, Debug)]
pub(super) struct Commits(mpsc::UnboundedSender<Wanted>);

/// Contents that are to be written together, and who waits for it.
#[derive(Debug)]
struct Wanted {
    contents: Vec<(Hash, Vec<u8>)>,
    /// Their bytes.
    reserved: Reserved,
    done: oneshot::Sender<io::Result<()>>,
}

impl Commits {
    /// Has contents written until nobody can hand in any more.
    pub(super) fn start(table: Table) -> Self {
        let (commits, mut wanted) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut all = Vec::new();
            while wanted.recv_many(&mut all, MOST).await > 0 {
                commit(&table, std::mem::take(&mut all)).await;
            }
        });
        Self(commits)
    }

    /// Returns when the contents are on the disk, and young. Of the bytes that were reserved for them those of new ones count on.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(super) async fn put(&self, contents: Vec<(Hash, Vec<u8>)>, reserved: Reserved) -> io::Result<()> {
        if contents.is_empty() {
            return Ok(());
        }
        let (done, written) = oneshot::channel();
        let ended = || io::Error::other("nobody writes short contents any more");
        self.0.send(Wanted { contents, reserved, done }).map_err(|_| ended())?;
        written.await.map_err(|_| ended())?
    }
}

/// Writes them and says so to each. No content can hinder another one: they are bytes of a bounded number, each under its own hash.
async fn commit(table: &Table, all: Vec<Wanted>) {
    let contents: BTreeMap<[u8; 32], &[u8]> =
        all.iter().flat_map(|wanted| &wanted.contents).map(|(key, content)| (*key.as_bytes(), content.as_slice())).collect();
    let mut written = table.put(&contents).await;
    for Wanted { contents, reserved, done } in all {
        let said = match &mut written {
            Ok(new) => {
                // The first one who brought it pays for it.
                let kept = contents.iter().filter(|(key, _)| new.remove(key)).map(|(_, content)| content.len() as u64).sum();
                reserved.keep_of(kept);
                Ok(())
            }
            Err(error) => {
                // What is not kept is given back before anybody is told.
                drop(reserved);
                Err(io::Error::new(error.kind(), error.to_string()))
            }
        };
        // Whoever has gone meanwhile is told nothing.
        let _ = done.send(said);
    }
}
