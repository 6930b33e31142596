//! When the texts were handed in ([`TimeLines`]).

use std::fmt::Write as _;

use leptos::prelude::*;

use super::AnswerState;
use crate::model::collection::time_line::{TimeLabel, TimeLane, TimeLine};
use crate::model::text::humanize::count;
use crate::tr::t;

/// Maximum number of lanes that are shown.
const MAX_LANES: usize = 13;

/// Maximum number of names of a lane that are shown.
const MAX_NAMES: usize = 4;

/// Renders one lane for all texts, and one for each group. Renders nothing if texts have no times.
#[component]
pub fn TimeLines() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let line = Memo::new(move |_| state.groups.with(|groups| state.with(|texts| TimeLine::new(texts, groups)).flatten()));
    let rows = move |line: &TimeLine| line.lanes.iter().take(MAX_LANES).map(|lane| row(state, line, lane)).collect_view();
    let section = move || {
        line.with(|line| line.as_ref().map(|line| (axis(&line.labels()), rows(line)))).map(|(axis, rows)| {
            view! {
                <section class="section" aria-labelledby="times-title">
                    <h2 id="times-title">{t("When they were handed in")}</h2>
                    <ol class="times">
                        <li class="head" aria-hidden="true">
                            <span></span>
                            <span></span>
                            <svg inner_html=axis></svg>
                        </li>
                        {rows}
                    </ol>
                    <p class="note">
                        {t("A filled dot is the first text of its group. The first is not always the author.")}
                    </p>
                </section>
            }
        })
    };
    view! { {section} }
}

/// Draws the labels of the axis. Those at its ends are inside.
fn axis(labels: &[TimeLabel]) -> String {
    let mut svg = String::new();
    for TimeLabel { at, says } in labels {
        let percent = 100.0 * at;
        let anchor = match percent {
            ..8.0 => "start",
            92.0.. => "end",
            _ => "middle",
        };
        let _ = write!(
            svg,
            r#"<line class="s-edge" x1="{percent:.2}%" x2="{percent:.2}%" y1="17" y2="24"/><text x="{percent:.2}%" y="12" text-anchor="{anchor}">{says}</text>"#
        );
    }
    svg
}

fn row(state: AnswerState, line: &TimeLine, lane: &TimeLane) -> impl IntoView + use<> {
    let at = |time| format!("{:.2}%", 100.0 * line.share(time));
    let mut svg = String::from(r#"<line class="mid" x1="0" x2="100%" y1="16" y2="16"/>"#);
    let spoken: Vec<String> = lane.texts.iter().map(|&(text, time)| format!("{}, {time}", state.name(text))).collect();
    match &lane.letter {
        None => {
            for (_, time) in &lane.texts {
                let _ = write!(svg, r#"<rect class="tick" x="{}" y="9" width="1.5" height="14"/>"#, at(*time));
            }
        }
        Some(_) => {
            if let [(_, first), .., (_, last)] = lane.texts[..] {
                let _ = write!(svg, r#"<line class="span" x1="{}" x2="{}" y1="16" y2="16"/>"#, at(first), at(last));
            }
            // The first one is drawn over the others.
            for (number, (_, time)) in lane.texts.iter().enumerate().rev() {
                let class = if number == 0 { "first-dot" } else { "dot" };
                let _ = write!(svg, r#"<circle class="{class}" cx="{}" cy="16" r="5"/>"#, at(*time));
            }
        }
    }
    let (letter, names) = match &lane.letter {
        None => (t("all").to_owned(), count(lane.texts.len() as u64, "text", "texts")),
        Some(letter) => {
            let mut names: Vec<String> = lane.texts.iter().take(MAX_NAMES).map(|(text, _)| state.name(*text)).collect();
            if lane.texts.len() > MAX_NAMES {
                names.push("…".into());
            }
            (letter.clone(), names.join(" → "))
        }
    };
    view! {
        <li>
            <span class="gno" class:all=lane.letter.is_none()>{letter}</span>
            <span>{names}</span>
            <svg role="img" aria-label=spoken.join("; ") inner_html=svg></svg>
        </li>
    }
}
