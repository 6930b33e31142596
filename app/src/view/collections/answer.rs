//! The answer about many texts: what follows from the scores ([`AnswerState`]), as an overview or as a list of pairs
//! ([`AnswerView`]).
//!
//! - [`histogram`]: all pairs by similarity, with the threshold; [`heat_map`]: every text against every other
//! - [`findings`]: the chosen pair and the groups; [`neighbours`]: the nearest text of each
//! - [`two_sides`]: two collections; [`strip`]: their map; [`map_parts`]: parts of both maps
//! - [`time_line`]: when texts were handed in
//! - [`pair_table`]: the list of pairs; [`save`]: files; [`report`]: the parts that only paper has

use std::sync::Arc;

use kernels::job::EditCosts;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::findings::{ChosenPair, Groups};
use self::heat_map::HeatMap;
use self::histogram::Histogram;
use self::neighbours::Neighbours;
use self::pair_table::PairTable;
use self::report::{AlikePairs, ReportHead};
use self::save::SaveMenu;
use self::strip::StripMap;
use self::time_line::TimeLines;
use self::two_sides::AssignedTexts;
use crate::backend::latest::RequestCounter;
use crate::model::collection::answer::{ComparedTexts, Neighbour, TextGroup};
use crate::model::collection::assignment::{Assignments, columns_by_nearest};
use crate::model::collection::choices::Tab;
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::collection::sentences::{self, CollectionHeadline};
use crate::model::collection::threshold::{PairHistogram, SuggestionReason, suggest};
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;

pub mod findings;
pub mod heat_map;
pub mod histogram;
pub mod map_parts;
pub mod neighbours;
pub mod pair_table;
pub mod report;
pub mod save;
pub mod strip;
pub mod time_line;
pub mod two_sides;

/// Time without a change of the threshold after which screen readers announce the headline, in milliseconds.
const ANNOUNCE_DELAY_MS: i32 = 400;

/// Values that follow from the answer and from the choices of the visitor. They are computed when they are needed.
#[derive(Clone, Copy)]
pub struct AnswerState {
    pub page: CollectionPage,
    pub histogram: Memo<Option<PairHistogram>>,
    pub suggested: Memo<(Threshold, SuggestionReason)>,
    pub threshold: Memo<Threshold>,
    pub groups: Memo<Vec<TextGroup>>,
    pub neighbours: Memo<Vec<[Option<Neighbour>; 2]>>,
    /// Texts of the rows of the map, in its order.
    pub rows: Memo<Vec<usize>>,
    /// Whether two collections were compared.
    pub is_two: Memo<bool>,
    /// Texts of the second collection in the order of its map, if there are two.
    pub columns: Memo<Vec<usize>>,
    /// The texts of the second collection by their nearest text, if there are two.
    pub assigned: Memo<Assignments>,
    pub measure: Memo<Measure>,
    /// Costs of edits.
    pub costs: Memo<EditCosts>,
    pub has_names: Memo<bool>,
    /// Whether the page is being printed.
    pub is_report: RwSignal<bool>,
}

