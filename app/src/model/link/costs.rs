//! Costs of edits in an address: `costs=osa` for the costs of a [`CostPreset`], otherwise the numbers that differ from
//! Levenshtein, as in `substitute=3&swap=2`. An address may also change a preset, as in `costs=osa&swap=none`.

use kernels::job::EditCosts;

use crate::model::form::costs::CostPreset;

/// Names of the costs in addresses.
pub const NAMES: [&str; 5] = ["costs", "substitute", "insert", "delete", "swap"];

/// Value of `swap` for costs without transpositions.
const NO_SWAP: &str = "none";

/// Lists `name=value` for `costs`. Empty for Levenshtein.
pub fn write(costs: EditCosts) -> Vec<String> {
    let usual = EditCosts::LEVENSHTEIN;
    match CostPreset::of(costs) {
        Some(CostPreset::Levenshtein) => Vec::new(),
        Some(preset) => vec![format!("costs={}", preset.name())],
        None => [
            ("substitute", Some(costs.substitute), Some(usual.substitute)),
            ("insert", Some(costs.insert), Some(usual.insert)),
            ("delete", Some(costs.delete), Some(usual.delete)),
            ("swap", costs.transpose, usual.transpose),
        ]
        .into_iter()
        .filter(|(_, cost, usual)| cost != usual)
        .filter_map(|(name, cost, _)| cost.map(|cost| format!("{name}={cost}")))
        .collect(),
    }
}

/// Parses the costs in `fragment`. The preset applies before the numbers, wherever it stands.
///
/// # Errors
/// Returns the name and the value of a part whose preset is unknown, or whose number is not a whole number up to
/// [`EditCosts::MAX`].
pub fn read(fragment: &str) -> Result<EditCosts, (&str, &str)> {
    let parts = || fragment.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
    let mut costs = EditCosts::LEVENSHTEIN;
    for (name, value) in parts().filter(|(name, _)| *name == "costs") {
        costs = CostPreset::of_name(value).ok_or((name, value))?.costs();
    }
    for (name, value) in parts() {
        let number = || {
            let cost = value.parse().ok().filter(|cost| *cost <= EditCosts::MAX);
            cost.ok_or((name, value))
        };
        match name {
            "substitute" => costs.substitute = number()?,
            "insert" => costs.insert = number()?,
            "delete" => costs.delete = number()?,
            "swap" => costs.transpose = if value == NO_SWAP { None } else { Some(number()?) },
            _ => {}
        }
    }
    Ok(costs)
}
