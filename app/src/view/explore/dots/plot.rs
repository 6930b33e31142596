//! State and requests of a dot plot: [`PlotState`].
//!
//! A picture is requested when the visible range has stopped changing. Until the picture arrives, the previous one is
//! drawn scaled, above the picture of the whole texts.

use std::sync::Arc;

use explain::dots::{DotPlot, DotPlotFrame};
use explain::worker_protocol::query::{ColumnQuery, DotsQuery, OverviewQuery, WindowQuery};
use kernels::alignment::AlignmentSummary;
use kernels::alignment::PairSide;
use kernels::job::Unit;
use leptos::html::Canvas;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::layout::PlotLayout;
use crate::backend::sleep;
use crate::model::dots::alignment_path::{AlignmentPath, of_bins, of_window};
use crate::model::dots::lines::{self, DotMatch, MatchFilter, around, name_of, strand_of};
use crate::model::dots::{NAMES, PositionPair, VisibleArea, count_at};
use crate::model::form::FormSide;
use crate::model::problem::Problem;
use crate::model::run::location::ResultLocation;
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};

/// Time without changes after which a picture of the visible range is requested, in milliseconds.
const REST_MS: i32 = 140;

/// Number of parts of the alignment's overview from which the path of a long alignment is drawn.
const POINTS: usize = 4_000;

/// Maximum number of visible columns for which the path is drawn from the columns themselves and not from the overview.
const MAX_NEAR_COLUMNS: u64 = 8_000;

/// A picture without the matches that a filter has removed.
#[derive(Clone, Debug, PartialEq)]
pub struct FilteredDots {
    /// The picture with the remaining dots.
    pub dots: Arc<DotPlot>,
    /// The remaining matches, the longest match first.
    pub matches: Arc<Vec<DotMatch>>,
}

/// Finds the matches (runs of dots along a diagonal) of a picture that pass `filter`, and removes all others from the
/// picture. Takes time linear in the number of parts of the picture.
fn filter_matches(dots: &Arc<DotPlot>, filter: &MatchFilter) -> FilteredDots {
    let (matches, of_part) = lines::matches(dots, filter);
    let drawn = if filter.is_all() { dots.clone() } else { Arc::new(lines::only(dots, &of_part, &matches)) };
    FilteredDots { dots: drawn, matches: Arc::new(matches) }
}

/// A pointer (a finger or a mouse button) that is pressed on the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressedPointer {
    pub(super) id: i32,
    /// Current position on the canvas, in CSS pixels.
    pub(super) position: (f64, f64),
    /// Position on the canvas at which the pointer was pressed, in CSS pixels.
    pub(super) first: (f64, f64),
    /// Whether the pointer has moved too far for a click, or was pressed together with another one.
    pub(super) moved: bool,
}

