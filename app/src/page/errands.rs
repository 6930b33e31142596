//! Requests to the server. Their code is a part that is loaded when first needed, because a result of this device needs
//! none.

use std::cell::Cell;

use kernels::job::Job;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::Page;
use crate::model::problem::Problem;
use crate::model::session::Visit;

/// A request to the server.
#[derive(Debug)]
pub(super) enum Errand {
    /// Show a job.
    Job(Visit, String),
    /// Show a stored result.
    Link(Visit, String),
    /// Compare the texts of a private link, given its id and its key.
    Sealed(Visit, String, String),
    /// Fetch the texts of a stored result.
    FetchTexts(Visit),
    /// Upload the texts.
    Send(Visit),
    /// Post a job.
    Post(Visit, Job),
    /// Follow the events of a job after the given number.
    Follow(Visit, String, u64),
    /// Poll the state of a job.
    AskAgain(Visit, String),
    /// Ask how many symbols the texts of a job have.
    Count(Visit, String),
    /// Cancel a job.
    Cancel(Option<Visit>, String),
}

impl Errand {
    /// Returns the visit that must still be current when the request begins; `None` if it is made in any case.
    fn visit(&self) -> Option<Visit> {
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

type RequestRunner = fn(Page, Errand);

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
    pub(super) fn send_out(self, errand: Errand) {
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

fn run(page: Page, errand: Errand) {
    match errand {
        Errand::Job(visit, id) => page.arrive_at_job(visit, id),
        Errand::Link(visit, id) => page.arrive_at_link(visit, id),
        Errand::Sealed(visit, id, key) => page.arrive_at_sealed(visit, id, key),
        Errand::FetchTexts(visit) => page.fetch_texts(visit),
        Errand::Send(visit) => page.send_texts(visit),
        Errand::Post(visit, job) => page.post(visit, job),
        Errand::Follow(visit, id, after) => page.follow(visit, id, after),
        Errand::AskAgain(visit, id) => page.ask_again(visit, id),
        Errand::Count(visit, id) => page.count(visit, id),
        Errand::Cancel(visit, id) => page.cancel_job(visit, id),
    }
}
