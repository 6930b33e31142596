//! What the page's controls do. Form, run and result are those of a [`Session`], which decides; [`Page::step`] tells it what happened,
//! shows what it holds in the signals that views read, and does what it says is to be done.
//!
//! - [`acts`]: what is done on the page, which is code that a first view does without
//! - `held`: what it holds from the first act on
//! - [`typed`]: answers while typing, by the worker
//! - [`errands`]: what the server is asked to do, another part
//! - [`jobs`]: jobs on the server, stored results, what an address leads to
//! - `recent`: comparisons that are remembered on this device
//! - [`address_bar`]: the address, which follows what is on the page
//! - [`view_state`]: how views are looked at, which outlives them

use explain::ask::Content as Facts;
use explain::kinds::Kinds;
use kernels::alignment;
use kernels::job::{Choice, Fasta, Options, Task, Unit};
use kernels::plan::Place;
use kernels::reading::Warning;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::held::Held;
use crate::model::form::nature::{self, Reason};
use crate::model::form::replaced::{Before, Replacement, Way};
use crate::model::form::{Content, Form, Next, Side, Which};
use crate::model::link::class_code::ClassCode;
use crate::model::link::look::{Facet, Look};
use crate::model::link::packed::Packed;
use crate::model::problem::Problem;
use crate::model::run::{Phase, RunState};
pub use crate::model::session::Shown;
use crate::model::session::{Effect, Input, Session, Visit};
use crate::model::task::samples;
use crate::page::acts::{Act, Acts, Loading};
use crate::page::errands::Errand;
use crate::source::files::{self, OpenedFile};
use crate::source::latest::{Latest, Turn};
use crate::source::{deflate, local, now, remote, worker};

pub mod acts;
pub mod address_bar;
mod errands;
mod held;
pub mod jobs;
mod recent;
pub mod typed;
pub mod view_state;

/// How long the server's offers hold: what it learns of its engines, and engines that come and go, change them.
const OFFERS_HOLD_MS: f64 = 60_000.0;

/// What the worker read of the texts that are in the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The first text.
    pub a: Facts,
    /// The second.
    pub b: Facts,
    /// Distinct symbols in both.
    pub alphabet: u64,
    /// Doubts about how they were read.
    pub warnings: Vec<Warning>,
}

impl Read {
    /// What was read of one of them.
    pub fn of(&self, which: Which) -> &Facts {
        match which {
            Which::A => &self.a,
            Which::B => &self.b,
        }
    }
}

