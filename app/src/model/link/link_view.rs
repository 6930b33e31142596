//! The view of a result: the selected tab, and details such as the step of the matrix ([`LinkView`]). The view is in
//! the address, so that a link opens the page in the same state.

use explain::lens::LensName;
use explain::matrix::MAX_MATRIX_SYMBOLS as MOST_OF_MATRIX;
use kernels::job::{JobOptions, Task};

use crate::model::link::percent::{decode, encode};
use crate::model::task::TaskDescription;
use crate::tr::t;

/// A tab of a result: one of the ways to show the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The main view of the answer: the alignment, the hits or the profile.
    #[default]
    Found,
    /// The cells of the matrix, for short texts.
    Matrix,
    /// The dot plot, with a dot where both texts have the same word.
    Dots,
    /// The measurements of the run.
    Metrics,
}

impl Tab {
    /// All tabs, in the order in which the page shows them.
    pub const ALL: [Self; 4] = [Self::Found, Self::Matrix, Self::Dots, Self::Metrics];

    /// Returns the name of the tab in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Matrix => "matrix",
            Self::Dots => "dots",
            Self::Metrics => "metrics",
        }
    }

    /// Returns the label of the tab for the result of `task`.
    pub fn title(self, task: Task) -> &'static str {
        match self {
            Self::Found => TaskDescription::of(task).found(),
            Self::Matrix => t("Matrix"),
            Self::Dots => t("Dot plot"),
            Self::Metrics => t("Metrics"),
        }
    }

    /// Returns whether the tab can show the result of `task` for texts of `a` and `b` symbols.
    pub fn suits(self, task: Task, (a, b): (u64, u64)) -> bool {
        match self {
            Self::Found | Self::Metrics => true,
            Self::Matrix => a.max(b) <= MOST_OF_MATRIX as u64,
            Self::Dots => TaskDescription::of(task).has_dots && a.min(b) > 0,
        }
    }
}

/// Names, in addresses, of the details (settings) of lenses, of the matrix, of the dot plot, of the window of a
/// profile, and of the print sheet.
const DETAILS: [&str; 16] =
    ["lens", "with", "order", "step", "steps", "cell", "arrows", "k", "ask", "seed", "answers", "window", "word", "way", "fill", "key"];

/// Names, in addresses, of further details: the number of the first position, the filter of the matches that a dot plot
/// lists, the colours of residues, and the line of points below an alignment.
const CHOICES: [&str; 5] = [crate::model::preferences::POSITIONS, "shortest", "strand", "colours", "points"];

fn is_detail(name: &str) -> bool {
    DETAILS.contains(&name) || CHOICES.contains(&name)
}

/// Names by which an address configures an embedded frame. They do not affect the view of a result.
const OF_FRAMES: [&str; 2] = ["texts", "controls"];

/// Name, in an address, of projector mode, which has large type and few controls.
const PROJECTOR: &str = "projector";

/// Names of details that are positions in one particular result. These details are removed when another result follows.
const PLACES: [&str; 6] = ["step", "steps", "cell", "k", "answers", "window"];

/// Maximum size of the value of a detail, in bytes.
const MAX_DETAIL_BYTES: usize = 200;

/// A view of a result: the tab and its details, such as the step of the matrix or the window of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    pub tab: Tab,
    /// Whether projector mode is on, which has large type and few controls.
    pub projector: bool,
    details: Vec<(String, String)>,
}

impl LinkView {
    /// Creates the initial view of the tab `facet` of a result.
    pub fn from_tab(facet: Tab) -> Self {
        Self { tab: facet, ..Self::default() }
    }

    /// Returns whether this is the initial view of a result, with or without projector mode.
    pub fn is_first(&self) -> bool {
        self.tab == Tab::default() && self.details.is_empty()
    }

    /// Returns this view with projector mode on or off.
    #[must_use]
    pub fn on_projector(self, projector: bool) -> Self {
        Self { projector, ..self }
    }

    /// Returns a view with the same tab, lens and fill order, but without other details, so that its address is short
    /// enough to type.
    #[must_use]
    pub fn in_short(&self) -> Self {
        let mut short = Self::from_tab(self.tab);
        for name in ["lens", "order"] {
            short.set_detail(name, self.detail(name).map(str::to_owned));
        }
        short
    }

    /// Returns the lens (a method shown step by step) that the view shows instead of the matrix. Returns `None` if the
    /// view shows none, or if `task` with `options` does not have this lens.
    pub fn lens(&self, task: Task, options: &JobOptions) -> Option<LensName> {
        if options.ambiguity {
            return None;
        }
        crate::model::lens::parse_lens(self.detail("lens")?, task, options.costs, &options.scoring())
    }

    /// Returns whether the answer must stay hidden: if the view shows a lens, an earlier step or a question, because
    /// the answer would reveal the rest of it.
    pub fn hides_answer(&self) -> bool {
        self.tab == Tab::Matrix && ["lens", "step", "ask"].into_iter().any(|name| self.detail(name).is_some())
    }

    /// Returns the first and the last step that the visitor may reach, or `None` if the view does not limit the steps.
    pub fn steps(&self) -> Option<(usize, usize)> {
        range(self.detail("steps")?)
    }

