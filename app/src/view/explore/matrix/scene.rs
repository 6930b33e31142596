//! State and actions of the view of a matrix: [`MatrixScene`].

use kernels::job::Points;
use std::sync::Arc;

use explain::lens::question::{LensQuestion, QuestionReply};
use explain::matrix::big_uint::BigUint;
use explain::matrix::optimal::OptimalPath;
use explain::matrix::order::{FillOrder, FillSteps};
use explain::matrix::{MatrixCell, MatrixLayer, MatrixNode};
use leptos::prelude::*;

use crate::model::matrix::quiz::{MatrixQuestionKind, MatrixQuiz};
use crate::model::matrix::{ArrowSelection, BoardView, MatrixBoard};
use crate::view::explore::lens::player::StepPlayer;

/// Number of rows by which Page Up and Page Down move the selection.
const PAGE: usize = 5;

/// State of the view of a matrix: steps, selected cell, alignment and quiz. Copies share one state.
#[derive(Clone, Copy)]
pub struct MatrixScene {
    pub board: StoredValue<Arc<MatrixBoard>>,
    /// The order in which the cells are filled.
    pub order: RwSignal<FillOrder>,
    /// The steps of `order`: the cells that each step fills.
    pub steps: Memo<Arc<FillSteps>>,
    /// The player, which moves through the steps.
    pub player: StepPlayer,
    /// The held cell: a cell that the visitor selected, and that stays selected while the steps go on.
    pub held_cell: RwSignal<Option<MatrixNode>>,
    /// The selected cell: the cell of the quiz's question, otherwise the held cell, otherwise a cell of the current
    /// step.
    pub cell: Memo<MatrixNode>,
    /// The cell under the pointer.
    pub hover: RwSignal<Option<MatrixNode>>,
    /// The choice which arrows are drawn.
    pub arrows: RwSignal<ArrowSelection>,
    /// Number of the chosen optimal alignment, from 0.
    pub number: RwSignal<BigUint>,
    /// The chosen optimal alignment.
    pub path: Memo<Option<Arc<OptimalPath>>>,
    /// The quiz; `None` while it is off.
    pub quiz: RwSignal<Option<MatrixQuiz>>,
    /// Whether the visitor has asked to see the answer before the last step.
    pub reveals: RwSignal<bool>,
    /// Whether the selected cell shall take the focus, because a key or a click selected it.
    pub focus: RwSignal<bool>,
}

/// A movement of the selected cell by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionMove {
    /// By a number of rows (down if positive) and a number of columns (right if positive).
    By(isize, isize),
    /// To the first or the last column of the row.
    Row(SelectionEnd),
    /// To the first or the last cell of the matrix.
    All(SelectionEnd),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionEnd {
    First,
    Last,
}

impl MatrixScene {
    /// Creates the state for the matrix `board`, with the settings `chosen`, which come from an address.
    pub fn new(board: Arc<MatrixBoard>, chosen: BoardView) -> Self {
        let chosen = chosen.fitted(&board);
        let (of_steps, of_path, of_cell, of_asked) = (board.clone(), board.clone(), board.clone(), board.clone());
        let (order, number) = (RwSignal::new(chosen.order), RwSignal::new(chosen.number));
        let (held, hover) = (RwSignal::new(chosen.cell), RwSignal::new(None));
        let of_quiz = board.clone();
        let steps = Memo::new(move |_| Arc::new(of_steps.steps(order.get())));
        let last = Memo::new(move |_| steps.with(|steps| steps.len()));
        let path = Memo::new(move |_| number.with(|number| of_path.path(number)).map(Arc::new));
        let all = last.get_untracked();
        let step = chosen.step.map_or(if chosen.question_kind.is_some() { 0 } else { all }, |step| step.min(all));
        let answers = chosen.answers.unwrap_or_default();
        let read = |kind| steps.with_untracked(|steps| MatrixQuiz::read(kind, &answers, &of_quiz, steps, step));
        let quiz = RwSignal::new(chosen.question_kind.map(read));
        let reveals = RwSignal::new(false);
        let moves = Callback::new(move |next: usize| {
            hover.set(None);
            // At the beginning of the steps, the answer is hidden again.
            if next == 0 {
                reveals.set(false);
            }
            quiz.update(|quiz| quiz.iter_mut().for_each(MatrixQuiz::moved));
        });
        let player = StepPlayer::new(step, last, moves).in_strides(!board.is_grid());
        let asked = move |step: usize| {
            steps.with(|steps| {
                quiz.with(|quiz| quiz.as_ref().filter(|quiz| quiz.shows_cell()).and_then(|quiz| quiz.question(&of_asked, steps, step)))
            })
        };
        let cell = Memo::new(move |_| {
            let step = player.step.get();
            asked(step).or(held.get()).unwrap_or_else(|| steps.with(|steps| shown_of(&of_cell, steps, step)))
        });
        Self {
            order,
            steps,
            player,
            held_cell: held,
            cell,
            hover,
            arrows: RwSignal::new(chosen.arrows),
            number,
            path,
            quiz,
            reveals,
            focus: RwSignal::new(false),
            board: StoredValue::new(board),
        }
    }

