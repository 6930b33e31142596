//! The page's views. They read the signals of [`Page`] and call its methods.
//!
//! - [`header`]: the head of the page
//! - [`form`]: texts and options; [`run`]: plan and progress; [`result`]: the answer
//! - [`collections`]: the page that compares many texts
//! - [`explore`]: alignment, matrix, methods, dot plot; [`sharing`]: links, frames, paper
//! - [`widgets`]: small shared elements; [`browser`]: lazy loading, focus, redraws

use kernels::event::TaskAnswer;
use kernels::job::{Points, Task};
use leptos::either::Either;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::browser::client_only::client_only;
use self::browser::lazy::{later_updated, lazy};
use self::explore::alignment::AlignmentView;
use self::form::editor::{Editor, Samples, Swap};
use self::form::message::{FirstVisit, Message, PlainTasks};
use self::form::options::OptionsBar;
use self::form::recent::RecentOpen;
use self::result::headline::Headline;
use self::run::plan::RunBar;
use self::sharing::on_paper::OnPaper;
use self::sharing::share::ShareOpen;
use self::widgets::help::HelpOpen;
use self::widgets::keys::is_shortcut;
use self::widgets::prose::prose;
use crate::backend::document::composed;
use crate::backend::recent as remembered;
use crate::model::form::FormSide;
use crate::model::link::link_view::Tab;
use crate::model::problem::Problem;
use crate::model::result::meaning::{meaning, text_names};
use crate::model::result::preview::{self, briefly, form_names};
use crate::model::run::RunPhase;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::location::ResultLocation;
use crate::model::task::TaskDescription;
use crate::model::text::humanize;
use crate::model::visit::{COLLECTIONS, PageRoute, PageVisit};
use crate::page::{Page, ShownResult};
use crate::tr::t;

pub mod browser;
pub mod collections;
pub mod explore;
pub mod form;
pub mod header;
pub mod result;
pub mod run;
pub mod sharing;
pub mod widgets;

/// Time in milliseconds for which the page keeps the layout for the view that its address names, although no result has
/// come.
const LAYOUT_TIMEOUT_MS: u64 = 1_500;

/// Delay in milliseconds between the frame with the answer and the drawing of the rest of the result.
const AFTER_ANSWER_MS: u64 = 8;

/// Delay between an answer and the change of the window's title, in milliseconds.
///
/// A browser takes about two milliseconds to change the title, which would delay the frame with the answer. The delay
/// is a timer and not a frame callback, because a page in the background has no frames.
const TITLE_AFTER_MS: u64 = 50;

