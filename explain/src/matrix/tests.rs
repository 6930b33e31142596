//! Compares the matrix with the oracles of the tasks, and its optimal alignments with all alignments.

use std::collections::BTreeSet;

use kernels::alignment::Alignment;
use kernels::event::TaskAnswer;
use kernels::job::{EditCosts, GapPoints, JobOptions};
use kernels::text::Pair;
use oracle::{bytes, random, serial};
use proptest::prelude::*;

use super::big_uint::BigUint;
use super::bits::{self, ColumnWord};
use super::document::{MatrixDocument, MatrixSymbols};
use super::optimal::{self, OptimalAlignmentCounts};
use super::order::{self, FillOrder};
use super::*;

fn matrix(task: Task, a: &[u8], b: &[u8]) -> DpMatrix {
    matrix_with_costs(task, EditCosts::LEVENSHTEIN, a, b)
}

fn matrix_with_costs(task: Task, costs: EditCosts, a: &[u8], b: &[u8]) -> DpMatrix {
    let numbers = |text: &[u8]| text.iter().copied().map(u32::from).collect();
    DpMatrix::new(task, costs, numbers(a), numbers(b)).unwrap()
}

/// Returns every alignment of `a` with the whole of `b`, as edits. An exchange is one edit, and only used if `exchanges`
/// is set.
pub(super) fn alignments(a: &[u8], b: &[u8], exchanges: bool) -> Vec<Vec<EditKind>> {
    let mut all = if a.is_empty() && b.is_empty() { vec![Vec::new()] } else { Vec::new() };
    let mut after = |edit: EditKind, a: &[u8], b: &[u8]| {
        all.extend(alignments(a, b, exchanges).into_iter().map(|rest| [&[edit], &rest[..]].concat()));
    };
    if let ([x, a @ ..], [y, b @ ..]) = (a, b) {
        after(if x == y { EditKind::Equal } else { EditKind::Substitute }, a, b);
    }
    if let ([w, x, a @ ..], [y, z, b @ ..]) = (a, b)
        && exchanges
        && w != x
        && (w, x) == (z, y)
    {
        after(EditKind::Transpose, a, b);
    }
    if let [_, rest @ ..] = a {
        after(EditKind::Delete, rest, b);
    }
    if let [_, rest @ ..] = b {
        after(EditKind::Insert, a, rest);
    }
    all
}

/// Returns the tasks whose matrix has counts of edits or of equal symbols.
fn counting_tasks() -> impl Iterator<Item = Task> {
    Task::ALL.into_iter().filter(|task| *task != Task::SequenceAlignment)
}

/// Returns every way in which a task may align `a` with a part of `b`: cost, start, edits. Less cost is better.
fn all_ways(task: Task, costs: EditCosts, a: &[u8], b: &[u8]) -> Vec<(u32, usize, Vec<EditKind>)> {
    let cost_of = |edit: &EditKind| match edit {
        EditKind::Equal => 0,
        EditKind::Substitute => costs.substitute,
        EditKind::Insert => costs.insert,
        EditKind::Delete => costs.delete,
        EditKind::Transpose => costs.transpose.unwrap(),
    };
    let cost = |edits: &[EditKind]| edits.iter().map(cost_of).sum();
    let over = |start: usize, end: usize| {
        let under = &b[start..end];
        let ways = alignments(a, under, costs.transpose.is_some()).into_iter();
        let kept: Vec<Vec<EditKind>> = match task {
            Task::EditDistance | Task::ApproximateSearch | Task::SequenceAlignment => ways.collect(),
            Task::Lcs => ways.filter(|edits| !edits.contains(&EditKind::Substitute)).collect(),
            Task::MatchCount => ways.filter(|edits| edits.len() == a.len() && under.len() == a.len() && one_by_one(edits)).collect(),
            Task::ExactSearch => ways.filter(|edits| under.len() == a.len() && edits.iter().all(|edit| *edit == EditKind::Equal)).collect(),
        };
        kept.into_iter().map(move |edits| (cost(&edits), start, edits)).collect::<Vec<_>>()
    };
    match task {
        Task::EditDistance | Task::Lcs | Task::SequenceAlignment => over(0, b.len()),
        Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => {
            (0..=b.len()).flat_map(|start| (start..=b.len()).flat_map(move |end| over(start, end)).collect::<Vec<_>>()).collect()
        }
    }
}

