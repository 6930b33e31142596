//! Actions on the page ([`Action`]), performed by code that is not part of the first download ([`ActionTable`]).
//!
//! The first download only shows a form. The code that reads, plans, solves and sends, and its messages, are downloaded
//! when the visitor is about to use them. Actions before the end of the download are queued in order.

use std::cell::{Cell, RefCell};
use std::pin::Pin;

use explain::matrix::document::MatrixSymbols;
use explain::worker_protocol::query::MatrixQuery;
use kernels::failure::JobFailure;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use super::{Page, ShownResult, server_requests};
use crate::backend::document::remember;
use crate::backend::files::archive::DroppedEntries;
use crate::backend::latest::NumberedRequest;
use crate::backend::local;
use crate::model::form::{FormSide, FormState};
use crate::model::link::link_view::{LinkView, Tab};
use crate::model::problem::Problem;
use crate::model::run::RunState;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::sentence::StyledSentence;
use crate::model::session::SessionInput;
use crate::model::visit::PageRoute;
use crate::tr::Language;

/// An action of the visitor, or an event in the browser.
#[derive(Debug)]
pub enum Action {
    /// An address was opened.
    Arrive,
    /// The form was changed. Facts about the earlier form are outdated, and so are positions (such as the selected hit)
    /// in its result.
    Changed,
    /// A field holds an unusable value. There is no answer until it is corrected.
    Refuse(Problem),
    /// The main button was pressed.
    Start,
    /// The visitor cancels whatever is under way. The texts stay.
    Cancel,
    /// A file was opened or dropped for a text. The request is no longer the latest if the text was changed before the
    /// file was read; the file is then ignored.
    Open(FormSide, web_sys::File, NumberedRequest),
    /// This text is to be split into two lines, a string and a pattern, which become both texts: the second line is
    /// searched for in the first.
    SearchLines(FormSide),
    /// A sample was chosen, by its number in the menu of the task. The requests are no longer the latest if a text was
    /// changed before the sample arrived; the sample is then ignored.
    TrySample(usize, [NumberedRequest; 2]),
    /// The visitor chose the task that the form already has. If an address is being opened, its opening is abandoned,
    /// because it may lead to another task.
    KeepTask,
    /// The visitor chose another tab of the result.
    LookAt(Tab),
    /// The unit that suits the texts is to be chosen.
    ChooseUnit,
    /// The most recently replaced texts are to be restored.
    Undo,
    /// The next address is to be a new entry of the history. The flag says whether the form is empty at the current
    /// entry.
    BeginStep(bool),
    /// The page became visible again.
    Wake,
    /// The browser is online again.
    Online,
    /// The address is to be updated to the state of the page.
    WriteAddressSoon,
    /// A dialog is about to show the address of the form, which may have to be deflated.
    WantAddress,
    /// The visitor leaves the page.
    WriteAddressAtLast,
    /// The visitor chose another language. The signal is set once the texts of the language are loaded.
    Speak(Language, RwSignal<Language>),
}

/// Functions of the part of the program that is downloaded on demand. Each field is one function.
pub struct ActionTable {
    /// Performs an action.
    pub perform: fn(Page, Action),
    /// Converts the failure of a run into a problem.
    pub of_failure: fn(&JobFailure) -> Problem,
    /// Returns the run bar's sentence about a planned or running run, at the given time in milliseconds since the page
    /// was loaded.
    pub sentence: fn(&RunState, f64) -> StyledSentence,
    /// Formats the length of a text as it is shown beside its editor.
    pub count: fn(Page, FormSide) -> String,
    /// Returns whether the page must explain how this text was read.
    pub needs_reading_note: fn(Page, FormSide) -> bool,
    /// Returns the title of the window, if there is a run or a result.
    pub title: fn(Page) -> Option<String>,
    /// Returns the title of the view that shows a method step by step on the form's texts: a lens if the flag is set,
    /// otherwise the matrix.
    pub title_of_lens: fn(&FormState, bool) -> String,
    /// Returns the sentence by which a screen reader announces a result.
    pub spoken_answer: fn(&ShownResult) -> Option<String>,
    /// Returns the short address that a class can type to open the content of the projector.
    pub short_address: fn(Page) -> Option<String>,
    /// Checks an answer against its alignment, and sets the signal to the outcome of the check.
    pub check: fn(Page, &ShownResult, RwSignal<CheckOutcome>),
    /// Requests the symbols of the last run's matrix from the solver, and sets the signal to them.
    pub sheet: fn(RwSignal<Option<MatrixSymbols>>),
}

