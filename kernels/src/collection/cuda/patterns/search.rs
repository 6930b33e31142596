//! Search: finds the hits of short patterns in a text.

use std::ops::Range;

use cudarc::driver::CudaSlice;

use super::launches::{Launch, report_interval, run_all};
use super::plan::{CHUNK_LEAD, LaunchPlan, Layout, PART_LEAD, SearchSettings, THREADS, halves, parts};
use super::rows::{SPACINGS, WordRows, masks, spacings};
use super::{SearchedText, ShortHit, ShortPattern};
use crate::cpu::Cpu;
use crate::failure::{JobFailure, large};
use crate::gpu::Gpu;
use crate::gpu::part::{self, PartRequirements};
use crate::gpu::session::{GpuSession, KernelArguments, LaunchGrid, TEXT_PADDING_BYTES};
use crate::run::{Halt, Run};

/// Number of columns of words above which the launches let brief jobs of other users run in between.
const MIN_YIELDING_COLUMNS: u64 = 1 << 36;

/// Minimum number of columns of a part.
const MIN_PART: u64 = 1 << 16;

/// Maximum number of patterns that are searched at a time, because a hit has 18 bits for its pattern.
const MAX_BATCH: usize = 1 << 18;

/// Number that no symbol has.
const NO_BORDER: u32 = u32::MAX;

#[derive(Clone, Copy)]
#[repr(C)]
struct SearchArguments {
    text: u64,
    tables: u64,
    limits: u64,
    masks: u64,
    hits: u64,
    found: u64,
    ticket: u64,
    control: u64,
    board: u64,
    counts: u64,
    begin: u32,
    end: u32,
    chunk: u32,
    runs: u32,
    items: u32,
    lead: u32,
    alphabet: u32,
    border: u32,
    capacity: u32,
    first: u32,
    look: u32,
    spare: u32,
}

// SAFETY: the same fields in the same order as the struct `Search` in patterns.cu, without padding; the comment at the launch
// says why the addresses are valid.
unsafe impl KernelArguments for SearchArguments {}

/// The hits of each pattern in the order of their ends, or `None` for patterns that are left to the caller.
pub(crate) type HitLists = Vec<Option<Vec<ShortHit>>>;

/// Finds the ends of all substrings of `text` within the limits of `patterns`. Leaves patterns to the caller that have too
/// many hits. Reports `cells[i]` cells for the pattern `i`, if it is searched.
///
/// Takes O(columns) time for each pattern, and the memory of a part of the text and of its hits on the GPU.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
pub(crate) fn find(
    gpu: &Gpu,
    text: &SearchedText,
    (patterns, cells): (&[ShortPattern], &[u64]),
    settings: &SearchSettings,
    host: &Cpu,
    run: &Run,
) -> Result<HitLists, Halt> {
    let spacings = match settings.is_for_all {
        true => (0..patterns.len()).map(|number| Some(SPACINGS[number % SPACINGS.len()])).collect(),
        false => spacings(patterns, text, host.threads),
    };
    let searched: Vec<usize> = (0..patterns.len()).filter(|number| spacings[*number].is_some()).collect();
    let mut lists: HitLists = spacings.iter().map(|spacing| spacing.map(|_| Vec::new())).collect();
    if searched.is_empty() || text.symbols.is_empty() {
        return Ok(lists);
    }
    let columns = text.symbols.len() as u64;
    let mut session = GpuSession::new(gpu, run)?;
    if columns.saturating_mul(searched.len() as u64) > MIN_YIELDING_COLUMNS {
        session.yield_to_brief_jobs();
    }
    let most = (settings.masks / (2 * u64::from(text.alphabet))).clamp(1, MAX_BATCH as u64 / 2) as usize;
    let Some(part) = part_columns(&session, text, searched.len().min(most), settings)? else { return Ok(nothing(patterns)) };
    let buffers = HitBuffers {
        hits: session.allocate_uninit(settings.capacity as usize)?,
        found: session.zeros(1)?,
        tickets: session.zeros(SPACINGS.len())?,
    };
    let mut search = TextSearch { gpu, session, text, settings, buffers, stored: 0 };
    for own in parts(columns, part) {
        let lead = own.start.min(PART_LEAD);
        let start = own.start - lead;
        let symbols = search.session.copy_part(&text.symbols[start as usize..own.end as usize])?;
        for batch in searched.chunks(most) {
            let share = |number: &usize| (u128::from(cells[*number]) * u128::from(own.end - own.start) / u128::from(columns)) as u64;
            let (cells, piece) = (batch.iter().map(share).sum(), lead..lead + (own.end - own.start));
            let batch = PatternBatch::new(patterns, &spacings, batch, text, gpu.shared_bytes());
            let place = PartPlace { address: symbols.address(), start };
            if !search.part(&batch, &place, piece, cells, &mut lists)? {
                return Ok(nothing(patterns));
            }
        }
    }
    Ok(lists)
}

