//! Costs of the edits in the form: the named ones ([`CostPreset`]), and their relation to the methods of papers, which
//! count every edit as 1. Costs and such a method exclude each other, so that the one chosen last resets the other.
//! Ambiguity codes exclude methods, exchanges and matrices in the same way.

use kernels::job::{EditCosts, JobOptions, PaperMethod, Task};

use crate::model::text::humanize::grouped;
use crate::tr;

/// Costs that have a name, in the order of [`EditCosts::PRESETS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostPreset {
    Levenshtein,
    Indel,
    Osa,
}

impl CostPreset {
    /// All presets, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Levenshtein, Self::Indel, Self::Osa];

    /// Returns the name in addresses.
    pub fn name(self) -> &'static str {
        EditCosts::PRESETS[self as usize].0
    }

    pub fn costs(self) -> EditCosts {
        EditCosts::PRESETS[self as usize].1
    }

    /// Returns the preset called `name`, or `None` if no preset has that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the preset with exactly these costs, if any.
    pub fn of(costs: EditCosts) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.costs() == costs)
    }
}

/// Returns whether the least sum of `costs` is the least number of edits.
pub fn counts_edits(costs: EditCosts) -> bool {
    matches!(costs, EditCosts { substitute: 1, insert: 1, delete: 1, transpose: None | Some(1) })
}

/// Returns the costs in words, with text between asterisks in bold.
pub fn said(costs: EditCosts) -> String {
    let EditCosts { substitute, insert, delete, transpose } = costs;
    let [substitute, insert, delete] = [substitute, insert, delete].map(|cost| grouped(u64::from(cost)));
    match transpose.map(|cost| grouped(u64::from(cost))) {
        None => tr!(
            "*Costs:* substitute {substitute}, insert {insert}, delete {delete}",
            substitute = substitute,
            insert = insert,
            delete = delete
        ),
        Some(swap) => tr!(
            "*Costs:* substitute {substitute}, insert {insert}, delete {delete}, swap {swap}",
            substitute = substitute,
            insert = insert,
            delete = delete,
            swap = swap
        ),
    }
}

/// Returns whether `options` have both a method that solves edit distance and costs that no method has.
pub fn has_conflict(options: &JobOptions) -> bool {
    let is_of_task = |method| PaperMethod::for_task(Task::EditDistance).contains(&method);
    !options.costs.is_levenshtein() && options.method.is_some_and(is_of_task)
}

/// Sets the costs, and resets a method that does not have them. Exchanges reset ambiguity codes.
pub fn set_costs(options: &mut JobOptions, costs: EditCosts) {
    options.costs = costs;
    options.ambiguity &= costs.transpose.is_none();
    if has_conflict(options) {
        options.method = None;
    }
}

/// Sets whether letters stand for sets of bases. If they do, resets the method, exchanges and the matrix of points, because
/// none of them has ambiguity codes.
pub fn set_ambiguity(options: &mut JobOptions, ambiguity: bool) {
    options.ambiguity = ambiguity;
    if ambiguity {
        options.method = None;
        options.blocks = None;
        options.costs.transpose = None;
        options.matrix = None;
    }
}

/// Returns the option that excludes ambiguity codes, with its name in addresses, if `options` have both.
pub fn excludes_ambiguity(options: &JobOptions) -> Option<&'static str> {
    let all = [("method", options.method.is_some()), ("swap", options.costs.transpose.is_some()), ("matrix", options.matrix.is_some())];
    all.into_iter().find(|(_, is_set)| options.ambiguity && *is_set).map(|(name, _)| name)
}

/// Sets the method, or the default algorithm if `method` is `None`. Resets costs and ambiguity codes if the method does not
/// have them, and the number of slices if the method has none.
pub fn set_method(options: &mut JobOptions, method: Option<PaperMethod>) {
    options.method = method;
    options.ambiguity = options.ambiguity && method.is_none();
    options.blocks = options.blocks.filter(|_| method == Some(PaperMethod::Slices));
    if has_conflict(options) {
        options.costs = EditCosts::LEVENSHTEIN;
    }
}