/// Everything on the page. A handle: copying it copies no state.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The form. Whoever changes it says so: [`Page::changed`].
    pub form: RwSignal<Form>,
    /// What was read of it.
    pub read: RwSignal<Option<Read>>,
    /// The run for it.
    pub run: RwSignal<RunState>,
    /// The last result, until the next one.
    pub shown: RwSignal<Option<Shown>>,
    /// How a result is looked at.
    pub look: RwSignal<Look>,
    /// A problem beside the run's own failure.
    pub problem: RwSignal<Option<Problem>>,
    /// A remark about the form that is not a problem, until the form is another one or is run.
    pub remark: RwSignal<Option<&'static str>>,
    /// What there is to say of the stream of a run's events, while it is followed.
    pub connection: RwSignal<Option<&'static str>>,
    /// Whether the texts came from a private link: they stay out of the address, edited or not.
    pub is_private: RwSignal<bool>,
    /// The class code that was made last on this page.
    pub class_code: RwSignal<Option<ClassCode>>,
    /// Id of the job that the page is about.
    pub job: RwSignal<Option<String>>,
    /// The texts that were replaced last, until the form has others.
    pub replaced: RwSignal<Option<Replacement>>,
    /// Whether the page says that they were, and offers to bring them back.
    pub is_undo_offered: RwSignal<bool>,
    /// Whether the visitor has chosen the unit: no text chooses another one then.
    pub has_own_unit: RwSignal<bool>,
    /// Reason for the unit that the texts have chosen, if it is not characters.
    pub reason: RwSignal<Option<Reason>>,
    /// Kinds of edits that are visited and listed.
    pub kinds: RwSignal<Kinds>,
    /// The columns of the alignment that are in view, which a picture is of.
    pub in_view: StoredValue<Option<(u64, u64)>>,
    /// Whether a view that is filled step by step keeps the answer to itself; `None` where no such view has been drawn yet.
    pub keeps_answer: RwSignal<Option<bool>>,
    /// The symbol that the alignment is to show next.
    pub goal: RwSignal<Option<(alignment::Side, u64)>>,
    /// The page's clock, four times a second while something is under way.
    pub now: RwSignal<f64>,
    /// What the server offers, in its own words, and when it said so on the page's steady clock, once it was asked.
    pub offers: StoredValue<Option<(String, f64)>>,
    /// Files that are being opened, and whether the main button was pressed meanwhile.
    opening: RwSignal<(u32, bool)>,
    /// Files that are opened for either text: of two the last one counts, however long the other took to read.
    opened: [Latest; 2],
    press: StoredValue<typed::Press>,
    /// What is done with all this, once it is here.
    acts: RwSignal<Option<&'static Acts>>,
    /// Fetches it.
    load: fn() -> Loading,
    held: StoredValue<Option<Held>>,
    /// How often the stream of a run's events had to be opened again, and the number of the last attempt.
    retries: StoredValue<jobs::Retries>,
    /// Changes that the address is to show.
    changes: Latest,
    /// Whether the address does not show what is on the page yet.
    is_unwritten: StoredValue<bool>,
    /// Whether the next address is a step in the history.
    is_step: StoredValue<bool>,
    /// Number of the comparison that is worked at; 0 until it is remembered.
    stretch: StoredValue<u64>,
    /// Answers that are to be remembered.
    answers: Latest,
    /// Whether the clock is running.
    ticking: StoredValue<bool>,
    /// Fetches the views of a task's result, which are not loaded with the page.
    prepare: fn(Task),
}

impl Page {
    /// A page with nothing on it; `load` fetches what is done on it, `prepare` is called when somebody is about to see a task's result.
    pub fn new(form: Form, load: fn() -> Loading, prepare: fn(Task)) -> Self {
        Self {
            acts: RwSignal::new(None),
            load,
            held: StoredValue::new(None),
            retries: StoredValue::new(jobs::Retries::default()),
            changes: Latest::new(),
            is_unwritten: StoredValue::new(false),
            is_step: StoredValue::new(false),
            stretch: StoredValue::new(0),
            answers: Latest::new(),
            ticking: StoredValue::new(false),
            opened: [Latest::new(), Latest::new()],
            form: RwSignal::new(form),
            read: RwSignal::new(None),
            run: RwSignal::new(RunState::default()),
            shown: RwSignal::new(None),
            look: RwSignal::new(Look::default()),
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
            kinds: RwSignal::new(Kinds::ALL),
            in_view: StoredValue::new(None),
            keeps_answer: RwSignal::new(None),
            goal: RwSignal::new(None),
            now: RwSignal::new(0.0),
            offers: StoredValue::new(None),
            opening: RwSignal::new((0, false)),
            press: StoredValue::new(typed::Press::default()),
            prepare,
        }
    }

    /// Returns whether the answer must not be shown beside the view, because the visitor is to find it.
    ///
    /// Before the view is here the address decides.
    pub fn is_answer_kept(self) -> bool {
        self.keeps_answer.get().unwrap_or_else(|| self.look.with(Look::keeps_answer))
    }

