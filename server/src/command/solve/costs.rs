//! Costs of edits on the command line: `--set costs=NAME` chooses a preset, and `--set costs.KIND=K` sets the cost of
//! one kind of edit.

use kernels::job::EditCosts;
use serde_json::{Map, Value, json};

use super::join_members;

/// Joins single costs in `options`, the member of a request of the API, to one object. A single cost changes the preset.
///
/// # Errors
/// Returns an error if `costs` is neither the name of a preset nor an object.
pub(super) fn join_costs(options: &mut Map<String, Value>) -> anyhow::Result<()> {
    join_members(options, "costs", preset)
}

/// Returns the costs of the preset `name`.
fn preset(name: &Value) -> anyhow::Result<Map<String, Value>> {
    let Some((_, costs)) = EditCosts::PRESETS.into_iter().find(|(known, _)| name == known) else {
        let names = EditCosts::PRESETS.map(|(name, _)| name).join(", ");
        anyhow::bail!("--set: There are no costs {name}. Choose one of: {names}; or set single costs, such as costs.substitute=2.");
    };
    let EditCosts { substitute, insert, delete, transpose } = costs;
    let members = json!({ "substitute": substitute, "insert": insert, "delete": delete, "transpose": transpose });
    Ok(members.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the costs of these arguments of `--set`.
    fn costs(given: &[&str]) -> anyhow::Result<EditCosts> {
        let mut options = given.iter().map(|given| crate::command::solve::option(given).unwrap()).collect();
        join_costs(&mut options)?;
        Ok(serde_json::from_value(options.remove("costs").unwrap_or_else(|| json!({})))?)
    }

    #[test]
    fn presets_and_single_costs_are_combined_in_any_order() {
        let osa = EditCosts::OSA;
        for (given, expected) in [
            (&["unit=words"][..], EditCosts::LEVENSHTEIN),
            (&["costs=levenshtein"], EditCosts::LEVENSHTEIN),
            (&["costs=indel"], EditCosts::INDEL),
            (&["costs=osa", "unit=words"], osa),
            (&["costs.substitute=2"], EditCosts::INDEL),
            (&["costs=osa", "costs.insert=3"], EditCosts { insert: 3, ..osa }),
            (&["costs.insert=3", "costs=osa", "costs.insert=4"], EditCosts { insert: 4, ..osa }),
            (&["costs=osa", "costs.transpose=null"], EditCosts::LEVENSHTEIN),
            (&["costs={\"delete\": 5}", "costs.transpose=0"], EditCosts { delete: 5, transpose: Some(0), ..EditCosts::LEVENSHTEIN }),
        ] {
            assert_eq!(costs(given).unwrap(), expected, "{given:?}");
        }
        let refused = costs(&["costs=OSA"]).unwrap_err().to_string();
        assert!(refused.starts_with("--set: There are no costs \"OSA\". Choose one of: levenshtein, indel, osa;"), "{refused}");
        assert!(costs(&["costs=2"]).is_err() && costs(&["costs.swap=2"]).is_err());
    }
}