/// Returns that all patterns are left to the caller.
fn nothing(patterns: &[ShortPattern]) -> HitLists {
    vec![None; patterns.len()]
}

/// Returns the number of columns of a part, or `None` if the smallest one does not fit into the memory of the GPU. At most
/// `batch` patterns are searched at a time.
fn part_columns(session: &GpuSession, text: &SearchedText, batch: usize, settings: &SearchSettings) -> Result<Option<u64>, Halt> {
    let max_size = settings.part.min(text.symbols.len() as u64);
    // Masks of both directions, words of all layouts with padding, limits and hits.
    let of_pattern = u64::from(text.alphabet + 2) * (16 + 8) + 8;
    let beside = batch.next_multiple_of(MIN_PART as usize) as u64 * of_pattern + 8 * settings.capacity;
    let bytes = |size: u64| size + PART_LEAD + TEXT_PADDING_BYTES as u64 + beside;
    let wanted = PartRequirements { max_size, min_size: MIN_PART, bytes: bytes(max_size), limit: u64::MAX };
    let fits = |size: u64, limit: u64| match bytes(size) {
        got if got > limit => Err(JobFailure::TooLarge { what: large::GPU_PATTERN.into(), got, limit }),
        _ => Ok(()),
    };
    match part::largest(session, wanted, fits) {
        Ok(part) => Ok(Some(part)),
        Err(Halt::Failed(JobFailure::TooLarge { .. })) => Ok(None),
        Err(halt) => Err(halt),
    }
}

/// Memory on the GPU for the hits of a piece.
struct HitBuffers {
    hits: CudaSlice<u64>,
    found: CudaSlice<u64>,
    tickets: CudaSlice<u32>,
}

/// A part of the text on the GPU.
struct PartPlace {
    address: u64,
    /// Position in the text of the first symbol at `address`.
    start: u64,
}

/// Patterns that are searched at a time, in the forms that the kernels read.
struct PatternBatch {
    /// The patterns of each spacing.
    classes: Vec<PatternClass>,
}

/// The patterns of a batch with one spacing.
struct PatternClass {
    layout: Layout,
    /// Numbers of the patterns.
    members: Vec<usize>,
    /// For each group, the rows of each symbol, the rows of column 0 and the bounds.
    tables: Vec<u32>,
    limits: Vec<u32>,
    /// For each pattern, the rows of each symbol, and those of the reversed pattern.
    masks: Vec<u64>,
}

impl PatternBatch {
    /// Prepares the patterns with the numbers `batch`. A block may have `shared` bytes of shared memory.
    fn new(patterns: &[ShortPattern], spacings: &[Option<u32>], batch: &[usize], text: &SearchedText, shared: u32) -> Self {
        let class = |spacing: u32| {
            let members: Vec<usize> = batch.iter().copied().filter(|number| spacings[*number] == Some(spacing)).collect();
            let layout = Layout::new(members.len(), spacing, text.alphabet, shared).filter(|_| !members.is_empty())?;
            Some(PatternClass::new(patterns, members, layout, text))
        };
        Self { classes: SPACINGS.into_iter().filter_map(class).collect() }
    }
}

impl PatternClass {
    fn new(patterns: &[ShortPattern], members: Vec<usize>, layout: Layout, text: &SearchedText) -> Self {
        let (alphabet, lanes) = (text.alphabet as usize, layout.lanes());
        let group = (alphabet + 2) * lanes;
        // An empty slot has a distance of 0 everywhere, and no column is within its bound of -1.
        let mut tables = vec![!0; layout.groups(members.len()) * group];
        tables.chunks_mut(group).for_each(|table| table[alphabet * lanes..][..lanes].fill(0));
        let (mut limits, mut all_masks) = (Vec::with_capacity(members.len()), Vec::with_capacity(2 * alphabet * members.len()));
        for (slot, pattern) in members.iter().map(|number| &patterns[*number]).enumerate() {
            let table = &mut tables[slot / lanes * group..][..group];
            let place = layout.place(slot % lanes);
            let rows = WordRows::new(pattern, text);
            let bound = pattern.limit + layout.spacing - 1;
            let words = rows.equal.iter().copied().chain([rows.own, bound]);
            words.enumerate().for_each(|(symbol, word)| table[symbol * lanes + place] = word);
            limits.push(pattern.symbols.len() as u32 | pattern.limit << 8);
            all_masks.extend(masks(pattern.symbols.iter().copied(), text));
            all_masks.extend(masks(pattern.symbols.iter().rev().copied(), text));
        }
        Self { layout, members, tables, limits, masks: all_masks }
    }
}

/// The search in a text.
struct TextSearch<'s> {
    gpu: &'s Gpu,
    session: GpuSession<'s>,
    text: &'s SearchedText<'s>,
    settings: &'s SearchSettings,
    buffers: HitBuffers,
    /// Number of hits in all lists.
    stored: u64,
}

/// The tables of a class on the GPU.
struct DeviceClass<'c> {
    class: &'c PatternClass,
    tables: CudaSlice<u32>,
    limits: CudaSlice<u32>,
    masks: CudaSlice<u64>,
}

