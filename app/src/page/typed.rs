//! Answers while typing: the newest form goes to the worker as soon as it is free, and makes those before it void
//! ([`queue`](crate::source::queue)). Long texts wait until the typing pauses.

use std::cell::Cell;
use std::rc::Rc;

use explain::ask::{Say, What, When};
use js_sys::Uint8Array;
use kernels::event::Event;
use kernels::failure::Failure;
use kernels::plan::{LOCAL_IS_FINE_MS, Place};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Page, Read};
use crate::model::form::{Form, Which};
use crate::model::run::RunState;
use crate::model::session::{Here, Input, Visit};
use crate::source::local::{self, Heard};
use crate::source::{files, now, sleep};
use crate::tr::t;

/// How long a pause in typing is, in milliseconds.
const PAUSE_MS: i32 = 250;

/// Forms of more bytes than this wait until the typing pauses.
const PAUSE_BYTES: u64 = 50_000;

/// The main button, pressed before there is a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Press {
    /// The form has changed and is neither planned nor answered yet.
    planning: bool,
    /// The main button was pressed meanwhile: what is planned is started.
    eager: bool,
}

impl Page {
    /// The form has changed, or is given up: what was pressed for the last one does not count any more.
    pub(super) fn forget_press(self, planning: bool) {
        self.press.set_value(Press { planning, eager: false });
    }

    /// Remembers that the main button was pressed if the plan is still being made.
    pub(super) fn press_early(self) -> bool {
        self.press.update_value(|press| press.eager |= press.planning);
        self.press.with_value(|press| press.planning)
    }

    /// The form changed: answers it when the worker is free and the typing allows.
    pub(super) fn answer_soon(self, visit: Visit) {
        if self.form.with_untracked(Form::bytes) <= PAUSE_BYTES {
            return self.answer_now(When::Quick);
        }
        spawn_local(async move {
            sleep(PAUSE_MS).await;
            if self.is_at(visit) {
                self.answer_now(When::Quick);
            }
        });
    }

    /// Starts a form that has no plan yet: a long one is planned first, with the server's offers if it has any.
    pub(super) fn start_unplanned(self) {
        if self.form.with_untracked(Form::bytes) <= PAUSE_BYTES {
            return self.answer_now(When::Always);
        }
        let Some(visit) = self.ask_here() else { return };
        spawn_local(async move {
            // Without them the plan is made of what is here.
            let _ = self.server_offers().await;
            if self.is_at(visit) {
                self.answer_now(When::Quick);
                self.press.set_value(Press { planning: true, eager: true });
            }
        });
    }

    /// From now on this device is at it, and what it was asked before is nobody's any more.
    fn ask_here(self) -> Option<Visit> {
        self.step(Input::Asked);
        self.keep_time();
        self.visit()
    }

    /// Sends the form to the worker.
    pub(super) fn answer_now(self, when: When) {
        let Some(visit) = self.ask_here() else { return };
        let form = self.form.get_untracked();
        spawn_local(async move {
            let texts = match (files::bytes(form.side(Which::A)).await, files::bytes(form.side(Which::B)).await) {
                (Ok(a), Ok(b)) => [a, b],
                (Err(problem), _) | (_, Err(problem)) => return self.fail(visit, problem),
            };
            if !self.is_at(visit) {
                return;
            }
            let offers = self.known_offers();
            let what = What::Solve { task: form.task, options: form.asked(), choices: form.choices(), offers, when };
            self.ask(visit, when, what, &texts);
        });
    }

    /// Plans by the sizes of texts that this device does not read.
    pub(super) fn measure(self, visit: Visit) {
        self.keep_time();
        spawn_local(async move {
            if let Err(problem) = self.server_offers().await {
                return self.fail(visit, problem);
            }
            if !self.is_at(visit) {
                return;
            }
            let (form, offers) = (self.form.get_untracked(), self.known_offers());
            let (a, b, bytes) = (form.size(Which::A), form.size(Which::B), form.bytes_to_send());
            let what = What::Measure { task: form.task, options: form.asked(), offers, a, b, bytes };
            self.ask(visit, When::Quick, what, &[]);
        });
    }

    fn ask(self, visit: Visit, when: When, what: What, texts: &[Uint8Array]) {
        let number = Rc::new(Cell::new(0));
        let asked = number.clone();
        number.set(local::ask(what, texts, move |heard| self.hear(visit, when, asked.get(), heard)));
    }

    fn hear(self, visit: Visit, when: When, ask: u64, heard: Heard) {
        // The form has changed since it was sent.
        if !self.is_at(visit) {
            return;
        }
        match heard {
            Heard::Broken(problem) => self.fail(visit, problem),
            Heard::Said(Say::Read { a, b, alphabet, warnings }, _) => self.read.set(Some(Read { a, b, alphabet, warnings })),
            Heard::Said(Say::Waiting, _) => self.wait(visit, when),
            Heard::Said(Say::Event(event), _) => {
                if event.is_last() {
                    self.forget_press(false);
                }
                if matches!(event, Event::Failed(Failure::BadInput { .. })) {
                    self.read.set(None);
                }
                let symbols = self.read.with_untracked(|read| read.as_ref().map_or((0, 0), |read| (read.a.symbols, read.b.symbols)));
                self.step(Input::Told(visit, event, Here { ask, symbols }));
            }
            Heard::Said(..) => {}
        }
    }

    /// A plan that is not followed at once: the server is asked for its offers, if it was not lately; then the visitor decides.
    fn wait(self, visit: Visit, when: When) {
        let slow_here = self.run.with_untracked(|run| {
            run.plan.as_ref().is_some_and(|plan| plan.place == Place::Browser && plan.expected_ms > LOCAL_IS_FINE_MS)
        });
        if !slow_here || self.has_offers() || when == When::Always {
            return self.planned(visit);
        }
        spawn_local(async move {
            let offers = self.server_offers().await;
            if !self.is_at(visit) {
                return;
            }
            match offers {
                Ok(_) => self.answer_now(When::Quick),
                Err(_) => {
                    self.planned(visit);
                    self.remark.set(Some(t("The server cannot be reached.")));
                }
            }
        });
    }

    /// The plan stands and is the visitor's to start, unless the visitor has said so already.
    fn planned(self, visit: Visit) {
        self.step(Input::Planned(visit));
        let eager = self.press.with_value(|press| press.eager);
        self.forget_press(false);
        if eager {
            self.start();
        }
    }

    /// Moves the page's clock while something is under way. There is one clock.
    pub(super) fn keep_time(self) {
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
