//! The state of the list of hits ([`HitList`]): the loaded hits, the current one, and requests for more. The entries of
//! the list are groups ([`HitGroup`]): hits whose ends are adjacent, or single hits. The visitor sees groups as
//! *places*.
//!
//! For a short text, all hits are loaded and paged in this browser. For a long one, a page of hits is loaded at a time,
//! with the surrounding text.

use explain::hit_page::HitPage;
use explain::worker_protocol::query::HitPageQuery;
use kernels::alignment::AlignmentSummary;
use kernels::found::Hit;
use kernels::strand::Strand;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::HitsViewParts;
use crate::backend::latest::RequestCounter;
use crate::backend::sleep;
use crate::model::form::records::ReadingReport;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::location::ResultLocation;
use crate::model::search::hit_groups::{HitGroup, HitGrouping, groups};
use crate::model::text::humanize;
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};
use crate::tr;

/// Number of groups of hits on a page of the list.
pub const PAGE: u64 = 20;

/// Number of hits fetched for a page of the list if hits with adjacent ends are grouped.
const FETCHED_ENDS: u64 = 60;

/// Maximum number of symbols of a text that is shown as a whole, and whose hits are all loaded.
const MAX_WHOLE_SYMBOLS: u64 = 2_000;

/// Number of hits per request if all hits are loaded.
const HITS_PER_REQUEST: u64 = 1_000;

/// Number of symbols shown before and after a hit of a text that is not shown as a whole.
const AROUND: u64 = 30;

/// The hit whose alignment is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedHit {
    pub number: u64,
    /// Location of the hit's alignment.
    pub location: ResultLocation,
    /// Summary of the hit's alignment.
    pub summary: AlignmentSummary,
    /// Strand of the hit, if both were searched.
    pub strand: Option<Strand>,
}

/// State of a list of hits: loaded hits, current page, current and opened hit. Copies share one state.
#[derive(Clone, Copy)]
pub struct HitList {
    page: Page,
    location: StoredValue<ResultLocation>,
    total: u64,
    /// Whether the whole text and all hits are loaded, because the text is short.
    pub whole: bool,
    /// The parts of the view that depend on the task.
    pub look: HitsViewParts,
    /// The report on reading the text, with its records, if the text was searched record by record.
    records: StoredValue<Option<ReadingReport>>,
    /// Whether both strands were searched.
    strands: bool,
    /// Number of the first entry on the current page: the number of a group if all hits are loaded, otherwise of a hit.
    pub first: RwSignal<u64>,
    /// The loaded hits, with the text around them.
    pub hit_page: RwSignal<HitPage>,
    /// The groups that the loaded hits form. A group is a run of hits with adjacent ends, or a single hit.
    pub groups: RwSignal<Vec<HitGroup>>,
    /// Number of the current group: its number among all groups if all hits are loaded, otherwise the number of its
    /// best hit.
    pub current: RwSignal<Option<u64>>,
    /// The group to select when the requested page is loaded: `Some(true)` is the last group of the page, `Some(false)`
    /// the first, `None` no group.
    arriving: StoredValue<Option<bool>>,
    /// The hit whose alignment is shown below the list.
    pub opened: RwSignal<Option<OpenedHit>>,
    checked: RwSignal<CheckOutcome>,
    /// Called with a group when the visitor presses it. Without this callback, a press opens the alignment of the
    /// group's best hit.
    pressed: StoredValue<Option<Callback<HitGroup>>>,
    /// Counter of requests to open a hit, so that only the latest one has an effect.
    open_requests: RequestCounter,
}

impl HitList {
    /// Creates the list for the result `shown` with `total` hits. `look` has the parts of the view that depend on the
    /// task. Fetches the current page (of a short text, all hits), unless the visitor requested only the number of
    /// hits. `checked` receives the outcome of the verification of an opened hit.
    pub fn new(shown: &ShownResult, total: u64, look: HitsViewParts, checked: RwSignal<CheckOutcome>) -> Self {
        let total = if shown.form.job_options().count_only { 0 } else { total };
        let page = expect_context::<Page>();
        let list = Self {
            page,
            location: StoredValue::new(shown.location.clone()),
            total,
            whole: look.verse && shown.symbols.1 <= MAX_WHOLE_SYMBOLS,
            look,
            records: StoredValue::new(shown.records()),
            strands: !shown.form.job_options().strands.is_forward(),
            first: page.stored_setting(SettingLifetime::WithTexts, "hits-first", 0, |first| if first < total { first } else { 0 }),
            hit_page: RwSignal::new(HitPage::default()),
            groups: RwSignal::new(Vec::new()),
            current: RwSignal::new(None),
            arriving: StoredValue::new(None),
            opened: RwSignal::new(None),
            checked,
            pressed: StoredValue::new(None),
            open_requests: RequestCounter::new(),
        };
        if list.has_entries() {
            list.begin();
        }
        list
    }

