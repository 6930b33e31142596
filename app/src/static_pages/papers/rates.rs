//! Two tables of the papers beside measured figures: speed-ups of Table 1 of paper 001, and throughputs of Table 2 of
//! paper 003. A test compares every measured figure with a file in `kernels/benches/results`.

use kernels::machine::published::{SEARCHES, SUBSEQUENCE_SPEED_UPS};
use leptos::either::Either;
use leptos::prelude::*;

use super::tables::{paper_table, section};
use super::{DecimalColumn, PapersTexts, figure};
use crate::model::text::humanize::grouped;

/// Measured speed-ups compared with Hirschberg's algorithm on one core of the H200's host, in the order of
/// [`SUBSEQUENCE_SPEED_UPS`]. Columns: bit vectors on the core, `bit-parallel-blocks` on the H200, Editscope on the
/// H200. From `2026-11-23-h200-papers.txt`.
const SPEED_UPS: [[f64; 3]; 7] = [
    [130.2, 400.7, 220_771.4],
    [130.2, 437.4, 271_071.5],
    [130.2, 424.6, 248_887.5],
    [130.2, 230.7, 81_270.8],
    [130.2, 273.5, 114_832.5],
    [130.2, 455.4, 267_436.3],
    [130.2, 467.7, 280_954.4],
];

/// Measured throughputs on an H200 in MB/s, in the order of [`SEARCHES`]: of the paper's method as this program
/// implements it, and of Editscope. From `2026-11-26-h200-papers-cpu.txt`.
const THROUGHPUTS: [[f64; 2]; 4] = [[285.6, 6228.0], [2.19, 7157.0], [5409.0, 4923.0], [337.7, 21698.0]];

/// Measured throughputs on one core of the H200's host in MB/s, with the rows and columns of [`THROUGHPUTS`]; `None` if
/// a row was not measured.
const ON_CORE: [Option<[f64; 2]>; 4] = [Some([0.53, 175.5]), Some([17.59, 1056.0]), Some([27.31, 872.8]), None];

/// Renders Table 1 of paper 001, with the measured speed-ups beside the published ones.
pub(super) fn speed_ups(told: &'static PapersTexts) -> impl IntoView {
    let published: [DecimalColumn; 4] = std::array::from_fn(|at| DecimalColumn::of(SUBSEQUENCE_SPEED_UPS.iter().map(|(_, row)| row[at])));
    let measured: [DecimalColumn; 2] = std::array::from_fn(|at| DecimalColumn::of(SPEED_UPS.iter().map(|row| row[at])));
    let rows = SUBSEQUENCE_SPEED_UPS.iter().zip(SPEED_UPS).map(|(([m, n], row), [core, blocks, ours])| {
        let cells: Vec<_> = published.iter().zip(row).map(|(column, one)| column.cell(None, *one)).collect();
        view! {
            <tr>
                <th scope="row">{figure(*m)} " × " {figure(*n)}</th>
                {cells}
                {measured[0].cell(Some("g"), core)}
                {measured[1].cell(None, blocks)}
                <td class="g best">{figure(ours.round())}</td>
            </tr>
        }
    });
    let head = view! {
            <tr>
                <td></td>
                <th colspan="4" scope="colgroup">{told.published}</th>
                <th colspan="2" scope="colgroup">{told.method}</th>
                <th scope="colgroup">{told.ours}</th>
            </tr>
            <tr>
                <th scope="col">
                    <var>"m"</var>
                    " × "
                    <var>"n"</var>
                    ", M"
                </th>
                <th scope="col">"Core i3 530"</th>
                <th scope="col">"8800 GTX"</th>
                <th scope="col">"GTX 285"</th>
                <th scope="col">"GTX 480"</th>
                <th scope="col">{told.core}" (Xeon)"</th>
                <th scope="col">"H200"</th>
                <th scope="col">"H200"</th>
            </tr>
    };
    section("speed-ups", told.speed_ups, told.speed_ups_note, paper_table(head, rows.collect_view()))
}