/// State of a dot plot: visible range, settings and pictures. Copies share one state.
#[derive(Clone, Copy)]
pub struct PlotState {
    page: Page,
    location: StoredValue<ResultLocation>,
    /// Number of symbols of `a` and of `b`.
    pub of: PositionPair,
    pub unit: Unit,
    summary: Option<AlignmentSummary>,
    pub canvas: NodeRef<Canvas>,
    /// Width and height of the canvas, in CSS pixels.
    pub size: Memo<(f64, f64)>,
    /// A counter that grows when colours or sizes may have changed, so that the plot is redrawn.
    pub redraw_count: RwSignal<u32>,
    /// Position of the picture on the canvas, as last drawn.
    pub layout: StoredValue<PlotLayout>,
    /// The visible range of both texts.
    pub sight: RwSignal<VisibleArea>,
    /// Number of symbols of a word (a run of equal symbols that makes a dot); `None` if the solver chooses it.
    pub word: RwSignal<Option<u32>>,
    /// Whether the texts look like DNA, so that inverted words (matches on the other strand) are requested too.
    is_dna: bool,
    /// Whether the path of the alignment is drawn.
    pub shows_way: RwSignal<bool>,
    /// The selected pair of positions.
    pub mark: RwSignal<Option<PositionPair>>,
    /// The pair of positions under the pointer, if the pointer is over the picture.
    pub hover: RwSignal<Option<PositionPair>>,
    /// The rectangle that the visitor is dragging, as two opposite corners in fractions of the picture.
    pub brush: RwSignal<Option<[(f64, f64); 2]>>,
    /// The latest picture that has arrived, before filtering.
    pub dots: RwSignal<Option<Arc<DotPlot>>>,
    /// The filter that decides which matches are drawn and listed.
    pub filter: RwSignal<MatchFilter>,
    /// The latest picture after filtering.
    pub filtered_dots: Memo<Option<FilteredDots>>,
    /// Names of both texts, if they have any.
    pub names: StoredValue<[Option<String>; 2]>,
    /// The picture of the whole texts for the current word length.
    pub everything: RwSignal<Option<Arc<DotPlot>>>,
    /// The reason why there is no picture.
    pub problem: RwSignal<Option<Problem>>,
    /// The path of the whole alignment, and a more detailed path of its visible part.
    pub ways: RwSignal<[Arc<AlignmentPath>; 2]>,
    /// The fingers or mouse buttons that are pressed on the canvas.
    pub fingers: StoredValue<Vec<PressedPointer>>,
    /// Number of the latest request for a picture, and whether any request is waiting for its answer.
    latest_request: StoredValue<(u32, bool)>,
}

impl PlotState {
    /// Creates the plot of the result `shown` with the settings in the address, in a space of `width` CSS pixels.
    pub fn new(page: Page, shown: &ShownResult, width: RwSignal<f64>) -> Self {
        let of = shown.symbols;
        let said = |name: &str| page.link_view.with_untracked(|look| look.detail(name).map(str::to_owned));
        let [window, word, way, shortest, strand] = NAMES.map(said);
        let filter = MatchFilter {
            shortest: shortest.and_then(|shortest| shortest.parse().ok()).unwrap_or(0),
            strand: strand.and_then(|strand| strand_of(&strand)),
        };
        let (dots, filter) = (RwSignal::new(None::<Arc<DotPlot>>), RwSignal::new(filter));
        let names = FormSide::BOTH.map(|which| {
            let read = page.form_facts.with_untracked(|read| read.as_ref().and_then(|read| read.side(which).name.clone()));
            shown.form.side(which).name.clone().or(read).filter(|name| !name.is_empty())
        });
        let sight = page.stored_setting(SettingLifetime::WithTexts, "dots-sight", VisibleArea::whole(of), |sight| sight.within(of));
        if let Some(window) = window {
            sight.set(VisibleArea::read(&window, of));
        }
        let again = RwSignal::new(0);
        let size = Memo::new(move |_| {
            again.track();
            if width.get() > 0.0 { PlotLayout::size(of, width.get()) } else { (0.0, 0.0) }
        });
        let plot = Self {
            page,
            location: StoredValue::new(shown.location.clone()),
            of,
            unit: shown.form.options.unit,
            summary: shown.run.summary(),
            canvas: NodeRef::new(),
            size,
            redraw_count: again,
            layout: StoredValue::new(PlotLayout::default()),
            sight,
            word: RwSignal::new(word.and_then(|word| word.parse().ok()).filter(|word| (1..=64).contains(word))),
            is_dna: shown.form.a.may_be_dna() && shown.form.b.may_be_dna(),
            shows_way: RwSignal::new(way.as_deref() != Some("off")),
            mark: page.stored_setting(SettingLifetime::WithTexts, "dots-mark", None, |mark: Option<PositionPair>| {
                mark.filter(|(a, b)| *a < of.0 && *b < of.1)
            }),
            hover: RwSignal::new(None),
            brush: RwSignal::new(None),
            dots,
            filter,
            filtered_dots: Memo::new(move |_| {
                filter.with(|filter| dots.with(|dots| dots.as_ref().map(|dots| filter_matches(dots, filter))))
            }),
            names: StoredValue::new(names),
            everything: RwSignal::new(None),
            problem: RwSignal::new(None),
            ways: RwSignal::default(),
            fingers: StoredValue::new(Vec::new()),
            latest_request: StoredValue::new((0, false)),
        };
        plot.follow();
        plot
    }

