//! Computes answers while the visitor types (`Page::answer_soon`). The newest form goes to the worker as soon as the
//! worker is free and replaces older forms that wait ([`queue`](crate::backend::queue)). Long texts wait until the
//! typing pauses.

use std::cell::Cell;
use std::rc::Rc;

use explain::worker_protocol::{RequestKind, SolveCondition, WorkerReply};
use js_sys::Uint8Array;
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use kernels::plan::{EnginePlace, MAX_LOCAL_MS};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{FormFacts, Page};
use crate::backend::local::{self, ReplyOutcome};
use crate::backend::{files, now, sleep};
use crate::model::form::{FormSide, FormState};
use crate::model::run::RunState;
use crate::model::session::{LocalRunFacts, SessionInput, VisitNumber};
use crate::tr::t;

/// Time without typing that counts as a pause, in milliseconds.
const PAUSE_MS: i32 = 250;

/// Size of the texts in bytes above which the form waits until the typing pauses.
const PAUSE_BYTES: u64 = 50_000;

/// Whether the main button was pressed before the run had a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EarlyPress {
    /// Whether the form has changed and is neither planned nor answered yet.
    planning: bool,
    /// Whether the main button was pressed in the meantime, so that the run starts as soon as it is planned.
    eager: bool,
}

impl Page {
    /// Forgets an early press of the main button. `planning` says whether a plan is being made from now on.
    pub(super) fn forget_press(self, planning: bool) {
        self.press.set_value(EarlyPress { planning, eager: false });
    }

    /// Passes `input`, which ends the planning of a run, to the session.
    pub(super) fn end_planning(self, input: SessionInput) {
        self.forget_press(false);
        self.handle_input(input);
    }

    /// If the plan is still being made, remembers that the main button was pressed, and returns `true`.
    pub(super) fn press_early(self) -> bool {
        self.press.update_value(|press| press.eager |= press.planning);
        self.press.with_value(|press| press.planning)
    }

    /// Computes the changed form once the worker is free and, for long texts, once the typing pauses.
    pub(super) fn answer_soon(self, visit: VisitNumber) {
        if self.form.with_untracked(FormState::bytes) <= PAUSE_BYTES {
            return self.answer_now(SolveCondition::Quick);
        }
        spawn_local(async move {
            sleep(PAUSE_MS).await;
            if self.is_at(visit) {
                self.answer_now(SolveCondition::Quick);
            }
        });
    }

    /// Starts a run that has no plan yet. A long one is planned first, with the server's offers if there are any.
    pub(super) fn start_unplanned(self) {
        if self.form.with_untracked(FormState::bytes) <= PAUSE_BYTES {
            return self.answer_now(SolveCondition::Always);
        }
        let Some(visit) = self.start_local_run() else { return };
        spawn_local(async move {
            // Without offers the plan uses this device only.
            let _ = self.server_offers().await;
            if self.is_at(visit) {
                self.answer_now(SolveCondition::Quick);
                self.press.set_value(EarlyPress { planning: true, eager: true });
            }
        });
    }

    /// Starts a new run on this device and abandons the run before. Returns its visit.
    fn start_local_run(self) -> Option<VisitNumber> {
        self.handle_input(SessionInput::Asked);
        self.run_clock();
        self.visit()
    }

    /// Sends the form to the worker. `when` is the condition under which the worker computes the answer instead of only
    /// planning the run.
    pub(super) fn answer_now(self, when: SolveCondition) {
        let Some(visit) = self.start_local_run() else { return };
        let form = self.form.get_untracked();
        spawn_local(async move {
            let texts = match (files::bytes(form.side(FormSide::A)).await, files::bytes(form.side(FormSide::B)).await) {
                (Ok(a), Ok(b)) => [a, b],
                (Err(problem), _) | (_, Err(problem)) => return self.fail(visit, problem),
            };
            if !self.is_at(visit) {
                return;
            }
            let offers = self.known_offers();
            let what = RequestKind::Solve { task: form.task, options: form.job_options(), choices: form.choices(), offers, when };
            self.send_to_worker(visit, when, what, &texts);
        });
    }

