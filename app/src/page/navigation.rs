//! Opening of addresses: forms with their texts, jobs, stored results and private links.

use explain::snapshot::JobSnapshot;
use kernels::job::Task;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Page;
use super::actions::Action;
use super::address_bar;
use super::jobs::{RetryState, loaded_result};
use crate::backend::{deflate, files, http, remote, sealed_links, tokens};
use crate::model::form::{FormSide, FormState, FormText, TextContent};
use crate::model::link::address::key_of;
use crate::model::link::fragment;
use crate::model::link::link_view::LinkView;
use crate::model::link::packed_texts::PackedTexts;
use crate::model::preferences::{POSITIONS, PositionBase, count_positions};
use crate::model::problem::Problem;
use crate::model::run::location::ResultLocation;
use crate::model::run::snapshot::{self, TextExtent};
use crate::model::session::{LoadedResult, RemoteContent, Session, SessionInput, VisitNumber};
use crate::model::text::humanize;
use crate::model::visit::PageRoute;

impl Page {
    /// Shows the content that the address of the page names.
    pub(super) fn open_address(self) {
        let Some(location) = web_sys::window().map(|window| window.location()) else { return };
        let path = location.pathname().unwrap_or_default();
        let fragment = location.hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        let look = LinkView::read(fragment);
        if let Some(positions) = look.detail(POSITIONS).and_then(PositionBase::of_name) {
            count_positions(positions);
        }
        self.link_view.set(look);
        self.starts_history_entry.set_value(false);
        self.begin_stretch();
        self.is_undo_offered.set(false);
        self.replaced.set(None);
        match PageRoute::of(&path) {
            // The result is on the page already, and only the tab differs.
            PageRoute::Job(id) if self.is_shown(&ResultLocation::Job(id.clone())) => {}
            PageRoute::Link(id) if self.is_shown(&ResultLocation::Link(id.clone())) => {}
            PageRoute::Job(id) => self.leave_for(Some(RemoteContent::Job(id))),
            PageRoute::Link(id) => self.leave_for(Some(RemoteContent::Link(id))),
            PageRoute::Sealed(id) => self.leave_for(Some(RemoteContent::Sealed { id, key: key_of(fragment).to_owned() })),
            PageRoute::Print => self.arrive_at_form(Task::EditDistance, fragment, |page| {
                page.problem.set(Some(Problem::of_status(404)));
            }),
            // Opens its address itself.
            PageRoute::Collections => {}
            PageRoute::Nowhere => self.problem.set(Some(Problem::no_page())),
            PageRoute::Form(task) => self.arrive_at_form(task, fragment, |page| page.keep_or_clear_texts(task)),
        }
    }

    /// Shows the form that `fragment` encodes, for `task`. Calls `without_texts` if the fragment contains no text.
    fn arrive_at_form(self, task: Task, fragment: &str, without_texts: impl FnOnce(Self)) {
        match fragment::read(task, fragment) {
            Ok(opened) => {
                let warning = opened.warning();
                match (opened.form, opened.packed) {
                    (Some(form), packed) if self.has_result_of(&form, packed.as_deref()) => return,
                    (Some(form), Some(letters)) => return self.inflate(form, letters, warning, names_unit(fragment)),
                    (Some(form), None) => self.take_form(form, names_unit(fragment)),
                    (None, _) => without_texts(self),
                }
                if warning.is_some() {
                    self.problem.set(warning);
                }
            }
            Err(unread) => self.show_unreadable_address(task, unread.into()),
        }
    }

