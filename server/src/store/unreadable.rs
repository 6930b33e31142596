//! Rows that cannot be read, because another version of the server wrote them or they are broken ([`UnreadableRows`]).
//!
//! The client receives an error. Each row is logged once, so that a page that polls does not fill the log.

use std::sync::Arc;
use std::time::Duration;

use tracing::warn;

use crate::cache::SyncCache;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::store::record::body::RowError;

/// Maximum number of unreadable rows that are remembered as logged.
const MAX_LOGGED_ROWS: u64 = 1 << 12;

/// Time for which an unreadable row is remembered as logged.
const LOGGED_ROW_TTL: Duration = Duration::from_secs(86_400);

/// Delay in seconds after which a client may try again to read a row of a newer version. During an upgrade, a process
/// of the new version may answer then.
const UPGRADE_RETRY_DELAY_SECONDS: u64 = 60;

/// The memory of the unreadable rows that were logged.
#[derive(Clone, Debug)]
pub struct UnreadableRows {
    logged: SyncCache<Id, ()>,
}

impl Default for UnreadableRows {
    fn default() -> Self {
        Self { logged: SyncCache::of_count(MAX_LOGGED_ROWS, LOGGED_ROW_TTL) }
    }
}

impl UnreadableRows {
    /// Returns the problem for a client that requests the unreadable row `id`. `what` names the kind of row, such as "a
    /// job". Logs where parsing stopped, but no content of the row.
    pub fn problem(&self, id: Id, what: &str, cause: &RowError) -> ApiProblem {
        if !self.logged.contains(&id) {
            self.logged.insert(&id, Arc::new(()));
            warn!("the row of {what} cannot be read: {cause}");
        }
        match cause {
            RowError::Newer(_) => {
                let detail = "A newer version of the server stored this result, and this server is being upgraded. Try again in a minute.";
                ApiProblem::new(ProblemKind::NotReady, detail).retry_after(UPGRADE_RETRY_DELAY_SECONDS)
            }
            RowError::Broken(_) => {
                let detail = "Another version of this server stored this result, and this one cannot read it. Compare the texts again.";
                ApiProblem::new(ProblemKind::NoResult, detail)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn row_of_a_newer_version_is_reported_as_not_ready() {
        let problem = UnreadableRows::default().problem(Id::random(), "a job", &RowError::Newer(9));
        assert_eq!((problem.kind, problem.seconds()), (ProblemKind::NotReady, Some(UPGRADE_RETRY_DELAY_SECONDS)));
    }

    #[test]
    fn unreadable_row_is_logged_once_without_its_content() {
        let (log, unreadable) = (Log::default(), UnreadableRows::default());
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let cause = RowError::Broken(serde_json::from_str::<u64>("\"flibbertigibbet\"").unwrap_err());
        let (one, other) = (Id::random(), Id::random());
        tracing::subscriber::with_default(subscriber, || {
            for id in [one, other, one, one] {
                assert_eq!(unreadable.problem(id, "a job", &cause).kind, ProblemKind::NoResult);
            }
        });
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert_eq!(log.matches("cannot be read").count(), 2, "{log}");
        assert!(!log.contains("flibbertigibbet") && !log.contains(&one.to_string()), "{log}");
    }
}
