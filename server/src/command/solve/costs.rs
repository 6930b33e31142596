//! Costs of edits on the command line: `--set costs=NAME` chooses a preset, and `--set costs.KIND=K` sets the cost of
//! one kind of edit.

use kernels::job::EditCosts;
use serde_json::{Map, Value, json};

/// Returns the member `options` of a request of the API, made of the options of `--set` and their values. Of an option
/// that is given twice, the last value counts. A single cost changes the preset, whatever their order.
///
/// # Errors
/// Returns an error if `costs` is neither the name of a preset nor an object.
pub(super) fn with_costs(given: &[(String, Value)]) -> anyhow::Result<Map<String, Value>> {
    let (single, other): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|(name, _)| name.starts_with("costs."));
    let mut options: Map<String, Value> = other.into_iter().collect();
    let mut costs = match options.remove("costs") {
        None if single.is_empty() => return Ok(options),
        None => Map::new(),
        Some(Value::Object(costs)) => costs,
        Some(value) => preset(&value)?,
    };
    costs.extend(single.into_iter().map(|(name, cost)| (name["costs.".len()..].to_owned(), cost)));
    options.insert("costs".into(), costs.into());
    Ok(options)
}

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
        let given: Vec<_> = given.iter().map(|given| crate::command::solve::option(given).unwrap()).collect();
        let mut options = with_costs(&given)?;
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
