//! The queue of requests to the solver, [`RequestQueue`]. The solver handles one message after the other and cannot be
//! interrupted.
//!
//! The page sends one message at a time and queues the others, so that outdated requests never start. A new form to
//! solve or plan makes all waiting forms and all waiting queries of results outdated. The queue has no side effects, so
//! that it can be tested alone; [`local`](super::local) executes its decisions.

use std::collections::VecDeque;

use explain::worker_protocol::RequestKind;
use explain::worker_protocol::query::ToolQuery;

/// The class of a request, which decides when the request becomes outdated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestScope {
    /// The request solves or plans a form. It becomes outdated once a later form is queued.
    Form,
    /// The request queries a result. It becomes outdated once a later form is queued.
    Look,
    /// The request concerns neither a form nor a result, and never becomes outdated.
    Other,
}

impl From<&RequestKind> for RequestScope {
    fn from(what: &RequestKind) -> Self {
        match what {
            RequestKind::Solve { .. } | RequestKind::Measure { .. } | RequestKind::Collection | RequestKind::Patterns => Self::Form,
            RequestKind::Tool(ToolQuery::Code(_) | ToolQuery::Digest(_)) => Self::Other,
            RequestKind::Tool(ToolQuery::Keep(_))
            | RequestKind::Alignment(_)
            | RequestKind::Hits(_)
            | RequestKind::Layout(_)
            | RequestKind::Export { .. } => Self::Look,
        }
    }
}

/// The requests to the solver in their order: the running one, and the waiting ones. Each waiting request has its
/// message of type `M`.
#[derive(Debug)]
pub struct RequestQueue<M> {
    /// Number of the request that the solver is working on, if any.
    running: Option<u64>,
    waiting: VecDeque<(u64, RequestScope, M)>,
}

impl<M> Default for RequestQueue<M> {
    fn default() -> Self {
        Self { running: None, waiting: VecDeque::new() }
    }
}

impl<M> RequestQueue<M> {
    /// Appends the request `number` of class `kind`, whose message is `message`. Returns the numbers of the waiting
    /// requests that it makes outdated. Their messages are never sent.
    pub fn push(&mut self, number: u64, kind: RequestScope, message: M) -> Vec<u64> {
        let void = if kind == RequestScope::Form { self.give_up_results() } else { Vec::new() };
        self.waiting.push_back((number, kind, message));
        void
    }

    /// Removes and returns the next message, and marks the solver as busy with its request. Returns `None` if the
    /// solver is busy or no request waits.
    pub fn take_next(&mut self) -> Option<M> {
        if self.running.is_some() {
            return None;
        }
        let (number, _, message) = self.waiting.pop_front()?;
        self.running = Some(number);
        Some(message)
    }

    /// Marks the request `number` as finished, after its last reply. Does nothing if the solver is working on another
    /// request.
    pub fn finish(&mut self, number: u64) {
        if self.running == Some(number) {
            self.running = None;
        }
    }

    /// Returns whether the request `number` is still waiting to be sent.
    pub fn is_waiting(&self, number: u64) -> bool {
        self.waiting.iter().any(|(other, ..)| *other == number)
    }

    /// Resets the queue for a new solver, which has no results. Returns the numbers of the requests that become
    /// outdated: the running one, and all queries of results.
    pub fn restart(&mut self) -> Vec<u64> {
        let looks = self.withdraw(|kind| kind == RequestScope::Look);
        self.running.take().into_iter().chain(looks).collect()
    }

    /// Removes all waiting requests except those of class [`RequestScope::Other`]. Returns the numbers of the removed
    /// requests.
    pub fn give_up_results(&mut self) -> Vec<u64> {
        self.withdraw(|kind| kind != RequestScope::Other)
    }

    /// Removes the waiting requests for whose class `is_void` returns `true`. Returns the numbers of the removed
    /// requests.
    fn withdraw(&mut self, is_void: impl Fn(RequestScope) -> bool) -> Vec<u64> {
        let void: VecDeque<_>;
        (void, self.waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, kind, _)| is_void(*kind));
        void.into_iter().map(|(number, ..)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a queue whose solver has request 1, followed by requests of the given kinds.
    fn busy(kinds: &[RequestScope]) -> RequestQueue<u64> {
        let mut queue = RequestQueue::default();
        queue.push(1, RequestScope::Form, 1);
        assert_eq!(queue.take_next(), Some(1));
        for (number, kind) in (2..).zip(kinds) {
            assert!(queue.push(number, *kind, number).is_empty());
        }
        queue
    }

    #[test]
    fn solver_gets_the_next_request_after_the_last_reply() {
        let mut queue = busy(&[RequestScope::Look, RequestScope::Look]);
        assert_eq!(queue.take_next(), None);
        queue.finish(3);
        assert_eq!(queue.take_next(), None);
        queue.finish(1);
        assert_eq!((queue.take_next(), queue.is_waiting(2), queue.is_waiting(3)), (Some(2), false, true));
        queue.finish(2);
        assert_eq!((queue.take_next(), queue.take_next()), (Some(3), None));
    }

    #[test]
    fn form_request_cancels_older_form_and_view_requests_only() {
        let mut queue = busy(&[RequestScope::Look, RequestScope::Other]);
        assert_eq!(queue.push(4, RequestScope::Form, 4), [2]);
        assert_eq!(queue.push(5, RequestScope::Form, 5), [4]);
        queue.finish(1);
        assert_eq!(queue.take_next(), Some(3));
        queue.finish(3);
        assert_eq!(queue.take_next(), Some(5));
        assert!(queue.push(6, RequestScope::Look, 6).is_empty());
    }

    #[test]
    fn restarted_solver_drops_view_requests_and_keeps_the_rest() {
        let mut queue = busy(&[RequestScope::Look, RequestScope::Other]);
        assert_eq!(queue.restart(), [1, 2]);
        assert_eq!((queue.take_next(), queue.take_next()), (Some(3), None));
        assert!(RequestQueue::<u64>::default().restart().is_empty());
    }
}
