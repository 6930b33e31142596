//! Requests to the server. Their code is downloaded when it is first needed, because results of this device do without
//! it.

use std::cell::Cell;

use kernels::job::JobRequest;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::Page;
use crate::model::problem::Problem;
use crate::model::session::VisitNumber;

/// A request to the server. The strings are ids of jobs and links, if not stated otherwise.
#[derive(Debug)]
pub(super) enum ServerRequest {
    /// Show the job with this id.
    Job(VisitNumber, String),
    /// Show the stored result with this id.
    Link(VisitNumber, String),
    /// Compare the texts of a private link, given its id and its key.
    Sealed(VisitNumber, String, String),
    /// Fetch the texts of the stored result on the page.
    FetchTexts(VisitNumber),
    /// Upload the texts of the form, to run it on the server.
    Send(VisitNumber),
    /// Post a job.
    Post(VisitNumber, JobRequest),
    /// Follow the events of the job with this id that come after the event with this number.
    Follow(VisitNumber, String, u64),
    /// Poll the state of the job with this id.
    AskAgain(VisitNumber, String),
    /// Ask how many symbols the texts of the job with this id have.
    Count(VisitNumber, String),
    /// Cancel the job with this id. Without a visit, nobody waits for the outcome.
    Cancel(Option<VisitNumber>, String),
}

impl ServerRequest {
    /// Returns the visit for which the request is made. If it is not current any more, the request is dropped. `None`
    /// for requests that are made in any case.
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

/// Returns the function that sends requests. The macro also generates `preload`, which only downloads it.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload))]
fn loaded() -> Result<RequestRunner, Problem> {
    Ok(run)
}

/// Downloads the code of requests, because requests are about to follow.
pub(super) fn prepare() {
    spawn_local(async {
        preload().await.ok();
    });
}

impl Page {
    /// Sends the request `errand` now if the code is downloaded, otherwise after the download.
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
