//! The recurrence of a task as it is taught: the values of the first row and column, and the sums that give every other
//! value. [`RecurrenceText`] has its lines.
//!
//! Formulas are the same in every language. Names in them stand between asterisks.

use std::borrow::Cow;

use explain::matrix::{CellInput, DpMatrix, MatrixLayer, MatrixNode};
use kernels::job::{EditCosts, Scoring, ScoringNumbers, Task};

use crate::model::points::sentences::name_of_matrix;
use crate::model::text::humanize::{plus, signed};
use crate::tr;
use crate::tr::t;

/// The cells to which a line of the recurrence applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSubject {
    /// The cells of the first row.
    FirstRow,
    /// The cells of the first column.
    FirstColumn,
    /// The cells outside of the first row and column whose sum from this input is the best of their sums.
    Input(CellInput),
    /// The cells of a layer outside of the first row and column, in a matrix of three layers.
    Layer(MatrixLayer),
    /// The cells with which an alignment may begin, outside of the first row and column.
    Start,
}

/// One line of a recurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrenceRule {
    pub about: RuleSubject,
    /// The formula: a whole equation for the first row or column, and only one sum of the right side for other cells.
    pub formula: Cow<'static, str>,
    /// The formula in words.
    pub says: Cow<'static, str>,
}

/// The lines of a recurrence: the base cases (first row and column), and the sums of all other cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrenceText {
    /// The base cases of the first row and the first column.
    pub base: [RecurrenceRule; 2],
    /// The beginning of the equation for all other cells, up to the list of the sums, for example `*D*[*i*, *j*] is the
    /// smallest of`. Empty if each line is a whole equation.
    pub head: &'static str,
    /// The sums of a cell outside of the first row and column, in the order of [`CellInput::ALL`]. The best of them is
    /// the value of the cell. In a matrix of three layers, one equation for each layer.
    pub sums: Vec<RecurrenceRule>,
}

impl RecurrenceText {
    /// Returns the recurrence that fills `matrix`, with its costs.
    pub fn of(matrix: &DpMatrix) -> Self {
        let rule = |about, formula, says: &'static str| RecurrenceRule { about, formula, says: says.into() };
        let row = |formula: &'static str, says| rule(RuleSubject::FirstRow, formula.into(), says);
        let column = |formula: &'static str, says| rule(RuleSubject::FirstColumn, formula.into(), says);
        let sum = |input, formula: &'static str, says| rule(RuleSubject::Input(input), formula.into(), says);
        let EditCosts { substitute, insert, delete, transpose } = matrix.costs();
        // A factor of 1 is left out.
        let times = |cost: u32, of: &str| if cost == 1 { of.to_owned() } else { format!("{cost} · {of}") };
        // Ambiguity codes are sets of bases.
        let is_equality = matrix.symbol_match().is_equality();
        let [differ, is_match] = if is_equality {
            ["[*a*ᵢ ≠ *b*ⱼ]", "[*a*ᵢ = *b*ⱼ]"]
        } else {
            ["[*a*ᵢ ∩ *b*ⱼ = ∅]", "[*a*ᵢ ∩ *b*ⱼ ≠ ∅]"]
        };
        let counts = || if is_equality { t("1 if the symbols are equal, else 0") } else { t("1 if the letters match, else 0") };
        let compared = |formula: String| RecurrenceRule {
            about: RuleSubject::Input(CellInput::Corner),
            formula: formula.into(),
            says: counts().into(),
        };
        let edits = || {
            let edit = |input, formula: String, says| rule(RuleSubject::Input(input), formula.into(), says);
            let says = if is_equality {
                tr!("costs {n} if the symbols differ, else nothing", n = substitute)
            } else {
                tr!("costs {n} unless the letters match", n = substitute)
            };
            let corner = format!("*D*[*i*−1, *j*−1] + {}", times(substitute, differ));
            let mut sums = vec![
                RecurrenceRule { about: RuleSubject::Input(CellInput::Corner), formula: corner.into(), says: says.into() },
                edit(CellInput::Above, format!("*D*[*i*−1, *j*] + {delete}"), t("delete the symbol of *a*")),
                edit(CellInput::Left, format!("*D*[*i*, *j*−1] + {insert}"), t("insert the symbol of *b*")),
            ];
            sums.extend(transpose.map(|cost| {
                let says = t("swap two different neighbours of *a*, if *b* has them the other way round");
                edit(CellInput::TwoBack, format!("*D*[*i*−2, *j*−2] + {cost}"), says)
            }));
            sums
        };
        let all = |about, head: &str, cost: u32, of: &str, says| {
            let formula = if cost == 0 { format!("{head} = 0") } else { format!("{head} = {}", times(cost, of)) };
            rule(about, formula.into(), says)
        };
        let deleted = all(RuleSubject::FirstColumn, "*D*[*i*, 0]", delete, "*i*", t("delete all symbols so far"));
        match matrix.task() {
            Task::EditDistance => Self {
                base: [all(RuleSubject::FirstRow, "*D*[0, *j*]", insert, "*j*", t("insert all symbols so far")), deleted],
                head: t("*D*[*i*, *j*] is the smallest of"),
                sums: edits(),
            },
            Task::ApproximateSearch => Self {
                base: [row("*D*[0, *j*] = 0", t("a match can start anywhere")), deleted],
                head: t("*D*[*i*, *j*] is the smallest of"),
                sums: edits(),
            },
            Task::Lcs => Self {
                base: [
                    row("*L*[0, *j*] = 0", t("nothing in common with an empty text")),
                    column("*L*[*i*, 0] = 0", t("nothing in common with an empty text")),
                ],
                head: t("*L*[*i*, *j*] is the largest of"),
                sums: vec![
                    sum(
                        CellInput::Corner,
                        "*L*[*i*−1, *j*−1] + 1",
                        if is_equality { t("only if the symbols are equal") } else { t("only if the letters match") },
                    ),
                    sum(CellInput::Above, "*L*[*i*−1, *j*]", t("leave out the symbol of *a*")),
                    sum(CellInput::Left, "*L*[*i*, *j*−1]", t("leave out the symbol of *b*")),
                ],
            },
            Task::MatchCount => Self {
                base: [row("*S*[0, *j*] = 0", t("nothing compared yet")), column("*S*[*i*, 0] = 0", t("this diagonal starts inside *a*"))],
                head: t("*S*[*i*, *j*] is"),
                sums: vec![compared(format!("*S*[*i*−1, *j*−1] + {is_match}"))],
            },
            Task::SequenceAlignment => Self::of_scores(matrix, matrix.scoring().unwrap_or(&Scoring::DEFAULT)),
            Task::ExactSearch => Self {
                base: [
                    row("*P*[0, *j*] = 1", t("the empty prefix ends everywhere")),
                    column("*P*[*i*, 0] = 0", t("no symbol can end before *b* begins")),
                ],
                head: t("*P*[*i*, *j*] is"),
                sums: vec![compared(format!("*P*[*i*−1, *j*−1] ∧ {is_match}"))],
            },
        }
    }
}

