//! What is chosen of a dot plot, and what is asked for. A handle: copying it copies no state.
//!
//! A picture is asked for when the sight has come to rest; until it is here the last one stands in its place, scaled, over that of
//! everything.

use std::sync::Arc;

use explain::dots::{Dots, Frame};
use kernels::alignment::Side;
use kernels::alignment::Summary;
use kernels::job::Unit;
use leptos::html::Canvas;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::layout::Layout;
use crate::model::dots::lines::{self, Filter, Match, around, name_of, strand_of};
use crate::model::dots::way::{Way, of_bins, of_window};
use crate::model::dots::{NAMES, Sight, Spot, count_at};
use crate::model::form::Which;
use crate::model::problem::Problem;
use crate::model::run::at::At;
use crate::page::view_state::Lasts;
use crate::page::{Page, Shown};
use crate::source::sleep;

/// How long the sight rests before it is asked for, in milliseconds.
const REST_MS: i32 = 140;

/// Parts of the overview that the way of a long alignment is drawn from.
const POINTS: usize = 4_000;

/// Columns up to which the way is drawn from the columns themselves.
const NEAR_COLUMNS: u64 = 8_000;

/// What a filter leaves of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The picture that is drawn.
    pub dots: Arc<Dots>,
    /// Its matches, the longest first.
    pub matches: Arc<Vec<Match>>,
}

/// The matches of a picture, and the picture with no others. Time O(parts).
fn found(dots: &Arc<Dots>, filter: &Filter) -> Found {
    let (matches, of_part) = lines::matches(dots, filter);
    let drawn = if filter.is_all() { dots.clone() } else { Arc::new(lines::only(dots, &of_part, &matches)) };
    Found { dots: drawn, matches: Arc::new(matches) }
}

/// A pointer that is down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finger {
    /// Its number.
    pub(super) id: i32,
    /// Where it is, in pixels of the canvas.
    pub(super) at: (f64, f64),
    /// Where it came down.
    pub(super) first: (f64, f64),
    /// Whether it is no click any more.
    pub(super) moved: bool,
}

/// State of the view.
#[derive(Clone, Copy)]
pub struct Plot {
    page: Page,
    at: StoredValue<At>,
    /// Symbols of both texts.
    pub of: Spot,
    /// What a symbol is.
    pub unit: Unit,
    summary: Option<Summary>,
    /// The canvas.
    pub canvas: NodeRef<Canvas>,
    /// Its size in pixels of the page.
    pub size: Memo<(f64, f64)>,
    /// Grows when colours or sizes may have changed.
    pub again: RwSignal<u32>,
    /// Where the picture is on the canvas, as it was drawn last.
    pub layout: StoredValue<Layout>,
    /// What is in sight.
    pub sight: RwSignal<Sight>,
    /// Symbols of a word; as many as the engine takes where it is left to it.
    pub word: RwSignal<Option<u32>>,
    /// Whether the texts look like DNA, of which inverted words are drawn too.
    is_dna: bool,
    /// Whether the way of the alignment is drawn.
    pub shows_way: RwSignal<bool>,
    /// The place that was chosen.
    pub mark: RwSignal<Option<Spot>>,
    /// The place under the pointer.
    pub hover: RwSignal<Option<Spot>>,
    /// A rectangle that is being drawn, from and to, in shares of the picture.
    pub brush: RwSignal<Option<[(f64, f64); 2]>>,
    /// The last picture.
    pub dots: RwSignal<Option<Arc<Dots>>>,
    /// Which matches are drawn and listed.
    pub filter: RwSignal<Filter>,
    /// What is left of the last picture.
    pub found: Memo<Option<Found>>,
    /// What both texts are called, if they are.
    pub names: StoredValue<[Option<String>; 2]>,
    /// That of everything, with these words.
    pub everything: RwSignal<Option<Arc<Dots>>>,
    /// Why there is no picture.
    pub problem: RwSignal<Option<Problem>>,
    /// The way of the whole alignment, and near by.
    pub ways: RwSignal<[Arc<Way>; 2]>,
    /// Pointers that are down: where each is, and where it was at first.
    pub fingers: StoredValue<Vec<Finger>>,
    /// Number of the last question, and whether one is under way.
    asked: StoredValue<(u32, bool)>,
}