impl std::fmt::Debug for ActionTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Acts")
    }
}

/// The pending download of [`ActionTable`].
pub type PendingActionTable = Pin<Box<dyn Future<Output = Result<&'static ActionTable, Problem>>>>;

thread_local! {
    /// Actions that wait until [`ActionTable`] is downloaded.
    static WAITING: RefCell<Vec<Action>> = const { RefCell::new(Vec::new()) };
    /// Whether [`ActionTable`] is being downloaded.
    static IS_LOADING: Cell<bool> = const { Cell::new(false) };
}

impl Page {
    /// Returns the downloaded functions, or `None` before the download. A view that calls this function is redrawn
    /// after the download.
    pub fn action_table(self) -> Option<&'static ActionTable> {
        self.action_table.get()
    }

    /// Performs an action now if its code is downloaded, otherwise after the download.
    pub(crate) fn dispatch(self, act: Action) {
        match self.action_table.get_untracked() {
            Some(acts) => (acts.perform)(self, act),
            None => {
                WAITING.with_borrow_mut(|waiting| match (waiting.last(), &act) {
                    // Of many changes in a row the last one is enough.
                    (Some(Action::Changed), Action::Changed) => {}
                    _ => waiting.push(act),
                });
                self.load_actions();
            }
        }
    }

    /// Downloads the code of the actions and performs those that wait for it. If the download fails, shows a problem
    /// once an action waits.
    pub(super) fn load_actions(self) {
        if self.action_table.with_untracked(Option::is_some) || IS_LOADING.replace(true) {
            return;
        }
        let loading = (self.load)();
        spawn_local(async move {
            let loaded = loading.await;
            IS_LOADING.set(false);
            match loaded {
                Ok(acts) => {
                    self.action_table.set(Some(acts));
                    if self.problem.with_untracked(|problem| problem.as_ref().is_some_and(Problem::is_of_part)) {
                        self.problem.set(None);
                    }
                    WAITING.take().into_iter().for_each(|act| (acts.perform)(self, act));
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
            self.load_actions();
        }
    }

    /// Returns whether no action has been requested since the page was loaded.
    fn is_untouched(self) -> bool {
        self.action_table.with_untracked(Option::is_none) && WAITING.with_borrow(Vec::is_empty)
    }

    /// Shows the content that the address names. Does nothing at the address of a form without texts, because the HTML
    /// from the server already shows the empty form.
    pub fn open_initial_address(self) {
        let location = window().location();
        let is_blank = location.hash().is_ok_and(|hash| hash.is_empty());
        match PageRoute::of(&location.pathname().unwrap_or_default()) {
            PageRoute::Form(_) if is_blank && self.is_untouched() => return,
            PageRoute::Collections => return,
            // Downloads both parts at the same time.
            PageRoute::Job(_) | PageRoute::Link(_) | PageRoute::Sealed(_) => server_requests::prepare(),
            PageRoute::Form(_) | PageRoute::Print | PageRoute::Nowhere => {}
        }
        self.dispatch(Action::Arrive);
    }

    /// Performs `act`, an action that only follows up earlier ones, such as the browser being online again. Does
    /// nothing if no action has been requested yet.
    pub fn dispatch_follow_up(self, act: Action) {
        if !self.is_untouched() {
            self.dispatch(act);
        }
    }

    /// Writes the pending address because the visitor leaves the page.
    pub fn flush_address(self) {
        match self.action_table.get_untracked() {
            Some(acts) => (acts.perform)(self, Action::WriteAddressAtLast),
            // An address that has not been read yet holds more than the form, so that it must not be overwritten.
            None => WAITING.with_borrow(|waiting| {
                let has = |what: fn(&Action) -> bool| waiting.iter().any(what);
                if has(|act| matches!(act, Action::Changed)) && !has(|act| matches!(act, Action::Arrive)) {
                    self.write_typed_at_last();
                }
            }),
        }
    }

    /// Opens files that were chosen or dropped for text `which`. Two files become both texts if `fits_both`. If there are
    /// more, or a folder, the visitor has to choose.
    pub fn open_files(self, which: FormSide, given: DroppedEntries, fits_both: bool) {
        match given.listed() {
            [] => {}
            [file] if !given.has_folder() => self.open_file(which, file.clone()),
            [a, b] if fits_both && !given.has_folder() => {
                self.open_file(FormSide::A, a.clone());
                self.open_file(FormSide::B, b.clone());
            }
            _ => self.offer_files(which, given),
        }
    }

    /// Offers files for a choice, because text `which` holds one.
    pub(super) fn offer_files(self, which: FormSide, given: DroppedEntries) {
        self.offered_files[which as usize].set(Some(SendWrapper::new(given)));
    }

    /// Opens a file that was chosen or dropped for text `which`. If the text is changed before the file is read, the
    /// file is ignored.
    pub fn open_file(self, which: FormSide, file: web_sys::File) {
        self.offered_files[which as usize].set(None);
        self.opening.update(|(files, _)| *files += 1);
        let turn = self.file_counters[which as usize].begin();
        self.dispatch(Action::Open(which, file, turn));
    }
}

pub(crate) fn perform(page: Page, act: Action) {
    match act {
        Action::Arrive => page.open_address(),
        Action::Changed => {
            page.link_view.update(LinkView::leave_result);
            page.handle_form_change();
        }
        Action::Refuse(problem) => page.end_planning(SessionInput::Refused(problem)),
        Action::Start => page.start(),
        Action::Cancel => page.end_planning(SessionInput::Cancelled),
        Action::Open(which, file, turn) => page.read_file(which, file, turn),
        Action::SearchLines(which) => page.search_lines(which),
        Action::TrySample(number, turns) if turns.into_iter().all(NumberedRequest::is_last) => page.fill_in_sample(number),
        Action::TrySample(..) => {}
        Action::KeepTask => page.keep_task(),
        Action::LookAt(facet) => page.switch_tab(facet),
        Action::ChooseUnit => page.choose_unit(),
        Action::Undo => page.undo(),
        Action::BeginStep(is_blank) => page.leave_entry(is_blank),
        Action::Wake => page.wake(),
        Action::Online => page.reconnect(),
        Action::WriteAddressSoon => page.write_address_soon(),
        Action::WantAddress => page.handle_input(SessionInput::AddressWanted),
        Action::WriteAddressAtLast => page.write_address_at_last(),
        Action::Speak(language, spoken) => spawn_local(speak(language, spoken)),
    }
}

/// Switches the page to `language`, also for later visits, and then sets `spoken` to it. Keeps the language as it is if
/// the texts cannot be loaded.
async fn speak(language: Language, spoken: RwSignal<Language>) {
    if crate::backend::language::speak(language).await.is_ok() {
        remember("language", language.tag());
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("lang", language.tag());
        }
        spoken.set(language);
    }
}

/// Requests the symbols of the last run's matrix from the solver, and sets the signal to them.
pub(crate) fn sheet(sheet: RwSignal<Option<MatrixSymbols>>) {
    spawn_local(async move {
        sheet.try_set(local::query_any_result(MatrixQuery {}, &[]).await);
    });
}
