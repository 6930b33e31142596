//! Format: checks that a requested export format exists and suits the result. Error responses list the formats that a
//! client can choose.

use explain::format::ExportFormat;
use kernels::job::{JobOptions, Task};

use crate::error::{ApiProblem, ProblemKind};

/// Parses the name of an export format, such as `csv`.
///
/// # Errors
/// Returns `UnsupportedFormat` with a list of all names if the name is unknown.
pub fn parse(name: &str) -> Result<ExportFormat, ApiProblem> {
    name.parse().map_err(|_| {
        let known: Vec<&str> = ExportFormat::ALL.into_iter().map(ExportFormat::name).collect();
        ApiProblem::new(
            ProblemKind::UnsupportedFormat,
            format!("There is no such format. Formats: {}. Not every result has all of them.", known.join(", ")),
        )
    })
}

/// Checks that a result of `task` with these `options` can be exported in `format`.
///
/// # Errors
/// Returns `UnsupportedFormat` with a list of the suitable formats if it cannot.
pub fn check(format: ExportFormat, task: Task, options: &JobOptions) -> Result<(), ApiProblem> {
    if format.suits(task, options) {
        return Ok(());
    }
    let others: Vec<&str> = ExportFormat::ALL.into_iter().filter(|format| format.suits(task, options)).map(ExportFormat::name).collect();
    let of = if format.suits_task(task) { format!("in {} read like this", options.unit.name()) } else { format!("of {}", task.name()) };
    let detail = format!("A result {of} cannot be exported as {}. Choose one of: {}.", format.name(), others.join(", "));
    Err(ApiProblem::new(ProblemKind::UnsupportedFormat, detail))
}