fn one_by_one(edits: &[EditKind]) -> bool {
    edits.iter().all(|edit| matches!(edit, EditKind::Equal | EditKind::Substitute))
}

/// Returns the best of all ways: start in `b`, and edits.
fn best_ways(task: Task, costs: EditCosts, a: &[u8], b: &[u8]) -> BTreeSet<(usize, String)> {
    let all = all_ways(task, costs, a, b);
    let least = all.iter().map(|(cost, ..)| *cost).min();
    let best = all.into_iter().filter(|(cost, ..)| Some(*cost) == least);
    best.map(|(_, start, edits)| (start, edits.iter().map(|edit| edit.letter()).collect())).collect()
}

fn check_all_optimal(task: Task, costs: EditCosts, a: &[u8], b: &[u8]) {
    let who = format!("{} of b\"{}\" and b\"{}\" with {costs:?}", task.name(), a.escape_ascii(), b.escape_ascii());
    let matrix = matrix_with_costs(task, costs, a, b);
    let expected = best_ways(task, costs, a, b);
    let all = OptimalAlignmentCounts::new(&matrix).unwrap();
    assert_eq!(all.total().to_string(), expected.len().to_string(), "{who}");
    assert_eq!(optimal::count(&matrix, usize::MAX).as_ref(), Some(all.total()), "{who}");
    let mut found = BTreeSet::new();
    let mut visits = vec![0u32; (a.len() + 1) * (b.len() + 1)];
    for number in 0..expected.len() as u32 {
        let path = all.path(&matrix, &BigUint::from(number)).unwrap();
        if number == 0 {
            assert_eq!(optimal::first(&matrix), Some(path.clone()), "{who}");
        }
        path.cells.iter().for_each(|&cell| visits[matrix.index(cell)] += 1);
        assert_eq!(path.cells.len(), path.edits.len() + 1, "{who}");
        found.insert((path.cells[0].j, path.edits.iter().map(|edit| edit.letter()).collect::<String>()));
        assert_eq!(path.alignment().b_start(), path.cells[0].j as u64);
    }
    assert_eq!(found, expected, "{who}");
    assert_eq!(all.path(&matrix, all.total()), None, "{who}");
    let on = optimal::any(&matrix);
    for cell in matrix.cells() {
        let at = matrix.index(cell);
        assert_eq!((all.is_on(&matrix, cell), on[at]), (visits[at] > 0, visits[at] > 0), "{cell:?} of {who}");
        let through = if on[at] { all.count_through(&matrix, cell) } else { BigUint::ZERO };
        assert_eq!(through, BigUint::from(visits[at]), "{cell:?} of {who}");
    }
}

#[test]
fn every_optimal_alignment_is_found_once() {
    for task in counting_tasks() {
        for (a, b) in
            [("", ""), ("", "ab"), ("ab", ""), ("a", "a"), ("a", "b"), ("ab", "ba"), ("aaa", "aa"), ("abc", "xyz"), ("aab", "aaab")]
        {
            check_all_optimal(task, EditCosts::LEVENSHTEIN, a.as_bytes(), b.as_bytes());
        }
        for seed in 0..40 {
            let (m, n) = (seed as usize % 5, (seed as usize / 5) % 6);
            check_all_optimal(task, EditCosts::LEVENSHTEIN, &random(b"ab", m, seed), &random(b"abc", n, seed + 100));
        }
    }
}

