//! Answers while typing: the newest form goes to the worker as soon as it is free; one that is busy for long with an older form is
//! stopped.

use explain::ask::{Say, What, When};
use kernels::event::Event;
use kernels::failure::Failure;
use kernels::plan::{LOCAL_IS_FINE_MS, Place};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Page, Read, Shown};
use crate::form::{Form, Which};
use crate::problem::Problem;
use crate::run::{Phase, RunState};
use crate::source::local::{self, Heard};
use crate::source::{At, files, now, sleep};
use crate::tr::t;

/// A worker that is busy with an older form for this long is stopped, in milliseconds.
const PATIENCE_MS: i32 = 250;

/// Forms of more bytes than this wait until the typing pauses.
const PAUSE_BYTES: u64 = 50_000;

/// Who is being answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Typing {
    /// Grows with every change, so that late answers are known.
    turn: u32,
    /// The ask under way.
    busy: Option<u64>,
    /// The form changed while the worker was busy.
    again: bool,
    /// The form has changed and is neither planned nor answered yet.
    planning: bool,
    /// The main button was pressed meanwhile: what is planned is started.
    eager: bool,
    serial: u32,
}

impl Page {
    /// Nobody waits for an answer any more.
    pub(super) fn stop_typing(self) {
        self.typing.update_value(|typing| {
            if let Some(number) = typing.busy.take() {
                local::done(number);
            }
            typing.turn += 1;
            typing.again = false;
        });
    }

    /// The form has changed, or is given up: what was pressed for the last one does not count any more.
    pub(super) fn forget_press(self, planning: bool) {
        self.typing.update_value(|typing| (typing.planning, typing.eager) = (planning, false));
    }

    /// Remembers that the main button was pressed if the plan is still being made.
    pub(super) fn press_early(self) -> bool {
        self.typing.update_value(|typing| typing.eager |= typing.planning);
        self.typing.with_value(|typing| typing.planning)
    }

    /// A number for the next result.
    pub(super) fn next_serial(self) -> u32 {
        self.typing.update_value(|typing| typing.serial += 1);
        self.typing.with_value(|typing| typing.serial)
    }

    /// The form changed: answers it when the worker is free and the typing allows.
    pub(super) fn answer_soon(self) {
        let long = self.form.with_untracked(Form::bytes) > PAUSE_BYTES;
        self.typing.update_value(|typing| typing.turn += 1);
        let turn = self.typing.with_value(|typing| typing.turn);
        let busy = self.typing.with_value(|typing| typing.busy);
        if busy.is_some() {
            self.typing.update_value(|typing| typing.again = true);
        } else if !long {
            return self.answer_now(When::Quick);
        }
        spawn_local(async move {
            sleep(PATIENCE_MS).await;
            let typing = self.typing.get_value();
            if typing.turn != turn {
                return;
            }
            if typing.busy.is_some() && typing.busy == busy {
                local::stop();
            }
            if typing.busy == busy {
                self.answer_now(When::Quick);
            }
        });
    }

    /// Starts a form that has no plan yet: a long one is planned first, with the server's offers if it has any.
    pub(super) fn start_unplanned(self) {
        if self.form.with_untracked(Form::bytes) <= PAUSE_BYTES {
            return self.answer_now(When::Always);
        }
        self.stop_typing();
        let turn = self.typing.with_value(|typing| typing.turn);
        self.run.set(RunState::begun(Phase::Reading, now()));
        spawn_local(async move {
            // Without them the plan is made of what is here.
            let _ = self.server_offers().await;
            if self.typing.with_value(|typing| typing.turn) == turn {
                self.answer_now(When::Quick);
                self.typing.update_value(|typing| (typing.planning, typing.eager) = (true, true));
            }
        });
    }

    /// Sends the form to the worker.
    pub(super) fn answer_now(self, when: When) {
        self.stop_typing();
        let form = self.form.get_untracked();
        let turn = self.typing.with_value(|typing| typing.turn);
        self.run.set(RunState::begun(Phase::Reading, now()));
        spawn_local(async move {
            let texts = match (files::bytes(form.side(Which::A)).await, files::bytes(form.side(Which::B)).await) {
                (Ok(a), Ok(b)) => [a, b],
                (Err(problem), _) | (_, Err(problem)) => return self.give_up(problem),
            };
            if self.typing.with_value(|typing| typing.turn) != turn {
                return;
            }
            crate::source::forget_kept();
            let offers = self.offers.get_value().unwrap_or_default();
            let what = What::Solve { task: form.task, options: form.asked(), choices: form.choices(), offers, when };
            let number = local::ask(what, &texts, move |heard| self.hear(turn, &form, when, heard));
            self.typing.update_value(|typing| typing.busy = Some(number));
            self.keep_time();
        });
    }

