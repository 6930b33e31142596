//! Points of `sequence-alignment` on the command line: `--set gap.open=K` and `--set gap.extend=K` set one cost of gaps,
//! `--set free_ends=ENDS` takes names separated by commas, or the name of a preset, and `--set matrix=@FILE` reads a matrix
//! from a file.

use anyhow::Context as _;
use kernels::job::FreeEnds;
use serde_json::{Map, Value, json};

use super::join_members;

/// Names of presets of free ends, with their ends.
const FREE_ENDS: [(&str, FreeEnds); 2] = [("fit", FreeEnds::FIT), ("overlap", FreeEnds::OVERLAP)];

/// Joins single costs of gaps in `options`, the member of a request of the API, to one object. Makes free ends a list, and
/// reads the file of a matrix.
///
/// # Errors
/// Returns an error if `gap` is no object, or if the file cannot be read.
pub(super) fn join_scoring(options: &mut Map<String, Value>) -> anyhow::Result<()> {
    join_members(options, "gap", |value| anyhow::bail!("--set: gap is {value}. Set gap.open=K and gap.extend=K."))?;
    if let Some(Value::String(ends)) = options.get("free_ends") {
        let list = match FREE_ENDS.into_iter().find(|(name, _)| name == ends) {
            Some((_, ends)) => json!(ends),
            None => ends.split(',').map(str::trim).filter(|end| !end.is_empty()).collect(),
        };
        options.insert("free_ends".into(), list);
    }
    if let Some(file) = options.get("matrix").and_then(Value::as_str).and_then(|matrix| matrix.strip_prefix('@')) {
        let text = std::fs::read_to_string(file).with_context(|| format!("--set matrix: reading {file}"))?;
        options.insert("matrix".into(), text.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kernels::job::{GapPoints, JobOptions, Points};

    use super::*;

    /// Returns the options of these arguments of `--set`.
    fn options(given: &[&str]) -> anyhow::Result<JobOptions> {
        let mut options = given.iter().map(|given| crate::command::solve::option(given).unwrap()).collect();
        join_scoring(&mut options)?;
        Ok(serde_json::from_value(options.into())?)
    }

    #[test]
    fn matrix_is_read_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.txt");
        std::fs::write(&file, "# own\n  A C\nA 1 -1\nC -2 1\n").unwrap();
        let matrix = |file: &std::path::Path| options(&[&format!("matrix=@{}", file.display())]).map(|options| options.matrix.unwrap());
        assert_eq!((matrix(&file).unwrap().letters(), matrix(&file).unwrap().points('C', 'A')), ("AC", Points::whole(-2)));
        assert!(matrix(&folder.path().join("none")).unwrap_err().to_string().starts_with("--set matrix: reading "));
    }

    #[test]
    fn costs_of_gaps_are_joined_and_ends_are_listed() {
        let both = options(&["gap.open=5", "gap.extend=2", "mode=local"]).unwrap();
        assert_eq!(both.gap, GapPoints::whole(5, 2));
        assert_eq!(options(&["gap.open=5"]).unwrap().gap, GapPoints::whole(5, 1));
        assert_eq!(options(&["gap={\"extend\": 3}", "gap.open=1"]).unwrap().gap, GapPoints::whole(1, 3));
        let emboss = options(&["gap.open=9.5", "gap.extend=0.5"]).unwrap();
        assert_eq!(emboss.gap, GapPoints { open: Points::from_tenths(95), extend: Points::from_tenths(5) });
        for (given, ends) in
            [("free_ends=fit", FreeEnds::FIT), ("free_ends=a-start, b-end", FreeEnds::OVERLAP), ("free_ends=", FreeEnds::NONE)]
        {
            assert_eq!(options(&[given]).unwrap().free_ends, ends, "{given}");
        }
        assert!(options(&["gap=5", "gap.open=5"]).is_err() && options(&["free_ends=start"]).is_err());
    }
}
