//! The papers' published figures beside measured ones. A test compares every measured figure with a file in
//! `kernels/benches/results`. Figures that were not measured are shown as a dash.

use kernels::machine::published::{BLOCKS, SUBSEQUENCE_SECONDS, TABLE_1, predicted};
use leptos::prelude::*;

use super::chart::units_of_a_millisecond;
use super::{DecimalColumn, PapersTexts};
use crate::model::text::humanize::grouped;
use crate::view::widgets::prose::prose;

/// Element id of the table with search times, for links on the page.
pub const SEARCHES: &str = "searches";

/// Element id of the table with times of longest common subsequences, for links on the page.
pub const SUBSEQUENCES: &str = "subsequences";

/// Milliseconds of Editscope for each pattern of [`TABLE_1`], on an H200 and on one core of an EPYC (Zen 5). Medians of
/// the workloads `asm-binary-…x4Mi` in `2026-11-21-h200-searches.txt` and `2026-11-21-cpu-all-tasks.txt`.
const OURS: [[f64; 2]; 6] = [[0.409, 1.68], [0.644, 1.688], [0.353, 3.044], [0.411, 6.464], [0.405, 11.918], [0.53, 24.03]];

/// Milliseconds of the paper's method for each pattern of [`TABLE_1`]: `slices` on an H200 with the best number of
/// blocks, and `sequential` on one core of the host's Xeon. From `2026-11-23-h200-papers.txt`.
const METHOD: [[f64; 2]; 6] = [[0.692, 352.8], [1.02, 700.2], [1.943, 1292.0], [3.793, 2502.0], [7.428, 4851.0], [14.35, 9141.0]];

/// Seconds of `bit-parallel-blocks`, the method of paper 001, including the subsequence, on an H200, for the texts of
/// [`SUBSEQUENCE_SECONDS`]. From `2026-11-25-h200-paper-001.txt`.
const METHOD_SUBSEQUENCES: [f64; 4] = [63.58, 134.1, 286.1, 630.7];

/// Seconds of Editscope for the texts of [`SUBSEQUENCE_SECONDS`], including the subsequence, on an H200. Medians of the
/// workloads `lcs-mb-…+path` in `2026-11-21-h200-pairs.txt`.
const OUR_SUBSEQUENCES: [f64; 4] = [0.0988, 0.223, 0.698, 2.571];

/// Renders a section with the element id `id`: the heading `title`, the text `note`, and `table`, which scrolls if it
/// is too wide.
pub(super) fn section(id: &'static str, title: &'static str, note: &'static str, table: impl IntoView) -> impl IntoView {
    view! {
        <section class="section">
            <h2 id=id>{title}</h2>
            <p class="note">{prose(note)}</p>
            <div class="wide-table" role="region" tabindex="0" aria-labelledby=id>
                {table}
            </div>
        </section>
    }
}

