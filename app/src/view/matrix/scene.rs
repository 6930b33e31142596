//! What is chosen of a matrix, and what its controls do. A handle: copying it copies no state.

use std::sync::Arc;

use explain::matrix::Cell;
use explain::matrix::natural::Natural;
use explain::matrix::optimal::Path;
use explain::matrix::order::{Order, Steps};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::latest::Latest;
use crate::matrix::quiz::Quiz;
use crate::matrix::{Arrows, Board, Chosen};
use crate::source::sleep;

/// Time of a step while it plays, in milliseconds, at speed 1.
const STEP_MS: f64 = 220.0;

/// Rows that Page Up and Page Down move by.
const PAGE: usize = 5;

/// The state of the view.
#[derive(Clone, Copy)]
pub struct Scene {
    /// The matrix.
    pub board: StoredValue<Arc<Board>>,
    /// The order of filling.
    pub order: RwSignal<Order>,
    /// Its steps.
    pub steps: Memo<Arc<Steps>>,
    /// Steps that are done.
    pub step: RwSignal<usize>,
    /// The selected cell.
    pub cell: RwSignal<Cell>,
    /// The cell under the pointer.
    pub hover: RwSignal<Option<Cell>>,
    /// Which arrows are drawn.
    pub arrows: RwSignal<Arrows>,
    /// Which optimal alignment, from 0.
    pub number: RwSignal<Natural>,
    /// That alignment.
    pub path: Memo<Option<Arc<Path>>>,
    /// Whether steps follow each other by themselves.
    pub playing: RwSignal<bool>,
    /// How often it was played.
    plays: Latest,
    /// How fast, 1 for the usual speed.
    pub speed: RwSignal<f64>,
    /// The questions, while the visitor fills the cells.
    pub quiz: RwSignal<Option<Quiz>>,
    /// The cell was selected by a key or a click, so that it takes the focus.
    pub focus: RwSignal<bool>,
}

/// Where keys move the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// By so many rows and columns.
    By(isize, isize),
    /// To the first or last column.
    Row(End),
    /// To the first or last cell of all.
    All(End),
}

/// One of two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The beginning.
    First,
    /// The end.
    Last,
}

impl Scene {
    /// The board as it was chosen.
    pub fn new(board: Arc<Board>, chosen: Chosen) -> Self {
        let chosen = chosen.fitted(&board);
        let (of_steps, of_path) = (board.clone(), board.clone());
        let (order, number) = (RwSignal::new(chosen.order), RwSignal::new(chosen.number));
        // The steps of a large picture are its anti-diagonals, which need no list.
        let steps = Memo::new(move |_| Arc::new(if of_steps.is_grid() { of_steps.steps(order.get()) } else { Steps::none() }));
        let path = Memo::new(move |_| number.with(|number| of_path.path(number)).map(Arc::new));
        let all = if board.is_grid() { steps.with_untracked(|steps| steps.len()) } else { diagonals(&board) };
        Self {
            order,
            steps,
            step: RwSignal::new(chosen.step.map_or(all, |step| step.min(all))),
            cell: RwSignal::new(chosen.cell.unwrap_or(board.answer())),
            hover: RwSignal::new(None),
            arrows: RwSignal::new(chosen.arrows),
            number,
            path,
            playing: RwSignal::new(false),
            plays: Latest::new(),
            speed: RwSignal::new(1.0),
            quiz: RwSignal::new(None),
            focus: RwSignal::new(false),
            board: StoredValue::new(board),
        }
    }

    /// Everything that stands in the address.
    pub fn chosen(self) -> Chosen {
        let (step, cell) = (self.step.get(), self.cell.get());
        Chosen {
            order: self.order.get(),
            step: (step < self.last_step()).then_some(step),
            cell: (cell != self.board.with_value(|board| board.answer())).then_some(cell),
            arrows: self.arrows.get(),
            number: self.number.get(),
        }
    }

    /// How many steps there are.
    pub fn last_step(self) -> usize {
        self.board.with_value(|board| match board.is_grid() {
            true => self.steps.with(|steps| steps.len()),
            false => diagonals(board),
        })
    }

    /// The cell that is spoken of: that under the pointer, else the selected one.
    pub fn looked(self) -> Cell {
        self.hover.get().unwrap_or(self.cell.get())
    }

    /// Whether the value of a cell may be told: it is filled, and not asked for.
    pub fn is_told(self, cell: Cell) -> bool {
        let step = self.step.get();
        let done = self.quiz.with(|quiz| quiz.as_ref().map_or(0, |quiz| quiz.done));
        let filled = |steps: &Steps| match steps.of(cell) {
            None => false,
            Some(at) if at == step + 1 => steps.cells(at).iter().take(done).any(|&other| other == cell),
            Some(at) => at <= step,
        };
        !self.board.with_value(|board| board.is_grid()) || self.steps.with(|steps| filled(steps))
    }

    /// Selects a cell and gives it the focus.
    pub fn select(self, cell: Cell) {
        self.hover.set(None);
        self.focus.set(true);
        self.cell.set(cell);
    }

