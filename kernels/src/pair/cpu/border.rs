//! Border: the bottom row of a strip (some rows of the matrix, over the width of the band). One thread writes it, while
//! the thread of the strip below reads it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{WORD, WordDifferences, rise};

/// Number of times that a thread waiting for a border yields before it sleeps.
const YIELDS_BEFORE_SLEEP: usize = 50;

/// The bottom row of a strip of the matrix, as horizontal differences. Differences of columns that were not solved are
/// taken as +1.
pub(crate) struct StripBorder<const K: usize> {
    /// Columns that the strip may solve, half-open. The first is a multiple of 64.
    pub(super) columns: Range<usize>,
    state: Mutex<BorderState<K>>,
    moved: Condvar,
}

/// The columns of a border that are solved so far, and the threads that wait for more.
pub(super) struct BorderState<const K: usize> {
    /// First column whose value was computed (solved).
    first: usize,
    /// Value of the bottom row just left of the first solved column.
    value: u64,
    /// Column after the last column whose value was computed (solved).
    solved_end: usize,
    /// Column before which all columns are final: solved, or never to be solved. `None` until the first solved column
    /// is known.
    ready: Option<usize>,
    /// Horizontal differences of the solved columns, 64 columns per word.
    bits: Vec<WordDifferences<K>>,
    /// Number of threads that wait for this border. If it is zero, no system call is needed to wake them.
    waiting: usize,
}

impl<const K: usize> StripBorder<K> {
    /// Creates the border above the first row of the matrix, with D[0, j] = j.
    pub(crate) fn top() -> Arc<Self> {
        let top = Self::new(0..0);
        top.begin(0, 0);
        Arc::new(top)
    }

    /// Creates the border of a strip that may solve `columns`, before any column is solved.
    pub(super) fn new(columns: Range<usize>) -> Self {
        let state = BorderState { first: columns.start, value: 0, solved_end: columns.start, ready: None, bits: Vec::new(), waiting: 0 };
        Self { state: Mutex::new(state), moved: Condvar::new(), columns }
    }

    /// Returns an upper bound on the memory of a border with `columns`, in bytes.
    pub(super) fn bytes(columns: &Range<usize>) -> u64 {
        (columns.len().div_ceil(WORD) * size_of::<WordDifferences<K>>()) as u64
    }

    fn lock(&self) -> MutexGuard<'_, BorderState<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all columns before `column` are final, and returns the locked state of the border. Returns `None` if
    /// `given_up` is set, because another thread has ended the sweep.
    pub(super) fn wait(&self, column: usize, given_up: &AtomicBool) -> Option<MutexGuard<'_, BorderState<K>>> {
        let column = column.min(self.columns.end);
        let early = |state: &BorderState<K>| state.ready.is_none_or(|ready| ready < column);
        let wait = |state: &mut BorderState<K>| early(state) && !given_up.load(Relaxed);
        let mut state = self.lock();
        // Yields first, because sleeping and waking take about as long as a tile.
        for _ in 0..YIELDS_BEFORE_SLEEP {
            if !wait(&mut state) {
                break;
            }
            drop(state);
            std::thread::yield_now();
            state = self.lock();
        }
        if wait(&mut state) {
            state.waiting += 1;
            state = self.moved.wait_while(state, wait).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        (!early(&state)).then_some(state)
    }

    /// Returns the value of the bottom row just left of `column`, which must not lie before the first solved column.
    /// `column` must be a multiple of 64, or lie at or beyond the end of the border's columns. `state` is the locked
    /// state of this border.
    pub(super) fn value(&self, state: &BorderState<K>, column: usize) -> u64 {
        let inside = column.clamp(state.first, self.columns.end.max(state.first));
        let solved = inside.min(state.first + state.bits.len() * WORD);
        state.value.saturating_add_signed(rise(&state.bits, solved - state.first)) + (column - solved) as u64
    }

    /// Returns the value of the bottom row just left of `column`, which may be any column from the first solved one on.
    /// All columns of the border must be final.
    pub(super) fn at(&self, column: usize) -> u64 {
        let state = self.lock();
        let word = column / WORD * WORD;
        self.value(&state, word).saturating_add_signed(rise(&[self.word(&state, word)], column - word))
    }