/// Returns costs from a seed: small ones, so that several alignments are optimal, and the largest ones.
fn costs_of(seed: u64) -> EditCosts {
    let cost = |at: u64| [0, 1, 2, 3, EditCosts::MAX][(seed / 5u64.pow(at as u32) % 5) as usize];
    EditCosts { substitute: cost(0), insert: cost(1), delete: cost(2), transpose: (!seed.is_multiple_of(3)).then(|| cost(3)) }
}

#[test]
fn every_alignment_of_least_cost_is_found_once() {
    let presets = [EditCosts::INDEL, EditCosts::OSA];
    for (a, b) in [("", ""), ("ab", ""), ("ab", "ba"), ("aa", "aa"), ("ca", "abc"), ("abab", "baba"), ("abcd", "badc"), ("aab", "aba")] {
        presets.into_iter().chain((0..60).map(|seed| costs_of(seed * 31))).for_each(|costs| {
            check_all_optimal(Task::EditDistance, costs, a.as_bytes(), b.as_bytes());
        });
    }
    for seed in 0..150 {
        let (m, n) = (seed as usize % 5, (seed as usize / 5) % 5);
        let (a, b) = (random(b"ab", m, seed), random(b"abc", n, seed + 100));
        check_all_optimal(Task::EditDistance, costs_of(seed * 37), &a, &b);
        check_all_optimal(Task::EditDistance, EditCosts::OSA, &a, &b);
    }
}

#[test]
fn exchange_is_a_sum_from_the_cell_two_back() {
    let matrix = matrix_with_costs(Task::EditDistance, EditCosts { transpose: Some(3), ..EditCosts::OSA }, b"xab", b"xba");
    let sums: Vec<CellSum> = matrix.sums(matrix.last()).collect();
    let from = MatrixCell { i: 1, j: 1 };
    let expected = CellSum {
        input: CellInput::TwoBack,
        from,
        layer: MatrixLayer::Main,
        value: 0.into(),
        adds: Points::whole(3),
        total: 3.into(),
        edit: EditKind::Transpose,
        wins: false,
    };
    assert_eq!(sums.last(), Some(&expected));
    assert_eq!((sums.len(), matrix.sums(from).count()), (4, 3));
    let matrix = matrix_with_costs(Task::EditDistance, EditCosts::OSA, b"xab", b"xba");
    assert_eq!((matrix.value(matrix.last()).count(), matrix.winners(matrix.last())), (1, CellInput::TwoBack.bit()));
    assert_eq!(optimal::first(&matrix).unwrap().alignment().to_string(), "1=2T");
}

#[test]
fn only_edit_distance_has_costs() {
    for task in counting_tasks() {
        let filled = matrix_with_costs(task, EditCosts { insert: 7, ..EditCosts::OSA }, b"abab", b"baba");
        assert_eq!(filled == matrix(task, b"abab", b"baba"), task != Task::EditDistance);
    }
    let failure = DpMatrix::new(Task::EditDistance, EditCosts { insert: 1_001, ..EditCosts::OSA }, vec![], vec![]).unwrap_err();
    assert_eq!(failure.to_string(), "costs.insert is 1001; it must be from 0 to 1000.");
}

#[test]
fn largest_sum_of_costs_fits_in_a_cell() {
    let costs = EditCosts { substitute: 1_000, insert: 1_000, delete: 1_000, transpose: None };
    let matrix = matrix_with_costs(Task::EditDistance, costs, &[b'a'; MAX_MATRIX_SYMBOLS], &[]);
    assert_eq!(matrix.value(matrix.last()), 2_000_000);
    let costs = EditCosts { substitute: 1_000, insert: 500, delete: 500, transpose: None };
    let matrix = matrix_with_costs(Task::EditDistance, costs, &[b'a'; MAX_MATRIX_SYMBOLS], &[b'b'; MAX_MATRIX_SYMBOLS]);
    assert_eq!(matrix.value(matrix.last()), 2_000_000);
}

