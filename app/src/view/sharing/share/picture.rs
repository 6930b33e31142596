//! A picture of the result, saved as a file by the button [`Save`].

use explain::worker_protocol::query::{HitPageQuery, WindowQuery};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, BlobPropertyBag};

use super::ShareState;
use crate::backend::files;
use crate::model::form::FormSide;
use crate::model::problem::Problem;
use crate::model::result::meaning::meaning;
use crate::model::result::picture::{MAX_RESULT_COLUMNS, ResultPicture};
use crate::model::task::TaskDescription;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::canvas::png_of_svg;
use crate::view::widgets::icon::{Icon, icon};

/// Maximum number of hits in a picture.
const HITS: u64 = 12;

/// Number of symbols of the text shown before and after each hit in a picture.
const AROUND: u64 = 24;

/// Renders a button that saves a picture of the result, as PNG if `png` is set and otherwise as SVG.
#[component]
pub fn Save(png: bool) -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let page = expect_context::<Page>();
    let save = move |_| {
        let Some(shown) = page.shown.get_untracked() else { return };
        spawn_local(async move {
            if let Err(problem) = write(&shown, png).await {
                sharing.problem.set(Some(problem));
            }
        });
    };
    view! {
        <button class="btn small" type="button" on:click=save>
            {icon(Icon::Down)}
            {if png { t("Picture (PNG)") } else { t("Picture (SVG)") }}
        </button>
    }
}

async fn write(shown: &ShownResult, png: bool) -> Result<(), Problem> {
    let svg = draw(shown).await?.svg();
    let (blob, name) = match png {
        true => (png_of_svg(&svg).await, "editscope.png"),
        false => (file(&svg), "editscope.svg"),
    };
    files::save(&blob.ok_or_else(cannot)?, name);
    Ok(())
}

fn cannot() -> Problem {
    Problem::new("picture", t("This browser cannot draw the picture"), t("The SVG shows the same; other programs can convert it to PNG."))
}

/// Fetches the content for a picture of the result `shown`.
async fn draw(shown: &ShownResult) -> Result<ResultPicture, Problem> {
    let (form, run) = (&shown.form, &shown.run);
    let Some(answer) = &run.answer else { return Ok(ResultPicture::default()) };
    let meaning = meaning(answer, shown.symbols, &form.job_options()).with_line_ends_note(answer, run.warnings());
    let names = FormSide::BOTH.map(|which| form.side(which).name.clone());
    let title = match names {
        [Some(a), Some(b)] => tr!("{a} and {b}", a = a, b = b),
        _ => TaskDescription::of(form.task).title().to_owned(),
    };
    let source = web_sys::window().and_then(|window| window.location().host().ok()).unwrap_or_default();
    let mut picture = ResultPicture {
        title,
        meaning,
        summary: answer.alignment(),
        unit: form.options.unit,
        has_codes: form.job_options().ambiguity,
        source,
        ..ResultPicture::default()
    };
    if picture.summary.is_some() {
        picture.window = Some(shown.location.query(WindowQuery { from: 0, len: MAX_RESULT_COLUMNS }).await?);
    } else if answer.hits().is_some_and(|hits| hits > 0) && !form.options.count_only {
        let seen = shown.location.query(HitPageQuery { from: 0, len: HITS, context: AROUND }).await?;
        let around = |start: u64, end: u64| {
            let (from, to) = (start.saturating_sub(AROUND), end + AROUND);
            let passage =
                seen.passages.iter().find(|passage| (passage.from..=passage.from + passage.letters.len() as u64).contains(&start));
            passage.map_or(String::new(), |passage| {
                let at = |place: u64| (place.saturating_sub(passage.from) as usize).min(passage.letters.len());
                passage.letters[at(from)..at(to)].concat()
            })
        };
        picture.hits = seen.hits.iter().map(|hit| (format!("{}–{}", hit.start, hit.end), around(hit.start, hit.end))).collect();
    }
    Ok(picture)
}

fn file(svg: &str) -> Option<Blob> {
    let kind = BlobPropertyBag::new();
    kind.set_type("image/svg+xml");
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&svg.into()), &kind).ok()
}