    /// Returns whether the page shows the result at `at`.
    fn is_shown(self, at: &ResultLocation) -> bool {
        self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.location == *at))
    }

    /// Returns whether the page already has the result of `form`, so that its address can differ only in the tab.
    /// `packed` are the deflated texts of the form, if any.
    fn has_result_of(self, form: &FormState, packed: Option<&str>) -> bool {
        let is_here = |form: &FormState| {
            self.form.with_untracked(|here| here == form)
                && self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.form == *form))
        };
        if self.is_private.get_untracked() || self.problem.with_untracked(Option::is_some) {
            return false;
        }
        match packed {
            None => is_here(form),
            Some(letters) => {
                let (mut with_texts, here) = (form.clone(), self.form.get_untracked());
                let is_of_them = |packed: &PackedTexts| packed.letters() == Some(letters) && packed.matches_form(&here);
                let of_these = self.packed().with_untracked(|packed| packed.as_ref().is_some_and(is_of_them));
                (with_texts.a.content, with_texts.b.content) = (here.a.content, here.b.content);
                of_these && is_here(&with_texts)
            }
        }
    }

    /// Replaces the form by `form` from an address. `names_unit` says whether the address contains the unit.
    fn take_form(self, form: FormState, names_unit: bool) {
        self.forget_opening();
        self.leave_texts();
        self.is_private.set(false);
        self.form.set(form);
        self.take_unit(names_unit);
        self.handle_form_change();
    }

    /// Unpacks `letters`, the deflated texts of an address, and replaces the form by `form` with these texts. Shows
    /// `warning`, if any. `names_unit` says whether the address contains the unit.
    fn inflate(self, mut form: FormState, letters: String, warning: Option<Problem>, names_unit: bool) {
        self.leave_for(None);
        let Some(visit) = self.visit() else { return };
        spawn_local(async move {
            let inflated = deflate::unpack(&letters).await;
            if !self.is_at(visit) {
                return;
            }
            match inflated {
                Ok(texts) => {
                    let [a, b] = texts.clone();
                    (form.a.content, form.b.content) = (TextContent::Typed(a), TextContent::Typed(b));
                    self.take_form(form, names_unit);
                    // The address holds the deflated texts already.
                    self.handle_input(SessionInput::Deflated(PackedTexts::opened(texts, &letters)));
                    if warning.is_some() {
                        self.problem.set(warning);
                    }
                }
                Err(unreadable) => self.show_unreadable_address(form.task, unreadable.into()),
            }
        });
    }

    /// Shows an empty form with the problem of an unreadable address. Does not change the address, so that the visitor
    /// can see the fault.
    fn show_unreadable_address(self, task: Task, problem: Problem) {
        self.is_private.set(false);
        self.form.set(FormState::new(task));
        self.plan_form();
        self.problem.set(Some(problem));
    }

    /// Handles the address of a task without texts. Keeps the texts of the form, unless the form was empty at this
    /// entry of the history. Abandons another address that is still being opened.
    fn keep_or_clear_texts(self, task: Task) {
        if address_bar::was_blank_entry() {
            self.form.update(|form| *form = FormState { options: form.options.clone(), ..FormState::new(task) });
            self.dispatch(Action::Changed);
        } else if self.lazy_state().session.with_value(Session::is_opening) {
            self.form.update(|form| form.change_task(task));
            self.dispatch(Action::Changed);
        } else {
            self.change_task(task);
        }
    }

    pub(super) fn keep_task(self) {
        if self.lazy_state().session.with_value(Session::is_opening) && self.is_away_from_form() {
            self.begin_history_entry();
            self.dispatch(Action::Changed);
        }
    }

    /// Leaves the current address, with whatever is under way there, and starts a visit of another one. `content` is the
    /// content on the server that the new address names, if any.
    fn leave_for(self, content: Option<RemoteContent>) {
        self.forget_opening();
        self.leave_texts();
        self.forget_press(false);
        self.problem.set(None);
        self.retries.set_value(RetryState::default());
        self.handle_input(SessionInput::Opened(content));
        self.run_clock();
    }

    pub(super) fn arrive_at_job(self, visit: VisitNumber, id: String) {
        spawn_local(async move {
            let at = ResultLocation::Job(id.clone());
            match remote::job(&id).await {
                Ok(snapshot) => self.load_snapshot(visit, snapshot, at, tokens::names_of_job(&id), None).await,
                Err(problem) => self.handle_input(SessionInput::Failed(visit, of_place(problem, &tokens::job_path(&id)))),
            }
        });
    }

    pub(super) fn arrive_at_link(self, visit: VisitNumber, id: String) {
        spawn_local(async move {
            let at = ResultLocation::Link(id.clone());
            match remote::link(&id).await {
                Ok(link) => self.load_snapshot(visit, link.snapshot, at, [link.names.a, link.names.b], link.expires_at).await,
                Err(problem) => self.handle_input(SessionInput::Failed(visit, of_place(problem, &format!("/r/{id}")))),
            }
        });
    }

    /// Fetches and decrypts, with `key`, the texts of the private link `id`. Compares them on this device, because the
    /// server cannot read them and has no answer.
    pub(super) fn arrive_at_sealed(self, visit: VisitNumber, id: String, key: String) {
        spawn_local(async move {
            let opened = open_sealed(&id, &key).await;
            if !self.is_at(visit) {
                return;
            }
            match opened {
                Ok(form) => {
                    self.is_private.set(true);
                    self.form.set(form);
                    self.take_unit(true);
                    self.plan_form();
                }
                Err(problem) => self.handle_input(SessionInput::Failed(visit, problem)),
            }
        });
    }

    /// Shows `snapshot`, the job or stored result at the location `at` on the server, with its texts, which are
    /// fetched. `names` are the names that its author gave the texts. `expires_at` is the expiry of a stored result, in
    /// seconds since 1970.
    async fn load_snapshot(
        self,
        visit: VisitNumber,
        snapshot: JobSnapshot,
        at: ResultLocation,
        names: [Option<String>; 2],
        expires_at: Option<u64>,
    ) {
        let [a_name, b_name] = names;
        let a = fetch_text(&snapshot, &at, FormSide::A, a_name).await;
        let b = fetch_text(&snapshot, &at, FormSide::B, b_name).await;
        if !self.is_at(visit) {
            return;
        }
        self.handle_input(match (a, b) {
            (Ok(a), Ok(b)) => {
                self.is_private.set(false);
                let form = FormState { task: snapshot.task, options: snapshot.options.clone(), a, b };
                SessionInput::Loaded(visit, Box::new(LoadedResult { expires_at, ..loaded_result(&snapshot, form, at) }))
            }
            (Err(problem), _) | (_, Err(problem)) => SessionInput::Failed(visit, problem),
        });
        self.take_unit(true);
        self.run_clock();
    }
}