    /// Tells the session what happened, shows what it holds then, and does what it says is to be done.
    pub(crate) fn step(self, input: Input) {
        let Held { session, packed, .. } = self.held();
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

    /// The texts that were deflated last for an address.
    pub(crate) fn packed(self) -> RwSignal<Option<Packed>> {
        self.held().packed
    }

    /// The number of what is under way.
    pub(crate) fn visit(self) -> Option<Visit> {
        self.held().session.try_with_value(Session::visit)
    }

    /// Whether this is still what the page is about.
    pub(crate) fn is_at(self, visit: Visit) -> bool {
        self.visit() == Some(visit)
    }

    fn carry_out(self, effect: Effect) {
        match effect {
            Effect::AnswerSoon(visit) => self.answer_soon(visit),
            Effect::Measure(visit) => self.measure(visit),
            Effect::FetchTexts(visit) => self.send_out(Errand::FetchTexts(visit)),
            Effect::Send(visit) => self.send_out(Errand::Send(visit)),
            Effect::Post(visit, job) => self.send_out(Errand::Post(visit, job)),
            Effect::Follow(visit, id, after) => self.send_out(Errand::Follow(visit, id, after)),
            Effect::AskAgain(visit, id) => self.send_out(Errand::AskAgain(visit, id)),
            Effect::Count(visit, id) => self.send_out(Errand::Count(visit, id)),
            Effect::CancelJob(visit, id) => self.send_out(Errand::Cancel(visit, id)),
            Effect::GoToJob(id) => address_bar::push(&format!("/j/{id}")),
            Effect::LetGo => self.let_go(),
            Effect::StopSolver => local::stop(),
            Effect::Deflate(texts) => spawn_local(async move { self.step(Input::Deflated(deflate::pack(texts).await)) }),
            Effect::WriteAddress => self.write_address(),
            Effect::Say(problem) => self.problem.set(problem),
        }
    }

    /// Changes one text as the visitor types.
    pub fn put(self, which: Which, side: Side) {
        self.opened[which as usize].begin();
        if side.is_blank() {
            self.stretch.set_value(0);
        }
        self.form.update(|form| *form.side_mut(which) = side);
        if !self.is_undo_offered.get_untracked() {
            self.replaced.set(None);
        }
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.act(Act::ChooseUnit);
        }
        self.changed();
    }

    /// Changes one text by one that was pasted, which may choose its unit.
    pub fn paste(self, which: Which, side: Side) {
        self.form.update(|form| *form.side_mut(which) = side.clone());
        self.act(Act::ChooseUnit);
        self.put(which, side);
    }

    /// Replaces texts as a whole: the last ones are kept for [`Page::undo`], and the address of the next ones is a step in the history.
    fn replace(self, way: Way, change: impl FnOnce(&mut Form)) {
        match way {
            Way::Clear(which) | Way::File { which, .. } | Way::Convert(which, _) => drop(self.opened[which as usize].begin()),
            Way::ClearBoth | Way::Sample | Way::Swap | Way::Lines => self.forget_opening(),
        }
        let form = self.form.get_untracked();
        let mut next = form.clone();
        change(&mut next);
        let (is_private, has_own_unit) = (self.is_private.get_untracked(), self.has_own_unit.get_untracked());
        let last = self.replaced.get_untracked();
        let replacement = Replacement::new(way, Before { form, is_private, has_own_unit }, next.clone(), last);
        if !replacement.is_pair {
            self.begin_step();
        }
        self.is_undo_offered.set(replacement.has_taken());
        self.replaced.set(Some(replacement));
        self.form.set(next);
        match way {
            Way::File { .. } | Way::Convert(..) | Way::Lines | Way::Clear(_) | Way::ClearBoth => self.act(Act::ChooseUnit),
            Way::Sample => self.is_private.set(false),
            Way::Swap => {}
        }
        self.changed();
    }

    /// Returns the class code that leads to the texts of the form.
    pub fn class_code_of_form(self) -> Option<ClassCode> {
        self.class_code.with(|code| code.as_ref().filter(|code| self.form.with(|form| code.is_of(form))).cloned())
    }

    /// Takes the class code out of the header after its result was deleted.
    pub fn drop_class_code(self, place: &str) {
        if self.class_code.with_untracked(|code| code.as_ref().is_some_and(|code| code.place == place)) {
            self.class_code.set(None);
        }
    }

    /// Empties one text.
    pub fn clear_text(self, which: Which) {
        self.replace(Way::Clear(which), |form| *form.side_mut(which) = Side::default());
    }

    /// Swaps both texts; how their result is looked at stays.
    pub fn swap(self) {
        self.replace(Way::Swap, |form| std::mem::swap(&mut form.a, &mut form.b));
    }

    /// Whether a key brings back the texts that were replaced last: they are, if nothing was typed since.
    pub fn can_undo(self) -> bool {
        // A run on the server is cancelled by its button; the texts come back after it.
        let is_sent = self.job.with_untracked(Option::is_some) && self.run.with_untracked(RunState::is_under_way);
        !is_sent
            && self.replaced.with_untracked(|replaced| {
                replaced.as_ref().is_some_and(|replaced| replaced.has_taken() && self.form.with_untracked(|form| replaced.is_of(form)))
            })
    }

