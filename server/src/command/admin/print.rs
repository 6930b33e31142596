//! Print: the output of administration commands, as tables for people or as JSON for programs (`AdminPrinter`).

use kernels::humanize::grouped;

use super::links::{DroppedLink, ListedLink};

/// Text of an empty table cell.
pub(super) const EMPTY_CELL: &str = "-";

/// A printer of results to standard output, as a table or as JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdminPrinter {
    /// Whether to print JSON instead of a table.
    pub(super) is_json: bool,
}

impl AdminPrinter {
    /// Prints a table or JSON list of links.
    pub(super) fn links(self, links: &[ListedLink]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(links)?);
        }
        let row = |link: &ListedLink| {
            [
                link.id.to_string(),
                link.kind.unwrap_or("unreadable").to_owned(),
                age(link.age_seconds),
                link.ends_in_seconds.map_or_else(|| "stays".into(), age),
                link.bytes.map_or_else(|| EMPTY_CELL.into(), grouped),
            ]
        };
        print(&table(["ID", "KIND", "AGE", "ENDS IN", "BYTES"], links.iter().map(row)))
    }

    /// Prints for each link whether it existed and was deleted.
    pub(super) fn dropped(self, links: &[DroppedLink]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(links)?);
        }
        let line = |link: &DroppedLink| {
            let done = if link.was_here { "is deleted" } else { "was not here" };
            format!("link {} {done}", link.id)
        };
        print(&links.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

#[expect(clippy::print_stdout, reason = "that is what the command is for")]
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    println!("{text}");
    Ok(())
}

/// Formats a table with aligned columns. `head` are the headings of the columns.
pub(super) fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: impl Iterator<Item = [String; COLUMNS]>) -> String {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(head.map(ToOwned::to_owned)).chain(rows).collect();
    let widths: Vec<usize> = (0..COLUMNS).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default()).collect();
    let line = |row: &[String; COLUMNS]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats a duration such as "5 min". The unit is chosen so that the number is short.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_table_are_aligned() {
        let rows = [["1".to_owned(), "queued".into()], ["10 ü".into(), "-".into()]];
        assert_eq!(table(["ID", "STATE"], rows.into_iter()), "ID    STATE\n1     queued\n10 ü  -");
        assert_eq!(table(["ID", "STATE"], std::iter::empty()), "ID  STATE");
    }

    #[test]
    fn ages_are_printed_in_short_form() {
        for (seconds, said) in [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7_199, "119 min"), (7_200, "2 h"), (172_800, "2 d")] {
            assert_eq!(age(seconds), said);
        }
    }
}