    /// Plans by the sizes of texts that this device does not read.
    pub(super) fn measure(self) {
        self.stop_typing();
        self.shown.set(None);
        self.read.set(None);
        let turn = self.typing.with_value(|typing| typing.turn);
        self.run.set(RunState::begun(Phase::Reading, now()));
        spawn_local(async move {
            let offers = match self.server_offers().await {
                Ok(offers) => offers,
                Err(problem) => return self.give_up(problem),
            };
            let form = self.form.get_untracked();
            let (a, b, bytes) = (form.size(Which::A), form.size(Which::B), form.bytes_to_send());
            let what = What::Measure { task: form.task, options: form.asked(), offers, a, b, bytes };
            if self.typing.with_value(|typing| typing.turn) == turn {
                let number = local::ask(what, &[], move |heard| self.hear(turn, &form, When::Quick, heard));
                self.typing.update_value(|typing| typing.busy = Some(number));
            }
        });
    }

    fn hear(self, turn: u32, form: &Form, when: When, heard: Heard) {
        // The form has changed since it was sent: only that the worker is free again counts.
        let stale = self.typing.with_value(|typing| typing.turn) != turn;
        match heard {
            Heard::Broken(problem) => self.give_up(problem),
            Heard::Said(Say::Waiting, _) if stale => self.free(),
            Heard::Said(Say::Event(event), _) if stale && event.is_last() => self.free(),
            Heard::Said(..) if stale => {}
            Heard::Said(Say::Read { a, b, alphabet }, _) => self.read.set(Some(Read { a, b, alphabet })),
            Heard::Said(Say::Waiting, _) => {
                self.free();
                self.wait(when);
            }
            Heard::Said(Say::Event(event), _) => {
                if event.is_last() {
                    self.free();
                }
                self.take(form, event);
            }
            Heard::Said(..) => {}
        }
    }

    /// The worker is free: the form that changed meanwhile is next.
    fn free(self) {
        let Some(Typing { busy, again, .. }) = self.typing.try_get_value() else { return };
        self.typing.update_value(|typing| (typing.busy, typing.again) = (None, false));
        if let Some(number) = busy {
            local::done(number);
        }
        if again {
            self.answer_now(When::Quick);
        }
    }

    fn take(self, form: &Form, event: Event) {
        let answered = matches!(event, Event::Answer(_));
        let failed = matches!(event, Event::Failed(_));
        if matches!(event, Event::Failed(Failure::BadInput { .. })) {
            self.read.set(None);
        }
        if event.is_last() {
            self.forget_press(false);
        }
        self.run.update(|run| run.apply(event, now()));
        if failed {
            self.shown.set(None);
        }
        if answered {
            let read = self.read.get_untracked().unwrap_or_default();
            let symbols = (read.a.symbols, read.b.symbols);
            let serial = self.next_serial();
            self.shown.set(Some(Shown {
                serial,
                at: At::Here,
                form: form.clone(),
                symbols,
                run: self.run.get_untracked(),
                expires_at: None,
            }));
        }
    }

    /// A plan that is not followed at once: the server is asked for its offers, if it was not yet; then the visitor decides.
    fn wait(self, when: When) {
        let slow_here = self.run.with_untracked(|run| {
            run.plan.as_ref().is_some_and(|plan| plan.place == Place::Browser && plan.expected_ms > LOCAL_IS_FINE_MS)
        });
        if !slow_here || self.offers.with_value(Option::is_some) || when == When::Always {
            return self.planned();
        }
        let turn = self.typing.with_value(|typing| typing.turn);
        spawn_local(async move {
            let offers = self.server_offers().await;
            if self.typing.with_value(|typing| typing.turn) != turn {
                return;
            }
            match offers {
                Ok(_) => self.answer_now(When::Quick),
                Err(_) => {
                    self.remark.set(Some(t("The server cannot be reached.")));
                    self.planned();
                }
            }
        });
    }

    /// The plan stands and is the visitor's to start, unless the visitor has said so already.
    fn planned(self) {
        self.shown.set(None);
        self.run.update(RunState::wait);
        let eager = self.typing.with_value(|typing| typing.eager);
        self.forget_press(false);
        if eager {
            self.start();
        }
    }

    /// There will be no answer, for a reason outside the run.
    pub(super) fn give_up(self, problem: Problem) {
        self.stop_typing();
        self.forget_press(false);
        // The plan still says who would solve this.
        self.run.update(|run| {
            let plan = run.plan.take();
            let phase = if plan.is_some() { Phase::Waiting } else { Phase::Idle };
            *run = RunState { plan, phase, ..RunState::default() };
        });
        self.shown.set(None);
        self.problem.set(Some(problem));
    }

    /// Moves the page's clock while something is under way.
    pub(super) fn keep_time(self) {
        let began = self.run.with_untracked(|run| run.began);
        spawn_local(async move {
            while self.run.with_untracked(|run| run.is_under_way() && run.began == began) {
                self.now.set(now());
                sleep(250).await;
            }
        });
    }
}
