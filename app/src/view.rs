//! The page's views. Each reads the signals of [`Page`] and calls its methods.
//!
//! - [`header`], [`editor`], [`read_as`], [`options`], [`plan`]: what is asked, and the line about the run
//! - [`progress`], [`rates`], [`sweep`]: a run under way
//! - [`task`], [`answer`], [`facets`], [`metrics`]: a result
//! - [`alignment`], [`minimap`], [`composition`], [`hits`], [`profile`], [`exports`]: what it is made of
//! - [`lens`]: the frame of what is looked at step by step; [`mod@matrix`]: every cell; [`mod@watch`]: a method; [`dots`]: where both texts have a word in common
//! - [`run_button`]: the button that runs and cancels; [`headline`]: the answer with its tabs, and what is done with it; [`opening`]: the matrix on the first page; [`undo`]: the offer to bring back replaced
//!   texts; [`unit_reason`]: the unit that texts have chosen; [`mod@recent`]: comparisons that this browser remembers
//! - [`share`], [`framed`], [`sheet`], [`on_paper`], [`message`], [`help`]: links, frames, paper, problems, the keyboard
//! - [`convert`]: the offer to edit a file that is shown read-only; [`copy_button`]: what copies; [`menu`]: menus over the page; [`keys`]: which keys are shortcuts; [`keep_focus`]: where the focus goes when its element does; [`positions`]: from which number positions are counted;
//!   [`chart`]: axes and widths of charts; [`sheets`]: styles that are fetched with a view; [`resized`], [`restyled`]: what is measured and coloured anew; [`refocus`]: who had the focus
//! - [`icon`], [`chip`], [`mod@prose`]: the small alphabet
//! - [`mod@late`]: what only a browser draws; [`mod@later`], [`parts`]: what it downloads first

use kernels::event::Answer;
use kernels::job::Task;
use leptos::either::Either;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::alignment::AlignmentView;
use self::editor::{Editor, Samples, Swap};
use self::headline::Headline;
use self::help::Help;
use self::keys::is_shortcut;
use self::late::late;
use self::later::{later, later_updated};
use self::message::{FirstVisit, FiveTasks, Message};
use self::on_paper::OnPaper;
use self::options::OptionsBar;
use self::plan::RunBar;
use self::prose::prose;
use self::recent::RecentOpen;
use self::share::ShareOpen;
use crate::model::form::Which;
use crate::model::link::look::Facet;
use crate::model::problem::Problem;
use crate::model::result::meaning::{meaning, text_names};
use crate::model::result::preview::{self, briefly, called};
use crate::model::run::Phase;
use crate::model::run::at::At;
use crate::model::run::checked::Checked;
use crate::model::task::Described;
use crate::model::text::words;
use crate::model::visit::{Route, Visit};
use crate::page::{Page, Shown};
use crate::source::document::composed;
use crate::source::recent as remembered;
use crate::tr::t;

pub mod alignment;
pub mod answer;
pub mod canvas;
pub mod chart;
pub mod chip;
pub mod composition;
pub mod convert;
pub mod copy_button;
pub mod dots;
pub mod editor;
pub mod exports;
pub mod facets;
pub mod framed;
pub mod header;
pub mod headline;
pub mod help;
pub mod hits;
pub mod icon;
pub mod keep_focus;
pub mod kept;
pub mod keys;
pub mod late;
pub mod later;
pub mod lens;
pub mod matrix;
pub mod menu;
pub mod message;
pub mod metrics;
pub mod minimap;
pub mod on_paper;
pub mod opening;
pub mod options;
pub mod parts;
pub mod plan;
pub mod positions;
pub mod profile;
pub mod progress;
pub mod prose;
pub mod rates;
pub mod read_as;
pub mod recent;
pub mod refocus;
pub mod resized;
pub mod restyled;
pub mod run_button;
pub mod share;
pub mod sheet;
pub mod sheets;
pub mod sweep;
mod symbol;
pub mod task;
pub mod term;
mod two_lines;
pub mod undo;
pub mod unit_reason;
pub mod viewport;
pub mod watch;

/// How long the page stays laid out for what its address names, in milliseconds.
const WAIT_MS: u64 = 1_500;

/// How long after the frame with the answer the rest of a result is drawn, in milliseconds.
const AFTER_ANSWER_MS: u64 = 8;

/// How long after an answer the title of the window says it, in milliseconds: to change that takes a browser two of them, for which the frame with the
/// answer would wait. No frame is waited for, since a page in the background has none.
const TITLE_AFTER_MS: u64 = 50;

