//! The page's state and what its controls do. Views read the signals; everything that changes them is here.
//!
//! - [`typed`]: answers while typing, by the worker
//! - [`jobs`]: jobs on the server, stored results, addresses

use explain::ask::Content as Facts;
use explain::kinds::Kinds;
use kernels::alignment;
use kernels::job::{Choice, Fasta, Options, Task, Unit};
use kernels::plan::Place;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::address;
use crate::form::{Content, Form, Next, Side, Which};
use crate::look::{Facet, Look};
use crate::problem::{Problem, of_failure};
use crate::records::Told;
use crate::run::{Phase, RunState};
use crate::samples::Sample;
use crate::source::{At, local, remote};

pub mod jobs;
pub mod typed;

/// What the worker read of the texts that are in the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The first text.
    pub a: Facts,
    /// The second.
    pub b: Facts,
    /// Distinct symbols in both.
    pub alphabet: u64,
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

/// A result that is on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Grows with every result, so that views know a new one.
    pub serial: u32,
    /// Where its alignment is.
    pub at: At,
    /// What was computed.
    pub form: Form,
    /// Symbols of both texts.
    pub symbols: (u64, u64),
    /// The run that ended with it.
    pub run: RunState,
    /// When it ends, in seconds since 1970, for a stored result.
    pub expires_at: Option<u64>,
}

impl Shown {
    /// What the text that was searched was read as, where it is several records that were searched apart from each other.
    pub fn records(&self) -> Option<Told> {
        let read_as = self.run.reading.as_ref().map(|reading| &reading.b)?;
        let is_apart = read_as.records > 1 && read_as.record.is_none() && !read_as.joined;
        is_apart.then(|| read_as.clone().into())
    }
}

/// Everything on the page. A handle: copying it copies no state.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The form.
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
    /// A remark that is not a problem.
    pub remark: RwSignal<Option<&'static str>>,
    /// Whether the texts came from a private link: they stay out of the address, edited or not.
    pub is_private: RwSignal<bool>,
    /// Id of the job that the page is about.
    pub job: RwSignal<Option<String>>,
    /// Kinds of edits that are visited and listed.
    pub kinds: RwSignal<Kinds>,
    /// The symbol that the alignment is to show next.
    pub goal: RwSignal<Option<(alignment::Side, u64)>>,
    /// The page's clock, four times a second while something is under way.
    pub now: RwSignal<f64>,
    /// What the server offers, once it was asked, in its own words.
    pub offers: StoredValue<Option<String>>,
    /// Files that are being opened, and whether the main button was pressed meanwhile.
    opening: StoredValue<(u32, bool)>,
    typing: StoredValue<typed::Typing>,
    /// Fetches the views of a result, which are not loaded with the page.
    prepare: fn(),
}

impl Page {
    /// A page with nothing on it; `prepare` is called when somebody is about to see a result.
    pub fn new(form: Form, prepare: fn()) -> Self {
        Self {
            form: RwSignal::new(form),
            read: RwSignal::new(None),
            run: RwSignal::new(RunState::default()),
            shown: RwSignal::new(None),
            look: RwSignal::new(Look::default()),
            problem: RwSignal::new(None),
            remark: RwSignal::new(None),
            is_private: RwSignal::new(false),
            job: RwSignal::new(None),
            kinds: RwSignal::new(Kinds::ALL),
            goal: RwSignal::new(None),
            now: RwSignal::new(0.0),
            offers: StoredValue::new(None),
            opening: StoredValue::new((0, false)),
            typing: StoredValue::new(typed::Typing::default()),
            prepare,
        }
    }

    /// One text was changed.
    pub fn put(self, which: Which, side: Side) {
        self.form.update(|form| *form.side_mut(which) = side);
        self.changed();
    }

    /// A file was opened or dropped.
    pub fn open(self, which: Which, file: web_sys::File) {
        self.opening.update_value(|(files, _)| *files += 1);
        spawn_local(async move {
            let opened = crate::source::files::open(file).await;
            let (left, mut pressed) = self.opening.with_value(|(files, pressed)| (files - 1, *pressed));
            match opened {
                Ok(side) => self.put(which, side),
                Err(problem) => {
                    self.problem.set(Some(problem));
                    pressed = false;
                }
            }
            self.opening.set_value((left, pressed && left > 0));
            if pressed && left == 0 {
                self.start();
            }
        });
    }

    /// Somebody is about to need the solver, and then the views of a result.
    pub fn warm_up(self) {
        local::warm_up();
        (self.prepare)();
    }

