//! Actions on the page. The first view only shows a form. The code that reads, plans, solves and sends, and the
//! messages about that, are loaded when the visitor is about to use them. Actions that come before that are queued in
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

/// An action of the visitor, or an event in the browser.
#[derive(Debug)]
pub enum Act {
    /// An address was opened.
    Arrive,
    /// The form was changed.
    Changed,
    /// A field holds an unusable value.
    Refuse(Problem),
    /// The main button was pressed.
    Start,
    /// The visitor cancels whatever is under way.
    Cancel,
    /// A file was opened or dropped. Ignored if the text was changed before it is read.
    Open(Which, web_sys::File, Turn),
    /// The first line of a text is to be searched for in the second.
    SearchLines(Which),
    /// A sample was chosen, by its number in the menu of the task. Ignored if either text was changed before it
    /// arrives.
    TrySample(usize, [Turn; 2]),
    /// The visitor chose another tab of the result.
    LookAt(Facet),
    /// The unit is to be chosen from the texts.
    ChooseUnit,
    /// The most recently replaced texts are to be restored.
    Undo,
    /// The next address is to be a new entry of the history. The flag says whether the current entry has no texts.
    BeginStep(bool),
    /// The page became visible again.
    Wake,
    /// The browser is online again.
    Online,
    /// The address is to be updated to the state of the page.
    WriteAddressSoon,
    /// A dialog is about to show an address of the form.
    WantAddress,
    /// The visitor leaves the page.
    WriteAddressAtLast,
    /// The visitor chose another language. The signal is set once its texts are loaded.
    Speak(Language, RwSignal<Language>),
}

/// The functions of the downloaded part.
pub struct Acts {
    /// Performs an action.
    pub act: fn(Page, Act),
    /// Converts the failure of a run into a problem.
    pub of_failure: fn(&Failure) -> Problem,
    /// Returns the run bar's message about a run with a plan, at the given time of the page's clock.
    pub sentence: fn(&RunState, f64) -> Sentence,
    /// Returns the length of a text as it is shown beside its editor.
    pub count: fn(Page, Which) -> String,
    /// Returns whether the page must explain how a text was read.
    pub needs_reading_note: fn(Page, Which) -> bool,
    /// Returns the title of the window, if there is a run or a result.
    pub title: fn(Page) -> Option<String>,
    /// Returns the title of a lens on the form's texts: of a method if the flag is set, otherwise of the matrix.
    pub title_of_lens: fn(&Form, bool) -> String,
    /// Returns the sentence by which a screen reader announces a result.
    pub spoken_answer: fn(&Shown) -> Option<String>,
    /// Returns the short address under which a class finds what the projector shows.
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

/// The pending download of [`Acts`].
pub type Loading = Pin<Box<dyn Future<Output = Result<&'static Acts, Problem>>>>;

thread_local! {
    /// Actions that wait for the code to be loaded.
    static WAITING: RefCell<Vec<Act>> = const { RefCell::new(Vec::new()) };
    /// Whether the code is being loaded.
    static IS_LOADING: Cell<bool> = const { Cell::new(false) };
}

impl Page {
    /// Returns the functions of this part once they are loaded. Tracks the signal, so that the calling view is redrawn
    /// then.
    pub fn acts(self) -> Option<&'static Acts> {
        self.acts.get()
    }

    /// Performs an action, now if its code is loaded and later otherwise.
    pub(crate) fn act(self, act: Act) {
        match self.acts.get_untracked() {
            Some(acts) => (acts.act)(self, act),
            None => {
                WAITING.with_borrow_mut(|waiting| match (waiting.last(), &act) {
                    // Of many changes in a row the last one is enough.
                    (Some(Act::Changed), Act::Changed) => {}
                    _ => waiting.push(act),
                });
                self.load_acts();
            }
        }
    }

    /// Loads the code of the actions and performs those that wait for it. A failed download becomes a problem as soon
    /// as an action waits.
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

    /// Repeats a failed download and performs the waiting actions.
    pub fn load_again(self) {
        self.problem.set(None);
        if WAITING.with_borrow(|waiting| !waiting.is_empty()) {
            self.load_acts();
        }
    }

    /// Returns whether no action has been requested yet.
    fn is_untouched(self) -> bool {
        self.acts.with_untracked(Option::is_none) && WAITING.with_borrow(Vec::is_empty)
    }

    /// Shows the content that the address names. A form without texts needs nothing, because the document shows it
    /// already.
    pub fn arrive(self) {
        let location = window().location();
        let is_blank = location.hash().is_ok_and(|hash| hash.is_empty());
        match Route::of(&location.pathname().unwrap_or_default()) {
            Route::Form(_) if is_blank && self.is_untouched() => return,
            // Downloads both parts at the same time.
            Route::Job(_) | Route::Link(_) | Route::Sealed(_) => errands::prepare(),
            Route::Form(_) | Route::Print | Route::Nowhere => {}
        }
        self.act(Act::Arrive);
    }

    /// Handles that the page became visible again, because phones close connections of pages in the background.
    pub fn wake(self) {
        if !self.is_untouched() {
            self.act(Act::Wake);
        }
    }

    /// Handles that the browser is online again or that the visitor wants to retry.
    pub fn reconnect(self) {
        if !self.is_untouched() {
            self.act(Act::Online);
        }
    }

    /// Writes the pending address when the visitor leaves.
    pub fn write_address_at_last(self) {
        match self.acts.get_untracked() {
            Some(acts) => (acts.act)(self, Act::WriteAddressAtLast),
            // An address that has not been read yet holds more than the form, so that it must not be overwritten.
            None => WAITING.with_borrow(|waiting| {
                let has = |what: fn(&Act) -> bool| waiting.iter().any(what);
                if has(|act| matches!(act, Act::Changed)) && !has(|act| matches!(act, Act::Arrive)) {
                    self.write_typed_at_last();
                }
            }),
        }
    }

    /// Opens a file that was chosen or dropped. Later changes of its text take precedence over the file.
    pub fn open(self, which: Which, file: web_sys::File) {
        self.opening.update(|(files, _)| *files += 1);
        let turn = self.opened[which as usize].begin();
        self.act(Act::Open(which, file, turn));
    }

    /// Makes the address of the form ready because a dialog is about to show it.
    pub fn want_address(self) {
        self.act(Act::WantAddress);
    }

    /// Makes two lines of a text both texts, so that the first line is searched for in the second.
    pub fn search_lines(self, which: Which) {
        self.act(Act::SearchLines(which));
    }
}

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

/// Switches the page to another language, also for later visits. Keeps the previous language if the texts cannot be
/// loaded.
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