    /// Returns this list with the callback `pressed`: a press on a group calls it, and opens no alignment.
    pub fn telling(self, pressed: Callback<HitGroup>) -> Self {
        self.pressed.set_value(Some(pressed));
        self
    }

    /// Returns whether both strands were searched.
    pub fn has_strands(self) -> bool {
        self.strands
    }

    /// Returns whether the text was searched record by record.
    pub fn has_records(self) -> bool {
        self.records.with_value(Option::is_some)
    }

    /// Returns the name of the record that contains `hit`, or an empty text if the text was not searched record by
    /// record.
    pub fn record_name(self, hit: &Hit) -> String {
        let name = |told: &ReadingReport| hit.record.map(|record| told.name(record.number));
        self.records.with_value(|told| told.as_ref().and_then(name)).unwrap_or_default()
    }

    /// Returns whether the list has entries.
    pub fn has_entries(self) -> bool {
        self.total > 0
    }

    /// Fetches all hits of a short text, or else the current page, now and whenever another page becomes the current
    /// one.
    fn begin(self) {
        if self.whole {
            spawn_local(async move {
                self.fetch_all().await;
            });
            return;
        }
        Effect::new(move |_| {
            let from = self.first.get();
            spawn_local(async move {
                self.fetch(from).await;
            });
        });
    }

    /// Fetches all hits in several requests. The first response contains the whole text.
    async fn fetch_all(self) {
        let at = self.location.get_value();
        let mut all = HitPage::default();
        while (all.hits.len() as u64) < self.total {
            let from = all.hits.len() as u64;
            let context = if from == 0 { MAX_WHOLE_SYMBOLS } else { 0 };
            match at.query(HitPageQuery { from, len: HITS_PER_REQUEST, context }).await {
                Ok(seen) if seen.hits.is_empty() => break,
                Ok(seen) if from == 0 => all = seen,
                Ok(seen) => {
                    all.hits.extend(seen.hits);
                    all.cigars.extend(seen.cigars);
                    if all.reverse_pattern.is_empty() {
                        all.reverse_pattern = seen.reverse_pattern;
                    }
                }
                Err(problem) => return drop(self.page.problem.try_set(Some(problem))),
            }
        }
        self.take(0, all);
    }

    /// Fetches the page of hits that begins with hit number `from`.
    async fn fetch(self, from: u64) {
        let context = if self.look.verse { AROUND } else { 0 };
        match self.location.get_value().query(HitPageQuery { from, len: self.page_len(), context }).await {
            Ok(seen) if self.first.try_get_untracked() == Some(from) => self.take(from, seen),
            Ok(_) => {}
            Err(problem) => drop(self.page.problem.try_set(Some(problem))),
        }
    }

    fn take(self, from: u64, seen: HitPage) {
        let groups = groups(from, &seen.hits, self.look.together);
        let arriving = self.arriving.try_get_value().flatten();
        let arrived = arriving.and_then(|last| if last { groups.last() } else { groups.first() }.copied());
        self.groups.try_set(groups);
        self.hit_page.try_set(seen);
        // The current page of the previous result may be beyond the last page of this result.
        if self.whole && self.first.try_get_untracked().is_some_and(|first| first >= untrack(|| self.all())) {
            self.first.try_set(0);
        }
        if let Some(group) = arrived {
            self.arriving.set_value(None);
            self.look_at(group.number);
        }
    }

    /// Returns the number of entries per page. The entries are hits if only a page is loaded and hits are grouped,
    /// otherwise groups.
    pub fn page_len(self) -> u64 {
        match self.look.together {
            HitGrouping::Neighbours if !self.whole => FETCHED_ENDS,
            HitGrouping::Neighbours | HitGrouping::Each => PAGE,
        }
    }

    /// Returns the number of entries of the list: groups if all hits are loaded, otherwise hits.
    pub fn all(self) -> u64 {
        if self.whole { self.groups.with(Vec::len) as u64 } else { self.total }
    }

    /// Formats the number of entries in the list, such as "3 places" or "1,200 end positions".
    pub fn places_in_words(self) -> String {
        match self.look.together {
            HitGrouping::Neighbours if !self.whole => humanize::count(self.total, "end position", "end positions"),
            HitGrouping::Neighbours | HitGrouping::Each => humanize::count(self.all(), "place", "places"),
        }
    }