/// Returns whether the fragment of an address contains the unit of the texts.
fn names_unit(fragment: &str) -> bool {
    fragment.split('&').any(|part| part.starts_with("unit="))
}

/// Returns the problem to show if nothing was found at the server's path `place`. If this browser deleted the resource
/// at that path, the problem says so. Otherwise, returns `problem`.
pub(super) fn of_place(problem: Problem, place: &str) -> Problem {
    let deleted = tokens::deleted_at(place).filter(|_| matches!(problem.status, 404 | 410));
    deleted.map_or(problem, |at| Problem::deleted(&humanize::day(at)))
}

/// Returns text `which` of the job or stored result `snapshot` at the location `at`, as a text called `name` in the
/// form. Fetches a short text as a whole, and of a long one only the beginning that the page shows.
async fn fetch_text(snapshot: &JobSnapshot, at: &ResultLocation, which: FormSide, name: Option<String>) -> Result<FormText, Problem> {
    let info = snapshot::info(snapshot, which);
    let name = name.filter(|name| !name.is_empty());
    let side = match snapshot::extent(info) {
        TextExtent::Whole => {
            let side = files::text_from_bytes(name, &http::get_bytes(&at.file(which)).await?.to_vec()).await?;
            FormText { choice: info.choice.clone(), ..side }
        }
        TextExtent::Head(symbols) => {
            let side = snapshot::stored(info, remote::head(at, which, symbols).await, at.file(which));
            FormText { name: name.or_else(|| side.name.clone()), ..side }
        }
    };
    Ok(side)
}

/// Fetches the encrypted form of the private link `id`, and decrypts it with `key`.
async fn open_sealed(id: &str, key: &str) -> Result<FormState, Problem> {
    let (head, [a, b]) = sealed_links::open(id, key).await?;
    let [a_name, b_name] = head.names;
    let [a_choice, b_choice] = head.choices;
    let (a, b) = (files::text_from_bytes(a_name, &a).await?, files::text_from_bytes(b_name, &b).await?);
    Ok(FormState { task: head.task, options: head.options, a: FormText { choice: a_choice, ..a }, b: FormText { choice: b_choice, ..b } })
}
