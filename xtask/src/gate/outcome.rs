//! The table at the end of the gate ([`StepTable`]), with the time and the result of each step.

use std::{fmt, time::Duration};

/// The table of the gate's steps with their results, in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct StepTable {
    rows: Vec<StepRow>,
}

#[derive(Debug)]
struct StepRow {
    name: &'static str,
    /// Duration of the step and whether it succeeded. `None` if the step did not run.
    outcome: Option<(Duration, bool)>,
}

impl StepTable {
    /// Adds a step that has ended after the duration `time`, with its result.
    pub(super) fn add(&mut self, name: &'static str, time: Duration, result: &anyhow::Result<()>) {
        self.rows.push(StepRow { name, outcome: Some((time, result.is_ok())) });
    }

    /// Adds the steps in `names` that are not in the table, as steps that did not run.
    pub(super) fn add_missing(&mut self, names: impl Iterator<Item = &'static str>) {
        for name in names {
            if self.rows.iter().all(|row| row.name != name) {
                self.rows.push(StepRow { name, outcome: None });
            }
        }
    }
}

impl fmt::Display for StepTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<12} {:>8}  result", "step", "seconds")?;
        for StepRow { name, outcome } in &self.rows {
            match outcome {
                Some((time, is_passed)) => {
                    let result = if *is_passed { "passed" } else { "FAILED" };
                    write!(out, "\n{name:<12} {:>8.1}  {result}", time.as_secs_f64())?;
                }
                None => write!(out, "\n{name:<12} {:>8}  not run", "-")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_lists_steps_after_a_failure() {
        let mut table = StepTable::default();
        table.add("format", Duration::from_millis(2_140), &Ok(()));
        table.add("clippy", Duration::from_secs(61), &Err(anyhow::anyhow!("a warning")));
        table.add_missing(["format", "clippy", "clippy-wasm"].into_iter());
        table.add("total", Duration::from_secs(1_063), &Ok(()));
        let expected = "\
step          seconds  result
format            2.1  passed
clippy           61.0  FAILED
clippy-wasm         -  not run
total          1063.0  passed";
        assert_eq!(table.to_string(), expected);
    }
}