impl AnswerState {
    pub fn new(page: CollectionPage) -> Self {
        let (answer, view) = (page.answer, page.view);
        let histogram = Memo::new(move |_| answer.with(|texts| texts.as_deref().map(PairHistogram::new)));
        let suggested = Memo::new(move |_| {
            histogram.with(|histogram| histogram.as_ref().map_or((Threshold::Percent(80), SuggestionReason::Usual), suggest))
        });
        let chosen = Memo::new(move |_| view.with(|view| view.threshold));
        let measure = Memo::new(move |_| answer.with(|texts| texts.as_ref().map_or(Measure::Similarity, |texts| texts.form.measure)));
        let threshold = Memo::new(move |_| match chosen.get() {
            Some(value) => Threshold::new(measure.get(), value),
            None => suggested.get().0,
        });
        let groups = Memo::new(move |_| answer.with(|texts| texts.as_ref().map(|texts| texts.groups(threshold.get())).unwrap_or_default()));
        let neighbours = Memo::new(move |_| answer.with(|texts| texts.as_ref().map(|texts| texts.neighbours()).unwrap_or_default()));
        let order = Memo::new(move |_| view.with(|view| view.order));
        let rows = Memo::new(move |_| answer.with(|texts| texts.as_ref().map(|texts| texts.rows(order.get())).unwrap_or_default()));
        let has_names = Memo::new(move |_| view.with(|view| view.has_names));
        let is_two = Memo::new(move |_| answer.with(|texts| texts.as_ref().is_some_and(|texts| texts.is_two())));
        let of_two = move |texts: &Option<Arc<ComparedTexts>>| texts.clone().filter(|texts| texts.is_two());
        let columns = Memo::new(move |_| {
            let Some(texts) = answer.with(of_two) else { return Vec::new() };
            neighbours.with(|near| rows.with(|rows| columns_by_nearest(&texts, near, rows, threshold.get())))
        });
        let assigned = Memo::new(move |_| {
            let Some(texts) = answer.with(of_two) else { return Assignments::default() };
            neighbours.with(|near| Assignments::new(&texts, near, threshold.get()))
        });
        Self {
            page,
            histogram,
            suggested,
            threshold,
            groups,
            neighbours,
            rows,
            is_two,
            columns,
            assigned,
            measure,
            costs: Memo::new(move |_| answer.with(|texts| texts.as_ref().map(|texts| texts.form.options.costs).unwrap_or_default())),
            has_names,
            is_report: RwSignal::new(false),
        }
    }

    /// Calls `read` with the answer, if there is one.
    pub fn with<T>(self, read: impl FnOnce(&ComparedTexts) -> T) -> Option<T> {
        self.page.answer.with(|texts| texts.as_deref().map(read))
    }

    /// Returns the answer.
    pub fn texts(self) -> Option<Arc<ComparedTexts>> {
        self.page.answer.get()
    }

    /// Returns the name of a text, or its number within its side if names are hidden or it has none.
    pub fn name(self, text: usize) -> String {
        let number = self.with(|texts| text - texts.side(texts.side_of(text)).start.min(text)).unwrap_or(text) + 1;
        let own = if self.has_names.get() {
            self.with(|texts| texts.report.members.get(text).map(|member| member.name.clone())).flatten()
        } else {
            None
        };
        own.filter(|name| !name.is_empty()).unwrap_or_else(|| tr!("Text {n}", n = number))
    }

    /// Returns the name of a text with its label, if it has one: "Bauer, Mia (9a)".
    pub fn labelled(self, text: usize) -> String {
        let label = self.with(|texts| texts.source(text).map(|source| source.about.label.clone())).flatten();
        match label.filter(|label| !label.is_empty()) {
            Some(label) => tr!("{name} ({label})", name = self.name(text), label = label),
            None => self.name(text),
        }
    }

    /// Returns the threshold in words.
    pub fn threshold_says(self) -> String {
        sentences::threshold_says(self.threshold.get(), self.costs.get())
    }