/// Renders everything between header and footer. `visit` has the facts of the request that the server knew, such as
/// address and language.
#[component]
pub fn Main(visit: PageVisit) -> impl IntoView {
    let page = expect_context::<Page>();
    // Shows the server's own text of a shared result until the result itself has arrived.
    let is_link = matches!(PageRoute::of(&visit.path), PageRoute::Link(_));
    let reading = Memo::new(move |before: Option<&bool>| {
        let nothing = || page.form.with(|form| form.a.is_blank() && form.b.is_blank()) && page.shown.with(Option::is_none);
        is_link && before != Some(&false) && nothing() && page.problem.with(Option::is_none)
    });
    let article = is_link
        .then(|| view! { <div class="shared" class:gone=move || !reading.get() inner_html=visit.article.unwrap_or_default()></div> });
    let ShareOpen(share) = expect_context();
    // In projector mode there is no button for it.
    Effect::new(move |_| {
        let key = window_event_listener(ev::keydown, move |event| {
            if event.key().eq_ignore_ascii_case("s") && is_shortcut(&event) && page.shown.with_untracked(Option::is_some) {
                share.set(true);
            }
        });
        on_cleanup(move || key.remove());
    });
    let watched = Memo::new(move |_| page.run.with(|run| run.is_shown(page.now.get())));
    let blank = Memo::new(move |_| {
        !reading.get()
            && page.form.with(|form| form.a.is_blank() && form.b.is_blank())
            && page.problem.with(Option::is_none)
            && page.run.with(|run| !run.is_under_way())
    });
    let lead = move || match page.form.with(|form| form.task) {
        Task::EditDistance => Either::Left(t(
            "Type, paste or drop two texts: words, essays, code, DNA. Short texts are compared in your browser as you type; long ones are sent to the server only when you press Run.",
        )),
        task => Either::Right(prose(TaskDescription::of(task).lead())),
    };
    let trouble = Memo::new(move |_| page.trouble());
    let cancelled = Memo::new(move |_| {
        // Tracks the remark because it changes when the address of a deleted job is removed.
        page.remark.track();
        let is_cancelled = page.run.with(|run| run.phase == RunPhase::Cancelled);
        let path = is_cancelled.then(|| window().location().pathname().ok()).flatten()?;
        if let PageRoute::Job(id) = PageRoute::of(&path) { Some(id) } else { None }
    });
    // If an address leads to nothing, only that message is shown.
    let lost = Memo::new(move |_| {
        let is_blank = page.form.with(|form| form.a.is_blank() && form.b.is_blank());
        is_blank && trouble.with(|trouble| trouble.as_ref().is_some_and(Problem::is_of_address))
    });
    let recent_open = expect_context::<RecentOpen>().0;
    // The dialog is created when first opened, and stays.
    let opened = Memo::new(move |before: Option<&bool>| before == Some(&true) || share.get());
    // Keeps the title that the server rendered, which names a shared result, until there is something to add.
    Effect::new(move |changed: Option<bool>| {
        let title = page.action_table().and_then(|acts| (acts.title)(page));
        let change = title.is_some() || changed == Some(true);
        if change {
            let title = title.unwrap_or_else(|| "Editscope".into());
            set_timeout(
                move || {
                    if document().title() != title {
                        document().set_title(&title);
                    }
                },
                std::time::Duration::from_millis(TITLE_AFTER_MS),
            );
        }
        change
    });
    let result = Memo::new(move |_| page.shown.with(|shown| shown.as_ref().map(|shown| shown.serial)));
    let checked = RwSignal::new(CheckOutcome::Pending);
    Effect::new(move |_| {
        result.track();
        page.shown.with_untracked(|shown| {
            let acts = page.action_table();
            shown.iter().zip(acts).for_each(|(shown, acts)| (acts.check)(page, shown, checked));
        });
    });
    let is_kept = Memo::new(move |_| page.is_answer_hidden());
    let said = move || {
        if is_kept.get() {
            String::new()
        } else {
            page.shown.with(|shown| {
                page.action_table().zip(shown.as_ref()).and_then(|(acts, shown)| (acts.spoken_answer)(shown)).unwrap_or_default()
            })
        }
    };
    // Draws the answer first. Its alignment takes far longer to draw and replaces the previous one afterwards. The
    // pause lets the browser present the frame and handle the next key.
    let whole = RwSignal::new(None::<ShownResult>);
    Effect::new(move |_| match result.get() {
        None => whole.set(None),
        Some(serial) => request_animation_frame(move || {
            set_timeout(
                move || {
                    let shown = page.shown.try_get_untracked().flatten().filter(|shown| shown.serial == serial);
                    if shown.is_some() {
                        whole.try_set(shown);
                    }
                },
                std::time::Duration::from_millis(AFTER_ANSWER_MS),
            );
        }),
    });
    // For a moment the drawing shows an older form, while the next one is read and its answer is drawn.
    let stale = Memo::new(move |_| {
        page.shown.with(|shown| match shown {
            Some(shown) => {
                page.form.with(|form| *form != shown.form)
                    || whole.with(|whole| whole.as_ref().map(|whole| whole.serial) != Some(shown.serial))
            }
            None => whole.with(Option::is_some),
        })
    });
    // A lens fills the first screen, so the form above it shrinks to a title and two single-line fields.
    let is_lens = Memo::new(move |before: Option<&bool>| {
        let is_blank = page.form.with(|form| form.a.is_blank() && form.b.is_blank());
        page.link_view.with(|look| look.tab == Tab::Matrix) && (!is_blank || before == Some(&true))
    });
    let heading = move || {
        page.form.with(|form| match page.action_table().filter(|_| is_lens.get()) {
            Some(acts) => (acts.title_of_lens)(form, page.link_view.with(|look| look.lens(form.task, &form.job_options())).is_some()),
            // The heading of the first page describes the product.
            None if form.task == Task::EditDistance && blank.get() => t("Compare two texts and see how they differ").to_owned(),
            None => TaskDescription::of(form.task).title().to_owned(),
        })
    };
    // The form stays unfolded as long as its Run button is needed.
    let has_answer = Memo::new(move |_| page.run.with(|run| matches!(run.phase, RunPhase::Done | RunPhase::Reading)));
    Effect::new(move |before: Option<bool>| {
        let is_lens = is_lens.get();
        if is_lens && before == Some(false) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        is_lens
    });
    // The document was laid out for the view that its address names.
    let wait = RwSignal::new(true);
    Effect::new(move |_| {
        if has_answer.get() || trouble.with(Option::is_some) || !wait.get() {
            settle([("#main", "lens-page", is_lens), ("#main > .ask", "folded", is_lens), ("#main > .ask", "ready", has_answer)]);
        }
    });
    let end_wait = move || {
        wait.try_set(false);
    };
    Effect::new(move |_| set_timeout(end_wait, std::time::Duration::from_millis(LAYOUT_TIMEOUT_MS)));
    // On paper, the article stands for the result of its link.
    let of_link = move || page.shown.with(|shown| shown.as_ref().is_some_and(|shown| matches!(shown.location, ResultLocation::Link(_))));
    view! {
        <main id="main" data-stale=move || stale.get().then_some("") data-asking=move || is_kept.get().then_some("") class:lens-page=is_lens class:answered=move || result.get().is_some() class:of-link=of_link>
            // The live region exists before it has text, because screen readers do not announce a region inserted with
            // its text.
            <div class="vh" aria-live="polite" aria-atomic="true" data-live="">{said}</div>
            {article}
            {(!is_link).then(|| view! { <noscript inner_html=format!("<p class=\"say\">{}</p>", t("Editscope needs JavaScript to compare texts. Stored results can be read without it."))></noscript> })}
            {lazy(move || watched.get().then_some(()), browser::parts::run)}
            <div class="ask" class:folded=is_lens class:ready=has_answer class:blank=blank hidden=move || watched.get() || reading.get() || lost.get()>
                <div class="lead">
                    <div class="row apart">
                        <h1>{heading}</h1>
                        <span hidden=move || !blank.get()>{collections::how_many_texts(false)}</span>
                    </div>
                    <p class="say wide">{lead}</p>
                </div>
                <OnPaper />
                <div class="editors">
                    <Editor which=FormSide::A />
                    <Swap />
                    <Editor which=FormSide::B />
                </div>
                <div class="below-texts projector-off">
                    <OptionsBar />
                    <span class="at-end">
                        <RunBar />
                        <Samples />
                    </span>
                </div>
                {lazy(move || cancelled.get(), form::stored_data::cancelled_storage)}
            </div>
            {client_only(move || trouble.get(), |problem| view! { <Message problem /> })}
            <div hidden=move || !blank.get()>
                {lazy(move || (blank.get() && remembered::is_any()).then_some(recent_open), browser::parts::recent_list)}
                <div class="start">
                    <FirstVisit />
                    {lazy(move || (blank.get() && page.form.with(|form| form.task == Task::EditDistance)).then_some(()), form::opening::opening)}
                </div>
                <PlainTasks />
            </div>
            {later_updated(move || result.get().and_then(|_| page.shown.get_untracked()).map(|shown| (shown, checked)), browser::parts::result)}
            {lazy(move || whole.get().map(|shown| (shown, checked)), browser::parts::whole)}
            {later_updated(move || result.get().and_then(|_| page.shown.get_untracked()).map(|shown| (shown, checked)), run::plan::run_line)}
        </main>
        <form::undo::Toast />
        {browser::dialogs::dialogs()}
        {lazy(move || opened.get().then_some(share), browser::parts::share)}
    }
}