/// Everything between header and footer.
#[component]
pub fn Main(visit: Visit) -> impl IntoView {
    let page = expect_context::<Page>();
    // The server's own text of a shared result is read until the result itself is here.
    let is_link = matches!(Route::of(&visit.path), Route::Link(_));
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
        task => Either::Right(prose(Described::of(task).lead())),
    };
    let trouble = Memo::new(move |_| page.trouble());
    let cancelled = Memo::new(move |_| {
        // What is said of a deleted job comes when its address is gone.
        page.remark.track();
        let is_cancelled = page.run.with(|run| run.phase == Phase::Cancelled);
        let path = is_cancelled.then(|| window().location().pathname().ok()).flatten()?;
        if let Route::Job(id) = Route::of(&path) { Some(id) } else { None }
    });
    // Where an address leads to nothing, that is all there is to say.
    let lost = Memo::new(move |_| {
        let is_blank = page.form.with(|form| form.a.is_blank() && form.b.is_blank());
        is_blank && trouble.with(|trouble| trouble.as_ref().is_some_and(Problem::is_of_address))
    });
    let help = expect_context::<Help>().0;
    let helped = Memo::new(move |before: Option<&bool>| before == Some(&true) || help.get());
    let recent_open = expect_context::<RecentOpen>().0;
    let recalled = Memo::new(move |before: Option<&bool>| before == Some(&true) || recent_open.get());
    // The dialog is drawn when it is opened for the first time, and stays.
    let opened = Memo::new(move |before: Option<&bool>| before == Some(&true) || share.get());
    // The server's own title, which names a shared result, stays until there is something to add.
    Effect::new(move |changed: Option<bool>| {
        let title = page.acts().and_then(|acts| (acts.title)(page));
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
    let checked = RwSignal::new(Checked::Pending);
    Effect::new(move |_| {
        result.track();
        page.shown.with_untracked(|shown| {
            let acts = page.acts();
            shown.iter().zip(acts).for_each(|(shown, acts)| (acts.check)(page, shown, checked));
        });
    });
    let is_kept = Memo::new(move |_| page.is_answer_kept());
    let said = move || {
        if is_kept.get() {
            String::new()
        } else {
            page.shown
                .with(|shown| page.acts().zip(shown.as_ref()).and_then(|(acts, shown)| (acts.spoken_answer)(shown)).unwrap_or_default())
        }
    };
    // The answer is on the screen first; its alignment, which is much more to draw, takes the place of the last one after that. The
    // pause lets the browser bring the frame there, and the next letter come first.
    let whole = RwSignal::new(None::<Shown>);
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
    // What is drawn is of an older form for a moment, while the next one is read and its answer drawn.
    let stale = Memo::new(move |_| {
        page.shown.with(|shown| match shown {
            Some(shown) => {
                page.form.with(|form| *form != shown.form)
                    || whole.with(|whole| whole.as_ref().map(|whole| whole.serial) != Some(shown.serial))
            }
            None => whole.with(Option::is_some),
        })
    });
    // A lens takes the first screen: the form above it is a title and two fields of a line.
    let is_lens = Memo::new(move |before: Option<&bool>| {
        let is_blank = page.form.with(|form| form.a.is_blank() && form.b.is_blank());
        page.look.with(|look| look.facet == Facet::Matrix) && (!is_blank || before == Some(&true))
    });
    let heading = move || {
        page.form.with(|form| match page.acts().filter(|_| is_lens.get()) {
            Some(acts) => (acts.title_of_lens)(form, page.look.with(|look| look.lens(form.task)).is_some()),
            // The first page says what the product does.
            None if form.task == Task::EditDistance && blank.get() => t("Compare two texts and see how they differ").to_owned(),
            None => Described::of(form.task).title().to_owned(),
        })
    };
    // What is to be pressed is not folded away.
    let has_answer = Memo::new(move |_| page.run.with(|run| matches!(run.phase, Phase::Done | Phase::Reading)));
    Effect::new(move |before: Option<bool>| {
        let is_lens = is_lens.get();
        if is_lens && before == Some(false) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        is_lens
    });
    // The document was laid out for what its address names.
    let wait = RwSignal::new(true);
    Effect::new(move |_| {
        if has_answer.get() || trouble.with(Option::is_some) || !wait.get() {
            settle([("#main", "lens-page", is_lens), ("#main > .ask", "folded", is_lens), ("#main > .ask", "ready", has_answer)]);
        }
    });
    let end_wait = move || {
        wait.try_set(false);
    };
    Effect::new(move |_| set_timeout(end_wait, std::time::Duration::from_millis(WAIT_MS)));
    // On paper the article stands for the result that it is about.
    let of_link = move || page.shown.with(|shown| shown.as_ref().is_some_and(|shown| matches!(shown.at, At::Link(_))));
    view! {
        <main id="main" data-stale=move || stale.get().then_some("") data-asking=move || is_kept.get().then_some("") class:lens-page=is_lens class:answered=move || result.get().is_some() class:of-link=of_link>
            // A region that is there before it says something: what is born with its text is not read out.
            <div class="vh" aria-live="polite" aria-atomic="true" data-live="">{said}</div>
            {article}
            {(!is_link).then(|| view! { <noscript inner_html=format!("<p class=\"say\">{}</p>", t("Editscope needs JavaScript to compare texts. Stored results can be read without it."))></noscript> })}
            {later(move || watched.get().then_some(()), parts::run)}
            <div class="ask" class:folded=is_lens class:ready=has_answer class:blank=blank hidden=move || watched.get() || reading.get() || lost.get()>
                <div class="lead">
                    <h1>{heading}</h1>
                    <p class="say wide">{lead}</p>
                </div>
                <OnPaper />
                <div class="editors">
                    <Editor which=Which::A />
                    <Swap />
                    <Editor which=Which::B />
                </div>
                <div class="below-texts projector-off">
                    <OptionsBar />
                    <span class="at-end">
                        <RunBar />
                        <Samples />
                    </span>
                </div>
                {later(move || cancelled.get(), kept::cancelled_storage)}
            </div>
            {late(move || trouble.get(), |problem| view! { <Message problem /> })}
            <div hidden=move || !blank.get()>
                {later(move || (blank.get() && remembered::is_any()).then_some(recent_open), parts::recent_list)}
                <div class="start">
                    <FirstVisit />
                    {later(move || (blank.get() && page.form.with(|form| form.task == Task::EditDistance)).then_some(()), opening::opening)}
                </div>
                <FiveTasks />
            </div>
            {later_updated(move || result.get().and_then(|_| page.shown.get_untracked()).map(|shown| (shown, checked)), parts::result)}
            {later(move || whole.get().map(|shown| (shown, checked)), parts::whole)}
            {later_updated(move || result.get().and_then(|_| page.shown.get_untracked()).map(|shown| (shown, checked)), plan::run_line)}
        </main>
        <undo::Toast />
        {later(move || recalled.get().then_some(recent_open), parts::recent)}
        {later(move || helped.get().then_some(()), parts::help)}
        {later(move || opened.get().then_some(share), parts::share)}
    }
}

/// Takes away what the document was laid out for and did not come, see `ARRIVES`: an element, a class of it, and whether it has that.
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

/// What a screen reader says of a result.
fn spoken_answer(shown: &Shown) -> Option<String> {
    let answer = shown.run.answer.as_ref()?;
    let said =
        meaning(answer, shown.symbols, &shown.form.asked()).apart_from(answer, shown.run.warnings()).told_of(answer, &shown.form, composed);
    Some(said.plain_with(&text_names(&shown.form)))
}

/// Title of the window: the answer, both texts and the view, which one looks for among many.
fn title(page: Page) -> Option<String> {
    let watched = page.run.with(|run| run.is_shown(page.now.get()).then_some(run.progress).flatten());
    if let Some(progress) = watched {
        return Some(format!("{} · Editscope", words::left(progress.eta_ms).join(" ").trim_start()));
    }
    // Who is to find the values is not told the answer in the name of the window.
    if page.is_answer_kept() {
        return Some(page.shown.with(|shown| without_answer(page, shown.as_ref())));
    }
    page.shown.with(|shown| {
        let Shown { run, symbols, form, .. } = shown.as_ref()?;
        let answer = run.answer.as_ref()?;
        // Texts of a private link stand in no list of windows.
        let whole = if page.is_private.get() {
            format!("{} · Editscope", briefly(answer, *symbols, &form.asked()))
        } else {
            // As the server calls a stored result; the language may be another one by now.
            preview::title(answer, *symbols, &form.asked(), called(form))
        };
        Some(match page.look.with(|look| look.facet) {
            Facet::Found => whole,
            facet => format!("{} · {}", whole.trim_end_matches(" · Editscope"), facet.title(form.task)),
        })
    })
}

/// Returns a title with both texts and the view, but no answer. Texts of a private link stand in no list of windows.
fn without_answer(page: Page, shown: Option<&Shown>) -> String {
    let shown = shown.filter(|_| !page.is_private.get());
    let named = shown.map(|shown| {
        let view = page.look.with(|look| look.facet.title(shown.form.task));
        format!("{} · {view} · Editscope", words::list(&called(&shown.form)))
    });
    named.unwrap_or_else(|| "Editscope".into())
}

/// Checks an answer against its alignment, where it can be checked.
fn check(page: Page, shown: &Shown, checked: RwSignal<Checked>) {
    checked.set(Checked::Pending);
    let (answer, at, serial) = (shown.run.answer.clone(), shown.at.clone(), shown.serial);
    spawn_local(async move {
        let Some(answer) = answer else { return };
        let found = at.check(&answer).await;
        if page.shown.try_with_untracked(|shown| shown.as_ref().map(|shown| shown.serial)) != Some(Some(serial)) {
            return;
        }
        match found {
            Ok(Some(_)) if matches!(at, At::Here(_)) => checked.try_set(Checked::Walked),
            Ok(Some(_)) => checked.try_set(Checked::Added),
            Ok(None) => checked.try_set(Checked::No),
            Err(problem) => {
                page.problem.try_set(Some(problem));
                None
            }
        };
    });
}

/// What the answer is and what it means. The number, its sentence and the views to choose from stay while the answer changes.
#[component]
fn Result(result: ArcRwSignal<(Shown, RwSignal<Checked>)>) -> impl IntoView {
    let result = RwSignal::from(result);
    let shown = Signal::derive(move || result.with(|(shown, _)| shown.clone()));
    let serial = Memo::new(move |_| result.with(|(shown, _)| shown.serial));
    // What belongs to one result only is drawn anew.
    let rest = move |_: u32| {
        let (shown, checked) = result.get_untracked();
        let (answer, of) = (shown.run.answer.clone()?, shown.clone());
        let drawn = move || later(move || Some((of.clone(), checked)), parts::task).into_any();
        Some(match answer {
            // What both texts have in common is seen in their alignment.
            Answer::EditDistance { .. } | Answer::Lcs { .. } => return None,
            // Hits are what is found, and all that is said of them belongs to its tab.
            Answer::ApproximateSearch { .. } | Answer::MatchCount { .. } | Answer::ExactSearch { .. } => {
                let nothing = matches!(answer, Answer::ExactSearch { total: 0, .. } | Answer::ApproximateSearch { total: 0, .. })
                    && shown.symbols.0 > 0;
                let nearest = nothing.then(|| later(move || Some(shown.clone()), parts::nearest));
                (nearest, facets::panel(Facet::Found, drawn())).into_any()
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

/// Everything about an answer that is looked at: the alignment, or another facet.
#[component]
fn Whole(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let answered = shown.run.answer.as_ref().map(Answer::task);
    let found = match (answered, shown.run.summary()) {
        // A search has its own section, and alignments of hits.
        (None, _) => None,
        (Some(Task::Lcs | Task::EditDistance), None) => {
            Some(view! { <p class="note">{t("Without the alignment, as chosen in the options.")}</p> }.into_any())
        }
        (Some(_), None) => None,
        (Some(task), _) if Task::SEARCHES.contains(&task) => None,
        (Some(task), Some(summary)) => {
            let of = shown.clone();
            let common = (task == Task::Lcs).then(|| later(move || Some((of.clone(), checked)), parts::task));
            let alignment = view! { <AlignmentView shown=shown.clone() summary checked /> };
            Some((alignment, common).into_any())
        }
    };
    view! {
        {found.map(|found| facets::panel(Facet::Found, found))}
        <facets::Others shown checked />
    }
}

/// The footer.
#[component]
pub fn Footer() -> impl IntoView {
    let (help, RecentOpen(recent)) = (expect_context::<Help>(), expect_context());
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

/// What becomes of the texts, on every page.
pub fn stored() -> &'static str {
    t("Texts compared in your browser are not stored unless you make a link. The server keeps the texts of its jobs for a limited time.")
}

/// Links to the pages that are only read.
pub fn places() -> impl IntoView {
    view! {
        <a href="/api/docs" hreflang="en">{t("API")}</a>
        <a href="/how">{t("How it works")}</a>
        <a href="/limits">{t("Limits")}</a>
        <a href="/papers">{t("The papers")}</a>
        <a href="/learn">{t("Learn")}</a>
    }
}

/// What was typed before the page was alive is not lost.
pub(crate) fn adopt_typed(page: Page) {
    // What a browser puts back into the editors of another place when it is loaded again is not typed, and would lead away from there.
    let path = web_sys::window().and_then(|window| window.location().pathname().ok());
    if !path.is_some_and(|path| matches!(Route::of(&path), Route::Form(_))) {
        return;
    }
    for which in Which::BOTH {
        let area = document().get_element_by_id(&format!("text-{}", which.name()));
        let typed =
            area.and_then(|area| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlTextAreaElement>(area).ok()).map(|area| area.value());
        if let Some(text) = typed.filter(|text| !text.is_empty()) {
            page.put(which, crate::model::form::Side::typed(text));
        }
    }
}