    /// Moves the selection.
    pub fn shift(self, shift: Move) {
        let last = self.board.with_value(|board| board.matrix.last());
        let Cell { i, j } = self.cell.get_untracked();
        self.select(match shift {
            Move::By(down, right) => Cell { i: i.saturating_add_signed(down).min(last.i), j: j.saturating_add_signed(right).min(last.j) },
            Move::Row(End::First) => Cell { i, j: 0 },
            Move::Row(End::Last) => Cell { i, j: last.j },
            Move::All(End::First) => Cell::default(),
            Move::All(End::Last) => last,
        });
    }

    /// What a key does in the grid; `false` for keys that it does not know.
    pub fn key(self, key: &str, with_control: bool) -> bool {
        let page = PAGE as isize;
        match (key, with_control) {
            ("ArrowRight", _) => self.shift(Move::By(0, 1)),
            ("ArrowLeft", _) => self.shift(Move::By(0, -1)),
            ("ArrowDown", _) => self.shift(Move::By(1, 0)),
            ("ArrowUp", _) => self.shift(Move::By(-1, 0)),
            ("PageDown", _) => self.shift(Move::By(page, 0)),
            ("PageUp", _) => self.shift(Move::By(-page, 0)),
            ("Home", false) => self.shift(Move::Row(End::First)),
            ("End", false) => self.shift(Move::Row(End::Last)),
            ("Home", true) => self.shift(Move::All(End::First)),
            ("End", true) => self.shift(Move::All(End::Last)),
            (" ", false) => self.play(),
            (",", false) => self.step_by(-1),
            (".", false) => self.step_by(1),
            _ => return false,
        }
        true
    }

    /// Shows another step, and stops playing.
    pub fn go(self, step: usize) {
        self.playing.set(false);
        self.show(step);
    }

    /// One or more steps back or forward.
    pub fn step_by(self, by: isize) {
        self.go(self.step.get_untracked().saturating_add_signed(by));
    }

    fn show(self, step: usize) {
        let step = step.min(untrack(move || self.last_step()));
        if step != self.step.get_untracked() {
            self.quiz.update(|quiz| {
                if let Some(quiz) = quiz {
                    quiz.moved();
                }
            });
            self.step.set(step);
        }
    }

    /// Starts to play, from the beginning where all is done; or pauses.
    pub fn play(self) {
        if self.playing.get_untracked() {
            return self.playing.set(false);
        }
        let last = untrack(move || self.last_step());
        if self.step.get_untracked() >= last {
            self.show(0);
        }
        self.playing.set(true);
        // Paused and played again before its next step, an older loop ends all the same: two would be twice as fast.
        let turn = self.plays.begin();
        spawn_local(async move {
            loop {
                let Some(speed) = self.speed.try_get_untracked() else { return };
                sleep((STEP_MS / speed) as i32).await;
                if !turn.is_last() || self.playing.try_get_untracked() != Some(true) {
                    return;
                }
                // A picture has thousands of steps: they are played a hundred at most.
                let stride = self.board.with_value(|board| if board.is_grid() { 1 } else { (last / 100).max(1) });
                self.show(self.step.get_untracked() + stride);
                if self.step.get_untracked() >= last {
                    return self.playing.set(false);
                }
            }
        });
    }

    /// Another order of filling; all its steps are done, or as many in proportion while they are not.
    pub fn set_order(self, order: Order) {
        let (step, last) = (self.step.get_untracked(), untrack(move || self.last_step()));
        self.playing.set(false);
        self.order.set(order);
        let next = untrack(move || self.last_step());
        let asked = self.quiz.with_untracked(Option::is_some);
        self.step.set(if asked {
            0
        } else if step >= last {
            next
        } else {
            step * next / last.max(1)
        });
        self.quiz.update(|quiz| {
            if let Some(quiz) = quiz {
                quiz.moved();
            }
        });
    }

    /// Begins to ask, from the first cell on; or shows everything again.
    pub fn set_quiz(self, on: bool) {
        self.playing.set(false);
        self.quiz.set(on.then(Quiz::default));
        self.step.set(if on { 0 } else { untrack(move || self.last_step()) });
        self.select_question();
    }

    /// Selects the cell that is asked; the focus stays in the field.
    fn select_question(self) {
        if let Some(cell) = untrack(move || self.question()) {
            self.hover.set(None);
            self.cell.set(cell);
        }
    }

    /// Takes a guess of the value that is asked for.
    pub fn guess(self, guess: u16) {
        let board = self.board.get_value();
        let steps = self.steps.get_untracked();
        let step = self.step.get_untracked();
        let mut next = step;
        self.quiz.update(|quiz| {
            if let Some(quiz) = quiz {
                next = quiz.guess(&board, &steps, step, guess);
            }
        });
        self.step.set(next);
        self.select_question();
    }

    /// Whether the visitor is filling the cells: what gives their values away is not shown.
    pub fn is_asking(self) -> bool {
        self.quiz.with(Option::is_some) && self.question().is_some()
    }

    /// The cell that is asked.
    pub fn question(self) -> Option<Cell> {
        let step = self.step.get();
        self.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| self.steps.with(|steps| quiz.question(steps, step))))
    }
}

/// Anti-diagonals of a matrix without its first row and column.
fn diagonals(board: &Board) -> usize {
    (board.a.len() + board.b.len()).saturating_sub(1)
}