impl Plot {
    /// The plot of a result, as the address says, in a room of this width.
    pub fn new(page: Page, shown: &Shown, width: RwSignal<f64>) -> Self {
        let of = shown.symbols;
        let said = |name: &str| page.look.with_untracked(|look| look.detail(name).map(str::to_owned));
        let [window, word, way, shortest, strand] = NAMES.map(said);
        let filter = Filter {
            shortest: shortest.and_then(|shortest| shortest.parse().ok()).unwrap_or(0),
            strand: strand.and_then(|strand| strand_of(&strand)),
        };
        let (dots, filter) = (RwSignal::new(None::<Arc<Dots>>), RwSignal::new(filter));
        let names = Which::BOTH.map(|which| {
            let read = page.read.with_untracked(|read| read.as_ref().and_then(|read| read.of(which).name.clone()));
            shown.form.side(which).name.clone().or(read).filter(|name| !name.is_empty())
        });
        let sight = page.kept(Lasts::WithTexts, "dots-sight", Sight::whole(of), |sight| sight.within(of));
        if let Some(window) = window {
            sight.set(Sight::read(&window, of));
        }
        let again = RwSignal::new(0);
        let size = Memo::new(move |_| {
            again.track();
            if width.get() > 0.0 { Layout::size(of, width.get()) } else { (0.0, 0.0) }
        });
        let plot = Self {
            page,
            at: StoredValue::new(shown.at.clone()),
            of,
            unit: shown.form.options.unit,
            summary: shown.run.summary(),
            canvas: NodeRef::new(),
            size,
            again,
            layout: StoredValue::new(Layout::default()),
            sight,
            word: RwSignal::new(word.and_then(|word| word.parse().ok()).filter(|word| (1..=64).contains(word))),
            is_dna: shown.form.a.may_be_dna() && shown.form.b.may_be_dna(),
            shows_way: RwSignal::new(way.as_deref() != Some("off")),
            mark: page.kept(Lasts::WithTexts, "dots-mark", None, |mark: Option<Spot>| mark.filter(|(a, b)| *a < of.0 && *b < of.1)),
            hover: RwSignal::new(None),
            brush: RwSignal::new(None),
            dots,
            filter,
            found: Memo::new(move |_| filter.with(|filter| dots.with(|dots| dots.as_ref().map(|dots| found(dots, filter))))),
            names: StoredValue::new(names),
            everything: RwSignal::new(None),
            problem: RwSignal::new(None),
            ways: RwSignal::default(),
            fingers: StoredValue::new(Vec::new()),
            asked: StoredValue::new((0, false)),
        };
        plot.follow();
        plot
    }

    /// Whether there is an alignment to go to.
    pub fn is_aligned(self) -> bool {
        self.summary.is_some_and(|summary| summary.columns > 0)
    }

    /// Whether the texts look like DNA, whose matches lie on two strands.
    pub fn has_strands(self) -> bool {
        self.is_dna
    }

    /// Brings a match into sight, with its beginning as the chosen place.
    pub fn show(self, found: &Match) {
        self.hover.set(None);
        self.mark.set(Some((found.a.0, found.b.0)));
        self.sight.set(Sight::of_frame(&around(found, self.of), self.of));
    }

    /// Looks at colours and sizes once more.
    pub fn look_again(self) {
        self.again.try_update(|times| *times += 1);
    }

    /// Shows everything.
    pub fn show_all(self) {
        self.hover.set(None);
        self.sight.set(Sight::whole(self.of));
    }

    /// Nearer by this factor, around a place of the picture or its middle.
    pub fn zoom(self, factor: f64, around: Option<(f64, f64)>) {
        // Where the pointer was is another place now.
        self.hover.set(None);
        self.sight.update(|sight| *sight = sight.zoomed(factor, around.unwrap_or((0.5, 0.5)), self.of));
    }

    /// Moves by a share of both sides.
    pub fn shift(self, by: (f64, f64)) {
        self.hover.set(None);
        self.sight.update(|sight| *sight = sight.moved(by, self.of));
    }

    /// Words of another length.
    pub fn set_word(self, word: Option<u32>) {
        self.everything.set(None);
        self.word.set(word);
    }

    /// Goes to the column of the chosen place.
    pub fn show_in_alignment(self, (a, _): Spot) {
        self.page.show_in_alignment(Side::A, a);
    }

