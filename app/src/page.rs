//! State and actions of the page. Form, run and result belong to a [`Session`], a state machine without a browser.
//! [`Page::step`] passes events to it, copies its state into the signals that views read, and carries out the effects
//! that it returns.
//!
//! - [`acts`]: actions on the page, whose code the first view does without
//! - `held`: state that exists from the first action on
//! - [`typed`]: answers by the worker while the visitor types
//! - [`errands`]: requests to the server, whose code is fetched when needed
//! - [`jobs`]: jobs on the server, stored results, addresses that are opened
//! - `recent`: comparisons that are remembered on this device
//! - [`address_bar`]: the address, which follows the state of the page
//! - [`view_state`]: state of views that outlives them

use explain::difference_filter::EditKinds;
use explain::worker_protocol::ParsedTextInfo as Facts;
use kernels::alignment;
use kernels::job::{FastaMode, JobOptions, RecordChoice, Task, Unit};
use kernels::plan::EnginePlace;
use kernels::reading::ReadWarning;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::held::LazyPageState;
use crate::backend::files::{self, OpenedFile};
use crate::backend::latest::{NumberedRequest, RequestCounter};
use crate::backend::{deflate, local, now, remote, worker};
use crate::model::form::nature::{self, TextGenre};
use crate::model::form::replaced::{ReplacedForm, ReplacementKind, TextReplacement};
use crate::model::form::{FormSide, FormState, FormText, NextStep, TextContent};
use crate::model::link::class_code::ClassCode;
use crate::model::link::look::{LinkView, Tab};
use crate::model::link::packed::PackedTexts;
use crate::model::problem::Problem;
use crate::model::run::{RunPhase, RunState};
pub use crate::model::session::ShownResult;
use crate::model::session::{Session, SessionEffect, SessionInput, VisitNumber};
use crate::model::task::samples;
use crate::page::acts::{Action, ActionTable, PendingActionTable};

pub mod acts;
pub mod address_bar;
mod errands;
mod held;
pub mod jobs;
mod recent;
pub mod typed;
pub mod view_state;

/// Time for which the server's offers (its engines with their speeds and limits) are reused, in milliseconds. Offers
/// change when the server measures its engines and when engines start or stop.
const OFFERS_HOLD_MS: f64 = 60_000.0;

/// What the worker found out about the form's texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormFacts {
    pub a: Facts,
    pub b: Facts,
    /// Number of distinct symbols in both texts together.
    pub alphabet: u64,
    /// Warnings about how the texts were read.
    pub warnings: Vec<ReadWarning>,
}

impl FormFacts {
    pub fn of(&self, which: FormSide) -> &Facts {
        match which {
            FormSide::A => &self.a,
            FormSide::B => &self.b,
        }
    }
}