impl RecurrenceText {
    /// Returns the recurrence of a matrix of scores.
    fn of_scores(matrix: &DpMatrix, scoring: &Scoring) -> Self {
        let rule = |about, formula: String, says: Cow<'static, str>| RecurrenceRule { about, formula: formula.into(), says };
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        let [open, extend] = [gap.open, gap.extend].map(signed);
        let (free, is_local, has_layers) = (scoring.free(), matrix.is_local(), matrix.layers().len() > 1);
        // The border is a gap, or 0 if it may be left out.
        let border = |about, is_free: bool, names: [&str; 2], place: &str, n: &str| {
            let [main, gap] = names;
            let formula = match (is_free || is_local, &*open, &*extend) {
                (true, ..) | (false, "0", "0") => format!("*{main}*[{place}] = 0"),
                (false, "0", "1") => format!("*{main}*[{place}] = −*{n}*"),
                (false, "0", _) => format!("*{main}*[{place}] = −{extend} · *{n}*"),
                (false, _, "0") => format!("*{gap}*[{place}] = −{open}"),
                (false, _, "1") => format!("*{gap}*[{place}] = −{open} − *{n}*"),
                (false, ..) => format!("*{gap}*[{place}] = −{open} − {extend} · *{n}*"),
            };
            let says = match (is_local, is_free) {
                (true, _) => t("a piece can start anywhere"),
                (false, true) => t("symbols at the start may be left out"),
                (false, false) => t("a gap of all symbols so far"),
            };
            rule(about, formula, says.into())
        };
        let main = if has_layers { "M" } else { "H" };
        let base = [
            border(RuleSubject::FirstRow, free.b_start, [main, "I"], "0, *j*", "j"),
            border(RuleSubject::FirstColumn, free.a_start, [main, "D"], "*i*, 0", "i"),
        ];
        let pair: Cow<'static, str> = match &scoring.matrix {
            Some(named) => tr!("*s* is the points of both symbols in {matrix}", matrix = name_of_matrix(named)).into(),
            None => {
                let [equal, different] = [equal, different].map(plus);
                if matrix.symbol_match().is_equality() {
                    tr!("*s* is {equal} for equal symbols, else {different}", equal = equal, different = different).into()
                } else {
                    tr!("*s* is {equal} for letters that match, else {different}", equal = equal, different = different).into()
                }
            }
        };
        let mut sums = if has_layers {
            let opened = |one: &str, other: &str, own: &str| format!("max(*{own}*, *{one}* − {open}, *{other}* − {open})");
            let layers = [
                (MatrixLayer::Main, "max(*M*, *D*, *I*)[*i*−1, *j*−1] + *s*".to_owned(), pair),
                (
                    MatrixLayer::Deletions,
                    format!("{}[*i*−1, *j*] − {extend}", opened("M", "I", "D")),
                    t("delete: the gap goes on, or opens").into(),
                ),
                (
                    MatrixLayer::Insertions,
                    format!("{}[*i*, *j*−1] − {extend}", opened("M", "D", "I")),
                    t("insert: the gap goes on, or opens").into(),
                ),
            ];
            layers.map(|(layer, sum, says)| rule(RuleSubject::Layer(layer), format!("*{}*[*i*, *j*] = {sum}", layer.name()), says)).into()
        } else {
            vec![
                rule(RuleSubject::Input(CellInput::Corner), "*H*[*i*−1, *j*−1] + *s*".into(), pair),
                rule(RuleSubject::Input(CellInput::Above), format!("*H*[*i*−1, *j*] − {extend}"), t("delete the symbol of *a*").into()),
                rule(RuleSubject::Input(CellInput::Left), format!("*H*[*i*, *j*−1] − {extend}"), t("insert the symbol of *b*").into()),
            ]
        };
        if is_local {
            let formula = if has_layers { "*M*[*i*, *j*] = 0" } else { "0" };
            sums.push(rule(RuleSubject::Start, formula.into(), t("start here: a sum below 0 is not carried on").into()));
        }
        Self { base, head: if has_layers { "" } else { t("*H*[*i*, *j*] is the largest of") }, sums }
    }
}