    /// A sample was chosen.
    pub fn try_sample(self, sample: Sample) {
        self.is_private.set(false);
        self.form.update(|form| *form = sample.form(form.task));
        self.changed();
    }

    /// An option was changed.
    pub fn set_options(self, change: impl FnOnce(&mut Options)) {
        self.form.update(|form| change(&mut form.options));
        self.changed();
    }

    /// Another task for the same texts.
    pub fn set_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task != task) {
            self.form.update(|form| form.task = task);
            self.changed();
        }
    }

    /// A field holds something that cannot be used: there is no answer until it is put right.
    pub fn refuse(self, problem: Problem) {
        self.give_up(problem);
    }

    /// The form is another one: what was known about the last one does not count any more, nor does where somebody was in its result.
    pub fn changed(self) {
        self.look.update(Look::leave_result);
        self.settle();
    }

    /// The form is another one, or an address has brought it, with a place in its result.
    fn settle(self) {
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.is_private.set(false);
        }
        self.leave_job();
        self.consider();
        self.write_address_soon();
    }

    /// Reads, plans and computes what the form holds.
    fn consider(self) {
        self.problem.set(None);
        self.remark.set(None);
        let next = self.form.with_untracked(Form::next);
        if next != Next::Nothing {
            (self.prepare)();
        }
        self.forget_press(next != Next::Nothing);
        match next {
            _ if self.form.with_untracked(Form::is_to_fetch) => self.fetch_texts(),
            Next::Nothing => {
                self.stop_typing();
                self.run.set(RunState::default());
                self.read.set(None);
                self.shown.set(None);
            }
            Next::Read => self.answer_soon(),
            Next::Measure => self.measure(),
        }
    }

    /// The main button. Pressed before the texts are read or planned, it starts what will be planned.
    pub fn start(self) {
        if self.opening.with_value(|(files, _)| *files > 0) {
            return self.opening.update_value(|(_, pressed)| *pressed = true);
        }
        if self.press_early() || self.run.with_untracked(RunState::is_under_way) {
            return;
        }
        self.problem.set(None);
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
        crate::source::http::abort_upload();
        match self.job.get_untracked() {
            Some(id) => self.cancel_job(id),
            None => {
                local::stop();
                self.stop_typing();
                self.forget_press(false);
                self.shown.set(None);
                self.run.update(|run| run.apply(kernels::event::Event::Cancelled, crate::source::now()));
            }
        }
    }

    /// Another facet of the result.
    pub fn look_at(self, facet: Facet) {
        self.look.update(|look| look.facet = facet);
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
        self.problem.get().or_else(|| {
            self.run.with(|run| match &run.phase {
                Phase::Failed(failure) => Some(of_failure(failure)),
                _ => None,
            })
        })
    }

    /// Counts in bytes from now on, where any input is valid.
    pub fn count_bytes(self) {
        self.set_options(|options| {
            options.unit = Unit::Bytes;
            options.normalize = false;
        });
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
        self.form.update(|form| *form = Form { options: form.options, ..Form::new(form.task) });
        self.changed();
    }

    /// A new comparison where the last one has come to nothing; texts that are on this device stay.
    pub fn start_over(self) {
        let is_here = |side: &Side| !side.is_blank() && !matches!(side.content, Content::Stored { .. });
        if self.form.with_untracked(|form| is_here(&form.a) || is_here(&form.b)) { self.changed() } else { self.clear() }
    }

    /// Offers of the server, asked for once. A server that does not answer offers nothing, and is asked again next time.
    async fn server_offers(self) -> Result<String, Problem> {
        if let Some(offers) = self.offers.get_value() {
            return Ok(offers);
        }
        let offers = remote::offers().await?;
        self.offers.set_value(Some(offers.clone()));
        Ok(offers)
    }

    /// The address holds a small form, so that it can be copied at any time.
    fn write_address_soon(self) {
        let form = self.form.get_untracked();
        let look = self.look.get_untracked();
        spawn_local(async move {
            crate::source::sleep(400).await;
            if self.form.with_untracked(|now| *now != form) || self.look.with_untracked(|now| *now != look) {
                return;
            }
            let Some(location) = web_sys::window().map(|window| window.location()) else { return };
            let (path, fragment) = (location.pathname().unwrap_or_default(), location.hash().unwrap_or_default());
            let is_private = self.is_private.get_untracked();
            jobs::replace_address(&address::of_page(&path, fragment.trim_start_matches('#'), &form, &look, is_private));
        });
    }
}