/// The page: its form, its result and all actions on them. A handle: copying it copies no state.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The form. Code that changes it must perform [`Action::Changed`].
    pub form: RwSignal<FormState>,
    /// What the worker found out about the form's texts, once it has read them.
    pub read: RwSignal<Option<FormFacts>>,
    /// The run that computes the result of the form.
    pub run: RwSignal<RunState>,
    /// The latest result. It is shown until the next one replaces it, even while the form has already changed.
    pub shown: RwSignal<Option<ShownResult>>,
    /// The state of the result's views that links contain: tab, settings, projector mode.
    pub look: RwSignal<LinkView>,
    /// A problem other than the failure of the run.
    pub problem: RwSignal<Option<Problem>>,
    /// A remark about the form that is not a problem. It goes away when the form changes or is run.
    pub remark: RwSignal<Option<&'static str>>,
    /// A message that the connection to the server, which reports the progress of the run, is interrupted.
    pub connection: RwSignal<Option<&'static str>>,
    /// Whether the texts came from a private link. Such texts stay out of the address, even after they are edited.
    pub is_private: RwSignal<bool>,
    /// The latest class code made on this page.
    pub class_code: RwSignal<Option<ClassCode>>,
    /// Id of the server's job that computes or has computed the form; `None` for runs on this device.
    pub job: RwSignal<Option<String>>,
    /// The most recently replaced texts. Dropped when the form's texts change.
    pub replaced: RwSignal<Option<TextReplacement>>,
    /// Whether the page offers to bring back the replaced texts.
    pub is_undo_offered: RwSignal<bool>,
    /// Whether the visitor chose the unit. If so, texts do not change it automatically.
    pub has_own_unit: RwSignal<bool>,
    /// The kind of text that led to an automatically chosen unit; `None` if the texts suit characters.
    pub reason: RwSignal<Option<TextGenre>>,
    /// Kinds of edits that the alignment lists and steps through.
    pub kinds: RwSignal<EditKinds>,
    /// The columns of the alignment that are in view, for export as a picture.
    pub in_view: StoredValue<Option<(u64, u64)>>,
    /// Whether a view that the visitor fills step by step hides the answer; `None` before such a view has been drawn.
    pub keeps_answer: RwSignal<Option<bool>>,
    /// The text and the position of the symbol that the alignment is to scroll to next.
    pub goal: RwSignal<Option<(alignment::PairSide, u64)>>,
    /// Time in milliseconds since the page was loaded, updated four times a second while something is under way.
    pub now: RwSignal<f64>,
    /// The server's offers (its engines with their speeds and limits) as it sent them, and the time of their request in
    /// milliseconds since the page was loaded; `None` before the first request.
    pub offers: StoredValue<Option<(String, f64)>>,
    /// Number of files that are being opened, and whether the main button was pressed in the meantime.
    opening: RwSignal<(u32, bool)>,
    /// Counters of the files that were opened for texts `a` and `b`. Of two files for one text the later one wins,
    /// however long the earlier one takes to read.
    opened: [RequestCounter; 2],
    press: StoredValue<typed::EarlyPress>,
    /// The functions of [`acts`], once their code is loaded.
    acts: RwSignal<Option<&'static ActionTable>>,
    /// Starts to load the code of [`acts`].
    load: fn() -> PendingActionTable,
    held: StoredValue<Option<LazyPageState>>,
    /// State of the attempts to receive the events of the run: the number of the latest one and how many failed.
    retries: StoredValue<jobs::RetryState>,
    /// Counter of delayed updates of the address, so that only the latest one writes it.
    changes: RequestCounter,
    /// Whether the state of the page has changed since the address was written.
    is_unwritten: StoredValue<bool>,
    /// Whether the next address becomes a new entry of the history instead of replacing the current entry.
    is_step: StoredValue<bool>,
    /// Number under which this comparison is in the list of remembered comparisons; 0 if it is not.
    stretch: StoredValue<u64>,
    /// Counter of answers that are about to be remembered, so that only the latest one is stored.
    answers: RequestCounter,
    /// Whether the timer that updates `now` is running.
    ticking: StoredValue<bool>,
    /// Downloads the views of a task's result, whose code is not part of the first download.
    prepare: fn(Task),
}

impl Page {
    /// Creates a page with `form`. `load` downloads the code of [`acts`]. `prepare` downloads the views of a task's
    /// result and is called when the visitor is about to need them.
    pub fn new(form: FormState, load: fn() -> PendingActionTable, prepare: fn(Task)) -> Self {
        Self {
            acts: RwSignal::new(None),
            load,
            held: StoredValue::new(None),
            retries: StoredValue::new(jobs::RetryState::default()),
            changes: RequestCounter::new(),
            is_unwritten: StoredValue::new(false),
            is_step: StoredValue::new(false),
            stretch: StoredValue::new(0),
            answers: RequestCounter::new(),
            ticking: StoredValue::new(false),
            opened: [RequestCounter::new(), RequestCounter::new()],
            form: RwSignal::new(form),
            read: RwSignal::new(None),
            run: RwSignal::new(RunState::default()),
            shown: RwSignal::new(None),
            look: RwSignal::new(LinkView::default()),
            problem: RwSignal::new(None),
            remark: RwSignal::new(None),
            connection: RwSignal::new(None),
            is_private: RwSignal::new(false),
            class_code: RwSignal::new(None),
            job: RwSignal::new(None),
            replaced: RwSignal::new(None),
            is_undo_offered: RwSignal::new(false),
            has_own_unit: RwSignal::new(false),
            reason: RwSignal::new(None),
            kinds: RwSignal::new(EditKinds::ALL),
            in_view: StoredValue::new(None),
            keeps_answer: RwSignal::new(None),
            goal: RwSignal::new(None),
            now: RwSignal::new(0.0),
            offers: StoredValue::new(None),
            opening: RwSignal::new((0, false)),
            press: StoredValue::new(typed::EarlyPress::default()),
            prepare,
        }
    }