    /// Brings back the texts that were replaced last.
    pub fn undo(self) {
        self.act(Act::Undo);
    }

    fn undo_now(self) {
        self.is_undo_offered.set(false);
        let Some(replaced) = self.replaced.try_update(Option::take).flatten() else { return };
        self.forget_opening();
        let has_own_unit = self.has_own_unit.get_untracked();
        let form = self.form.with_untracked(|form| replaced.undone(form, has_own_unit));
        self.is_private.set(replaced.before.is_private);
        self.form.set(form);
        self.take_unit(has_own_unit || replaced.before.has_own_unit);
        self.changed();
    }

    /// Stops offering to bring the last texts back. A key does so as long as nothing is typed.
    pub fn end_offer(self) {
        self.is_undo_offered.set(false);
        if !self.can_undo() {
            self.replaced.set(None);
        }
    }

    /// Lets the texts choose the unit, unless the visitor has chosen one.
    fn choose_unit_now(self) {
        let reason = self.form.with_untracked(nature::suited);
        let unit = reason.map_or(Unit::Graphemes, Reason::unit);
        self.reason.set(reason);
        if self.has_own_unit.get_untracked() {
            return;
        }
        if self.form.with_untracked(|form| form.options.unit != unit) {
            self.form.update(|form| form.options.unit = unit);
        }
    }

    /// Takes the unit that a link, a sample or an undo has brought. One that the texts would choose by themselves is not the visitor's own.
    fn take_unit(self, is_named: bool) {
        let (reason, unit) = self.form.with_untracked(|form| (nature::suited(form), form.options.unit));
        self.has_own_unit.set(is_named && unit != reason.map_or(Unit::Graphemes, Reason::unit));
        self.reason.set(reason.filter(|reason| reason.unit() == unit));
    }

    /// Returns the reason of the texts for another unit than characters, and whether they are compared by it.
    ///
    /// They are compared by characters if the visitor has chosen these.
    pub fn reason_shown(self) -> Option<(Reason, bool)> {
        let is_own = self.has_own_unit.get();
        let unit = self.form.with(|form| form.options.unit);
        let reason = self.reason.get()?;
        match is_own {
            false => (reason.unit() == unit).then_some((reason, true)),
            true => (unit == Unit::Graphemes).then_some((reason, false)),
        }
    }

    /// Compares by the unit that the texts choose.
    pub fn follow_reason(self, reason: Reason) {
        self.has_own_unit.set(false);
        self.set_options(|options| options.unit = reason.unit());
    }

    /// Compares by this unit from now on, whatever the texts are.
    pub fn set_unit(self, unit: Unit) {
        self.has_own_unit.set(true);
        self.set_options(|options| {
            options.unit = unit;
            // Bytes have no normal form.
            options.normalize &= unit != Unit::Bytes;
            options.ignore_accents &= unit != Unit::Bytes;
        });
    }