#[test]
fn textbook_pairs_have_their_numbers_of_optimal_alignments() {
    let count =
        |task, a: &str, b: &str| OptimalAlignmentCounts::new(&matrix(task, a.as_bytes(), b.as_bytes())).unwrap().total().to_string();
    assert_eq!(count(Task::EditDistance, "SUNDAY", "SATURDAY"), "1");
    assert_eq!(count(Task::EditDistance, "INTENTION", "EXECUTION"), "7");
    // Without a common symbol, every path of 60 deletions and 60 insertions is optimal: 120 choose 60.
    assert_eq!(count(Task::Lcs, &"a".repeat(60), &"b".repeat(60)), "96614908840363322603893139521372656");
    assert_eq!(count(Task::ExactSearch, "ana", "bananas"), "2");
    assert_eq!(count(Task::ExactSearch, "x", "bananas"), "0");
}

#[test]
fn number_of_many_digits_selects_one_alignment() {
    let matrix = matrix(Task::Lcs, &[b'a'; 60], &[b'b'; 60]);
    let all = OptimalAlignmentCounts::new(&matrix).unwrap();
    let last = all.total().clone().checked_sub(&BigUint::from(1)).unwrap();
    let cigar = |number: &BigUint| all.path(&matrix, number).unwrap().alignment().to_string();
    assert_eq!(cigar(&BigUint::ZERO), "60I60D");
    assert_eq!(cigar(&last), "60D60I");
    let middle = cigar(&"48307454420181661301946569760686328".parse().unwrap());
    assert!(middle != cigar(&last) && middle != cigar(&BigUint::ZERO), "{middle}");
}

fn values_are_the_oracles(pair: &Pair, a: &[u8], b: &[u8]) {
    let m = a.len();
    let last = |task| matrix(task, a, b).row(m).iter().map(|value| value.count()).collect::<Vec<u32>>();
    let numbers = |values: Vec<u64>| values.into_iter().map(|value| value as u32).collect::<Vec<_>>();
    assert_eq!(last(Task::EditDistance)[b.len()], serial::edit_distance::align(pair).0 as u32);
    assert_eq!(last(Task::Lcs)[b.len()], serial::lcs::align(pair).0 as u32);
    let ends = serial::approximate_search::ends(pair);
    assert_eq!(last(Task::ApproximateSearch), numbers(ends.iter().map(|hit| hit.distance).collect()));
    let hits = serial::approximate_search::hits(pair, &JobOptions::default());
    let of_ends = |task| matrix(task, a, b).ends().iter().map(|end| end.cell.j as u64).collect::<Vec<_>>();
    assert_eq!(of_ends(Task::ApproximateSearch), hits.iter().map(|hit| hit.end).collect::<Vec<_>>());
    let scores = serial::match_count::scores(pair);
    let row = last(Task::MatchCount);
    assert_eq!(row.get(m..).unwrap_or_default(), numbers(scores));
    let ends: Vec<u64> = serial::exact_search::positions(pair).iter().map(|start| start + m as u64).collect();
    assert_eq!(of_ends(Task::ExactSearch), ends);
}

/// Checks every cell against the oracle for the prefixes of both texts.
fn every_cell_is_a_distance(a: &[u8], b: &[u8]) {
    let (distances, lengths) = (matrix(Task::EditDistance, a, b), matrix(Task::Lcs, a, b));
    for cell in distances.cells() {
        let part = bytes(&a[..cell.i], &b[..cell.j]);
        assert_eq!(u64::from(distances.value(cell).count()), serial::edit_distance::align(&part).0, "{cell:?}");
        assert_eq!(u64::from(lengths.value(cell).count()), serial::lcs::align(&part).0, "{cell:?}");
    }
}