    /// Returns the view limited to `steps`: the first and the last step that may be shown. `None` means no limit.
    #[must_use]
    pub fn between(self, steps: Option<(usize, usize)>) -> Self {
        Self { player: self.player.between(steps), ..self }
    }

    /// Returns the current settings, to be written into the address.
    pub fn chosen(self) -> BoardView {
        let step = self.player.step.get();
        BoardView {
            order: self.order.get(),
            step: (step < self.player.last.get()).then_some(step),
            cell: self.held_cell.get(),
            arrows: self.arrows.get(),
            number: self.number.get(),
            question_kind: self.quiz.with(|quiz| quiz.as_ref().map(|quiz| quiz.kind)),
            answers: self.quiz.with(|quiz| quiz.as_ref().and_then(MatrixQuiz::answers)),
        }
    }

    /// Returns the cell that is explained: the cell under the pointer, otherwise the selected cell.
    pub fn explained_cell(self) -> MatrixNode {
        self.hover.get().unwrap_or(self.cell.get())
    }

    /// Returns whether the value of a cell may be shown: the cell is filled, and no question asks for its value.
    pub fn is_value_visible(self, node: MatrixNode) -> bool {
        let step = self.player.step.get();
        let done = self.quiz.with(|quiz| quiz.as_ref().map_or(0, |quiz| quiz.done));
        self.steps.with(|steps| match steps.step_of(node.cell) {
            None => false,
            Some(at) if at == step + 1 && done > 0 => {
                self.board.with_value(|board| board.nodes_of(steps, at).iter().take(done).any(|&other| other == node))
            }
            Some(at) => at <= step,
        })
    }

    /// Returns the number of values that are filled after the current step. A cell has a value in each layer.
    pub fn filled(self) -> usize {
        let done = self.quiz.with(|quiz| quiz.as_ref().map_or(0, |quiz| quiz.done));
        let layers = self.board.with_value(|board| board.matrix.layers().len());
        self.steps.with(|steps| steps.filled_after(self.player.step.get())) * layers + done
    }

    /// Returns the number of cells that the current step fills together. Returns 1 if the visitor holds a cell, during
    /// the quiz, and if all steps are done.
    pub fn cells_in_step(self) -> usize {
        let step = self.player.step.get();
        let follows = self.held_cell.with(Option::is_none) && !self.player.is_done() && self.quiz.with(Option::is_none);
        if follows { self.steps.with(|steps| steps.cells(step).len()) } else { 1 }
    }

    /// Selects a cell, gives it the focus, and holds it while the steps go on.
    pub fn select(self, node: MatrixNode) {
        self.hover.set(None);
        self.focus.set(true);
        self.held_cell.set(Some(node));
    }

