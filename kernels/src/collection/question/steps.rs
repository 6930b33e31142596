//! Steps: the answer to a question in parts of some rows, which a caller can store. A later run continues after them.

use super::AnsweredRows;
use super::kept::AnswerParts;
use crate::run::Halt;

/// A function that receives finished rows.
pub type RowReceiver<'s> = dyn FnMut(&FinishedRows<'_>) -> Result<(), Halt> + 's;

/// The rows that earlier runs of a question have answered, and the receiver of further ones.
pub struct RowSteps<'s> {
    done: Vec<AnsweredRows>,
    receiver: Option<&'s mut RowReceiver<'s>>,
}

/// The rows that a run has finished so far.
pub struct FinishedRows<'k> {
    kept: &'k AnswerParts<'k>,
    end: usize,
    left: f64,
}

impl<'s> RowSteps<'s> {
    /// Creates the steps of a run that begins with the first row and that no caller follows.
    pub fn none() -> Self {
        Self { done: Vec::new(), receiver: None }
    }

    /// Creates the steps of a run that continues after `done`. Each element follows the one before, and the nearest texts
    /// are one element. `receiver` is called after some further rows.
    pub fn new(done: Vec<AnsweredRows>, receiver: &'s mut RowReceiver<'s>) -> Self {
        Self { done, receiver: Some(receiver) }
    }

    pub(super) fn done(&self) -> &[AnsweredRows] {
        &self.done
    }

    /// Returns the number of the first row that is not answered.
    pub(super) fn start(&self) -> usize {
        self.done.last().map_or(0, |last| last.rows.end)
    }

    pub(super) fn report(&mut self, rows: &FinishedRows) -> Result<(), Halt> {
        self.receiver.as_mut().map_or(Ok(()), |receiver| receiver(rows))
    }
}

impl<'k> FinishedRows<'k> {
    pub(super) fn new(kept: &'k AnswerParts<'k>, end: usize, left: f64) -> Self {
        Self { kept, end, left }
    }

    /// Returns the number after the last finished row.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the share of the run that is left, from 0 to 1.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Returns the answer for the finished rows from `start` on. Takes the memory of a copy.
    ///
    /// # Panics
    /// Panics if `start` is not a finished row.
    pub fn since(&self, start: usize) -> AnsweredRows {
        self.kept.part(start..self.end)
    }
}