/// Renders a table. `head` are the rows of the table's head, and `rows` the rows of its body.
pub(super) fn paper_table(head: impl IntoView, rows: impl IntoView) -> impl IntoView {
    view! {
        <table class="paper-table">
            <thead>{head}</thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// Renders Table 1 of papers 000 and 003: milliseconds for each length of the pattern.
pub(super) fn searches(told: &'static PapersTexts) -> impl IntoView {
    let factor = units_of_a_millisecond();
    let figures = TABLE_1.iter().zip(METHOD).zip(OURS).map(|((row, [method, core]), [gpu, cpu])| {
        let (blocks, best) = BLOCKS.iter().zip(row.gpu_ms).min_by(|(_, one), (_, other)| one.total_cmp(other)).expect("there are eight");
        let priced = predicted(row.m, *blocks) as f64 / factor;
        (row.m, *blocks, [best, row.cpu_ms, row.speed_up, (priced * 10.0).round() / 10.0, method, core, gpu, cpu])
    });
    let figures: Vec<_> = figures.collect();
    let columns: [DecimalColumn; 8] = std::array::from_fn(|at| DecimalColumn::of(figures.iter().map(|(.., row)| row[at])));
    let rows = figures.into_iter().map(|(m, blocks, row)| {
        let cell = |class, at: usize| columns[at].cell(class, row[at]);
        view! {
            <tr>
                <th scope="row">{grouped(m)}</th>
                {cell(Some("g best"), 0)}
                <td>{grouped(blocks)}</td>
                {cell(None, 1)}
                {cell(None, 2)}
                {cell(Some("g"), 3)}
                {cell(Some("g"), 4)}
                {cell(None, 5)}
                {cell(Some("g best"), 6)}
                {cell(None, 7)}
            </tr>
        }
    });
    let head = view! {
            <tr>
                <td></td>
                <th colspan="4" scope="colgroup">{told.published}</th>
                <th scope="colgroup">{told.model}</th>
                <th colspan="2" scope="colgroup">{told.method}</th>
                <th colspan="2" scope="colgroup">{told.ours}</th>
            </tr>
            <tr>
                <th scope="col"><var>"m"</var></th>
                <th scope="col">"GTX 580"</th>
                <th scope="col"><var>"D"</var></th>
                <th scope="col">"Xeon X7460"</th>
                <th scope="col">{told.speed_up}</th>
                <th scope="col">"GTX 580"</th>
                <th scope="col">"H200"</th>
                <th scope="col">{told.core}" (Xeon)"</th>
                <th scope="col">"H200"</th>
                <th scope="col">"EPYC (Zen 5)"</th>
            </tr>
    };
    section(SEARCHES, told.searches, told.searches_note, paper_table(head, rows.collect_view()))
}

/// Renders Table 2 of paper 001: seconds for each length of both texts.
pub(super) fn subsequences(told: &'static PapersTexts) -> impl IntoView {
    let figures = SUBSEQUENCE_SECONDS.iter().zip(METHOD_SUBSEQUENCES).zip(OUR_SUBSEQUENCES);
    let figures: Vec<_> =
        figures.map(|(((mega, cpu, gpu, speed_up), method), ours)| (*mega, [*gpu, *cpu, *speed_up, method, ours])).collect();
    let columns: [DecimalColumn; 5] = std::array::from_fn(|at| DecimalColumn::of(figures.iter().map(|(_, row)| row[at])));
    let rows = figures.into_iter().map(|(mega, row)| {
        let cell = |class, at: usize| columns[at].cell(class, row[at]);
        view! {
            <tr>
                <th scope="row">{grouped(mega)}</th>
                {cell(Some("g best"), 0)}
                {cell(None, 1)}
                {cell(None, 2)}
                {cell(Some("g"), 3)}
                {cell(Some("g best"), 4)}
            </tr>
        }
    });
    let head = view! {
            <tr>
                <td></td>
                <th colspan="3" scope="colgroup">{told.published}</th>
                <th scope="colgroup">{told.method}</th>
                <th scope="colgroup">{told.ours}</th>
            </tr>
            <tr>
                <th scope="col">"MB"</th>
                <th scope="col">"GTX 285"</th>
                <th scope="col">"Core i3 530"</th>
                <th scope="col">{told.speed_up}</th>
                <th scope="col">"H200"</th>
                <th scope="col">"H200"</th>
            </tr>
    };
    section(SUBSEQUENCES, told.subsequences, told.subsequences_note, paper_table(head, rows.collect_view()))
}

/// Reads a file of measured results.
#[cfg(test)]
pub(super) fn results(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../kernels/benches/results/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the median of a workload in a file of results, in milliseconds.
    fn median(file: &str, workload: &str) -> f64 {
        let text = results(file);
        let row =
            text.lines().find(|line| line.split_whitespace().next() == Some(workload)).unwrap_or_else(|| panic!("{workload} in {file}"));
        let words: Vec<&str> = row.split_whitespace().collect();
        let unit = match words[4] {
            "µs" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            other => panic!("{other} in {row}"),
        };
        words[3].parse::<f64>().unwrap() * unit
    }

    fn agrees(said: f64, measured: f64) {
        assert!((said / measured - 1.0).abs() < 2e-3, "{said} {measured}");
    }

    #[test]
    fn our_times_agree_with_the_results() {
        for (row, [gpu, cpu]) in TABLE_1.iter().zip(OURS) {
            let workload = format!("asm-binary-{}x4Mi", row.m);
            agrees(gpu, median("2026-11-21-h200-searches.txt", &workload));
            agrees(cpu, median("2026-11-21-cpu-all-tasks.txt", &workload));
        }
        for ((mega, ..), seconds) in SUBSEQUENCE_SECONDS.iter().zip(OUR_SUBSEQUENCES) {
            agrees(seconds * 1e3, median("2026-11-21-h200-pairs.txt", &format!("lcs-mb-{mega}+path")));
        }
    }

    /// Splits the lines of a file of results into words, from the line that begins with `title` on.
    fn of_papers(file: &str, title: &str) -> Vec<Vec<String>> {
        let text = results(file);
        text.lines().skip_while(|line| !line.starts_with(title)).map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn times_of_the_methods_agree_with_the_results() {
        for (row, [gpu, cpu]) in TABLE_1.iter().zip(METHOD) {
            let lines = of_papers("2026-11-23-h200-papers.txt", &format!("m = {}", row.m));
            let line = lines.iter().find(|line| line.starts_with(&["slices".to_owned(), "here".to_owned()])).unwrap();
            let [.., best, core, _] = &line[..] else { panic!("{line:?}") };
            agrees(gpu, best.parse().unwrap());
            agrees(cpu, core.parse().unwrap());
        }
        let lines = of_papers("2026-11-25-h200-paper-001.txt", "Table 2 of paper 001");
        for ((mega, ..), seconds) in SUBSEQUENCE_SECONDS.iter().zip(METHOD_SUBSEQUENCES) {
            let line = lines.iter().find(|line| line.first() == Some(&mega.to_string()) && line.len() == 9).unwrap();
            assert_eq!(line[6].parse(), Ok(seconds), "{line:?}");
        }
    }
}