    /// Returns whether the result has an alignment, so that a pair of positions can be shown in the alignment.
    pub fn is_aligned(self) -> bool {
        self.summary.is_some_and(|summary| summary.columns > 0)
    }

    /// Returns whether the texts look like DNA, so that matches may lie on either of two strands.
    pub fn has_strands(self) -> bool {
        self.is_dna
    }

    /// Moves the visible range to the match `found` and selects the beginning of the match.
    pub fn show(self, found: &DotMatch) {
        self.hover.set(None);
        self.mark.set(Some((found.a.0, found.b.0)));
        self.sight.set(VisibleArea::of_frame(&around(found, self.of), self.of));
    }

    /// Redraws the plot with the current colours and sizes of the page.
    pub fn look_again(self) {
        self.redraw_count.try_update(|times| *times += 1);
    }

    /// Zooms out until the whole texts are visible.
    pub fn show_all(self) {
        self.hover.set(None);
        self.sight.set(VisibleArea::whole(self.of));
    }

    /// Zooms in by `factor`. The point `around`, in fractions of the picture, does not move; without it, the middle
    /// does not move.
    pub fn zoom(self, factor: f64, around: Option<(f64, f64)>) {
        // The pair of positions under the pointer has changed.
        self.hover.set(None);
        self.sight.update(|sight| *sight = sight.zoomed(factor, around.unwrap_or((0.5, 0.5)), self.of));
    }

    /// Moves the visible range by the fractions `by` of its width and its height.
    pub fn shift(self, by: (f64, f64)) {
        self.hover.set(None);
        self.sight.update(|sight| *sight = sight.moved(by, self.of));
    }

    /// Sets the number of symbols of a word (a run of equal symbols that makes a dot). With `None`, the solver chooses
    /// it.
    pub fn set_word(self, word: Option<u32>) {
        self.everything.set(None);
        self.word.set(word);
    }

    /// Shows the symbol at position `a` of text `a` in the alignment.
    pub fn show_in_alignment(self, (a, _): PositionPair) {
        self.page.show_in_alignment(PairSide::A, a);
    }

    /// Returns the number of dots in the part of the latest picture that contains the pair of positions `spot`. Returns
    /// `None` if no picture contains it.
    pub fn count_at(self, spot: PositionPair) -> Option<u32> {
        self.dots.with(|dots| dots.as_ref().and_then(|dots| count_at(dots, spot)))
    }

    /// Returns the request for a picture of the visible range, or `None` while the canvas has no size.
    fn frame(self) -> Option<DotPlotFrame> {
        let (width, height) = self.size.get();
        let (sight, word) = (self.sight.get(), self.word.get());
        (width > 0.0).then(|| sight.frame(PlotLayout::parts(self.of, (width, height)), word, self.is_dna))
    }

    /// Requests a picture whenever the visible range has changed and has then not changed for [`REST_MS`]. Also writes
    /// the settings of the plot into the address, and requests the overview of a long alignment.
    fn follow(self) {
        Effect::new(move |before: Option<Option<DotPlotFrame>>| {
            let frame = self.frame();
            if let Some(wanted) = frame.filter(|frame| before.flatten() != Some(*frame)) {
                let first = before.flatten().is_none();
                self.latest_request.update_value(|asked| asked.0 += 1);
                let number = self.latest_request.with_value(|asked| asked.0);
                spawn_local(self.request_picture(wanted, number, if first { 0 } else { REST_MS }));
            }
            frame
        });
        Effect::new(move |_| {
            let way = (!self.shows_way.get()).then(|| "off".to_owned());
            self.page.remember(NAMES[2], way);
            let MatchFilter { shortest, strand } = self.filter.get();
            self.page.remember(NAMES[3], (shortest > 0).then(|| shortest.to_string()));
            self.page.remember(NAMES[4], name_of(strand).map(str::to_owned));
        });
        if let Some(summary) = self.summary.filter(|summary| summary.columns > MAX_NEAR_COLUMNS) {
            let at = self.location.get_value();
            spawn_local(async move {
                if let Ok(bins) = at.query(OverviewQuery { points: POINTS }).await {
                    self.ways.try_update(|ways| ways[0] = Arc::new(of_bins(&bins, summary.columns)));
                }
            });
        }
    }