    /// Formats the numbers of hits and groups, such as "9 end positions in 3 places; the best in each is marked."
    /// Returns an empty text if the groups are unknown or are single hits.
    pub fn ends_in_words(self) -> String {
        match self.look.together {
            HitGrouping::Neighbours if self.whole && self.all() > 0 => {
                let (ends, places) = (humanize::count(self.total, "end position", "end positions"), self.places_in_words());
                tr!("{ends} in {places}; the best in each is marked.", ends = ends, places = places)
            }
            HitGrouping::Neighbours | HitGrouping::Each => String::new(),
        }
    }

    /// Returns the groups on the current page.
    pub fn on_page(self) -> Vec<HitGroup> {
        let first = if self.whole { self.first.get() as usize } else { 0 };
        let len = if self.whole { PAGE as usize } else { usize::MAX };
        self.groups.with(|groups| groups.iter().skip(first).take(len).copied().collect())
    }

    /// Shows the page that contains entry `number` of the list.
    pub fn go_to(self, number: u64) {
        let len = self.page_len();
        self.first.set(number.min(self.all().saturating_sub(1)) / len * len);
    }

    /// Selects the group `by` groups after the current one, or before it if `by` is negative. Selects the first group
    /// of the page if there is no current one. Loads another page if the new group is beyond this page.
    pub fn step(self, by: i64) {
        let at = self.current.get_untracked();
        let groups = self.groups.get_untracked();
        let here = at.and_then(|at| groups.iter().position(|group| self.name(group, &groups) == at));
        let next = match here {
            Some(here) => here as i64 + by,
            None => 0,
        };
        match usize::try_from(next).ok().and_then(|next| groups.get(next)) {
            Some(group) => self.look_at(group.number),
            None if self.whole => {}
            None => {
                let first = self.first.get_untracked();
                let to = if by < 0 { first.checked_sub(self.page_len()) } else { Some(first + self.page_len()) };
                if let Some(to) = to.filter(|to| *to < self.total) {
                    self.arriving.set_value(Some(by < 0));
                    self.first.set(to);
                }
            }
        }
    }

    /// Returns the number of `group`: its index in `groups` if all hits are loaded, otherwise the number of its best
    /// hit.
    fn name(self, group: &HitGroup, groups: &[HitGroup]) -> u64 {
        if !self.whole {
            return group.number;
        }
        groups.iter().position(|other| other.number == group.number).unwrap_or_default() as u64
    }

    /// Selects the group whose best hit has this `number` among all hits, and scrolls to it in the text and in the
    /// list.
    pub fn look_at(self, number: u64) {
        let groups = self.groups.get_untracked();
        let Some(group) = groups.iter().find(|group| group.number == number) else { return };
        let name = self.name(group, &groups);
        self.current.set(Some(name));
        if self.whole {
            self.go_to(name);
        }
        spawn_local(async move {
            sleep(0).await;
            show_element(&format!("hit-{number}"));
        });
    }

    /// Returns whether the hit with this `number` is the best hit of the current group.
    pub fn is_current(self, number: u64) -> bool {
        let current = self.current.get();
        current.is_some()
            && self.groups.with(|groups| match self.whole {
                true => current.and_then(|at| groups.get(at as usize)).is_some_and(|group| group.number == number),
                false => current == Some(number),
            })
    }

    /// Opens the alignment of the best hit of `group` and scrolls to it. If there is a callback of
    /// [`HitList::telling`], calls it instead.
    pub fn open(self, group: HitGroup) {
        let (number, hit) = (group.number, group.best);
        if let Some(pressed) = self.pressed.get_value() {
            self.look_at(number);
            return pressed.run(group);
        }
        let (at, turn) = (self.location.get_value(), self.open_requests.begin());
        self.look_at(number);
        spawn_local(async move {
            match at.open(number, hit).await {
                // Another hit was pressed meanwhile.
                _ if !turn.is_last() => {}
                Ok((at, summary)) => {
                    self.checked.try_set(if at.is_here() { CheckOutcome::Walked } else { CheckOutcome::Added });
                    self.opened.try_set(Some(OpenedHit { number, location: at, summary, strand: hit.strand }));
                    sleep(0).await;
                    show_element("alignment-title");
                }
                Err(problem) => drop(self.page.problem.try_set(Some(problem))),
            }
        });
    }
}

/// Scrolls to the element with the id `id` unless it is visible.
pub fn show_element(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    let place = element.get_bounding_client_rect();
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    if place.top() < 0.0 || place.bottom() > height {
        element.scroll_into_view();
    }
}
