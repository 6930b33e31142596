//! The bottom of a strip: what it hands to the strip below, while both are under way.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Differences, WORD, rise};

/// How often a thread that waits lets others go first before it falls asleep.
const YIELDS: usize = 50;

/// Horizontal differences along the bottom of a strip, from a column in `columns` on; +1 after what was solved.
pub(crate) struct Border<const K: usize> {
    /// Columns that a strip may have; the first is a multiple of 64.
    pub(super) columns: Range<usize>,
    state: Mutex<State<K>>,
    moved: Condvar,
}

/// What is known so far.
pub(super) struct State<const K: usize> {
    /// First column that the strip has.
    first: usize,
    /// Value at its left.
    value: u64,
    /// End of the columns that were solved.
    solved: usize,
    /// Columns before this one are ready; `None` until the value is.
    ready: Option<usize>,
    /// 64 columns a word, from the first on as far as was solved.
    bits: Vec<Differences<K>>,
    /// Threads that wait: without any, a border need not call on the system.
    waiting: usize,
}

impl<const K: usize> Border<K> {
    /// The top of the matrix: D[0, j] = j.
    pub(crate) fn top() -> Arc<Self> {
        let top = Self::new(0..0);
        top.begin(0, 0);
        Arc::new(top)
    }

    /// A border that nothing is known of yet.
    pub(super) fn new(columns: Range<usize>) -> Self {
        let state = State { first: columns.start, value: 0, solved: columns.start, ready: None, bits: Vec::new(), waiting: 0 };
        Self { state: Mutex::new(state), moved: Condvar::new(), columns }
    }

    /// Memory in bytes, at most.
    pub(super) fn bytes(columns: &Range<usize>) -> u64 {
        (columns.len().div_ceil(WORD) * size_of::<Differences<K>>()) as u64
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the columns before `column` are ready; `None` when the sweep was given up.
    pub(super) fn wait(&self, column: usize, given_up: &AtomicBool) -> Option<MutexGuard<'_, State<K>>> {
        let column = column.min(self.columns.end);
        let early = |state: &State<K>| state.ready.is_none_or(|ready| ready < column);
        let wait = |state: &mut State<K>| early(state) && !given_up.load(Relaxed);
        let mut state = self.lock();
        // To sleep and to be woken takes about as long as a tile.
        for _ in 0..YIELDS {
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

    /// Value at the left of `column`, which must be a multiple of 64 or not before the end.
    pub(super) fn value(&self, state: &State<K>, column: usize) -> u64 {
        let inside = column.clamp(state.first, self.columns.end.max(state.first));
        let solved = inside.min(state.first + state.bits.len() * WORD);
        state.value.saturating_add_signed(rise(&state.bits, solved - state.first)) + (column - solved) as u64
    }

    /// Value at a column, not before the first, once it is complete.
    pub(super) fn at(&self, column: usize) -> u64 {
        let state = self.lock();
        let word = column / WORD * WORD;
        self.value(&state, word).saturating_add_signed(rise(&[self.word(&state, word)], column - word))
    }

    /// Waits until its first column is known, and returns it.
    pub(super) fn first(&self, given_up: &AtomicBool) -> Option<usize> {
        self.wait(self.columns.start, given_up).map(|state| state.first)
    }

    /// Whether nothing will be added.
    pub(super) fn is_complete(&self, state: &State<K>) -> bool {
        state.ready == Some(self.columns.end)
    }

    /// The columns that were solved, once it is complete.
    pub(super) fn solved(&self) -> Range<usize> {
        let state = self.lock();
        state.first..state.solved
    }

    /// Every 64th column that was solved and its value, once it is complete.
    pub(super) fn values(&self) -> impl Iterator<Item = (usize, u64)> {
        let state = self.lock();
        let solved = state.first..state.solved;
        let values: Vec<_> = self.words(&state, solved).map(|(column, left, _)| (column, left)).collect();
        values.into_iter()
    }

    /// Words of `columns`, each with its first column, the value at its left, and its differences. `columns` begins at a multiple
    /// of 64.
    pub(super) fn words<'s>(
        &'s self,
        state: &'s State<K>,
        columns: Range<usize>,
    ) -> impl Iterator<Item = (usize, u64, Differences<K>)> + 's {
        let mut value = self.value(state, columns.start);
        columns.step_by(WORD).map(move |column| {
            let word = self.word(state, column);
            let left = value;
            value = value.saturating_add_signed(word.rise());
            (column, left, word)
        })
    }

    fn word(&self, state: &State<K>, column: usize) -> Differences<K> {
        let place = column.checked_sub(state.first).map(|columns| columns / WORD);
        match place.and_then(|place| state.bits.get(place)) {
            Some(bits) => bits.rising_from(self.columns.end.saturating_sub(column)),
            None => Differences::RISING,
        }
    }

    /// Copies the differences of `columns`, +1 where there are none.
    pub(super) fn copy(&self, columns: &Range<usize>, into: &mut Vec<Differences<K>>) {
        self.copy_from(&self.lock(), columns, into);
    }

    /// As [`copy`](Self::copy), under a lock that is held already.
    pub(super) fn copy_from(&self, state: &State<K>, columns: &Range<usize>, into: &mut Vec<Differences<K>>) {
        into.clear();
        into.extend((columns.start..columns.end).step_by(WORD).map(|column| self.word(state, column)));
    }

    /// Sets the first column and the value at its left.
    pub(super) fn begin(&self, first: usize, value: u64) {
        let mut state = self.lock();
        (state.first, state.value, state.solved, state.ready) = (first, value, first, Some(first));
        // At once: growing step by step would leave as much again behind, of every size.
        state.bits.reserve_exact(self.columns.end.saturating_sub(first).div_ceil(WORD));
        self.wake_under(state);
    }

    /// Writes the differences of `columns`, the next ones, and wakes whoever waits for them.
    pub(super) fn publish(&self, columns: &Range<usize>, bits: &[Differences<K>]) {
        let mut state = self.lock();
        debug_assert_eq!(columns.start, state.first + state.bits.len() * WORD);
        state.bits.extend_from_slice(bits);
        (state.solved, state.ready) = (columns.end, Some(columns.end));
        self.wake_under(state);
    }

    /// Nothing is added any more.
    pub(super) fn complete(&self) {
        let mut state = self.lock();
        state.ready = Some(self.columns.end);
        self.wake_under(state);
    }

    /// Wakes whoever waits, to look at its flag again.
    pub(super) fn wake(&self) {
        // Under the lock, so that nobody can fall asleep between looking at the flag and waiting.
        self.wake_under(self.lock());
    }

    fn wake_under(&self, state: MutexGuard<State<K>>) {
        let waiting = state.waiting;
        drop(state);
        if waiting > 0 {
            self.moved.notify_all();
        }
    }
}
