//! What is done on the page. A first view shows a form and does nothing: the code that reads, plans, solves and sends, and what is said of
//! that, is a part of the page of its own, fetched when somebody is about to use it. What they do before it is here waits for it, in its
//! order.

use std::cell::{Cell, RefCell};
use std::pin::Pin;

use explain::matrix::document::Sheet;
use kernels::failure::Failure;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Page, Shown, errands};
use crate::model::form::{Form, Which};
use crate::model::link::look::Facet;
use crate::model::problem::Problem;
use crate::model::run::RunState;
use crate::model::run::checked::Checked;
use crate::model::run::sentence::Sentence;
use crate::model::session::Input;
use crate::model::visit::Route;
use crate::source::document::remember;
use crate::source::latest::Turn;
use crate::source::local;
use crate::tr::Language;

/// Something that a visitor does, or that happens in the browser.
#[derive(Debug)]
pub enum Act {
    /// An address is opened.
    Arrive,
    /// The form is another one.
    Changed,
    /// A field holds what cannot be used.
    Refuse(Problem),
    /// The main button is pressed.
    Start,
    /// What is under way is stopped.
    Cancel,
    /// A file is opened or dropped, unless its text is another one by then.
    Open(Which, web_sys::File, Turn),
    /// The first line of a text is searched for the second.
    SearchLines(Which),
    /// A sample is chosen, by its number in the menu of the task, unless either text is another one by then.
    TrySample(usize, [Turn; 2]),
    /// Another view of the result is chosen.
    LookAt(Facet),
    /// The texts choose their unit.
    ChooseUnit,
    /// The texts that were replaced last come back.
    Undo,
    /// The address of what comes next is a step in the history; so is this one, of no texts where nothing was entered.
    BeginStep(bool),
    /// The page is looked at again.
    Wake,
    /// The browser is online again.
    Online,
    /// What is on the page is to be in the address.
    WriteAddressSoon,
    /// Somebody is about to see an address of the form, in a dialog.
    WantAddress,
    /// The visitor leaves.
    WriteAddressAtLast,
    /// Another language is chosen, which the signal says once it is spoken.
    Speak(Language, RwSignal<Language>),
}

/// Functions that are fetched.
pub struct Acts {
    /// Does something.
    pub act: fn(Page, Act),
    /// Why a run has failed.
    pub of_failure: fn(&Failure) -> Problem,
    /// What the run bar says of a run with a plan, at this time of the page's clock.
    pub sentence: fn(&RunState, f64) -> Sentence,
    /// How long a text is that somebody entered.
    pub count: fn(Page, Which) -> String,
    /// Whether the page has to say how a text was read.
    pub needs_reading_note: fn(Page, Which) -> bool,
    /// Title of the window, where there is a run or a result.
    pub title: fn(Page) -> Option<String>,
    /// Title of a lens on the form's texts, of a method or of the matrix.
    pub title_of_lens: fn(&Form, bool) -> String,
    /// What a screen reader says of a result.
    pub spoken_answer: fn(&Shown) -> Option<String>,
    /// Where a class finds what a projector shows.
    pub short_address: fn(Page) -> Option<String>,
    /// Checks an answer against its alignment.
    pub check: fn(Page, &Shown, RwSignal<Checked>),
    /// Asks the solver for the symbols of the last run's matrix.
    pub sheet: fn(RwSignal<Option<Sheet>>),
}

impl std::fmt::Debug for Acts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Acts")
    }
}

/// What fetches them.
pub type Loading = Pin<Box<dyn Future<Output = Result<&'static Acts, Problem>>>>;

thread_local! {
    /// What was done before they were here.
    static WAITING: RefCell<Vec<Act>> = const { RefCell::new(Vec::new()) };
    /// Whether they are being fetched.
    static IS_LOADING: Cell<bool> = const { Cell::new(false) };
}