    /// Waits until the first solved column is known, and returns it. Returns `None` if `given_up` is set, because
    /// another thread has ended the sweep.
    pub(super) fn first(&self, given_up: &AtomicBool) -> Option<usize> {
        self.wait(self.columns.start, given_up).map(|state| state.first)
    }

    /// Returns whether all columns of the border are final, given its locked `state`.
    pub(super) fn is_complete(&self, state: &BorderState<K>) -> bool {
        state.ready == Some(self.columns.end)
    }

    /// Returns the solved columns of a border whose columns are all final, as a half-open range.
    pub(super) fn solved_columns(&self) -> Range<usize> {
        let state = self.lock();
        state.first..state.solved_end
    }

    /// Iterates over every 64th solved column of a border whose columns are all final. An item is the column and the
    /// value of the bottom row just left of it.
    pub(super) fn values(&self) -> impl Iterator<Item = (usize, u64)> {
        let state = self.lock();
        let solved = state.first..state.solved_end;
        let values: Vec<_> = self.words(&state, solved).map(|(column, left, _)| (column, left)).collect();
        values.into_iter()
    }

    /// Iterates over the words of `columns`, which must begin at a multiple of 64, not before the first solved column.
    /// An item is the first column of the word, the value just left of that column, and the differences of the word.
    /// `state` is the locked state of this border.
    pub(super) fn words<'s>(
        &'s self,
        state: &'s BorderState<K>,
        columns: Range<usize>,
    ) -> impl Iterator<Item = (usize, u64, WordDifferences<K>)> + 's {
        let mut value = self.value(state, columns.start);
        columns.step_by(WORD).map(move |column| {
            let word = self.word(state, column);
            let left = value;
            value = value.saturating_add_signed(word.rise());
            (column, left, word)
        })
    }

    fn word(&self, state: &BorderState<K>, column: usize) -> WordDifferences<K> {
        let place = column.checked_sub(state.first).map(|columns| columns / WORD);
        match place.and_then(|place| state.bits.get(place)) {
            Some(bits) => bits.rising_from(self.columns.end.saturating_sub(column)),
            None => WordDifferences::RISING,
        }
    }

    /// Replaces the contents of `into` by the horizontal differences of `columns`. Columns that were not solved have
    /// +1.
    pub(super) fn copy(&self, columns: &Range<usize>, into: &mut Vec<WordDifferences<K>>) {
        self.copy_from(&self.lock(), columns, into);
    }

    /// Copies like [`copy`](Self::copy). `state` is the border's state, which the caller has locked.
    pub(super) fn copy_from(&self, state: &BorderState<K>, columns: &Range<usize>, into: &mut Vec<WordDifferences<K>>) {
        into.clear();
        into.extend((columns.start..columns.end).step_by(WORD).map(|column| self.word(state, column)));
    }

    /// Sets the first solved column to `first`, and the value of the bottom row just left of it to `value`.
    pub(super) fn begin(&self, first: usize, value: u64) {
        let mut state = self.lock();
        (state.first, state.value, state.solved_end, state.ready) = (first, value, first, Some(first));
        // Reserves all memory at once, because repeated growth would leave freed blocks of every size.
        state.bits.reserve_exact(self.columns.end.saturating_sub(first).div_ceil(WORD));
        self.wake_under(state);
    }

    /// Appends `bits`, the horizontal differences of `columns`, and wakes waiting threads. `columns` must follow the
    /// solved columns.
    pub(super) fn publish(&self, columns: &Range<usize>, bits: &[WordDifferences<K>]) {
        let mut state = self.lock();
        debug_assert_eq!(columns.start, state.first + state.bits.len() * WORD);
        state.bits.extend_from_slice(bits);
        (state.solved_end, state.ready) = (columns.end, Some(columns.end));
        self.wake_under(state);
    }

    /// Marks all columns of the border as final, and wakes waiting threads.
    pub(super) fn complete(&self) {
        let mut state = self.lock();
        state.ready = Some(self.columns.end);
        self.wake_under(state);
    }

    /// Wakes all waiting threads, so that they check again whether the sweep was given up.
    pub(super) fn wake(&self) {
        // Holds the lock, so that no thread falls asleep between its check of the flag and its wait.
        self.wake_under(self.lock());
    }

    fn wake_under(&self, state: MutexGuard<BorderState<K>>) {
        let waiting = state.waiting;
        drop(state);
        if waiting > 0 {
            self.moved.notify_all();
        }
    }
}