    /// Returns whether `number` is the number of the latest request.
    fn is_last(self, number: u32) -> bool {
        self.latest_request.try_with_value(|asked| asked.0) == Some(number)
    }

    async fn request_picture(self, frame: DotPlotFrame, number: u32, after: i32) {
        if after > 0 {
            sleep(after).await;
        }
        // Waits for the answer to the previous request, because the solver answers all requests that it has received.
        while self.is_last(number) && self.latest_request.with_value(|asked| asked.1) {
            sleep(30).await;
        }
        if !self.is_last(number) {
            return;
        }
        let sight = self.sight.get_untracked();
        self.page.remember(NAMES[0], sight.write(self.of));
        self.page.remember(NAMES[1], self.word.get_untracked().map(|word| word.to_string()));
        self.latest_request.update_value(|asked| asked.1 = true);
        let at = self.location.get_value();
        let dots = at.query(DotsQuery { frame }).await;
        self.latest_request.try_update_value(|asked| asked.1 = false);
        if self.word.try_get_untracked() != Some(frame.word) {
            return;
        }
        match dots {
            Ok(dots) => {
                let dots = Arc::new(dots);
                if (frame.from_a, frame.from_b, frame.to_a, frame.to_b) == (0, 0, self.of.0, self.of.1) {
                    self.everything.try_set(Some(dots.clone()));
                }
                self.problem.try_set(None);
                self.dots.try_set(Some(dots));
            }
            Err(problem) => drop(self.problem.try_set(Some(problem))),
        }
        if self.is_last(number) {
            self.request_path(&at, sight, number).await;
        }
    }

    /// Requests the alignment columns in the visible range `sight` for a detailed path, if there are few. `at` is the
    /// location of the result, and `number` the number of the request for the picture.
    async fn request_path(self, at: &ResultLocation, sight: VisibleArea, number: u32) {
        let Some(summary) = self.summary else { return };
        let [from_a, to_a, from_b, to_b] = sight.symbols();
        let columns = if summary.columns <= MAX_NEAR_COLUMNS {
            (0, summary.columns)
        } else {
            // The visible part of the path, if there is one, lies between the columns of these symbols.
            let few = (to_a - from_a).max(to_b - from_b) <= MAX_NEAR_COLUMNS;
            let column = async |side: PairSide, position: u64| at.query(ColumnQuery { side, position }).await.unwrap_or(u64::MAX);
            if !few {
                self.ways.try_update(|ways| ways[1] = Arc::default());
                return;
            }
            let from = column(PairSide::A, from_a).await.max(column(PairSide::B, from_b).await);
            let to = column(PairSide::A, to_a.saturating_sub(1)).await.min(column(PairSide::B, to_b.saturating_sub(1)).await);
            if from >= to || to == u64::MAX || to - from > 2 * MAX_NEAR_COLUMNS {
                self.ways.try_update(|ways| ways[1] = Arc::default());
                return;
            }
            (from, to + 1 - from)
        };
        let held = self.ways.with_untracked(|ways| !ways[1].is_empty()) && summary.columns <= MAX_NEAR_COLUMNS;
        if held || !self.is_last(number) {
            return;
        }
        if let Ok(window) = at.query(WindowQuery { from: columns.0, len: columns.1 }).await {
            self.ways.try_update(|ways| ways[1] = Arc::new(of_window(&window)));
        }
    }
}