    /// Plans a run by the sizes of its texts, for texts that this device does not read.
    pub(super) fn measure(self, visit: VisitNumber) {
        self.run_clock();
        spawn_local(async move {
            if let Err(problem) = self.server_offers().await {
                return self.fail(visit, problem);
            }
            if !self.is_at(visit) {
                return;
            }
            let (form, offers) = (self.form.get_untracked(), self.known_offers());
            let (a, b, bytes) = (form.size(FormSide::A), form.size(FormSide::B), form.bytes_to_send());
            let what = RequestKind::Measure { task: form.task, options: form.job_options(), offers, a, b, bytes };
            self.send_to_worker(visit, SolveCondition::Quick, what, &[]);
        });
    }

    fn send_to_worker(self, visit: VisitNumber, when: SolveCondition, what: RequestKind, texts: &[Uint8Array]) {
        let number = Rc::new(Cell::new(0));
        let asked = number.clone();
        number.set(local::send_request(what, texts, move |heard| self.handle_reply(visit, when, asked.get(), heard)));
    }

    fn handle_reply(self, visit: VisitNumber, when: SolveCondition, ask: u64, heard: ReplyOutcome) {
        // The form has changed since it was sent.
        if !self.is_at(visit) {
            return;
        }
        match heard {
            ReplyOutcome::Broken(problem) => self.fail(visit, problem),
            ReplyOutcome::Said(WorkerReply::Read { a, b, alphabet, warnings }, _) => {
                self.form_facts.set(Some(FormFacts { a, b, alphabet, warnings }))
            }
            ReplyOutcome::Said(WorkerReply::Waiting, _) => self.handle_waiting_plan(visit, when),
            ReplyOutcome::Said(WorkerReply::Event(event), _) => {
                if event.is_last() {
                    self.forget_press(false);
                }
                if matches!(event, JobEvent::Failed(JobFailure::BadInput { .. })) {
                    self.form_facts.set(None);
                }
                let symbols = self.form_facts.with_untracked(|read| read.as_ref().map_or((0, 0), |read| (read.a.symbols, read.b.symbols)));
                self.handle_input(SessionInput::RunEvent(visit, event, LocalRunFacts { request_number: ask, symbols }));
            }
            ReplyOutcome::Said(..) => {}
        }
    }

    /// Handles a plan whose run does not start automatically, so that the visitor decides where to run. `when` is the
    /// condition under which the worker was to compute the answer.
    ///
    /// If this device would be slow, first requests the server's offers (its engines and their limits) and plans again,
    /// unless recent offers are known.
    fn handle_waiting_plan(self, visit: VisitNumber, when: SolveCondition) {
        let slow_here = self.run.with_untracked(|run| {
            run.plan.as_ref().is_some_and(|plan| plan.place == EnginePlace::Browser && plan.expected_ms > MAX_LOCAL_MS)
        });
        if !slow_here || self.has_offers() || when == SolveCondition::Always {
            return self.handle_plan(visit);
        }
        spawn_local(async move {
            let offers = self.server_offers().await;
            if !self.is_at(visit) {
                return;
            }
            match offers {
                Ok(_) => self.answer_now(SolveCondition::Quick),
                Err(_) => {
                    self.handle_plan(visit);
                    self.remark.set(Some(t("The server cannot be reached.")));
                }
            }
        });
    }

    /// Offers the plan to the visitor, or starts it if the main button was pressed early.
    fn handle_plan(self, visit: VisitNumber) {
        self.handle_input(SessionInput::Planned(visit));
        let eager = self.press.with_value(|press| press.eager);
        self.forget_press(false);
        if eager {
            self.start();
        }
    }

    /// Runs the single timer of the page's clock while a run is in progress.
    pub(super) fn run_clock(self) {
        let ticks = self.ticking.try_update_value(|ticking| std::mem::replace(ticking, true));
        if ticks != Some(false) {
            return;
        }
        spawn_local(async move {
            while self.run.try_with_untracked(RunState::is_under_way) == Some(true) {
                self.now.set(now());
                sleep(250).await;
            }
            self.ticking.try_set_value(false);
        });
    }
}