    /// Selects the same cell of another layer, given by a digit: 1 for the first panel, 2 and 3 for the next ones. Returns
    /// `false` if there is no such panel, or if the quiz is on, in which digits are values.
    fn select_layer(self, digit: &str) -> bool {
        let panels = self.board.with_value(|board| panels(board));
        let wanted = digit.parse::<usize>().ok().and_then(|digit| panels.get(digit.checked_sub(1)?).copied());
        let Some(layer) = wanted.filter(|_| panels.len() > 1 && self.quiz.with_untracked(Option::is_none)) else { return false };
        self.select(layer.at(self.cell.get_untracked().cell));
        true
    }

    /// Releases the held cell, so that the selection follows the steps again.
    pub fn release(self) {
        self.hover.set(None);
        self.held_cell.set(None);
    }

    /// Moves the selection by `shift`, and holds the new cell.
    pub fn shift(self, shift: SelectionMove) {
        let last = self.board.with_value(|board| board.matrix.last());
        let MatrixNode { layer, cell: MatrixCell { i, j } } = self.cell.get_untracked();
        let cell = match shift {
            SelectionMove::By(down, right) => {
                MatrixCell { i: i.saturating_add_signed(down).min(last.i), j: j.saturating_add_signed(right).min(last.j) }
            }
            SelectionMove::Row(SelectionEnd::First) => MatrixCell { i, j: 0 },
            SelectionMove::Row(SelectionEnd::Last) => MatrixCell { i, j: last.j },
            SelectionMove::All(SelectionEnd::First) => MatrixCell::default(),
            SelectionMove::All(SelectionEnd::Last) => last,
        };
        self.select(layer.at(cell));
    }

    /// Handles a key in the grid, pressed together with Ctrl if `with_control` is set. Returns `false` for keys that
    /// have no meaning in the grid.
    pub fn key(self, key: &str, with_control: bool) -> bool {
        let page = PAGE as isize;
        match (key, with_control) {
            ("ArrowRight", _) => self.shift(SelectionMove::By(0, 1)),
            ("ArrowLeft", _) => self.shift(SelectionMove::By(0, -1)),
            ("ArrowDown", _) => self.shift(SelectionMove::By(1, 0)),
            ("ArrowUp", _) => self.shift(SelectionMove::By(-1, 0)),
            ("PageDown", _) => self.shift(SelectionMove::By(page, 0)),
            ("PageUp", _) => self.shift(SelectionMove::By(-page, 0)),
            ("Home", false) => self.shift(SelectionMove::Row(SelectionEnd::First)),
            ("End", false) => self.shift(SelectionMove::Row(SelectionEnd::Last)),
            ("Home", true) => self.shift(SelectionMove::All(SelectionEnd::First)),
            ("End", true) => self.shift(SelectionMove::All(SelectionEnd::Last)),
            ("Escape", _) if self.held_cell.with_untracked(Option::is_some) => self.release(),
            ("1" | "2" | "3", false) if self.select_layer(key) => {}
            (key, false) => return self.player.key(key),
            _ => return false,
        }
        true
    }

    /// Sets the order of filling. Goes to the step at the same fraction of all steps, or to the last step if all were
    /// done. During a quiz, goes to the beginning and discards all answers.
    pub fn set_order(self, order: FillOrder) {
        let player = self.player;
        let (step, last) = (player.step.get_untracked(), player.last.get_untracked());
        player.playing.set(false);
        self.order.set(order);
        let next = player.last.get_untracked();
        let asked = self.quiz.with_untracked(Option::is_some);
        player.step.set(if asked {
            0
        } else if step >= last {
            next
        } else {
            // For four million steps the product exceeds 32 bits.
            (step as u64 * next as u64 / last.max(1) as u64) as usize
        });
        // Earlier answers belong to other cells.
        self.quiz.update(|quiz| quiz.iter_mut().for_each(|quiz| *quiz = MatrixQuiz::of(quiz.kind)));
    }

    /// Starts the quiz at the first cell if `on` is set. Otherwise ends it and goes to the last step.
    pub fn set_quiz(self, on: bool) {
        self.player.playing.set(false);
        self.release();
        self.quiz.set(on.then(MatrixQuiz::default));
        self.player.step.set(if on { 0 } else { self.player.last.get_untracked() });
    }

