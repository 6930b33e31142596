//! The header of the page ([`Header`]): the name of the page, the tasks, and the switches for projector mode, theme and
//! language.

use kernels::job::Task;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::browser::lazy::lazy_inline;
use super::sharing::share::ShareOpen;
use super::sharing::share::class_tag::class_tag;
use super::widgets::icon::{Icon, icon};
use crate::backend::document::remember;
use crate::model::link::address::{self, AddressState};
use crate::model::link::class_code::ClassCode;
use crate::model::link::link_view::LinkView;
use crate::model::task::TaskDescription;
use crate::model::visit::task_path;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::{Language, t};

/// The logo as SVG elements: four ticks above three. The tick without a partner stands for an edit.
const MARK: &str = r#"<path d="M3.5 2.5v9M9.5 2.5v9M22.5 2.5v9M3.5 14.5v9M9.5 14.5v9M22.5 14.5v9"/><path class="s-pine" d="M16 2.5v9" stroke-width="3.6"/>"#;

/// Renders name, tabs of the tasks, and preferences.
#[component]
pub fn Header() -> impl IntoView {
    let page = expect_context::<Page>();
    let tabs = TaskDescription::ORDER.map(|task| {
        let described = TaskDescription::of(task);
        let (long, short) = (described.title(), described.short());
        let current = move || (page.marked_task() == task).then_some("page");
        // An ordinary click keeps the texts. With a modifier the link opens a window of its own without texts.
        let choose = move |event: ev::MouseEvent| {
            if !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key()) {
                event.prevent_default();
                page.set_task(task);
            }
        };
        view! {
            <li>
                // Screen readers get the whole name also where only the short one has room.
                <a href=task_path(task) aria-label=long aria-current=current on:click=choose>
                    <span class="l">{long}</span>
                    <span class="s">{short}</span>
                </a>
            </li>
        }
    });
    let code = Memo::new(move |_| page.class_code_of_form());
    view! {
        <header class="top">
            <div class="in">
                {brand()}
                <nav class="tasks" aria-label=t("Task")>
                    <ul>{tabs.collect_view()}</ul>
                </nav>
                <TaskPick />
                <div class="prefs">
                    <Address />
                    <MakeCode code />
                    <div class="among stay">{lazy_inline(move || code.get(), class_tag)}</div>
                    <button
                        class="btn ghost only stay"
                        aria-label=t("Projector mode")
                        title=t("Projector mode (P)")
                        aria-pressed=move || if page.link_view.with(|look| look.projector) { "true" } else { "false" }
                        on:click=move |_| page.toggle_projector()
                    >
                        {icon(Icon::Projector)}
                        <span class="l">{t("Projector")}</span>
                    </button>
                    <button class="btn ghost only" aria-label=t("Light or dark") title=t("Light or dark") on:click=|_| toggle_theme()>
                        {icon(Icon::Theme)}
                        <span class="l">{t("Light or dark")}</span>
                    </button>
                    <Languages />
                </div>
            </div>
        </header>
    }
}

/// Renders the tasks as a menu, for narrow windows and projector mode, in which tabs have no room.
#[component]
fn TaskPick() -> impl IntoView {
    let page = expect_context::<Page>();
    let options = TaskDescription::ORDER.map(|task| {
        let selected = move || page.marked_task() == task;
        view! { <option value=task.name() selected=selected>{TaskDescription::of(task).title()}</option> }
    });
    let choose = move |event: ev::Event| {
        let chosen = event_target_value(&event);
        if let Some(task) = Task::ALL.into_iter().find(|task| task.name() == chosen) {
            page.set_task(task);
        }
    };
    view! {
        <span class="select ghost task-pick">
            <select aria-label=t("Task") prop:value=move || page.marked_task().name() on:change=choose>
                {options.collect_view()}
            </select>
            {icon(Icon::Chevron)}
        </span>
    }
}

/// Renders the name of the page as a link to the first page.
pub fn brand() -> impl IntoView {
    view! {
        <a class="brand" href="/">
            <svg viewBox="0 0 26 26" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.6" inner_html=MARK></svg>
            "Editscope"
        </a>
    }
}

fn root() -> Option<HtmlElement> {
    web_sys::window()?.document()?.document_element()?.dyn_into().ok()
}

/// Switches projector mode on or off: large type and few controls.
pub fn show_projector(on: bool) {
    if let Some(root) = root() {
        let _ = root.toggle_attribute_with_force("data-projector", on);
    }
}

/// Renders the button in the header of projector mode that opens the share dialog, to create a class code (a short code
/// that opens the result). Renders nothing once there is a `code`.
#[component]
fn MakeCode(code: Memo<Option<ClassCode>>) -> impl IntoView {
    let (page, ShareOpen(share)) = (expect_context::<Page>(), expect_context());
    let is_hidden = move || code.with(Option::is_some) || page.shown.with(Option::is_none);
    view! {
        <button class="btn make-code stay" type="button" aria-haspopup="dialog" hidden=is_hidden on:click=move |_| share.set(true)>
            {t("Class code")}
        </button>
    }
}

/// Maximum number of letters of an address that a class can type from the projection.
const MAX_TYPED_ADDRESS: usize = 64;

/// Renders the address of the page in projector mode, if it is short enough for a class to type. The address leaves out
/// the step and the cell. The share dialog shows longer addresses as a QR code.
#[component]
fn Address() -> impl IntoView {
    let page = expect_context::<Page>();
    let is_shown = move || page.link_view.with(|look| look.projector) && page.class_code_of_form().is_none();
    let place = move || page.action_table().filter(|_| is_shown()).and_then(|acts| (acts.short_address)(page));
    view! { <span class="short stay">{place}</span> }
}

/// Returns the page's address without step and cell, or `None` if it is too long to be typed.
pub fn short_address(page: Page) -> Option<String> {
    let look = page.link_view.with(LinkView::in_short);
    let location = web_sys::window()?.location();
    let (host, path, fragment) = (location.host().ok()?, location.pathname().ok()?, location.hash().ok()?);
    // Addresses with deflated texts are always too long.
    let place = page.form.with(|form| {
        let shown = AddressState { form, link_view: &look, packed: None, is_private: page.is_private.get() };
        address::of_page(&path, fragment.trim_start_matches('#'), &shown)
    });
    Some(format!("{host}{place}")).filter(|whole| whole.chars().count() <= MAX_TYPED_ADDRESS)
}

/// Switches between the light and the dark theme, also for later visits.
fn toggle_theme() {
    let Some(root) = root() else { return };
    let chosen = root.dataset().get("theme");
    let system_dark =
        || web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok()?).is_some_and(|dark| dark.matches());
    let dark = chosen.map_or_else(system_dark, |theme| theme == "dark");
    let theme = if dark { "light" } else { "dark" };
    let _ = root.dataset().set("theme", theme);
    remember("theme", theme);
}

/// Renders the choice of language. The texts of another language are fetched when it is chosen.
#[component]
fn Languages() -> impl IntoView {
    let (page, spoken) = (expect_context::<Page>(), expect_context::<RwSignal<Language>>());
    let options = Language::ALL.map(|language| {
        let chosen = spoken.get_untracked() == language;
        view! { <option value=language.tag() lang=language.tag() selected=chosen>{language.name()}</option> }
    });
    let choose = move |event: ev::Event| {
        let Some(language) = Language::of_tag(&event_target_value(&event)) else { return };
        page.dispatch(Action::Speak(language, spoken));
    };
    view! {
        <span class="select ghost">
            <select aria-label=t("Language") on:change=choose>
                {options.collect_view()}
            </select>
            {icon(Icon::Chevron)}
        </span>
    }
}
