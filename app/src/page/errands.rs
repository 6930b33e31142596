//! What the server is asked to do, by a part of the page that comes when there is something to ask: a result of this device needs none of it.

use std::cell::Cell;

use kernels::job::Job;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::Page;
use crate::model::problem::Problem;
use crate::model::session::Visit;

/// Something to ask.
#[derive(Debug)]
pub(super) enum Errand {
    /// A job is shown as it stands.
    Job(Visit, String),
    /// A stored result is shown.
    Link(Visit, String),
    /// What a private link leads to is compared: its id and its key.
    Sealed(Visit, String, String),
    /// The texts of a stored result are fetched.
    FetchTexts(Visit),
    /// The texts are sent.
    Send(Visit),
    /// A job is posted.
    Post(Visit, Job),
    /// Its events after this one are followed.
    Follow(Visit, String, u64),
    /// It is asked how it stands.
    AskAgain(Visit, String),
    /// It is asked how many symbols its texts have.
    Count(Visit, String),
    /// It is cancelled.
    Cancel(Option<Visit>, String),
}

impl Errand {
    /// What must still be under way when it begins. A job is cancelled in any case.
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

type Run = fn(Page, Errand);

thread_local! {
    /// What runs errands, once it is here.
    static RUN: Cell<Option<Run>> = const { Cell::new(None) };
}

/// What runs errands; the other function only fetches it.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload))]
fn loaded() -> Result<Run, Problem> {
    Ok(run)
}

/// Errands are about to be sent out.
pub(super) fn prepare() {
    spawn_local(async {
        preload().await.ok();
    });
}

impl Page {
    /// Has the server do something, at once where the code for it is here.
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
                // Who cancels a job has posted it, with the same part.
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