    /// Returns the length of the bar of a pair, from 0 to 1: its similarity, or the place of its points among those of all
    /// pairs.
    pub fn bar_of(self, a: usize, b: usize) -> f64 {
        let points = self.with(|texts| texts.points(a, b).rounded_down() as i32).filter(|_| self.measure.get() == Measure::Points);
        let place = points.and_then(|points| self.histogram.with(|histogram| histogram.as_ref().map(|histogram| histogram.place(points))));
        place.or_else(|| self.with(|texts| texts.similarity(a, b))).unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// Returns the two nearest texts.
    fn nearest_two(self) -> Option<(usize, usize)> {
        self.neighbours.with(|all| {
            let near = all.iter().enumerate().filter_map(|(text, nearest)| Some((text, nearest[0]?)));
            let best = near.reduce(|best, next| if next.1.nearness > best.1.nearness { next } else { best })?;
            Some((best.0.min(best.1.text), best.0.max(best.1.text)))
        })
    }

    /// Returns the chosen pair, or the two nearest texts.
    pub fn chosen(self) -> Option<(usize, usize)> {
        let place = self.page.view.with(|view| view.chosen);
        place.and_then(|place| self.with(|texts| texts.pair_at(place)).flatten()).or_else(|| self.nearest_two())
    }

    /// Chooses a pair of texts. Those of two collections may be in any order.
    pub fn choose(self, (a, b): (usize, usize)) {
        let pair = if self.is_two.get_untracked() { (a.min(b), a.max(b)) } else { (a, b) };
        let place = self.page.answer.with_untracked(|texts| texts.as_deref().map(|texts| texts.place_of(pair)));
        self.page.look(|view| view.chosen = place);
    }

    fn headline(self) -> Option<CollectionHeadline> {
        if self.is_two.get() {
            return self.assigned.with(|assigned| self.with(|texts| sentences::assigned_headline(texts, assigned, self.threshold.get())));
        }
        let nearest = self.nearest_two();
        self.groups
            .with(|groups| self.with(|texts| sentences::headline(texts, groups, self.threshold.get(), nearest, &|text| self.name(text))))
    }
}

/// Renders the answer.
#[component]
pub fn AnswerView() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let tab = Memo::new(move |_| state.page.view.with(|view| view.tab));
    report::follow_print(state);
    let headline = Memo::new(move |_| state.headline());
    let announced = RwSignal::new(String::new());
    let turns = RequestCounter::new();
    Effect::new(move |_| {
        let Some(headline) = headline.get() else { return };
        spawn_local(async move {
            if turns.debounce(ANNOUNCE_DELAY_MS).await.is_some() {
                announced.try_set(format!("{} {}", headline.number, headline.says));
            }
        });
    });
    let choose = move |chosen: Tab| state.page.look(|view| view.tab = chosen);
    let tabs = [(Tab::Overview, t("Overview")), (Tab::Pairs, t("Pairs"))].map(|(of, name)| {
        let is_chosen = move || if tab.get() == of { "true" } else { "false" };
        view! {
            <button type="button" aria-pressed=is_chosen on:click=move |_| choose(of)>
                {name}
            </button>
        }
    });
    let says = move |part: fn(CollectionHeadline) -> String| move || headline.get().map(part);
    view! {
        <section aria-label=t("Answer") data-part="answer">
            {move || state.is_report.get().then(|| view! { <ReportHead /> })}
            <p class="vh" aria-live="polite" data-live="">{move || announced.get()}</p>
            <div class="row apart headline-row">
                <div class="answer">
                    <output class="big">{says(|headline| headline.number)}</output>
                    <p class="say">
                        {says(|headline| headline.says)}
                        <span>{says(|headline| headline.formula)}</span>
                    </p>
                </div>
                <div class="seg projector-off" role="group" aria-label=t("View")>
                    {tabs}
                </div>
            </div>
        </section>
        {move || match tab.get() {
            Tab::Overview => view! { <Overview /> }.into_any(),
            Tab::Pairs => view! { <PairTable /> }.into_any(),
        }}
        <SaveMenu />
    }
}

#[component]
fn Overview() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    view! {
        <div class="overview">
            <Histogram />
            {move || if state.is_two.get() { view! { <TwoSides /> }.into_any() } else { view! { <OneSide /> }.into_any() }}
            {move || state.is_report.get().then(|| view! { <AlikePairs /> })}
            <TimeLines />
            <Neighbours />
        </div>
    }
}

/// Renders the map of a collection with the chosen pair and the groups.
#[component]
fn OneSide() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="map-title">
            <div class="split">
                <HeatMap />
                <aside class="stack loose found" aria-label=t("Chosen pair and groups")>
                    <ChosenPair />
                    <Groups />
                </aside>
            </div>
        </section>
    }
}

/// Renders the texts of the second collection by their nearest text, and the map.
#[component]
fn TwoSides() -> impl IntoView {
    view! {
        <AssignedTexts />
        <section class="section" aria-labelledby="map-title">
            <StripMap />
            <ChosenPair />
        </section>
    }
}