/// Removes CSS classes that the script `ARRIVES` set before the result was known. Each entry has the selector of an
/// element, a class, and the condition under which the element keeps the class.
fn settle(classes: [(&str, &str, Memo<bool>); 3]) {
    let root = document().document_element();
    if !root.as_ref().is_some_and(|root| root.has_attribute("data-arrives")) {
        return;
    }
    for (selector, class, has) in classes {
        let element = document().query_selector(selector).ok().flatten();
        if let Some(element) = element.filter(|_| !has.get_untracked()) {
            let _ = element.class_list().remove_1(class);
        }
    }
    let _ = root.map(|root| root.remove_attribute("data-arrives"));
}

/// Returns the sentence by which screen readers announce a result.
fn spoken_answer(shown: &ShownResult) -> Option<String> {
    let answer = shown.run.answer.as_ref()?;
    let said = meaning(answer, shown.symbols, &shown.form.job_options())
        .with_line_ends_note(answer, shown.run.warnings())
        .with_visible_difference(answer, &shown.form, composed);
    Some(said.plain_with(&text_names(&shown.form)))
}

/// Returns the window's title: answer, texts and view. It tells windows of the page apart.
fn title(page: Page) -> Option<String> {
    let watched = page.run.with(|run| run.is_shown(page.now.get()).then_some(run.progress).flatten());
    if let Some(progress) = watched {
        return Some(format!("{} · Editscope", humanize::remaining_time(progress.eta_ms).join(" ").trim_start()));
    }
    // A visitor who is to find the values must not read the answer in the title.
    if page.is_answer_hidden() {
        return Some(page.shown.with(|shown| without_answer(page, shown.as_ref())));
    }
    page.shown.with(|shown| {
        let ShownResult { run, symbols, form, .. } = shown.as_ref()?;
        let answer = run.answer.as_ref()?;
        // Texts of a private link must not appear in lists of windows.
        let whole = if page.is_private.get() {
            format!("{} · Editscope", briefly(answer, *symbols, &form.job_options()))
        } else {
            // The same title that the server gives a stored result, but in the current language.
            preview::title(answer, *symbols, &form.job_options(), form_names(form))
        };
        Some(match page.link_view.with(|look| look.tab) {
            Tab::Found => whole,
            facet => format!("{} · {}", whole.trim_end_matches(" · Editscope"), facet.title(form.task)),
        })
    })
}