/// Renders Table 2 of paper 003, with the measured throughputs beside the published ones.
pub(super) fn throughputs(told: &'static PapersTexts) -> impl IntoView {
    let printed = DecimalColumn::of(SEARCHES.iter().map(|search| search.printed));
    let on_gpu: [DecimalColumn; 2] = std::array::from_fn(|at| DecimalColumn::of(THROUGHPUTS.iter().map(|row| row[at])));
    let on_core: [DecimalColumn; 2] = std::array::from_fn(|at| DecimalColumn::of(ON_CORE.iter().flatten().map(|row| row[at])));
    let rows = SEARCHES.iter().zip(THROUGHPUTS).zip(ON_CORE).map(|((search, [method, ours]), core)| {
        let of_core = |at: usize| match core {
            Some(row) => Either::Left(on_core[at].cell(None, row[at])),
            None => Either::Right(view! { <td>"–"</td> }),
        };
        view! {
            <tr>
                <th scope="row">{search.whose}</th>
                <td>{grouped(search.m)}</td>
                <td>{grouped(search.mega)}</td>
                <td class="g">{search.device}</td>
                {printed.cell(None, search.printed)}
                {on_gpu[0].cell(Some("g"), method)}
                {of_core(0)}
                {on_gpu[1].cell(Some("g best"), ours)}
                {of_core(1)}
            </tr>
        }
    });
    let head = view! {
            <tr>
                <td></td>
                <td></td>
                <td></td>
                <th colspan="2" scope="colgroup">{told.published}</th>
                <th colspan="2" scope="colgroup">{told.method}</th>
                <th colspan="2" scope="colgroup">{told.ours}</th>
            </tr>
            <tr>
                <td></td>
                <th scope="col"><var>"m"</var></th>
                <th scope="col"><var>"n"</var>", M"</th>
                <td></td>
                <th scope="col">"MB/s"</th>
                <th scope="col">"H200"</th>
                <th scope="col">{told.core}" (Xeon)"</th>
                <th scope="col">"H200"</th>
                <th scope="col">{told.core}" (Xeon)"</th>
            </tr>
    };
    section("throughputs", told.throughputs, told.throughputs_note, paper_table(head, rows.collect_view()))
}

#[cfg(test)]
mod tests {
    use super::super::tables::results;
    use super::*;

    /// Parses the table below `titles`, up to an empty line: rows, columns between `|`, words.
    fn rows(file: &str, titles: &[&str]) -> Vec<Vec<Vec<String>>> {
        let mut text = results(file);
        for title in titles {
            text = text.split_once(title).unwrap().1.to_owned();
        }
        let lines = text.lines().skip(2).take_while(|line| line.contains('|'));
        lines.map(|line| line.split('|').map(|part| part.split_whitespace().map(str::to_owned).collect()).collect()).collect()
    }

    #[test]
    fn speed_ups_agree_with_the_results() {
        let rows = rows("2026-11-23-h200-papers.txt", &["Table 1 of paper 001"]);
        assert_eq!(rows.len(), SPEED_UPS.len());
        for ((row, said), (_, published)) in rows.iter().zip(SPEED_UPS).zip(SUBSEQUENCE_SPEED_UPS) {
            let numbers: Vec<f64> = row[2][..3].iter().map(|one| one.parse().unwrap()).collect();
            assert_eq!(numbers, said);
            let printed: Vec<f64> = row[1].iter().map(|one| one.parse().unwrap()).collect();
            assert_eq!(printed, published);
        }
    }

    #[test]
    fn throughputs_agree_with_the_results() {
        let file = "2026-11-26-h200-papers-cpu.txt";
        let of = |titles: &[&str]| -> Vec<Option<[f64; 2]>> {
            // Milliseconds and rate of the method, then of Editscope.
            rows(file, titles).iter().map(|row| Some([row[2][1].parse().ok()?, row[2][3].parse().ok()?])).collect()
        };
        let on_core: Vec<Option<[f64; 2]>> = ON_CORE.to_vec();
        assert_eq!(of(&["Table 2 of paper 003: throughput"]), on_core);
        assert_eq!(of(&["On the H200, --engine cuda:", "Table 2 of paper 003: throughput"]), THROUGHPUTS.map(Some));
    }
}
