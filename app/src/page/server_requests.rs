//! Requests of the session to the server ([`Page::dispatch_request`]). Their code is downloaded when it is first needed,
//! because results of this device do without it.

use std::cell::Cell;

use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::Page;
use crate::model::problem::Problem;
use crate::model::session::{RemoteContent, ServerRequest, VisitNumber};

type RequestRunner = fn(Page, VisitNumber, ServerRequest);

thread_local! {
    /// The function that sends requests; `None` until its code is loaded.
    static RUN: Cell<Option<RequestRunner>> = const { Cell::new(None) };
}

/// Returns the function that sends requests. The attribute also generates the function `preload`, which only downloads
/// the code.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload))]
fn loaded() -> Result<RequestRunner, Problem> {
    Ok(run)
}

/// Downloads the code that sends requests, because requests are about to follow.
pub(super) fn prepare() {
    spawn_local(async {
        preload().await.ok();
    });
}

impl Page {
    /// Sends a request for `visit` now if the code is downloaded, otherwise after the download. Drops the request after
    /// the download if another visit has begun, unless it cancels a job.
    pub(super) fn dispatch_request(self, visit: VisitNumber, request: ServerRequest) {
        if let Some(run) = RUN.get() {
            return run(self, visit, request);
        }
        spawn_local(async move {
            match loaded().await {
                Ok(run) => {
                    RUN.set(Some(run));
                    if self.is_at(visit) || matches!(request, ServerRequest::Cancel(_)) {
                        run(self, visit, request);
                    }
                }
                Err(problem) => self.fail(visit, problem),
            }
        });
    }
}

fn run(page: Page, visit: VisitNumber, request: ServerRequest) {
    match request {
        ServerRequest::Open(RemoteContent::Job(id)) => page.arrive_at_job(visit, id),
        ServerRequest::Open(RemoteContent::Link(id)) => page.arrive_at_link(visit, id),
        ServerRequest::Open(RemoteContent::Sealed { id, key }) => page.arrive_at_sealed(visit, id, key),
        ServerRequest::FetchTexts => page.fetch_texts(visit),
        ServerRequest::Send => page.send_texts(visit),
        ServerRequest::Post(job) => page.post(visit, *job),
        ServerRequest::Follow(id, after) => page.follow(visit, id, after),
        ServerRequest::AskAgain(id) => page.poll_job(visit, id),
        ServerRequest::Count(id) => page.count(visit, id),
        ServerRequest::Cancel(id) => page.cancel_job(visit, id),
    }
}