impl Page {
    /// What is done on the page, once it is here. Whoever asks is told when it comes.
    pub fn acts(self) -> Option<&'static Acts> {
        self.acts.get()
    }

    /// Does something, at once where the code for it is here.
    pub(crate) fn act(self, act: Act) {
        match self.acts.get_untracked() {
            Some(acts) => (acts.act)(self, act),
            None => {
                WAITING.with_borrow_mut(|waiting| match (waiting.last(), &act) {
                    // Of many letters the last is enough.
                    (Some(Act::Changed), Act::Changed) => {}
                    _ => waiting.push(act),
                });
                self.load_acts();
            }
        }
    }

    /// Fetches what is done on the page, and does what waits for it. Where that cannot be had it is a problem as soon as something waits.
    pub(super) fn load_acts(self) {
        if self.acts.with_untracked(Option::is_some) || IS_LOADING.replace(true) {
            return;
        }
        let loading = (self.load)();
        spawn_local(async move {
            let loaded = loading.await;
            IS_LOADING.set(false);
            match loaded {
                Ok(acts) => {
                    self.acts.set(Some(acts));
                    if self.problem.with_untracked(|problem| problem.as_ref().is_some_and(Problem::is_of_part)) {
                        self.problem.set(None);
                    }
                    WAITING.take().into_iter().for_each(|act| (acts.act)(self, act));
                }
                Err(problem) if WAITING.with_borrow(|waiting| !waiting.is_empty()) => self.problem.set(Some(problem)),
                Err(_) => {}
            }
        });
    }

    /// Fetches again what could not be had, and goes on with what waits for it.
    pub fn load_again(self) {
        self.problem.set(None);
        if WAITING.with_borrow(|waiting| !waiting.is_empty()) {
            self.load_acts();
        }
    }

    /// Whether nothing was done yet.
    fn is_untouched(self) -> bool {
        self.acts.with_untracked(Option::is_none) && WAITING.with_borrow(Vec::is_empty)
    }

    /// Shows what the address says. A form without texts is what the document shows.
    pub fn arrive(self) {
        let location = window().location();
        let is_blank = location.hash().is_ok_and(|hash| hash.is_empty());
        match Route::of(&location.pathname().unwrap_or_default()) {
            Route::Form(_) if is_blank && self.is_untouched() => return,
            // Both parts come side by side.
            Route::Job(_) | Route::Link(_) | Route::Sealed(_) => errands::prepare(),
            Route::Form(_) | Route::Print | Route::Nowhere => {}
        }
        self.act(Act::Arrive);
    }

    /// The page is looked at again: phones end connections of pages that nobody looks at.
    pub fn wake(self) {
        if !self.is_untouched() {
            self.act(Act::Wake);
        }
    }

    /// The browser is online again, or the visitor wants to try.
    pub fn reconnect(self) {
        if !self.is_untouched() {
            self.act(Act::Online);
        }
    }

    /// The visitor leaves.
    pub fn write_address_at_last(self) {
        match self.acts.get_untracked() {
            Some(acts) => (acts.act)(self, Act::WriteAddressAtLast),
            // An address that is not read yet says more than the form.
            None => WAITING.with_borrow(|waiting| {
                let has = |what: fn(&Act) -> bool| waiting.iter().any(what);
                if has(|act| matches!(act, Act::Changed)) && !has(|act| matches!(act, Act::Arrive)) {
                    self.write_typed_at_last();
                }
            }),
        }
    }

    /// A file was opened or dropped. What is done to its text from now on counts more.
    pub fn open(self, which: Which, file: web_sys::File) {
        self.opening.update(|(files, _)| *files += 1);
        let turn = self.opened[which as usize].begin();
        self.act(Act::Open(which, file, turn));
    }

    /// Somebody is about to see an address of the form.
    pub fn want_address(self) {
        self.act(Act::WantAddress);
    }

    /// The two lines of a text become both texts: the first is searched for the second.
    pub fn search_lines(self, which: Which) {
        self.act(Act::SearchLines(which));
    }
}

/// Does what is done on the page.
pub(crate) fn perform(page: Page, act: Act) {
    match act {
        Act::Arrive => page.arrive_now(),
        Act::Changed => page.changed_now(),
        Act::Refuse(problem) => page.refuse_now(problem),
        Act::Start => page.start_now(),
        Act::Cancel => page.cancel_now(),
        Act::Open(which, file, turn) => page.open_now(which, file, turn),
        Act::SearchLines(which) => page.search_lines_now(which),
        Act::TrySample(number, turns) if turns.into_iter().all(Turn::is_last) => page.try_sample_now(number),
        Act::TrySample(..) => {}
        Act::LookAt(facet) => page.look_at_now(facet),
        Act::ChooseUnit => page.choose_unit_now(),
        Act::Undo => page.undo_now(),
        Act::BeginStep(is_blank) => page.begin_step_now(is_blank),
        Act::Wake => page.wake_now(),
        Act::Online => page.reconnect_now(),
        Act::WriteAddressSoon => page.write_address_soon_now(),
        Act::WantAddress => page.step(Input::AddressWanted),
        Act::WriteAddressAtLast => page.write_address_at_last_now(),
        Act::Speak(language, spoken) => spawn_local(speak(language, spoken)),
    }
}

/// The page speaks another language, now and on the next visit. It goes on in the one before where the texts cannot be had.
async fn speak(language: Language, spoken: RwSignal<Language>) {
    if crate::source::language::speak(language).await.is_ok() {
        remember("language", language.tag());
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("lang", language.tag());
        }
        spoken.set(language);
    }
}

/// Asks the solver for the symbols of the last run's matrix.
pub(crate) fn sheet(sheet: RwSignal<Option<Sheet>>) {
    spawn_local(async move {
        sheet.try_set(local::sheet().await);
    });
}