impl RecurrenceRule {
    /// Returns whether the value of a cell of `matrix` is given by this line of the recurrence.
    pub fn makes(&self, matrix: &DpMatrix, node: MatrixNode) -> bool {
        let cell = node.cell;
        let is_inside = cell.i > 0 && cell.j > 0;
        match self.about {
            RuleSubject::Layer(layer) => is_inside && node.layer == layer && matrix.sums(node).any(|sum| sum.wins),
            RuleSubject::Start => is_inside && matrix.is_beginning(node),
            RuleSubject::FirstRow => cell.i == 0,
            RuleSubject::FirstColumn => cell.j == 0 && cell.i > 0,
            RuleSubject::Input(input) => is_inside && matrix.sums(node).any(|sum| sum.input == input && sum.wins),
        }
    }
}

#[cfg(test)]
mod tests {
    use explain::matrix::MatrixCell;
    use explain::matrix::document::MatrixSymbols;
    use kernels::job::{AlignmentMode, FreeEnds, JobOptions};
    use kernels::text::Pair;

    use super::super::MatrixBoard;
    use super::super::tests::{board, board_with_costs, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    /// Returns a board of each task, and boards with costs.
    fn boards(a: &str, b: &str) -> Vec<MatrixBoard> {
        let weights = EditCosts { substitute: 3, insert: 2, delete: 0, transpose: Some(1) };
        let with_costs = [EditCosts::INDEL, EditCosts::OSA, weights].map(|costs| board_with_costs(costs, a, b));
        let counting = Task::ALL.into_iter().filter(|task| *task != Task::SequenceAlignment);
        counting.map(|task| board(task, a, b)).chain(with_costs).collect()
    }

    /// Returns a board of each named scoring, and one of an overlap.
    fn scored_boards(a: &str, b: &str) -> Vec<MatrixBoard> {
        let presets = PointsPreset::ALL.map(PointsPreset::scoring);
        let overlap = Scoring { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::OVERLAP, ..PointsPreset::Gotoh.scoring() };
        presets.into_iter().chain([overlap]).map(|scoring| board_with_scoring(scoring, a, b)).collect()
    }

    #[test]
    fn every_score_follows_from_a_rule() {
        for board in scored_boards("ACCA", "CACAG") {
            let RecurrenceText { base, sums, .. } = RecurrenceText::of(&board.matrix);
            for node in board.matrix.nodes().filter(|node| board.matrix.value(*node).number().is_some()) {
                let by = base.iter().chain(&sums).filter(|rule| rule.makes(&board.matrix, node)).count();
                assert!(by > 0, "{node:?} with {:?}", board.matrix.scoring());
            }
        }
        let gotoh = RecurrenceText::of(&scored_boards("A", "A")[1].matrix);
        assert_eq!(gotoh.base[0].formula, "*I*[0, *j*] = −2 − *j*");
        assert_eq!(gotoh.sums[1].formula, "*D*[*i*, *j*] = max(*D*, *M* − 2, *I* − 2)[*i*−1, *j*] − 1");
        assert_eq!(gotoh.sums[0].says, "*s* is +2 for equal symbols, else −1");
    }

    /// Every value follows from some line of the recurrence, namely from those that its sums name.
    #[test]
    fn every_cell_follows_from_a_rule() {
        for board in boards("abca", "bcaab") {
            let (task, recurrence) = (board.task(), RecurrenceText::of(&board.matrix));
            for cell in board.matrix.cells() {
                let by: Vec<RuleSubject> = recurrence
                    .base
                    .iter()
                    .chain(&recurrence.sums)
                    .filter(|rule| rule.makes(&board.matrix, cell.into()))
                    .map(|rule| rule.about)
                    .collect();
                let zero = board.matrix.value(cell) == 0;
                assert!(!by.is_empty() || (task == Task::ExactSearch && zero), "{task:?} {cell:?}");
                assert_eq!(by.contains(&RuleSubject::FirstRow), cell.i == 0);
            }
        }
    }

    /// The formulas of the first row and column agree with the values of the matrix.
    #[test]
    fn base_cases_agree_with_the_matrix() {
        for board in boards("abc", "abcd") {
            let [row, column] = RecurrenceText::of(&board.matrix).base;
            for (rule, cell) in [(row, MatrixCell { i: 0, j: 3 }), (column, MatrixCell { i: 2, j: 0 })] {
                let (_, right) = rule.formula.split_once(" = ").unwrap();
                let (factor, of) = right.split_once(" · ").unwrap_or(("1", right));
                let said = match of {
                    "*j*" => 3,
                    "*i*" => 2,
                    number => number.parse::<u32>().unwrap(),
                };
                assert_eq!(board.matrix.value(cell).count(), factor.parse::<u32>().unwrap() * said, "{:?}: {}", board.task(), rule.formula);
            }
        }
    }

    /// Letters that stand for sets of bases match without being equal.
    #[test]
    fn recurrence_of_ambiguity_codes_names_no_equal_symbols() {
        let options = JobOptions { ambiguity: true, ..JobOptions::DEFAULT };
        let pair = Pair::parse(&b"RN"[..], &b"GCT"[..], &options.reading()).unwrap();
        for (task, formula, says) in [
            (Task::EditDistance, "*D*[*i*−1, *j*−1] + [*a*ᵢ ∩ *b*ⱼ = ∅]", "costs 1 unless the letters match"),
            (Task::Lcs, "*L*[*i*−1, *j*−1] + 1", "only if the letters match"),
            (Task::MatchCount, "*S*[*i*−1, *j*−1] + [*a*ᵢ ∩ *b*ⱼ ≠ ∅]", "1 if the letters match, else 0"),
            (Task::SequenceAlignment, "*H*[*i*−1, *j*−1] + *s*", "*s* is +1 for letters that match, else −1"),
        ] {
            let board = MatrixBoard::new(MatrixSymbols::from_pair(task, &options, &pair).unwrap().0).unwrap();
            let corner = &RecurrenceText::of(&board.matrix).sums[0];
            assert_eq!((&*corner.formula, &*corner.says), (formula, says));
        }
    }

    #[test]
    fn every_input_of_a_task_has_a_sum() {
        for board in boards("aba", "abba") {
            let mut inputs: Vec<RuleSubject> =
                board.matrix.sums(MatrixCell { i: 1, j: 1 }).map(|sum| RuleSubject::Input(sum.input)).collect();
            inputs.extend(board.matrix.sums(MatrixCell { i: 2, j: 4 }).map(|sum| RuleSubject::Input(sum.input)).skip(3));
            let sums: Vec<RuleSubject> = RecurrenceText::of(&board.matrix).sums.iter().map(|rule| rule.about).collect();
            assert_eq!(sums, inputs, "{:?} {:?}", board.task(), board.matrix.costs());
        }
    }
}