/// Returns a title with both texts and the view, but without the answer. Leaves out texts of a private link.
fn without_answer(page: Page, shown: Option<&ShownResult>) -> String {
    let shown = shown.filter(|_| !page.is_private.get());
    let named = shown.map(|shown| {
        let view = page.link_view.with(|look| look.tab.title(shown.form.task));
        format!("{} · {view} · Editscope", humanize::list(&form_names(&shown.form)))
    });
    named.unwrap_or_else(|| "Editscope".into())
}

/// Checks the answer of `shown` against its alignment, if it has one, and sets `checked` to the outcome.
fn check(page: Page, shown: &ShownResult, checked: RwSignal<CheckOutcome>) {
    checked.set(CheckOutcome::Pending);
    let (answer, at, serial) = (shown.run.answer.clone(), shown.location.clone(), shown.serial);
    let options = shown.form.job_options();
    spawn_local(async move {
        let Some(answer) = answer else { return };
        let found = at.check(&answer, &options).await;
        if page.shown.try_with_untracked(|shown| shown.as_ref().map(|shown| shown.serial)) != Some(Some(serial)) {
            return;
        }
        match found {
            Ok(Some(_)) if matches!(at, ResultLocation::Here(_)) => checked.try_set(CheckOutcome::Walked),
            Ok(Some(_)) => checked.try_set(CheckOutcome::Added),
            Ok(None) => checked.try_set(CheckOutcome::No),
            Err(problem) => {
                page.problem.try_set(Some(problem));
                None
            }
        };
    });
}

/// Renders the answer and its meaning. `result` has the result and the outcome of its check. The number, its sentence
/// and the tabs stay mounted while the answer changes, so that screen readers and the focus are not disturbed.
#[component]
fn Result(result: ArcRwSignal<(ShownResult, RwSignal<CheckOutcome>)>) -> impl IntoView {
    let result = RwSignal::from(result);
    let shown = Signal::derive(move || result.with(|(shown, _)| shown.clone()));
    let serial = Memo::new(move |_| result.with(|(shown, _)| shown.serial));
    // Everything that belongs to one result only is redrawn.
    let rest = move |_: u32| {
        let (shown, checked) = result.get_untracked();
        let (answer, of) = (shown.run.answer.clone()?, shown.clone());
        let drawn = move || lazy(move || Some((of.clone(), checked)), browser::parts::task).into_any();
        Some(match answer {
            // The alignment of these answers shows the common symbols.
            TaskAnswer::EditDistance { .. } | TaskAnswer::Lcs { .. } | TaskAnswer::SequenceAlignment { .. } => return None,
            // Hits and everything about them belong to the tab of hits.
            TaskAnswer::ApproximateSearch { .. } | TaskAnswer::MatchCount { .. } | TaskAnswer::ExactSearch { .. } => {
                let nothing = matches!(answer, TaskAnswer::ExactSearch { total: 0, .. } | TaskAnswer::ApproximateSearch { total: 0, .. })
                    && shown.symbols.0 > 0;
                let nearest = nothing.then(|| lazy(move || Some(shown.clone()), browser::parts::nearest));
                (nearest, result::tabs::panel(Tab::Found, drawn())).into_any()
            }
        })
    };
    view! {
        <section aria-label=t("Answer") data-part="answer">
            <Headline shown />
            <For each=move || [serial.get()] key=|serial| *serial children=rest />
        </section>
    }
}

