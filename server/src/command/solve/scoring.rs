//! Points of `sequence-alignment` on the command line: `--set gap.open=K` and `--set gap.extend=K` set one cost of gaps,
//! and `--set free_ends=ENDS` takes names separated by commas, or the name of a preset.

use kernels::job::FreeEnds;
use serde_json::{Map, Value, json};

use super::join_members;

/// Names of presets of free ends, with their ends.
const FREE_ENDS: [(&str, FreeEnds); 2] = [("fit", FreeEnds::FIT), ("overlap", FreeEnds::OVERLAP)];

/// Joins single costs of gaps in `options`, the member of a request of the API, to one object, and makes free ends a list.
///
/// # Errors
/// Returns an error if `gap` is no object.
pub(super) fn join_scoring(options: &mut Map<String, Value>) -> anyhow::Result<()> {
    join_members(options, "gap", |value| anyhow::bail!("--set: gap is {value}. Set gap.open=K and gap.extend=K."))?;
    if let Some(Value::String(ends)) = options.get("free_ends") {
        let list = match FREE_ENDS.into_iter().find(|(name, _)| name == ends) {
            Some((_, ends)) => json!(ends),
            None => ends.split(',').map(str::trim).filter(|end| !end.is_empty()).collect(),
        };
        options.insert("free_ends".into(), list);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kernels::job::{GapCosts, JobOptions};

    use super::*;

    /// Returns the options of these arguments of `--set`.
    fn options(given: &[&str]) -> anyhow::Result<JobOptions> {
        let mut options = given.iter().map(|given| crate::command::solve::option(given).unwrap()).collect();
        join_scoring(&mut options)?;
        Ok(serde_json::from_value(options.into())?)
    }

    #[test]
    fn costs_of_gaps_are_joined_and_ends_are_listed() {
        let both = options(&["gap.open=5", "gap.extend=2", "mode=local"]).unwrap();
        assert_eq!(both.gap, GapCosts { open: 5, extend: 2 });
        assert_eq!(options(&["gap.open=5"]).unwrap().gap, GapCosts { open: 5, extend: 1 });
        assert_eq!(options(&["gap={\"extend\": 3}", "gap.open=1"]).unwrap().gap, GapCosts { open: 1, extend: 3 });
        for (given, ends) in
            [("free_ends=fit", FreeEnds::FIT), ("free_ends=a-start, b-end", FreeEnds::OVERLAP), ("free_ends=", FreeEnds::NONE)]
        {
            assert_eq!(options(&[given]).unwrap().free_ends, ends, "{given}");
        }
        assert!(options(&["gap=5", "gap.open=5"]).is_err() && options(&["free_ends=start"]).is_err());
    }
}
