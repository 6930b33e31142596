//! Sweep: the launches for one part of the text.

use cudarc::driver::CudaSlice;

use super::shape::{Guess, Shape, THREADS, ends_source};
use crate::gpu::Gpu;
use crate::gpu::gather::{BLOCK, Found, Marks, Ones, ROOM};
use crate::gpu::session::{Arguments, Session, Unit};
use crate::job::Options;
use crate::run::Halt;

/// Threads of a block that packs symbols.
const PACK: u32 = 256;

#[derive(Clone, Copy)]
#[repr(C)]
struct Slices {
    planes: u64,
    rows: u64,
    last: u64,
    values: u64,
    found: u64,
    words: i32,
    columns: i32,
    m: i32,
    own: i32,
    lead: i32,
    skip: i32,
    lanes: i32,
    two: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launches say what they stay inside of.
unsafe impl Arguments for Slices {}

#[derive(Clone, Copy)]
#[repr(C)]
struct Pack {
    text: u64,
    codes: u64,
    planes: u64,
    symbols: u32,
    words: u32,
}

// SAFETY: as above.
unsafe impl Arguments for Pack {}

#[derive(Clone, Copy)]
#[repr(C)]
struct Ends {
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

// SAFETY: as above.
unsafe impl Arguments for Ends {}

/// Where a part lies.
pub(super) struct Place {
    /// Its number, from 0.
    pub(super) number: usize,
    /// Address of its symbols.
    pub(super) text: u64,
    /// Columns, those before its own included.
    pub(super) columns: u64,
    /// Columns before its own.
    pub(super) skip: u64,
    pub(super) is_last: bool,
}

/// What a part has.
pub(super) struct Swept {
    /// The least distance.
    pub(super) best: u64,
    /// Ends that count, with the best distance where there is no bound.
    pub(super) total: u64,
    pub(super) ones: Ones,
}

/// The pattern on the device.
pub(super) struct Sweeper<'s> {
    gpu: &'s Gpu,
    session: &'s Session<'s>,
    shape: &'s Shape,
    rows: CudaSlice<u32>,
    codes: CudaSlice<u16>,
    /// The last change of the value before each part.
    turns: CudaSlice<u32>,
}

/// What a sweep leaves on the device.
pub(super) struct Row {
    last: CudaSlice<u64>,
    values: CudaSlice<i32>,
}

impl<'s> Sweeper<'s> {
    pub(super) fn new(gpu: &'s Gpu, session: &'s Session<'s>, shape: &'s Shape, parts: usize) -> Result<Self, Halt> {
        let mut codes = shape.codes.clone();
        codes.resize(codes.len().max(256), 0);
        let (rows, codes) = (session.values(&shape.row_planes)?, session.values(&codes)?);
        Ok(Self { gpu, session, shape, rows, codes, turns: session.zeros(parts + 1)? })
    }

    /// The ends of a part. Ends that are no better than `known` are enough where there is no bound: the guess follows what is found.
    pub(super) fn part<T: Unit>(&self, place: &Place, guess: &mut Guess, options: &Options, known: u64) -> Result<Swept, Halt> {
        let planes = self.pack::<T>(place)?;
        let within = options.max_distance.map(|k| k.min(self.shape.m));
        loop {
            if within.is_none() {
                guess.most = guess.most.min(known);
            }
            let found = Found::new(self.session, ROOM)?;
            let row = self.slices(place, &planes, *guess, &found)?;
            let marks = self.ends::<T>(place, &row, &found, within, options.local_minima)?;
            let (total, own, list) = found.fetch(self.session)?;
            let best = self.shape.m - u64::from(own);
            // Beyond the guess values are upper bounds: as a guess, the one that was found is none too small.
            if within.is_none() && best > guess.most && guess.most < known {
                guess.most = best;
                continue;
            }
            let wanted = !options.count_only && (within.is_some() || best <= known);
            let all = total == list.len() as u64;
            let ones = if all || !wanted { Ones::List(list) } else { Ones::Bits(self.session.download(&marks.bits)?) };
            return Ok(Swept { best, total, ones });
        }
    }

    /// The text's planes.
    pub(super) fn pack<T: Unit>(&self, place: &Place) -> Result<CudaSlice<u32>, Halt> {
        let words = place.columns.div_ceil(32) as u32;
        let planes = self.session.room::<u32>(words as usize * self.shape.planes as usize)?;
        let job = Pack {
            text: place.text,
            codes: self.session.address(&self.codes),
            planes: self.session.address(&planes),
            symbols: place.columns as u32,
            words,
        };
        let kernel = self.session.kernel(&ends_source(T::BYTES, self.shape.planes), "pack")?;
        // SAFETY: a thread for each word; symbols are read in vectors that begin below `symbols`, and zeros are behind the text; every
        // symbol has a code.
        unsafe { self.session.launch(&kernel, words.div_ceil(PACK), PACK, job)? };
        Ok(planes)
    }

    /// Queues the sweep.
    pub(super) fn slices(&self, place: &Place, planes: &CudaSlice<u32>, guess: Guess, found: &Found) -> Result<Row, Halt> {
        let (session, shape) = (self.session, self.shape);
        let words = place.columns.div_ceil(32);
        let row = Row { last: session.room(words as usize)?, values: session.room(words as usize + 1)? };
        let own = shape.own(words - place.skip / 32, self.gpu.multiprocessors());
        let job = Slices {
            planes: session.address(planes),
            rows: session.address(&self.rows),
            last: session.address(&row.last),
            values: session.address(&row.values),
            found: found.address(session),
            words: words as i32,
            columns: place.columns as i32,
            m: shape.m as i32,
            own: own as i32,
            lead: (shape.lead(guess) / 32) as i32,
            skip: (place.skip / 32) as i32,
            lanes: shape.lanes as i32,
            two: 2,
        };
        let slices = (words - place.skip / 32).div_ceil(own) as u32;
        let blocks = slices.div_ceil(32 / shape.lanes).div_ceil(THREADS / 32);
        let kernel = self.session.kernel(&shape.source(), "slices")?;
        // SAFETY: the slices cover the words from `skip` on; a word is read and written between 0 and `words` only, and the value
        // behind the last one by the slice that owns it.
        unsafe { session.launch(&kernel, blocks, THREADS, job)? };
        Ok(row)
    }

    /// Queues the search for ends and the making of their list.
    pub(super) fn ends<T: Unit>(&self, place: &Place, row: &Row, found: &Found, within: Option<u64>, minima: bool) -> Result<Marks, Halt> {
        let session = self.session;
        // End 0 of the part is the one before its first own column; the last part has one behind its last column.
        let ends = place.columns - place.skip + u64::from(place.is_last);
        let marks = Marks::new(session, ends)?;
        let job = Ends {
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
            m: self.shape.m as i32,
            within: within.map_or(-1, |k| k as i32),
            minima: minima.into(),
            whole: place.is_last.into(),
        };
        let kernel = self.session.kernel(&ends_source(T::BYTES, self.shape.planes), "ends")?;
        let blocks = ends.div_ceil(32).div_ceil(BLOCK) as u32;
        // SAFETY: a thread for each word of bits; differences are read below `words`, values up to it, which the sweep has written.
        unsafe { session.launch(&kernel, blocks, BLOCK as u32, job)? };
        marks.gather(session, found)?;
        Ok(marks)
    }
}