impl<'c> DeviceClass<'c> {
    fn new(class: &'c PatternClass, session: &GpuSession) -> Result<Self, Halt> {
        let PatternClass { tables, limits, masks, .. } = class;
        Ok(Self { class, tables: session.values(tables)?, limits: session.values(limits)?, masks: session.values(masks)? })
    }
}

impl TextSearch<'_> {
    /// Searches for the patterns of `batch` in the columns `own` of a part, and adds the hits to `lists`. If there are too many
    /// hits in all, deletes the longest lists. Returns whether there is memory for the hits of each piece.
    fn part(&mut self, batch: &PatternBatch, place: &PartPlace, own: Range<u64>, cells: u64, lists: &mut HitLists) -> Result<bool, Halt> {
        let classes = batch.classes.iter().map(|class| DeviceClass::new(class, &self.session)).collect::<Result<Vec<_>, Halt>>()?;
        let members: Vec<usize> = classes.iter().flat_map(|class| &class.class.members).copied().collect();
        let (mut pieces, mut cells) = (vec![own], cells);
        while let Some(piece) = pieces.pop() {
            let count = self.piece(&classes, place, &piece, cells)?;
            // A repeated piece is no progress.
            cells = 0;
            if count > self.settings.capacity {
                let Some([first, second]) = halves(&piece) else { return Ok(false) };
                pieces.extend([second, first]);
                continue;
            }
            let mut hits = self.session.download_range(&self.buffers.hits, 0..count as usize)?;
            hits.sort_unstable();
            for hit in hits {
                let [number, end, length, distance] = [hit >> 45, hit >> 13 & 0xffff_ffff, hit >> 6 & 0x7f, hit & 0x3f];
                let hit = ShortHit { end: place.start + end, length: length as u8, distance: distance as u8 };
                if let Some(list) = &mut lists[members[number as usize]] {
                    list.push(hit);
                    self.stored += 1;
                }
            }
            while self.stored > self.settings.max_hits {
                let Some(longest) = lists.iter_mut().max_by_key(|list| list.as_ref().map_or(0, Vec::len)) else { break };
                self.stored -= longest.take().map_or(0, |list| list.len() as u64);
            }
        }
        Ok(true)
    }

    /// Searches in the columns `piece` of a part. Returns the number of hits, or a number above the capacity if there is no
    /// memory for them.
    fn piece(&mut self, classes: &[DeviceClass], place: &PartPlace, piece: &Range<u64>, cells: u64) -> Result<u64, Halt> {
        self.session.clear(&mut self.buffers.found, 1)?;
        self.session.clear(&mut self.buffers.tickets, SPACINGS.len())?;
        let plan = |class: &DeviceClass| {
            let groups = class.class.layout.groups(class.class.members.len());
            LaunchPlan::new(piece.end - piece.start, groups, self.gpu.multiprocessors(), self.settings)
        };
        let plans: Vec<LaunchPlan> = classes.iter().map(plan).collect();
        let counts = plans.iter().map(|plan| plan.items).sum();
        let (session, alphabet) = (&self.session, self.text.alphabet);
        let (mut launches, mut first) = (Vec::with_capacity(classes.len()), 0);
        for (number, (class, plan)) in classes.iter().zip(plans).enumerate() {
            let layout = class.class.layout;
            let arguments = SearchArguments {
                text: place.address,
                tables: session.address(&class.tables),
                limits: session.address(&class.limits),
                masks: session.address(&class.masks),
                hits: session.address(&self.buffers.hits),
                found: session.address(&self.buffers.found),
                ticket: session.address(&self.buffers.tickets) + 4 * number as u64,
                control: session.control(),
                board: session.board(),
                counts,
                begin: piece.start as u32,
                end: piece.end as u32,
                chunk: plan.chunk as u32,
                runs: plan.runs as u32,
                items: plan.items as u32,
                lead: CHUNK_LEAD as u32,
                alphabet,
                border: self.text.border.map_or(NO_BORDER, u32::from),
                capacity: self.settings.capacity as u32,
                first,
                look: report_interval(counts),
                spare: 0,
            };
            first += class.class.members.len() as u32;
            let grid = LaunchGrid { blocks: [plan.blocks as u32, 1], threads: THREADS, shared: layout.shared_bytes(alphabet) };
            launches.push(Launch { kernel: session.kernel(&layout.source(), "search")?, grid, arguments });
        }
        // SAFETY: the symbols of the text are below the alphabet. It is followed by zeros, and a thread reads less than 48
        // symbols behind `end`. There are a table for each group, a limit and masks for each pattern, a ticket for each
        // launch, and `capacity` hits. Empty slots have no candidates. All buffers live until the kernels have ended, because
        // memory is freed in the order of the stream.
        unsafe { run_all(&mut self.session, &launches, [counts, cells])? };
        Ok(self.session.download(&self.buffers.found)?[0])
    }
}
