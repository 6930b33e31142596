//! Match count as charts of the score at every offset of the pattern. The first chart shows the whole text, with the
//! minimum and maximum of neighbouring offsets, and a brush that selects a range. The second chart has one bar per
//! offset of this range, and a threshold.
//!
//! - [`brush`]: the whole text and the selected range
//! - [`zoom`]: the selected range
//! - [`threshold`]: the movable line
//! - [`dips`]: distances of approximate search; [`density`]: occurrences along the text

use explain::worker_protocol::query::ProfileQuery;
use kernels::found::ScoreSpan;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::brush::Brush;
use self::zoom::Zoom;
use crate::model::run::location::ResultLocation;
use crate::model::search::chart::{ScoreChartFrame, round_up};
use crate::model::text::humanize::grouped;
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};
use crate::tr;

pub mod brush;
pub mod density;
pub mod dips;
pub mod threshold;
pub mod zoom;

/// Maximum number of offsets that are all shown as bars, so that no brush is needed.
const MAX_BAR_OFFSETS: u64 = 160;

/// Number of offsets that the brush selects at first.
const INITIAL_BRUSH_OFFSETS: u64 = 121;

/// Maximum number of spans (ranges of neighbouring offsets with their minimum and maximum score) in a request.
pub(crate) const POINTS: f64 = 2_000.0;

/// State that the chart of the whole text shares with the chart of the selected range. Copies share one state.
#[derive(Clone, Copy)]
pub struct ProfileState {
    location: StoredValue<ResultLocation>,
    /// Number of symbols in the pattern.
    pub pattern: u64,
    /// Number of offsets at which the pattern can be laid on the text.
    pub all: u64,
    /// Score at the upper edge of the chart.
    pub top: RwSignal<u64>,
    /// Position of the threshold line: the smallest score of the offsets that a search with this threshold would find.
    pub threshold: RwSignal<u64>,
    /// Threshold with which the answer was computed; `None` if only the offsets with the best score were requested.
    pub run_threshold: Option<u64>,
    /// The selected range: first offset and length.
    pub range: RwSignal<(u64, u64)>,
    /// The selected offset.
    pub offset: RwSignal<u64>,
    /// The first offset that has the best score.
    pub best: u64,
}

impl ProfileState {
    /// Creates the state for the result `shown`, whose best score is `best` and first occurs at `offset`.
    pub fn new(shown: &ShownResult, best: u64, offset: u64) -> Self {
        let (pattern, text) = shown.symbols;
        let all = text + 1 - pattern.min(text);
        let asked = shown.form.job_options().max_mismatches.map(|most| pattern.saturating_sub(most));
        let threshold = asked.unwrap_or(best);
        let page = expect_context::<Page>();
        let range = around(offset, if all <= MAX_BAR_OFFSETS { all } else { INITIAL_BRUSH_OFFSETS }, all);
        let fit = |(from, len): (u64, u64)| if all <= MAX_BAR_OFFSETS { (0, all) } else { around(from + len / 2, len, all) };
        Self {
            location: StoredValue::new(shown.location.clone()),
            pattern,
            all,
            top: RwSignal::new(upper(best.max(threshold), pattern)),
            threshold: RwSignal::new(threshold),
            run_threshold: asked,
            range: page.stored_setting(SettingLifetime::WithTexts, "profile-range", range, fit),
            offset: page.stored_setting(SettingLifetime::WithTexts, "profile-offset", offset, |offset| offset.min(all.saturating_sub(1))),
            best: offset,
        }
    }

    /// Returns whether the result is in this browser, so that another threshold needs no request to the server.
    pub fn is_here(self) -> bool {
        self.location.with_value(ResultLocation::is_here)
    }

    /// Fetches the scores of `range` (first offset and length) as spans, one per pixel of `width`, whenever `range` or
    /// `width` changes. The returned signal has the spans, and the range that they cover. A span has the minimum and
    /// maximum score of neighbouring offsets.
    pub fn fetch(self, range: Signal<(u64, u64)>, width: RwSignal<f64>) -> RwSignal<(Vec<ScoreSpan>, (u64, u64))> {
        let drawn = RwSignal::new((Vec::new(), range.get_untracked()));
        Effect::new(move |_| {
            let (from, len) = range.get();
            let points = width.get().min(POINTS) as usize;
            if points == 0 {
                return;
            }
            let at = self.location.get_value();
            spawn_local(async move {
                let spans = at.query(ProfileQuery { from, len, points }).await;
                if let (Ok(spans), Some(true)) = (spans, range.try_get_untracked().map(|now| now == (from, len))) {
                    drawn.try_set((spans, (from, len)));
                }
            });
        });
        drawn
    }

    /// Selects `offset`, and moves the selected range so that it contains the offset.
    pub fn show(self, offset: u64) {
        let (from, len) = self.range.get_untracked();
        if !(from..from + len).contains(&offset) {
            self.range.set(around(offset, len, self.all));
        }
        self.offset.set(offset);
    }

    /// Returns the frame (the mapping from offsets and scores to pixels) for a chart of the given range (first offset
    /// and length), width and height in pixels.
    pub fn frame(self, (from, len): (u64, u64), width: f64, height: f64) -> ScoreChartFrame {
        let top = self.top.get();
        let width = (width - crate::view::widgets::chart::left(top) - crate::view::widgets::chart::RIGHT).max(1.0);
        ScoreChartFrame { width, height, from, len: len.max(1), top }
    }
}

/// Returns the score at the upper edge of the chart: a round number with room above the score `best`, but at most
/// `pattern`, which is the highest possible score.
fn upper(best: u64, pattern: u64) -> u64 {
    let step = round_up(best as f64 / 8.0);
    (best + best / 6).div_ceil(step).saturating_mul(step).min(pattern).max(1)
}

/// Returns a range of `len` offsets around `offset` out of `all` offsets, as its first offset and its length.
pub(crate) fn around(offset: u64, len: u64, all: u64) -> (u64, u64) {
    let len = len.min(all).max(1);
    (offset.saturating_sub(len / 2).min(all.saturating_sub(len)), len)
}

/// Renders the charts, with `aside` beside the bars. Calls `lay` with the offset at which the visitor wants to see the
/// pattern laid over the text.
#[component]
pub fn Profile<A: IntoView + 'static>(scores: ProfileState, lay: Callback<u64>, aside: A) -> impl IntoView {
    let brushed = scores.all > MAX_BAR_OFFSETS;
    view! {
        <div class="stack">
            {brushed.then(|| view! { <Brush scores /> })}
            <div class="split">
                <Zoom scores lay alone={!brushed} />
                {aside}
            </div>
        </div>
    }
}

/// Formats a score (a number of equal symbols) and its offset, such as "428 equal at offset 30,005".
pub(crate) fn score_text(score: u64, offset: u64) -> String {
    tr!("{score} equal at offset {offset}", score = grouped(score), offset = grouped(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_never_empty_and_stays_inside_the_text() {
        assert_eq!(around(3, 121, 6), (0, 6));
        assert_eq!(around(30_005, 121, 93_458), (29_945, 121));
        assert_eq!(around(93_457, 121, 93_458), (93_337, 121));
        assert_eq!(around(0, 121, 93_458), (0, 121));
        assert_eq!(around(0, 0, 0), (0, 1));
    }

    #[test]
    fn upper_edge_is_round_and_above_the_peak() {
        assert_eq!(upper(428, 1_024), 500);
        assert_eq!(upper(3, 4), 3);
        assert_eq!(upper(4, 4), 4);
        assert_eq!(upper(0, 9), 1);
    }
}