    /// Returns whether the answer must not be shown outside of the current view, because the visitor is to find it
    /// there.
    ///
    /// Until the view is loaded, this follows from the address.
    pub fn is_answer_kept(self) -> bool {
        self.keeps_answer.get().unwrap_or_else(|| self.look.with(LinkView::keeps_answer))
    }

    /// Passes an event to the session, copies the session's state into the signals and carries out its effects.
    pub(crate) fn step(self, input: SessionInput) {
        let LazyPageState { session, packed, .. } = self.held();
        let Some(effects) = session.try_update_value(|session| session.take(input, now())) else { return };
        let before = self.shown.with_untracked(|shown| shown.as_ref().map(|shown| shown.serial));
        session.with_value(|session| {
            show(self.form, &session.form);
            show(self.run, &session.run);
            show(self.shown, &session.shown);
            show(self.job, &session.job().map(str::to_owned));
            show(packed, &session.packed);
        });
        if self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| Some(shown.serial) != before)) {
            self.remember_soon();
        }
        effects.into_iter().for_each(|effect| self.carry_out(effect));
    }

    /// Returns the signal with the texts that were most recently deflated for an address.
    pub(crate) fn packed(self) -> RwSignal<Option<PackedTexts>> {
        self.held().packed
    }

    /// Returns the number of the current visit: the stay at one address or form. `None` if nothing was opened or run
    /// yet.
    pub(crate) fn visit(self) -> Option<VisitNumber> {
        self.held().session.try_with_value(Session::visit)
    }

    /// Returns whether `visit` is still the current one. The outcome of a request for an earlier visit is ignored.
    pub(crate) fn is_at(self, visit: VisitNumber) -> bool {
        self.visit() == Some(visit)
    }

    fn carry_out(self, effect: SessionEffect) {
        match effect {
            SessionEffect::AnswerSoon(visit) => self.answer_soon(visit),
            SessionEffect::Measure(visit) => self.measure(visit),
            SessionEffect::Request(visit, request) => self.send_out(visit, request),
            SessionEffect::GoToJob(id) => address_bar::push(&format!("/j/{id}")),
            SessionEffect::Detach => self.let_go(),
            SessionEffect::StopSolver => local::stop(),
            SessionEffect::Deflate(texts) => spawn_local(async move { self.step(SessionInput::Deflated(deflate::pack(texts).await)) }),
            SessionEffect::WriteAddress => self.write_address(),
            SessionEffect::Say(problem) => self.problem.set(problem),
        }
    }

    /// Sets text `which` to `side` while the visitor types.
    pub fn put(self, which: FormSide, side: FormText) {
        self.opened[which as usize].begin();
        if side.is_blank() {
            self.stretch.set_value(0);
        }
        self.form.update(|form| *form.side_mut(which) = side);
        if !self.is_undo_offered.get_untracked() {
            self.replaced.set(None);
        }
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.act(Action::ChooseUnit);
        }
        self.act(Action::Changed);
    }

    /// Sets text `which` to pasted content. The unit may then be chosen automatically to suit the texts.
    pub fn paste(self, which: FormSide, side: FormText) {
        self.form.update(|form| *form.side_mut(which) = side.clone());
        self.act(Action::ChooseUnit);
        self.put(which, side);
    }

    /// Replaces texts as a whole by calling `change`. Stores the texts before for [`Action::Undo`], with the kind `way`,
    /// and makes the next address a new entry of the history.
    fn replace(self, way: ReplacementKind, change: impl FnOnce(&mut FormState)) {
        match way {
            ReplacementKind::Clear(which) | ReplacementKind::File { which, .. } | ReplacementKind::Convert(which, _) => {
                self.opened[which as usize].begin();
            }
            ReplacementKind::ClearBoth | ReplacementKind::Sample | ReplacementKind::Swap | ReplacementKind::Lines => self.forget_opening(),
        }
        let form = self.form.get_untracked();
        let mut next = form.clone();
        change(&mut next);
        let (is_private, has_own_unit) = (self.is_private.get_untracked(), self.has_own_unit.get_untracked());
        let last = self.replaced.get_untracked();
        let replacement = TextReplacement::new(way, ReplacedForm { form, is_private, has_own_unit }, next.clone(), last);
        if !replacement.is_pair {
            self.begin_step();
        }
        self.is_undo_offered.set(replacement.has_taken());
        self.replaced.set(Some(replacement));
        self.form.set(next);
        match way {
            ReplacementKind::File { .. }
            | ReplacementKind::Convert(..)
            | ReplacementKind::Lines
            | ReplacementKind::Clear(_)
            | ReplacementKind::ClearBoth => self.act(Action::ChooseUnit),
            ReplacementKind::Sample => self.is_private.set(false),
            ReplacementKind::Swap => {}
        }
        self.act(Action::Changed);
    }

    /// Returns the latest class code if it leads to the texts that are in the form.
    pub fn class_code_of_form(self) -> Option<ClassCode> {
        self.class_code.with(|code| code.as_ref().filter(|code| self.form.with(|form| code.is_of(form))).cloned())
    }

    /// Removes the class code from the header after the object at `place`, to which the code leads, was deleted.
    pub fn drop_class_code(self, place: &str) {
        if self.class_code.with_untracked(|code| code.as_ref().is_some_and(|code| code.place == place)) {
            self.class_code.set(None);
        }
    }

    pub fn clear_text(self, which: FormSide) {
        self.replace(ReplacementKind::Clear(which), |form| *form.side_mut(which) = FormText::default());
    }

    /// Swaps both texts. The state of the views is kept.
    pub fn swap(self) {
        self.replace(ReplacementKind::Swap, |form| std::mem::swap(&mut form.a, &mut form.b));
    }

    /// Returns whether the undo shortcut restores the replaced texts. It does if nothing was typed since.
    pub fn can_undo(self) -> bool {
        // A run on the server is cancelled by its button; the texts come back after it.
        let is_sent = self.job.with_untracked(Option::is_some) && self.run.with_untracked(RunState::is_under_way);
        !is_sent
            && self.replaced.with_untracked(|replaced| {
                replaced.as_ref().is_some_and(|replaced| replaced.has_taken() && self.form.with_untracked(|form| replaced.is_of(form)))
            })
    }

    /// Brings back the most recently replaced texts.
    fn undo(self) {
        self.is_undo_offered.set(false);
        let Some(replaced) = self.replaced.try_update(Option::take).flatten() else { return };
        self.forget_opening();
        let has_own_unit = self.has_own_unit.get_untracked();
        let form = self.form.with_untracked(|form| replaced.undone(form, has_own_unit));
        self.is_private.set(replaced.before.is_private);
        self.form.set(form);
        self.take_unit(has_own_unit || replaced.before.has_own_unit);
        self.act(Action::Changed);
    }

    /// Stops showing the offer to bring back the replaced texts. The undo shortcut still works until the visitor types.
    pub fn end_offer(self) {
        self.is_undo_offered.set(false);
        if !self.can_undo() {
            self.replaced.set(None);
        }
    }

    /// Chooses the unit that suits the texts, unless the visitor has chosen a unit.
    fn choose_unit(self) {
        let reason = self.form.with_untracked(nature::suited);
        let unit = reason.map_or(Unit::Graphemes, TextGenre::unit);
        self.reason.set(reason);
        if self.has_own_unit.get_untracked() {
            return;
        }
        if self.form.with_untracked(|form| form.options.unit != unit) {
            self.form.update(|form| form.options.unit = unit);
        }
    }

    /// Handles a unit that came with a link, a sample or an undo. If `is_named`, the unit counts as the visitor's
    /// choice, unless the texts would lead to it automatically.
    fn take_unit(self, is_named: bool) {
        let (reason, unit) = self.form.with_untracked(|form| (nature::suited(form), form.options.unit));
        self.has_own_unit.set(is_named && unit != reason.map_or(Unit::Graphemes, TextGenre::unit));
        self.reason.set(reason.filter(|reason| reason.unit() == unit));
    }

    /// Returns the kind of the texts if it suggests another unit than characters, and whether the texts are compared by
    /// that unit.
    ///
    /// The flag is `false` if the visitor has chosen characters.
    pub fn reason_shown(self) -> Option<(TextGenre, bool)> {
        let is_own = self.has_own_unit.get();
        let unit = self.form.with(|form| form.options.unit);
        let reason = self.reason.get()?;
        match is_own {
            false => (reason.unit() == unit).then_some((reason, true)),
            true => (unit == Unit::Graphemes).then_some((reason, false)),
        }
    }

    /// Compares by the unit that suits `reason`, the kind of the texts.
    pub fn follow_reason(self, reason: TextGenre) {
        self.has_own_unit.set(false);
        self.set_options(|options| options.unit = reason.unit());
    }

    /// Sets the unit as the visitor's own choice. From then on it is not chosen automatically any more.
    pub fn set_unit(self, unit: Unit) {
        self.has_own_unit.set(true);
        self.set_options(|options| {
            options.unit = unit;
            // Bytes have no normal form.
            options.normalize &= unit != Unit::Bytes;
            options.ignore_accents &= unit != Unit::Bytes;
        });
    }

    fn read_file(self, which: FormSide, file: web_sys::File, turn: NumberedRequest) {
        let unit = self.form.with_untracked(|form| form.options.unit);
        spawn_local(async move {
            let OpenedFile { side, remark } = files::open(file, unit).await;
            let (left, mut pressed) = self.opening.with_untracked(|(files, pressed)| (files - 1, *pressed));
            if turn.is_last() {
                pressed &= side.failure.is_none();
                self.replace(ReplacementKind::File { which, more: left > 0 }, |form| *form.side_mut(which) = side);
                if remark.is_some() {
                    self.remark.set(remark);
                }
            }
            self.opening.set((left, pressed && left > 0));
            if pressed && left == 0 {
                self.start();
            }
        });
    }

    /// Returns whether there is nothing to run: both texts are empty and no file is being opened.
    pub fn is_blank(self) -> bool {
        let is_opening = self.opening.with(|(files, _)| *files > 0);
        self.form.with(|form| form.a.is_blank() && form.b.is_blank()) && !is_opening
    }

    /// Splits text `which` into two lines, a string and a pattern, and makes them both texts: the second line is
    /// searched for in the first.
    fn search_lines(self, which: FormSide) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.opened[which as usize].begin();
        spawn_local(async move {
            match files::lines_of(&side).await {
                _ if !turn.is_last() => {}
                Ok([text, pattern]) => {
                    self.replace(ReplacementKind::Lines, |form| (form.a, form.b) = (pattern, text));
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Turns the file in text `which` into text that can be edited: decoded, with line feeds as line ends.
    pub fn convert(self, which: FormSide) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.opened[which as usize].begin();
        spawn_local(async move {
            match files::decoded(&side).await {
                _ if !turn.is_last() => {}
                Ok((text, charset)) => {
                    let converted = FormText { content: TextContent::Typed(text.into()), ..side };
                    self.replace(ReplacementKind::Convert(which, charset), |form| *form.side_mut(which) = converted);
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Ignores files that are still being opened, because both texts are being replaced.
    fn forget_opening(self) {
        for opened in self.opened {
            opened.begin();
        }
    }

    /// Starts the solver and loads the views of a result, because the visitor is about to need them.
    pub fn warm_up(self) {
        worker::start_early();
        (self.prepare)(self.form.with_untracked(|form| form.task));
        self.load_acts();
    }

    /// Fills in a sample, given its number in the menu of the task.
    pub fn try_sample(self, number: usize) {
        self.act(Action::TrySample(number, self.opened.map(RequestCounter::begin)));
    }

    fn fill_in_sample(self, number: usize) {
        let task = self.form.with_untracked(|form| form.task);
        let Some(sample) = samples(task).get(number) else { return };
        // The matrix of a longer sample has cells too small to read.
        if !sample.is_grid() && self.look.with_untracked(|look| look.facet == Tab::Matrix) {
            self.look.update(|look| look.facet = Tab::default());
        }
        self.replace(ReplacementKind::Sample, |form| *form = FormState::of_sample(task, sample));
        self.take_unit(false);
    }

    /// Changes the options by calling `change`, and computes the changed form.
    pub fn set_options(self, change: impl FnOnce(&mut JobOptions)) {
        self.form.update(|form| change(&mut form.options));
        self.act(Action::Changed);
    }

    /// Switches the alignment off, so that only the score is computed.
    pub fn leave_out_alignment(self) {
        self.set_options(|options| options.alignment = false);
    }

    /// Changes the task and keeps the texts, as a new entry of the history.
    pub fn set_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task == task) {
            return self.act(Action::KeepTask);
        }
        self.begin_step();
        self.change_task(task);
    }

    /// Selects another task for the same texts. A search compares by characters unless the visitor has chosen another
    /// unit.
    fn change_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task != task) {
            self.form.update(|form| form.task = task);
            if self.reason.with_untracked(Option::is_some) {
                self.act(Action::ChooseUnit);
            }
            self.act(Action::Changed);
        }
    }

    /// Handles a form that was changed or that came with an address. Unlike [`Action::Changed`], keeps the positions
    /// (such as the selected hit) in the result.
    fn settle(self) {
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.is_private.set(false);
        }
        let is_other = self.held().session.with_value(|session| self.form.with_untracked(|form| form.is_other_than(&session.form)));
        if is_other {
            self.leave_texts();
        }
        self.leave_job();
        self.consider();
        self.write_address_soon();
    }

    /// Reads the texts of the form, plans the run, and starts it if it is short.
    fn consider(self) {
        self.remark.set(None);
        let form = self.form.get_untracked();
        let next = form.next();
        if next != NextStep::Nothing {
            (self.prepare)(form.task);
        }
        self.forget_press(next != NextStep::Nothing);
        if next != NextStep::Read || form.is_to_fetch() {
            self.read.set(None);
        }
        self.step(SessionInput::Edited(form));
    }

    /// Handles the main button. If the texts are not yet read or planned, the run starts as soon as its plan is made.
    fn start(self) {
        if self.opening.with_untracked(|(files, _)| *files > 0) {
            return self.opening.update(|(_, pressed)| *pressed = true);
        }
        if self.press_early() || self.run.with_untracked(RunState::is_under_way) {
            return;
        }
        self.problem.set(None);
        self.remark.set(None);
        let place = self.run.with_untracked(|run| run.plan.as_ref().map(|plan| plan.place));
        match (self.form.with_untracked(FormState::next), place) {
            (NextStep::Nothing, _) => {}
            (NextStep::Read, None) => self.start_unplanned(),
            (NextStep::Read, Some(EnginePlace::Browser)) => self.answer_now(explain::worker_protocol::SolveCondition::Always),
            _ => self.run_on_server(),
        }
    }

    /// Switches projector mode, which has large type and few controls, on or off.
    pub fn toggle_projector(self) {
        self.look.update(|look| look.projector = !look.projector);
        self.act(Action::WriteAddressSoon);
    }

    /// Shows the tab with the alignment and scrolls to the symbol at `position` of text `side`. Called from other tabs.
    pub fn show_in_alignment(self, side: alignment::PairSide, position: u64) {
        self.act(Action::LookAt(Tab::Found));
        self.goal.set(Some((side, position)));
    }

    /// Stores the setting `name` of a tab in the address; `None` removes it.
    pub fn remember(self, name: &str, value: Option<String>) {
        if self.look.with_untracked(|look| look.detail(name).map(str::to_owned) != value) {
            self.look.update(|look| look.set_detail(name, value));
            self.act(Action::WriteAddressSoon);
        }
    }

    /// Returns the current problem, if any: a problem of the page or the failure of the run.
    pub fn trouble(self) -> Option<Problem> {
        let is_shown = self.shown.with(Option::is_some);
        let problem = self.problem.get().map(|problem| if is_shown && problem.is_of_network() { Problem::not_fetched() } else { problem });
        problem.or_else(|| {
            self.run.with(|run| match &run.phase {
                RunPhase::Failed(failure) => self.acts.get_untracked().map(|acts| (acts.of_failure)(failure)),
                _ => None,
            })
        })
    }

    /// Sets the unit to bytes, because any input is valid in bytes.
    pub fn count_bytes(self) {
        self.has_own_unit.set(true);
        self.form.update(|form| *form = form.in_bytes());
        self.act(Action::Changed);
    }

    /// Sets which records of the file in text `which` are compared; by default all.
    pub fn choose(self, which: FormSide, choice: RecordChoice) {
        self.form.update(|form| form.side_mut(which).choice = choice);
        self.act(Action::Changed);
    }

    /// Selects all records of both texts.
    pub fn choose_no_record(self) {
        self.form.update(|form| FormSide::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = RecordChoice::default()));
        self.act(Action::Changed);
    }

    /// Sets whether the texts are read as files of records. Plain text has no records, so that choices of records are
    /// reset.
    pub fn set_fasta(self, fasta: FastaMode) {
        self.form.update(|form| {
            form.options.fasta = fasta;
            if fasta == FastaMode::Never {
                FormSide::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = RecordChoice::default());
            }
        });
        self.act(Action::Changed);
    }

    /// Clears both texts as a whole. Keeps the options.
    pub fn clear(self) {
        self.replace(ReplacementKind::ClearBoth, |form| *form = FormState { options: form.options, ..FormState::new(form.task) });
    }

    /// Starts a new comparison after the last one failed. Keeps texts that are on this device.
    pub fn start_over(self) {
        let is_here = |side: &FormText| !side.is_blank() && !matches!(side.content, TextContent::Stored { .. });
        if self.form.with_untracked(|form| is_here(&form.a) || is_here(&form.b)) {
            self.act(Action::Changed);
        } else {
            self.clear();
            // The server no longer has the texts, so that they cannot be restored.
            self.replaced.set(None);
            self.is_undo_offered.set(false);
        }
    }

    /// Returns whether the server's offers are recent enough to be reused.
    fn has_offers(self) -> bool {
        self.offers.with_value(|offers| offers.as_ref().is_some_and(|(_, asked)| now() - asked < OFFERS_HOLD_MS))
    }

    /// Requests the server's offers if the known ones are too old. If the server does not answer, no offers are stored,
    /// and the next call requests them again.
    async fn server_offers(self) -> Result<(), Problem> {
        if !self.has_offers() {
            self.offers.set_value(Some((remote::offers().await?, now())));
        }
        Ok(())
    }

    /// Returns the latest offers of the server, however old; empty before the first request.
    fn known_offers(self) -> String {
        self.offers.with_value(|offers| offers.as_ref().map(|(told, _)| told.clone()).unwrap_or_default())
    }
}

/// Sets a signal only if the value differs, because setting it redraws the views that read it.
fn show<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.try_with_untracked(|shown| shown != value) == Some(true) {
        signal.set(value.clone());
    }
}
