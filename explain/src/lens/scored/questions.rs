//! Questions of the lenses of scores.

use kernels::job::Points;

use super::super::frame::{LensSentence, PanelSum, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{ScoredLens, layer_key, number};
use crate::matrix::{MatrixCell, MatrixLayer};

impl ScoredLens {
    /// Returns the questions about the step that fills `cell`.
    pub(super) fn fill_questions(&self, cell: MatrixCell, turn: QuestionTurn) -> Vec<LensQuestion> {
        let layer = if self.has_layers() { MatrixLayer::ALL[turn.place(3)] } else { MatrixLayer::Main };
        let node = layer.at(cell);
        let place = [("i", SentenceValue::number(cell.i)), ("j", SentenceValue::number(cell.j))];
        let (value, sums) = (number(self.matrix.value(node)), self.sums(node, None));
        let key = match layer {
            _ if !self.has_layers() => "question.value",
            MatrixLayer::Main => "question.value-m",
            MatrixLayer::Deletions => "question.value-d",
            MatrixLayer::Insertions => "question.value-i",
        };
        let totals: Vec<Points> = sums.iter().map(PanelSum::total).collect();
        let question = LensQuestion::signed(QuestionKind::Value, LensSentence::new(key, place.clone()), value, &totals);
        let mut all = vec![question.with_sums(sums.clone())];
        let winners: Vec<&PanelSum> = sums.iter().filter(|sum| sum.mark.is_some()).collect();
        if let [winner] = winners[..] {
            let says = match layer {
                _ if !self.has_layers() => {
                    LensSentence::new("question.which-sum", [place.as_slice(), &[("value", SentenceValue::signed(value))]].concat())
                }
                MatrixLayer::Main => LensSentence::new("question.layer-m", place),
                MatrixLayer::Deletions => LensSentence::new("question.layer-d", place),
                MatrixLayer::Insertions => LensSentence::new("question.layer-i", place),
            };
            let keys: Vec<&'static str> = sums.iter().map(|sum| sum.key).collect();
            let winner = winner.key;
            all.push(LensQuestion::key(QuestionKind::Inputs, says, winner, &keys).with_sums(sums));
        }
        all
    }

    /// Returns the question about the step that follows `columns` columns of the way back.
    pub(super) fn back_questions(&self, columns: usize) -> Vec<LensQuestion> {
        let (node, to) = (self.node(columns), self.node(columns + 1));
        let winners = self.matrix.sums(node).filter(|sum| sum.wins).count() + usize::from(self.matrix.is_beginning(node));
        // If several ways are equally good, there is no question about the next one.
        if winners != 1 {
            return Vec::new();
        }
        let sums = self.sums(node, Some(to));
        let place = [("i", SentenceValue::number(node.cell.i)), ("j", SentenceValue::number(node.cell.j))];
        let question = if self.has_layers() {
            let keys: Vec<&'static str> = sums.iter().filter(|sum| sum.key != "input.start").map(|sum| sum.key).collect();
            LensQuestion::key(QuestionKind::Next, LensSentence::new("question.from-layer", place), layer_key(to.layer), &keys)
        } else {
            let value = ("value", SentenceValue::signed(number(self.matrix.value(node))));
            let says = LensSentence::new("question.next-cell", [place.as_slice(), &[value]].concat());
            let among = self.matrix.sums(node).map(|sum| (sum.from.i, sum.from.j)).collect();
            LensQuestion::cells(QuestionKind::Next, says, vec![(to.cell.i, to.cell.j)], among)
        };
        vec![question.with_sums(sums)]
    }

    /// Returns the question where the best piece ends, or `None` if several cells are equally good.
    pub(super) fn end_question(&self) -> Option<LensQuestion> {
        let ends = self.matrix.ends();
        let ([end], false) = (&ends[..], self.has_layers()) else { return None };
        let mut others: Vec<MatrixCell> = self.matrix.cells().filter(|cell| cell.i > 0 && cell.j > 0 && *cell != end.cell).collect();
        others.sort_by_key(|cell| std::cmp::Reverse(self.matrix.value(*cell)));
        let among = others.into_iter().take(3).chain([end.cell]).map(|cell| (cell.i, cell.j)).collect();
        let says = LensSentence::new("question.best-end", []);
        Some(LensQuestion::cells(QuestionKind::Next, says, vec![(end.cell.i, end.cell.j)], among))
    }
}