    /// Changes the kind of questions and discards all answers. The quiz continues at the first cell of the step that is
    /// being filled.
    pub fn ask_for(self, kind: MatrixQuestionKind) {
        self.quiz.update(|quiz| {
            if let Some(quiz) = quiz {
                *quiz = MatrixQuiz::of(kind);
            }
        });
    }

    /// Returns the current question with the replies to choose from, or `None` if the visitor has to type a value.
    pub fn choices(self) -> Option<LensQuestion> {
        let step = self.player.step.get();
        self.board.with_value(|board| {
            self.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| self.steps.with(|steps| quiz.choices(board, steps, step))))
        })
    }

    /// Handles `reply`, which the visitor chose from the choices of the current question.
    pub fn choose(self, reply: &QuestionReply) {
        self.answer_question(|quiz, board, steps, step| quiz.choose(board, steps, step, reply));
    }

    /// Handles `guess`, the value that the visitor typed for the next cell.
    pub fn guess(self, guess: impl Into<Points>) {
        self.answer_question(|quiz, board, steps, step| quiz.guess(board, steps, step, guess));
    }

    fn answer_question(self, take: impl FnOnce(&mut MatrixQuiz, &MatrixBoard, &FillSteps, usize) -> usize) {
        let board = self.board.get_value();
        let steps = self.steps.get_untracked();
        let step = self.player.step.get_untracked();
        let mut next = step;
        self.quiz.update(|quiz| {
            if let Some(quiz) = quiz {
                next = take(quiz, &board, &steps, step);
            }
        });
        self.player.step.set(next);
        self.hover.set(None);
    }

    /// Returns whether the quiz is on and cells remain, so that hints at their values are hidden.
    pub fn is_asking(self) -> bool {
        self.quiz.with(Option::is_some) && self.question().is_some()
    }

    /// Returns whether the answer is hidden because the visitor has to find it: the quiz still asks, or steps remain
    /// and the visitor has not asked to see the answer.
    pub fn hides_answer(self) -> bool {
        self.is_asking() || (!self.player.is_done() && !self.reveals.get())
    }

    /// Returns whether only the first row and column are filled, and the quiz is off.
    pub fn is_at_start(self) -> bool {
        self.player.step.get() == 0 && !self.player.is_done() && self.quiz.with(Option::is_none)
    }

    /// Returns the cell that the current question of the quiz is about.
    pub fn question(self) -> Option<MatrixNode> {
        let step = self.player.step.get();
        self.board.with_value(|board| {
            self.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| self.steps.with(|steps| quiz.question(board, steps, step))))
        })
    }
}

/// Returns the cell that represents step number `step` of `steps`. This is the cell with the answer of `board` if the
/// step fills it or all steps are done, otherwise the first cell of the step. Before the first step, returns the first
/// cell to be filled.
fn shown_of(board: &MatrixBoard, steps: &FillSteps, step: usize) -> MatrixNode {
    let answer = board.answer();
    let step = if step < steps.len() { step.max(1) } else { step };
    let cells = steps.cells(step);
    if step >= steps.len() || cells.contains(&answer.cell) { answer } else { cells.first().copied().unwrap_or_default().into() }
}