/// Renders the details of an answer: the alignment, and the panels of the other tabs.
#[component]
fn Whole(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let answered = shown.run.answer.as_ref().map(TaskAnswer::task);
    let found = match (answered, shown.run.summary()) {
        // A search has a section of its own, with alignments of its hits.
        (None, _) => None,
        (Some(Task::Lcs | Task::EditDistance | Task::SequenceAlignment), None) => {
            let is_above = matches!(shown.run.answer, Some(TaskAnswer::EditDistance { distance: None, .. }));
            let said = match is_above {
                true => t("There is no alignment, because the limit in the options is passed. Without the limit there is one."),
                false => t("Without the alignment, as chosen in the options."),
            };
            Some(view! { <p class="note">{said}</p> }.into_any())
        }
        (Some(_), None) => None,
        (Some(task), _) if Task::SEARCHES.contains(&task) => None,
        (Some(task), Some(summary)) => {
            let of = shown.clone();
            let has_pieces = shown.form.job_options().pieces > 1;
            let common = (task == Task::Lcs || has_pieces).then(|| lazy(move || Some((of.clone(), checked)), browser::parts::task));
            let alignment = view! { <AlignmentView shown=shown.clone() summary checked /> };
            Some((alignment, common).into_any())
        }
    };
    let is_below = shown.run.answer.as_ref().and_then(TaskAnswer::alignment_score).is_some_and(|score| score < Points::ZERO);
    let rate = view! { <result::answer::ErrorRateNote shown=shown.clone() /> };
    let why = is_below.then(|| view! { <result::task::sequence_alignment::WhyBelow /> });
    view! {
        {found.map(|found| result::tabs::panel(Tab::Found, (why, found, rate).into_any()))}
        <result::tabs::Others shown checked />
    }
}

#[component]
pub fn Footer() -> impl IntoView {
    let (help, RecentOpen(recent)) = (expect_context::<HelpOpen>(), expect_context());
    view! {
        <footer class="foot">
            <div class="in">
                {places()}
                <button class="go" type="button" on:click=move |_| recent.set(true)>
                    {t("Recent comparisons")}
                </button>
                <button class="go" type="button" on:click=move |_| help.0.set(true)>
                    {t("Keyboard")}
                    " "
                    <kbd>"?"</kbd>
                </button>
                <span>{stored()}</span>
            </div>
        </footer>
    }
}

/// Returns the notice about texts that the server stores, which every page shows.
pub fn stored() -> &'static str {
    t("Texts compared in your browser are not stored unless you make a link. The server keeps the texts of its jobs for a limited time.")
}

/// Renders links to the static pages.
pub fn places() -> impl IntoView {
    view! {
        <a href="/api/docs" hreflang="en">{t("API")}</a>
        <a href="/how">{t("How it works")}</a>
        <a href="/limits">{t("Limits")}</a>
        <a href="/papers">{t("The papers")}</a>
        <a href="/learn">{t("Learn")}</a>
        <a href=COLLECTIONS>{t("Many texts")}</a>
    }
}

/// Moves text that was typed before hydration into the form.
pub(crate) fn adopt_typed(page: Page) {
    // Other addresses are skipped: after a reload the browser restores old editor contents there, and adopting these
    // would navigate away.
    let path = web_sys::window().and_then(|window| window.location().pathname().ok());
    if !path.is_some_and(|path| matches!(PageRoute::of(&path), PageRoute::Form(_))) {
        return;
    }
    for which in FormSide::BOTH {
        let area = document().get_element_by_id(&format!("text-{}", which.name()));
        let typed =
            area.and_then(|area| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlTextAreaElement>(area).ok()).map(|area| area.value());
        if let Some(text) = typed.filter(|text| !text.is_empty()) {
            page.put(which, crate::model::form::FormText::typed(text));
        }
    }
}