    /// Returns the value of the detail called `name`.
    pub fn detail(&self, name: &str) -> Option<&str> {
        self.details.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets the value of the detail called `name`; `None` removes the detail. The name must not be one that a form uses
    /// in addresses, such as `unit`, because both are in one fragment.
    pub fn set_detail(&mut self, name: &str, value: Option<String>) {
        self.details.retain(|(known, _)| known != name);
        self.details.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Removes the positions in a result, because a new result follows. The other details stay.
    pub fn leave_result(&mut self) {
        PLACES.into_iter().for_each(|place| self.set_detail(place, None));
    }

    /// Returns whether `name` in a fragment belongs to the view of a result or configures an embedded frame.
    pub fn knows(name: &str) -> bool {
        name == "view" || name == PROJECTOR || is_detail(name) || OF_FRAMES.contains(&name)
    }

    /// Lists the `name=value` parts of a fragment for this view, beginning with `view=metrics` or similar. The list is
    /// empty for the default view.
    pub fn write(&self) -> Vec<String> {
        let facet = (self.tab != Tab::default()).then(|| format!("view={}", self.tab.name()));
        let details = self.details.iter().map(|(name, value)| format!("{name}={}", encode(value)));
        let projector = self.projector.then(|| PROJECTOR.to_owned());
        facet.into_iter().chain(details).chain(projector).collect()
    }

    /// Parses the view in a fragment (without its `#`). Names that do not belong to a view are ignored.
    pub fn read(fragment: &str) -> Self {
        let mut look = Self::default();
        for (name, value) in fragment.split('&').map(|part| part.split_once('=').unwrap_or((part, ""))) {
            if name == PROJECTOR {
                look.projector = true;
            } else if name == "view" {
                look.tab = Tab::ALL.into_iter().find(|facet| facet.name() == value).unwrap_or_default();
            } else if is_detail(name) && !value.is_empty() && value.len() <= MAX_DETAIL_BYTES {
                look.set_detail(name, Some(decode(value)));
            }
        }
        look
    }
}

/// Parses a range such as `3-9`. Returns `None` if the text is malformed, or if the first number is not smaller than
/// the second.
pub fn range(text: &str) -> Option<(usize, usize)> {
    let (from, to) = text.split_once('-')?;
    let range = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (range.0 < range.1).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_steps_is_parsed() {
        assert_eq!(LinkView::read("view=matrix&steps=3-9").steps(), Some((3, 9)));
        for wrong in ["steps=9-3", "steps=3-3", "steps=3", "steps=-3", "steps=a-b", "step=3"] {
            assert_eq!(LinkView::read(wrong).steps(), None, "{wrong}");
        }
    }

    #[test]
    fn view_is_restored_from_its_address() {
        let mut look = LinkView { tab: Tab::Metrics, ..LinkView::default() };
        look.set_detail("step", Some("12".into()));
        look.set_detail("cell", Some("3, 5".into()));
        let fragment = look.write().join("&");
        assert_eq!(fragment, "view=metrics&step=12&cell=3,+5");
        assert_eq!(LinkView::read(&format!("a=x&b=y&unit=bytes&max_distance=2&{fragment}")), look);
        look.set_detail("step", None);
        assert_eq!(look.detail("step"), None);
    }

    #[test]
    fn invalid_view_is_the_default_and_is_not_written() {
        assert_eq!(LinkView::read("view=tea&count_only"), LinkView::default());
        assert!(LinkView::default().write().is_empty());
        // The configuration of a frame is not part of the view, because the page would write it into all its links.
        assert_eq!(LinkView::read("controls=off&texts=1&utm_source=chat"), LinkView::default());
        assert_eq!(LinkView::read("step&order=row&step"), LinkView::read("order=row"));
        assert_eq!(LinkView::read(&format!("window={}", "1".repeat(MAX_DETAIL_BYTES + 1))), LinkView::default());
    }

    #[test]
    fn short_address_leads_to_the_same_method() {
        let look = LinkView::read("view=matrix&lens=kmp&with=5&step=8&ask=on&projector");
        assert_eq!(look.in_short(), LinkView::read("view=matrix&lens=kmp"));
        assert_eq!(LinkView::read("view=matrix&order=diag&cell=1,2").in_short(), LinkView::read("view=matrix&order=diag"));
    }

    #[test]
    fn projector_mode_is_in_the_link() {
        let look = LinkView::read("view=matrix&order=diag&step=8&projector");
        assert!(look.projector);
        assert_eq!(look.write().join("&"), "view=matrix&order=diag&step=8&projector");
        assert!(!LinkView::read("view=matrix").projector);
    }

    #[test]
    fn every_stored_parameter_name_is_known() {
        let names = crate::model::matrix::BoardView::NAMES
            .into_iter()
            .chain(crate::model::dots::NAMES)
            .chain(["lens", "with"])
            .chain(crate::model::lens::quiz::NAMES);
        assert!(names.chain(["fill", "key", "view", "projector", "colours", "points"]).all(LinkView::knows));
        assert!(!LinkView::knows("gap_costs"));
    }

    #[test]
    fn positions_of_a_result_are_dropped_with_the_result() {
        let mut look = LinkView::read("view=matrix&order=column&step=3&steps=1-5&cell=1,2&k=2&window=0-9");
        look.leave_result();
        assert_eq!(look, LinkView::read("view=matrix&order=column"));
    }

    #[test]
    fn tabs_are_offered_for_the_texts_that_they_can_show() {
        let suits = |facet: Tab, task, symbols| facet.suits(task, symbols);
        assert!(suits(Tab::Matrix, Task::MatchCount, (2_000, 9)) && !suits(Tab::Matrix, Task::Lcs, (2_001, 9)));
        assert!(suits(Tab::Dots, Task::Lcs, (5_000_000, 9)) && !suits(Tab::Dots, Task::EditDistance, (0, 9)));
        assert!(suits(Tab::Dots, Task::ApproximateSearch, (9, 9)) && !suits(Tab::Dots, Task::ExactSearch, (9, 9)));
        assert!(!suits(Tab::Dots, Task::MatchCount, (9, 9)) && suits(Tab::Metrics, Task::ExactSearch, (0, 0)));
    }
}