    /// Dots at a place, in the last picture.
    pub fn count_at(self, spot: Spot) -> Option<u32> {
        self.dots.with(|dots| dots.as_ref().and_then(|dots| count_at(dots, spot)))
    }

    /// The frame of what is in sight; `None` until there is a canvas.
    fn frame(self) -> Option<Frame> {
        let (width, height) = self.size.get();
        let (sight, word) = (self.sight.get(), self.word.get());
        (width > 0.0).then(|| sight.frame(Layout::parts(self.of, (width, height)), word, self.is_dna))
    }

    /// Asks for what is in sight whenever that has changed and rests, and writes it into the address.
    fn follow(self) {
        Effect::new(move |before: Option<Option<Frame>>| {
            let frame = self.frame();
            if let Some(wanted) = frame.filter(|frame| before.flatten() != Some(*frame)) {
                let first = before.flatten().is_none();
                self.asked.update_value(|asked| asked.0 += 1);
                let number = self.asked.with_value(|asked| asked.0);
                spawn_local(self.ask(wanted, number, if first { 0 } else { REST_MS }));
            }
            frame
        });
        Effect::new(move |_| {
            let way = (!self.shows_way.get()).then(|| "off".to_owned());
            self.page.remember(NAMES[2], way);
            let Filter { shortest, strand } = self.filter.get();
            self.page.remember(NAMES[3], (shortest > 0).then(|| shortest.to_string()));
            self.page.remember(NAMES[4], name_of(strand).map(str::to_owned));
        });
        if let Some(summary) = self.summary.filter(|summary| summary.columns > NEAR_COLUMNS) {
            let at = self.at.get_value();
            spawn_local(async move {
                if let Ok(bins) = at.overview(POINTS).await {
                    self.ways.try_update(|ways| ways[0] = Arc::new(of_bins(&bins, summary.columns)));
                }
            });
        }
    }

    /// Whether this is still the last question.
    fn is_last(self, number: u32) -> bool {
        self.asked.try_with_value(|asked| asked.0) == Some(number)
    }

    async fn ask(self, frame: Frame, number: u32, after: i32) {
        if after > 0 {
            sleep(after).await;
        }
        // One question at a time: the solver answers all that it was asked.
        while self.is_last(number) && self.asked.with_value(|asked| asked.1) {
            sleep(30).await;
        }
        if !self.is_last(number) {
            return;
        }
        let sight = self.sight.get_untracked();
        self.page.remember(NAMES[0], sight.write(self.of));
        self.page.remember(NAMES[1], self.word.get_untracked().map(|word| word.to_string()));
        self.asked.update_value(|asked| asked.1 = true);
        let at = self.at.get_value();
        let dots = at.dots(frame).await;
        self.asked.try_update_value(|asked| asked.1 = false);
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
            self.ask_for_way(&at, sight, number).await;
        }
    }

    /// The columns of the alignment that are in sight, where they are few.
    async fn ask_for_way(self, at: &At, sight: Sight, number: u32) {
        let Some(summary) = self.summary else { return };
        let [from_a, to_a, from_b, to_b] = sight.symbols();
        let columns = if summary.columns <= NEAR_COLUMNS {
            (0, summary.columns)
        } else {
            // What is in sight of the way lies between the columns of these symbols, if any of it does.
            let few = (to_a - from_a).max(to_b - from_b) <= NEAR_COLUMNS;
            let column = async |side: Side, position: u64| at.column(side, position).await.unwrap_or(u64::MAX);
            if !few {
                self.ways.try_update(|ways| ways[1] = Arc::default());
                return;
            }
            let from = column(Side::A, from_a).await.max(column(Side::B, from_b).await);
            let to = column(Side::A, to_a.saturating_sub(1)).await.min(column(Side::B, to_b.saturating_sub(1)).await);
            if from >= to || to == u64::MAX || to - from > 2 * NEAR_COLUMNS {
                self.ways.try_update(|ways| ways[1] = Arc::default());
                return;
            }
            (from, to + 1 - from)
        };
        let held = self.ways.with_untracked(|ways| !ways[1].is_empty()) && summary.columns <= NEAR_COLUMNS;
        if held || !self.is_last(number) {
            return;
        }
        if let Ok(window) = at.window(columns.0, columns.1).await {
            self.ways.try_update(|ways| ways[1] = Arc::new(of_window(&window)));
        }
    }
}