/// Returns the layers in the order of their panels: the gaps in `b`, the pairs, and the gaps in `a`.
pub fn panels(board: &MatrixBoard) -> &'static [MatrixLayer] {
    if board.has_layers() { &[MatrixLayer::Deletions, MatrixLayer::Main, MatrixLayer::Insertions] } else { board.matrix.layers() }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::matrix::tests::{board, board_with_scoring};
    use crate::model::points::PointsPreset;

    fn scene(chosen: BoardView) -> (Owner, MatrixScene) {
        let owner = Owner::new();
        let scene = owner.with(|| MatrixScene::new(Arc::new(board(Task::EditDistance, "kitten", "sitting")), chosen));
        (owner, scene)
    }

    /// The cell that is being filled is selected until the visitor holds another one.
    #[test]
    fn selection_follows_the_steps() {
        let (owner, scene) = scene(BoardView::default());
        owner.with(|| {
            let cell = |i, j| MatrixNode::from(MatrixCell { i, j });
            assert_eq!(scene.cell.get_untracked(), cell(6, 7));
            scene.player.go(0);
            assert_eq!(scene.cell.get_untracked(), cell(1, 1), "the first empty cell");
            (0..9).for_each(|_| scene.player.step_by(1));
            assert_eq!((scene.cell.get_untracked(), scene.chosen().cell), (cell(2, 2), None));
            scene.select(cell(5, 1));
            scene.player.step_by(1);
            assert_eq!((scene.cell.get_untracked(), scene.chosen().cell), (cell(5, 1), Some(cell(5, 1))));
            scene.release();
            assert_eq!(scene.cell.get_untracked(), cell(2, 3));
            scene.set_order(FillOrder::Diagonal);
            scene.player.go(7);
            assert_eq!((scene.cell.get_untracked(), scene.cells_in_step()), (cell(1, 7), 6));
            scene.player.go(usize::MAX);
            assert_eq!((scene.cell.get_untracked(), scene.cells_in_step()), (cell(6, 7), 1));
        });
    }

    /// The answer appears with the last step, or when the visitor asks for it.
    #[test]
    fn answer_is_hidden_until_the_last_step() {
        let (owner, scene) = scene(BoardView { step: Some(0), ..BoardView::default() });
        owner.with(|| {
            assert!(scene.hides_answer() && scene.is_at_start());
            scene.player.go(41);
            assert!(scene.hides_answer() && !scene.is_at_start());
            scene.player.go(42);
            assert!(!scene.hides_answer());
            scene.player.go(3);
            scene.reveals.set(true);
            scene.player.go(5);
            assert!(!scene.hides_answer(), "the visitor revealed the answer");
            scene.player.go(0);
            assert!(scene.hides_answer(), "returning to the start hides the answer");
            scene.set_quiz(true);
            assert!(scene.hides_answer() && !scene.is_at_start());
        });
    }

    #[test]
    fn question_selects_its_cell_and_can_be_opened_by_a_link() {
        let (owner, scene) = scene(BoardView {
            question_kind: Some(MatrixQuestionKind::Value),
            cell: Some(MatrixCell { i: 4, j: 4 }.into()),
            ..BoardView::default()
        });
        owner.with(|| {
            assert_eq!((scene.player.step.get_untracked(), scene.cell.get_untracked()), (0, MatrixCell { i: 1, j: 1 }.into()));
            assert!(!scene.is_value_visible(MatrixCell { i: 1, j: 1 }.into()) && scene.is_value_visible(MatrixCell { i: 0, j: 4 }.into()));
            scene.guess(1);
            assert_eq!((scene.cell.get_untracked(), scene.filled()), (MatrixCell { i: 1, j: 2 }.into(), 1));
            assert_eq!(scene.chosen().question_kind, Some(MatrixQuestionKind::Value));
            scene.set_quiz(false);
            assert!(scene.chosen().question_kind.is_none() && scene.player.is_done());
        });
    }

    /// The digits 1, 2 and 3 select the layers in the order of their panels, unless the quiz asks for numbers.
    #[test]
    fn digits_select_the_layers_of_a_cell() {
        let owner = Owner::new();
        owner.with(|| {
            let board = Arc::new(board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC"));
            let scene = MatrixScene::new(board, BoardView::default());
            let at = |layer: MatrixLayer| layer.at(MatrixCell { i: 7, j: 6 });
            assert_eq!(scene.cell.get_untracked(), at(MatrixLayer::Main));
            for (digit, layer) in [("1", MatrixLayer::Deletions), ("3", MatrixLayer::Insertions), ("2", MatrixLayer::Main)] {
                assert!(scene.key(digit, false));
                assert_eq!(scene.cell.get_untracked(), at(layer));
            }
            scene.shift(SelectionMove::By(-1, 0));
            assert_eq!(scene.filled(), 126);
            scene.set_quiz(true);
            assert!(!scene.key("1", false));
            scene.guess(2);
            assert_eq!((scene.filled(), scene.question()), (1, Some(MatrixLayer::Deletions.at(MatrixCell { i: 1, j: 1 }))));
        });
    }
}