    fn open_now(self, which: Which, file: web_sys::File, turn: Turn) {
        let unit = self.form.with_untracked(|form| form.options.unit);
        spawn_local(async move {
            let OpenedFile { side, remark } = files::open(file, unit).await;
            let (left, mut pressed) = self.opening.with_untracked(|(files, pressed)| (files - 1, *pressed));
            if turn.is_last() {
                pressed &= side.failure.is_none();
                self.replace(Way::File { which, more: left > 0 }, |form| *form.side_mut(which) = side);
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

    /// Whether there is nothing to run, and no file that is being opened to be run.
    pub fn is_blank(self) -> bool {
        let is_opening = self.opening.with(|(files, _)| *files > 0);
        self.form.with(|form| form.a.is_blank() && form.b.is_blank()) && !is_opening
    }

    /// The two lines of a text become both texts: the first is searched for the second.
    fn search_lines_now(self, which: Which) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.opened[which as usize].begin();
        spawn_local(async move {
            match files::lines_of(&side).await {
                _ if !turn.is_last() => {}
                Ok([text, pattern]) => {
                    self.replace(Way::Lines, |form| (form.a, form.b) = (pattern, text));
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Makes the file of one text a text that can be edited: decoded, and with line feeds at the ends of its lines.
    pub fn convert(self, which: Which) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.opened[which as usize].begin();
        spawn_local(async move {
            match files::decoded(&side).await {
                _ if !turn.is_last() => {}
                Ok((text, charset)) => {
                    let converted = Side { content: Content::Typed(text.into()), ..side };
                    self.replace(Way::Convert(which, charset), |form| *form.side_mut(which) = converted);
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Both texts are others: files that are still being opened are not wanted any more.
    fn forget_opening(self) {
        for opened in self.opened {
            opened.begin();
        }
    }

    /// Somebody is about to need the solver, and then the views of a result.
    pub fn warm_up(self) {
        worker::start_early();
        (self.prepare)(self.form.with_untracked(|form| form.task));
        self.load_acts();
    }

    /// A sample was chosen, by its number in the menu of the task.
    pub fn try_sample(self, number: usize) {
        self.act(Act::TrySample(number, self.opened.map(Latest::begin)));
    }

    fn try_sample_now(self, number: usize) {
        let task = self.form.with_untracked(|form| form.task);
        let Some(sample) = samples(task).get(number) else { return };
        // The matrix of a longer sample has cells too small to read.
        if !sample.is_grid() && self.look.with_untracked(|look| look.facet == Facet::Matrix) {
            self.look.update(|look| look.facet = Facet::default());
        }
        self.replace(Way::Sample, |form| *form = Form::of_sample(task, sample));
        self.take_unit(false);
    }

    /// An option was changed.
    pub fn set_options(self, change: impl FnOnce(&mut Options)) {
        self.form.update(|form| change(&mut form.options));
        self.changed();
    }

    /// Asks for the score alone.
    pub fn leave_out_alignment(self) {
        self.set_options(|options| options.alignment = false);
    }

    /// Another task for the same texts, which is a step in the history.
    pub fn set_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task != task) {
            self.begin_step();
            self.change_task(task);
        }
    }

    /// Another task for the same texts. A search compares characters unless the visitor has chosen another unit.
    fn change_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task != task) {
            self.form.update(|form| form.task = task);
            if self.reason.with_untracked(Option::is_some) {
                self.act(Act::ChooseUnit);
            }
            self.changed();
        }
    }

    /// A field holds something that cannot be used: there is no answer until it is put right.
    pub fn refuse(self, problem: Problem) {
        self.act(Act::Refuse(problem));
    }

    fn refuse_now(self, problem: Problem) {
        self.forget_press(false);
        self.step(Input::Refused(problem));
    }

    /// The form is another one: what was known about the last one does not count any more, nor does where somebody was in its result.
    pub fn changed(self) {
        self.act(Act::Changed);
    }

    fn changed_now(self) {
        self.look.update(Look::leave_result);
        self.settle();
    }

    /// The form is another one, or an address has brought it, with a place in its result.
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

    /// Reads, plans and computes what the form holds.
    fn consider(self) {
        self.remark.set(None);
        let form = self.form.get_untracked();
        let next = form.next();
        if next != Next::Nothing {
            (self.prepare)(form.task);
        }
        self.forget_press(next != Next::Nothing);
        if next != Next::Read || form.is_to_fetch() {
            self.read.set(None);
        }
        self.step(Input::Edited(form));
    }

    /// The main button. Pressed before the texts are read or planned, it starts what will be planned.
    pub fn start(self) {
        self.act(Act::Start);
    }

    fn start_now(self) {
        if self.opening.with_untracked(|(files, _)| *files > 0) {
            return self.opening.update(|(_, pressed)| *pressed = true);
        }
        if self.press_early() || self.run.with_untracked(RunState::is_under_way) {
            return;
        }
        self.problem.set(None);
        self.remark.set(None);
        let place = self.run.with_untracked(|run| run.plan.as_ref().map(|plan| plan.place));
        match (self.form.with_untracked(Form::next), place) {
            (Next::Nothing, _) => {}
            (Next::Read, None) => self.start_unplanned(),
            (Next::Read, Some(Place::Browser)) => self.answer_now(explain::ask::When::Always),
            _ => self.run_on_server(),
        }
    }

    /// Stops what is under way. The texts stay.
    pub fn cancel(self) {
        self.act(Act::Cancel);
    }

    fn cancel_now(self) {
        self.forget_press(false);
        self.step(Input::Cancelled);
    }

    /// Another facet of the result.
    pub fn look_at(self, facet: Facet) {
        if self.look.with_untracked(|look| look.facet == facet) {
            return;
        }
        // Back leads to the view before it.
        self.act(Act::LookAt(facet));
    }

    /// Large type and few controls, or back.
    pub fn toggle_projector(self) {
        self.look.update(|look| look.projector = !look.projector);
        self.write_address_soon();
    }

    /// Shows a symbol in the alignment, from another facet.
    pub fn show_in_alignment(self, side: alignment::Side, position: u64) {
        self.look_at(Facet::Found);
        self.goal.set(Some((side, position)));
    }

    /// A facet remembers something of itself, in the address; `None` forgets it.
    pub fn remember(self, name: &str, value: Option<String>) {
        if self.look.with_untracked(|look| look.detail(name).map(str::to_owned) != value) {
            self.look.update(|look| look.set_detail(name, value));
            self.write_address_soon();
        }
    }

    /// What went wrong, if anything.
    pub fn trouble(self) -> Option<Problem> {
        let is_shown = self.shown.with(Option::is_some);
        let problem = self.problem.get().map(|problem| if is_shown && problem.is_of_network() { Problem::not_fetched() } else { problem });
        problem.or_else(|| {
            self.run.with(|run| match &run.phase {
                Phase::Failed(failure) => self.acts.get_untracked().map(|acts| (acts.of_failure)(failure)),
                _ => None,
            })
        })
    }

    /// Counts in bytes from now on, where any input is valid.
    pub fn count_bytes(self) {
        self.has_own_unit.set(true);
        self.form.update(|form| *form = form.in_bytes());
        self.changed();
    }

    /// Chooses records of a text, or all of it.
    pub fn choose(self, which: Which, choice: Choice) {
        self.form.update(|form| form.side_mut(which).choice = choice);
        self.changed();
    }

    /// Takes both texts without a choice of records.
    pub fn choose_no_record(self) {
        self.form.update(|form| Which::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = Choice::default()));
        self.changed();
    }

    /// Whether the texts are files of records. As plain text they have none to choose from.
    pub fn set_fasta(self, fasta: Fasta) {
        self.form.update(|form| {
            form.options.fasta = fasta;
            if fasta == Fasta::Never {
                Which::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = Choice::default());
            }
        });
        self.changed();
    }

    /// Starts with an empty form.
    pub fn clear(self) {
        self.replace(Way::ClearBoth, |form| *form = Form { options: form.options, ..Form::new(form.task) });
    }

    /// A new comparison where the last one has come to nothing; texts that are on this device stay.
    pub fn start_over(self) {
        let is_here = |side: &Side| !side.is_blank() && !matches!(side.content, Content::Stored { .. });
        if self.form.with_untracked(|form| is_here(&form.a) || is_here(&form.b)) {
            self.changed();
        } else {
            self.clear();
            // The server has the texts no more, so that they cannot be brought back.
            self.replaced.set(None);
            self.is_undo_offered.set(false);
        }
    }

    /// Whether the server was asked for its offers so lately that they hold.
    fn has_offers(self) -> bool {
        self.offers.with_value(|offers| offers.as_ref().is_some_and(|(_, asked)| now() - asked < OFFERS_HOLD_MS))
    }

    /// Offers of the server, which is asked where they are old. A server that does not answer offers nothing, and is asked again next time.
    async fn server_offers(self) -> Result<(), Problem> {
        if !self.has_offers() {
            self.offers.set_value(Some((remote::offers().await?, now())));
        }
        Ok(())
    }

    /// The last offers of the server, however old; none where it was not asked.
    fn known_offers(self) -> String {
        self.offers.with_value(|offers| offers.as_ref().map(|(told, _)| told.clone()).unwrap_or_default())
    }
}

/// Sets a signal that views read where it shows something else.
fn show<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.try_with_untracked(|shown| shown != value) == Some(true) {
        signal.set(value.clone());
    }
}
