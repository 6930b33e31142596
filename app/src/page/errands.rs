//! Requests to the server. Their code is a part that is loaded when first needed, because a result of this device needs
//! none.

use std::cell::Cell;

use kernels::job::JobRequest;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::Page;
use crate::model::problem::Problem;
use crate::model::session::VisitNumber;

/// A request to the server.
#[derive(Debug)]
pub(super) enum ServerRequest {
    /// Show a job.
    Job(VisitNumber, String),
    /// Show a stored result.
    Link(VisitNumber, String),
    /// Compare the texts of a private link, given its id and its key.
    Sealed(VisitNumber, String, String),
    /// Fetch the texts of a stored result.
    FetchTexts(VisitNumber),
    /// Upload the texts.
    Send(VisitNumber),
    /// Post a job.
    Post(VisitNumber, JobRequest),
    /// Follow the events of a job after the given number.
    Follow(VisitNumber, String, u64),
    /// Poll the state of a job.
    AskAgain(VisitNumber, String),
    /// Ask how many symbols the texts of a job have.
    Count(VisitNumber, String),
    /// Cancel a job.
    Cancel(Option<VisitNumber>, String),
}

impl ServerRequest {
    /// Returns the visit that must still be current when the request begins; `None` if it is made in any case.
    fn visit(&self) -> Option<VisitNumber> {
        match self {
            Self::Job(visit, _)
            | Self::Link(visit, _)
            | Self::Sealed(visit, ..)
            | Self::FetchTexts(visit)
            | Self::Send(visit)
            | Self::Post(visit, _)
            | Self::Follow(visit, ..)
            | Self::AskAgain(visit, _)
            | Self::Count(visit, _) => Some(*visit),
            Self::Cancel(..) => None,
        }
    }
}

type RequestRunner = fn(Page, ServerRequest);

thread_local! {
    /// The function that sends requests, once it is loaded.
    static RUN: Cell<Option<RequestRunner>> = const { Cell::new(None) };
}

/// Returns the function that sends requests. The generated `preload` downloads it only.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload))]
fn loaded() -> Result<RequestRunner, Problem> {
    Ok(run)
}

/// Downloads the code because requests are about to follow.
pub(super) fn prepare() {
    spawn_local(async {
        preload().await.ok();
    });
}

impl Page {
    /// Sends a request, now if its code is loaded and later otherwise.
    pub(super) fn send_out(self, errand: ServerRequest) {
        if let Some(run) = RUN.get() {
            return run(self, errand);
        }
        spawn_local(async move {
            let run = loaded().await;
            let visit = errand.visit();
            if visit.is_some_and(|visit| !self.is_at(visit)) {
                return;
            }
            match (run, visit) {
                (Ok(run), _) => {
                    RUN.set(Some(run));
                    run(self, errand);
                }
                (Err(problem), Some(visit)) => self.fail(visit, problem),
                // A job to cancel was posted by the same part, so that the part is loaded.
                (Err(_), None) => {}
            }
        });
    }
}

fn run(page: Page, errand: ServerRequest) {
    match errand {
        ServerRequest::Job(visit, id) => page.arrive_at_job(visit, id),
        ServerRequest::Link(visit, id) => page.arrive_at_link(visit, id),
        ServerRequest::Sealed(visit, id, key) => page.arrive_at_sealed(visit, id, key),
        ServerRequest::FetchTexts(visit) => page.fetch_texts(visit),
        ServerRequest::Send(visit) => page.send_texts(visit),
        ServerRequest::Post(visit, job) => page.post(visit, job),
        ServerRequest::Follow(visit, id, after) => page.follow(visit, id, after),
        ServerRequest::AskAgain(visit, id) => page.ask_again(visit, id),
        ServerRequest::Count(visit, id) => page.count(visit, id),
        ServerRequest::Cancel(visit, id) => page.cancel_job(visit, id),
    }
}