/// Checks every cell against the oracle for the prefixes of both texts, and the costs of optimal alignments.
fn every_cell_is_a_least_sum(costs: EditCosts, a: &[u8], b: &[u8]) {
    let matrix = matrix_with_costs(Task::EditDistance, costs, a, b);
    for cell in matrix.cells() {
        let part = bytes(&a[..cell.i], &b[..cell.j]);
        assert_eq!(
            u64::from(matrix.value(cell).count()),
            serial::edit_distance::align_with_costs(&part, costs).0,
            "{cell:?} with {costs:?}"
        );
    }
    let alignment = optimal::first(&matrix).unwrap().alignment();
    assert_eq!(alignment.check(a, b), Ok(()), "{costs:?}");
    assert_eq!(costs.sum(&alignment.summary()), u64::from(matrix.value(matrix.last()).count()), "{costs:?}");
}

fn orders_fill_what_they_need(task: Task, costs: EditCosts, a: &[u8], b: &[u8]) {
    let matrix = matrix_with_costs(task, costs, a, b);
    let path: Option<Vec<MatrixCell>> = optimal::first(&matrix).map(|path| path.cells);
    for &order in FillOrder::for_task(task, matrix.costs()) {
        let steps = order.steps(&matrix);
        let who = format!("{order:?} of {task:?} of b\"{}\" and b\"{}\"", a.escape_ascii(), b.escape_ascii());
        let mut seen = BTreeSet::new();
        for step in 1..=steps.len() {
            assert!(!steps.cells(step).is_empty() || order == FillOrder::Band, "{who}");
            for cell in steps.cells(step) {
                assert!(cell.i > 0 && cell.j > 0 && seen.insert(cell), "{cell:?} of {who}");
                assert_eq!(steps.step_of(cell), Some(step), "{cell:?} of {who}");
                // Winning inputs were filled before, or belong to the same bit column or diagonal.
                for sum in matrix.sums(cell).filter(|sum| sum.wins) {
                    let before = steps.step_of(sum.from);
                    let same = matches!(order, FillOrder::Bits | FillOrder::Offset) && before == Some(step);
                    let partly = matches!(order, FillOrder::Band | FillOrder::CutOff);
                    assert!(before.is_some_and(|before| before < step) || same || partly, "{cell:?} of {who}");
                }
            }
        }
        assert_eq!((steps.filled(), steps.filled_after(steps.len())), (seen.len(), seen.len()), "{who}");
        let listed = (0..=steps.len()).scan(0, |sum, step| {
            *sum += steps.cells(step).len();
            Some(*sum)
        });
        assert!(listed.enumerate().all(|(step, sum)| steps.filled_after(step) == sum), "{who}");
        assert!(steps.cells(0).is_empty() && steps.cells(steps.len() + 1).is_empty());
        if order == FillOrder::Band {
            let on = optimal::any(&matrix);
            let left_out = |cell: &MatrixCell| on[matrix.index(*cell)] && steps.step_of(*cell).is_none();
            assert_eq!(matrix.cells().find(left_out), None, "{who}");
        } else if order == FillOrder::CutOff {
            // Every value within the distance is filled, and each column at most one row deeper.
            let within = order::nearest(&matrix);
            let left_out = |cell: &MatrixCell| matrix.value(*cell).count() <= within && steps.step_of(*cell).is_none();
            assert_eq!(matrix.cells().find(left_out), None, "{who}");
            for cell in seen.iter().filter(|cell| cell.i > 1) {
                let near = |j: usize| (cell.i - 1..=a.len()).any(|i| matrix.value(MatrixCell { i, j }).count() <= within);
                assert!(near(cell.j) || near(cell.j - 1), "{cell:?} of {who}");
            }
        } else {
            assert_eq!(seen.len(), a.len() * b.len(), "{who}");
        }
        assert!(path.iter().flatten().all(|&cell| steps.step_of(cell).is_some()), "{who}");
    }
}

