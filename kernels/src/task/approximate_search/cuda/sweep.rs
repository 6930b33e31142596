//! Sweep: processes one part of the text, from its last row to the ends that count.

use cudarc::driver::CudaSlice;

use super::shape::Guess;
use crate::gpu::compaction::{BLOCK, FoundList, Marks, Ones, ROOM};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{Arguments, Session};
use crate::job::Options;
use crate::run::Halt;

/// A method to sweep a part of the text for the pattern.
pub(super) trait Sweep<'s> {
    /// Returns the session on the device.
    fn session(&self) -> &Session<'s>;

    /// Returns the number of symbols in the pattern.
    fn m(&self) -> u64;

    /// Returns the kernels that process the last row.
    fn ends(&self) -> KernelSource;

    /// Returns the memory for `columns` columns in bytes, without the memory that [`row`](Self::row) reports itself.
    fn bytes(&self, columns: u64) -> u64;

    /// Computes the last row of a part. Values up to the guess are exact, and larger ones stay larger than the guess.
    /// Writes m less the least value of the part's own columns to the task's own word in `found`.
    fn row(&mut self, place: &SweptPart, guess: Guess, found: &FoundList) -> Result<Row, Halt>;
}

/// The position of a part in the text and on the device.
pub(super) struct SweptPart {
    /// Number of the part, from 0.
    pub(super) number: usize,
    /// Address of the part's symbols.
    pub(super) text: u64,
    /// Number of columns, including those before the part's own.
    pub(super) columns: u64,
    /// Number of columns before the part's own, in whole words.
    pub(super) skip: u64,
    pub(super) is_last: bool,
}

/// The result of a sweep on the device, for the part's own columns: the differences of the last row, 32 columns per
/// word, and the value before each word.
pub(super) struct Row {
    pub(super) last: CudaSlice<u64>,
    pub(super) values: CudaSlice<i32>,
}

impl Row {
    /// Allocates `words` words.
    pub(super) fn new(session: &Session, words: u64) -> Result<Self, Halt> {
        Ok(Self { last: session.room(words as usize)?, values: session.room(words as usize + 1)? })
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct EndsArguments {
    last: u64,
    values: u64,
    found: u64,
    bits: u64,
    counts: u64,
    turns: u64,
    words: i32,
    columns: i32,
    skip: i32,
    ends: i32,
    m: i32,
    within: i32,
    minima: u32,
    whole: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launch states the bounds of every access.
unsafe impl Arguments for EndsArguments {}

/// The ends of a part.
pub(super) struct Swept {
    /// The least distance.
    pub(super) best: u64,
    /// Number of ends that count. Without a bound, these have the best distance.
    pub(super) total: u64,
    pub(super) ones: Ones,
}

/// The search for the ends of all parts.
pub(super) struct Finder {
    m: u64,
    source: KernelSource,
    /// The last change of the value before each part.
    turns: CudaSlice<u32>,
}

impl Finder {
    /// Prepares the search in `parts` parts.
    pub(super) fn new<'s>(sweep: &impl Sweep<'s>, parts: usize) -> Result<Self, Halt> {
        Ok(Self { m: sweep.m(), source: sweep.ends(), turns: sweep.session().zeros(parts + 1)? })
    }

    /// Finds the ends of a part. Without a bound, only ends at most as far as `known` matter, and the guess follows the
    /// results.
    pub(super) fn part<'s>(
        &self,
        sweep: &mut impl Sweep<'s>,
        place: &SweptPart,
        guess: &mut Guess,
        options: &Options,
        known: u64,
    ) -> Result<Swept, Halt> {
        let within = options.max_distance.map(|k| k.min(self.m));
        loop {
            if within.is_none() {
                guess.most = guess.most.min(known);
            }
            let found = FoundList::new(sweep.session(), ROOM)?;
            let row = sweep.row(place, *guess, &found)?;
            let session = sweep.session();
            let marks = self.ends(session, place, &row, &found, within, options.local_minima)?;
            let (total, own, list) = found.fetch(session)?;
            let best = self.m - u64::from(own);
            // Beyond the guess values are upper bounds. The value found is therefore large enough as the next guess.
            if within.is_none() && best > guess.most && guess.most < known {
                guess.most = best;
                continue;
            }
            let wanted = !options.count_only && (within.is_some() || best <= known);
            let all = total == list.len() as u64;
            let ones = if all || !wanted { Ones::List(list) } else { Ones::Bits(session.download(&marks.bits)?) };
            return Ok(Swept { best, total, ones });
        }
    }

    /// Queues the search for ends and the compaction of their list.
    pub(super) fn ends(
        &self,
        session: &Session,
        place: &SweptPart,
        row: &Row,
        found: &FoundList,
        within: Option<u64>,
        minima: bool,
    ) -> Result<Marks, Halt> {
        // End 0 of the part lies before its first own column. The last part has one more end, behind its last column.
        let ends = place.columns - place.skip + u64::from(place.is_last);
        let marks = Marks::new(session, ends)?;
        let job = EndsArguments {
            last: session.address(&row.last),
            values: session.address(&row.values),
            found: found.address(session),
            bits: session.address(&marks.bits),
            counts: session.address(&marks.counts),
            turns: session.address(&self.turns) + 4 * place.number as u64,
            words: place.columns.div_ceil(32) as i32,
            columns: place.columns as i32,
            skip: (place.skip / 32) as i32,
            ends: ends as i32,
            m: self.m as i32,
            within: within.map_or(-1, |k| k as i32),
            minima: minima.into(),
            whole: place.is_last.into(),
        };
        let kernel = session.kernel(&self.source, "ends")?;
        let blocks = ends.div_ceil(32).div_ceil(BLOCK) as u32;
        // SAFETY: a thread for each word of bits; differences are read below `words`, values up to it, which the sweep
        // has written.
        unsafe { session.launch(&kernel, blocks, BLOCK as u32, job)? };
        marks.compact(session, found)?;
        Ok(marks)
    }
}