/// Checks that the words of a column match the differences of its values.
fn bits_are_the_differences(task: Task, a: &[u8], b: &[u8]) {
    let matrix = matrix(task, a, b);
    for j in 1..=b.len() {
        let words = bits::column(&matrix, j);
        let word = |name: &str| words.iter().find(|word: &&ColumnWord| word.name == name).map_or(0, |word| word.bits);
        for i in 1..=a.len() {
            let value = |i: usize, j: usize| matrix.value(MatrixCell { i, j }).number().unwrap().tenths() as i32 / 10;
            let bit = |name| (word(name) >> (i - 1) & 1) as i32;
            let (down, across) = (value(i, j) - value(i - 1, j), value(i, j) - value(i, j - 1));
            let who = format!("({i}, {j}) of {task:?} of b\"{}\" and b\"{}\"", a.escape_ascii(), b.escape_ascii());
            match task {
                Task::EditDistance | Task::ApproximateSearch => {
                    assert_eq!((bit("VP") - bit("VN"), bit("HP") - bit("HN")), (down, across), "{who}");
                    assert_eq!(bit("D0") == 1, value(i, j) == value(i - 1, j - 1), "{who}");
                    assert_eq!(bit("EQ") == 1, a[i - 1] == b[j - 1], "{who}");
                }
                Task::Lcs => assert_eq!(1 - bit("V"), down, "{who}"),
                Task::ExactSearch => assert_eq!(bit("D"), value(i, j), "{who}"),
                Task::MatchCount | Task::SequenceAlignment => assert!(words.is_empty()),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn values_orders_and_bits_agree_with_the_oracle(a in "[abc]{0,14}", b in "[abc]{0,14}") {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        values_are_the_oracles(&bytes(a, b), a, b);
        every_cell_is_a_distance(&a[..a.len().min(7)], b);
        for task in counting_tasks() {
            orders_fill_what_they_need(task, EditCosts::LEVENSHTEIN, a, b);
            bits_are_the_differences(task, a, b);
        }
    }

    #[test]
    fn values_and_orders_with_costs_agree_with_the_oracle(a in "[abc]{0,14}", b in "[abc]{0,14}", seed in 0..3_000u64) {
        let (a, b, costs) = (a.as_bytes(), b.as_bytes(), costs_of(seed));
        for costs in [costs, EditCosts::OSA] {
            every_cell_is_a_least_sum(costs, &a[..a.len().min(7)], b);
            orders_fill_what_they_need(Task::EditDistance, costs, a, b);
        }
    }
}

#[test]
fn columns_of_sixty_rows_fit_in_words() {
    for task in counting_tasks() {
        for seed in 0..4 {
            bits_are_the_differences(task, &random(b"ab", 60, seed), &random(b"abc", 60, seed + 9));
        }
    }
    assert!(bits::column(&matrix(Task::Lcs, &[0; 61], b"a"), 1).is_empty());
    assert!(bits::column(&matrix_with_costs(Task::EditDistance, EditCosts::OSA, b"a", b"a"), 1).is_empty());
    assert!(bits::column(&matrix(Task::Lcs, b"a", b"a"), 0).is_empty());
}

#[test]
fn steps_of_the_drawing_are_reproduced() {
    let matrix = matrix(Task::EditDistance, b"SUNDAY", b"SATURDAY");
    let lens: Vec<usize> =
        FillOrder::for_task(Task::EditDistance, EditCosts::LEVENSHTEIN).iter().map(|order| order.steps(&matrix).len()).collect();
    assert_eq!(lens, [48, 48, 13, 35, 8]);
    assert_eq!(FillOrder::Diagonal.steps(&matrix).cells(2), [MatrixCell { i: 1, j: 2 }, MatrixCell { i: 2, j: 1 }]);
}

/// Checks the steps of a matrix of four million cells, which no list could hold.
#[test]
fn largest_matrix_has_steps_in_every_order() {
    for task in counting_tasks() {
        let matrix = matrix(task, &random(b"acgt", MAX_MATRIX_SYMBOLS, 3), &random(b"acgt", MAX_MATRIX_SYMBOLS, 4));
        for &order in FillOrder::for_task(task, matrix.costs()) {
            let steps = order.steps(&matrix);
            for step in [1, steps.len() / 2, steps.len()] {
                let cells = steps.cells(step);
                assert!(cells.iter().all(|&cell| steps.step_of(cell) == Some(step)) && !cells.is_empty(), "{order:?} of {task:?}");
            }
            assert!(steps.cells(steps.len() + 1).is_empty());
        }
    }
}

#[test]
fn matrix_reads_texts_like_its_task() {
    let reading = kernels::text::ReadingOptions { unit: kernels::text::Unit::Graphemes, case_insensitive: true, ..Default::default() };
    let pair = Pair::parse("Naïve 👍🏽".as_bytes(), "NAIVE 👍🏽".as_bytes(), &reading).unwrap();
    let (sheet, matrix) = MatrixSymbols::from_pair(Task::EditDistance, &JobOptions::DEFAULT, &pair).unwrap();
    assert_eq!((sheet.a[0].as_str(), sheet.b[6].as_str()), ("N", "👍🏽"));
    assert_eq!(sheet.a_numbers.len(), 7);
    assert_eq!(matrix.value(matrix.last()), 1);
    assert_eq!(sheet.matrix().as_ref(), Ok(&matrix));
    assert_eq!(sheet.optimal.as_deref(), Some("1"));
}

#[test]
fn matrix_document_has_values_inputs_and_alignment() {
    let pair = bytes(b"INTENTION", b"EXECUTION");
    let document = MatrixDocument::from_pair(Task::EditDistance, &JobOptions::DEFAULT, &pair, &BigUint::from(6)).unwrap();
    assert_eq!(document.sheet.optimal.as_deref(), Some("7"));
    assert_eq!((document.cells.values[9][9].count(), document.cells.inputs[9][9], document.cells.inputs[0][0]), (5, 1, 0));
    assert!(document.cells.on_optimal[9][9] && !document.cells.on_optimal[0][9]);
    let alignment: Alignment = document.alignment.unwrap().cigar.parse().unwrap();
    assert_eq!(alignment.check(b"INTENTION", b"EXECUTION"), Ok(()));
    assert_eq!(alignment.summary().distance(), 5);
    let failure = MatrixDocument::from_pair(Task::EditDistance, &JobOptions::DEFAULT, &pair, &BigUint::from(7)).unwrap_err();
    assert_eq!(failure.to_string(), "There are 7 optimal alignments, numbered from 0.");
}

#[test]
fn matrix_document_has_costs_and_exchanges() {
    let osa = JobOptions { costs: EditCosts::OSA, ..JobOptions::DEFAULT };
    let document = MatrixDocument::from_pair(Task::EditDistance, &osa, &bytes(b"ca", b"ac"), &BigUint::ZERO).unwrap();
    assert_eq!(document.sheet.matrix().map(|matrix| matrix.costs()), Ok(EditCosts::OSA));
    assert_eq!((document.cells.values[2][2].count(), document.cells.inputs[2][2]), (1, 8));
    assert_eq!(document.alignment.as_ref().map(|alignment| alignment.cigar.as_str()), Some("2T"));
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!(json["costs"]["transpose"], 1);
    let levenshtein = MatrixDocument::from_pair(Task::Lcs, &osa, &bytes(b"ca", b"ac"), &BigUint::ZERO).unwrap();
    assert_eq!(serde_json::to_value(&levenshtein).unwrap().get("costs"), None);
}

#[test]
fn texts_beyond_the_limits_are_refused() {
    let long = bytes(&[b'a'; MAX_MATRIX_SYMBOLS + 1], b"a");
    let sheet = MatrixSymbols::from_pair(Task::Lcs, &JobOptions::DEFAULT, &long).map(|(sheet, _)| sheet);
    assert_eq!(sheet.unwrap_err(), JobFailure::TooLarge { what: "The longer text of a matrix".into(), got: 2001, limit: 2000 });
    assert!(
        MatrixDocument::from_pair(Task::Lcs, &JobOptions::DEFAULT, &bytes(&[b'a'; MAX_WRITTEN_SYMBOLS + 1], b"a"), &BigUint::ZERO).is_err()
    );
    assert!(OptimalAlignmentCounts::new(&matrix(Task::Lcs, &[0; MAX_GRID_SYMBOLS + 1], b"a")).is_err());
}

#[test]
fn counting_stops_if_it_would_take_too_long() {
    let matrix = matrix(Task::Lcs, &[b'a'; 300], &[b'b'; 300]);
    assert_eq!(optimal::count(&matrix, 1_000), None);
    let digits = optimal::count(&matrix, usize::MAX).unwrap().to_string().len();
    assert_eq!(digits, 180);
}

/// The last cell has the answer, for letters that match if they have a base in common. The first optimal alignment fits it.
#[test]
fn matrices_of_pairs_with_ambiguity_codes_agree_with_the_oracle() {
    let gap = GapPoints::whole(2, 1);
    for seed in 0..20 {
        let [a, b] = [(9, seed), (12, seed + 100)].map(|(len, seed)| random(b"ACGTRYN", len, seed));
        for task in [Task::EditDistance, Task::Lcs, Task::SequenceAlignment] {
            let plain = JobOptions { ambiguity: true, ..JobOptions::default() };
            let options = if task == Task::SequenceAlignment { JobOptions { gap, ..plain } } else { plain };
            let pair = Pair::parse(&a[..], &b[..], &options.reading()).unwrap();
            let (sheet, matrix) = MatrixSymbols::from_pair(task, &options, &pair).unwrap();
            assert_eq!(sheet.matrix().unwrap(), matrix);
            let value = matrix.value(matrix.best_of(matrix.last())).to_string().replace('−', "-").parse::<i64>().unwrap();
            let alignment = optimal::first(&matrix).unwrap().alignment();
            assert_eq!(alignment.check_match(&sheet.a_numbers, &sheet.b_numbers, pair.symbol_match), Ok(()), "{sheet:?}");
            let summary = alignment.summary();
            let (expected, of_alignment) = match serial::solve(task, &pair, &options).answer {
                TaskAnswer::EditDistance { distance, .. } => {
                    (Points::from(distance.unwrap() as i64), Points::from(summary.distance() as i64))
                }
                TaskAnswer::Lcs { length, .. } => (Points::from(length as i64), Points::from(summary.matches as i64)),
                TaskAnswer::SequenceAlignment { score, .. } => (score, alignment.score_in(&pair, &options.scoring()).unwrap().0),
                other => panic!("{other:?}"),
            };
            assert_eq!([Points::from(value), of_alignment], [expected; 2], "{sheet:?}");
        }
    }
}

/// The last row has the distances at the ends of `b`, for letters that match if they have a base in common.
#[test]
fn matrix_of_ambiguity_codes_agrees_with_the_oracle() {
    let options = JobOptions { ambiguity: true, ..JobOptions::default() };
    for seed in 0..20 {
        let [a, b] = [(6, seed), (20, seed + 100)].map(|(len, seed)| random(b"ACGTRYN", len, seed));
        let pair = Pair::parse(a, b, &options.reading()).unwrap();
        let (sheet, matrix) = MatrixSymbols::from_pair(Task::ApproximateSearch, &options, &pair).unwrap();
        let last: Vec<u64> = (0..=20).map(|j| matrix.value(MatrixCell { i: 6, j }).count().into()).collect();
        let expected: Vec<u64> = serial::approximate_search::ends(&pair).iter().map(|hit| hit.distance).collect();
        assert_eq!(last, expected, "{sheet:?}");
        assert_eq!(sheet.matrix().unwrap(), matrix);
    }
}
