//! Job: makes a job (task, options and two texts) from the bytes of a fuzzer.
//!
//! A few bytes can make long texts, because they describe the parts of a text and only some of its contents. Plain
//! bytes would not give texts of thousands of symbols or similar texts, and only these cross the borders of words,
//! tiles and pieces.

use std::iter;

use kernels::job::{
    AlignmentMode, EditCosts, FastaMode, FreeEnds, GapPlacement, GapPoints, JobOptions, Points, Scoring, ScoringNumbers, Task, Unit,
};
use kernels::text::Pair;
use oracle::{mutated, random};

use super::bytes::Bytes;

pub(crate) struct Job {
    pub(crate) task: Task,
    pub(crate) pair: Pair,
    pub(crate) options: JobOptions,
    pub(crate) threads: usize,
}

impl Job {
    pub(crate) fn read(task: Task, bytes: &mut Bytes) -> Self {
        let options = options(task, bytes);
        let threads = 1 + bytes.below(3);
        let letters = LETTERS[bytes.below(LETTERS.len())];
        let most = Most::of(task);
        let a = letter_numbers(bytes, &letters, &Around { other: &[], most: most.a });
        let b = letter_numbers(bytes, &letters, &Around { other: &a, most: most.b.min(most.cells / a.len().max(1)) });
        let write = |numbers: &[u16]| letters.write(numbers, options.unit);
        let pair = Pair::parse(write(&a), write(&b), &options.reading()).expect("letters are UTF-8 where the unit is not a byte");
        Self { task, pair, options, threads }
    }
}

/// Maximum sizes of the two texts of a job. Such texts cross the borders of some strips, blocks or pieces of the
/// engine, and take well below a second.
struct Most {
    /// Maximum number of letters of `a`.
    a: usize,
    /// Maximum number of letters of `b`.
    b: usize,
    /// Maximum product of both lengths.
    cells: usize,
}

impl Most {
    fn of(task: Task) -> Self {
        match task {
            Task::SequenceAlignment => Self { a: 3000, b: 3000, cells: 4 << 20 },
            Task::EditDistance | Task::Lcs => Self { a: 6000, b: 6000, cells: usize::MAX },
            Task::ApproximateSearch => Self { a: 6000, b: 20_000, cells: 24 << 20 },
            Task::MatchCount => Self { a: 6000, b: 200_000, cells: 32 << 20 },
            Task::ExactSearch => Self { a: 3000, b: 1_500_000, cells: usize::MAX },
        }
    }
}

/// Reads options that `task` accepts from `bytes`.
fn options(task: Task, bytes: &mut Bytes) -> JobOptions {
    let unit = Unit::ALL[bytes.below(Unit::ALL.len())];
    let flags = bytes.byte();
    let has = |flag: u32| flags >> flag & 1 == 1;
    let costs = if has(0) && task == Task::EditDistance { costs(bytes) } else { EditCosts::LEVENSHTEIN };
    let scoring = if has(0) && task == Task::SequenceAlignment { scoring(bytes) } else { Scoring::DEFAULT };
    let is_bounded = match task {
        Task::EditDistance => has(4),
        Task::SequenceAlignment => false,
        Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::ExactSearch => has(0),
    };
    let bound = is_bounded.then(|| match bytes.byte() {
        few @ 0..128 => few.into(),
        some @ 128..240 => u64::from(some - 127) * 16,
        far => u64::MAX - u64::from(far - 240),
    });
    let mut options = JobOptions {
        unit,
        // The target `text` covers file formats.
        fasta: FastaMode::Never,
        alignment: has(1),
        count_only: has(2) && Task::SEARCHES.contains(&task),
        local_minima: has(3) && task == Task::ApproximateSearch,
        case_insensitive: has(4),
        ignore_whitespace: has(5),
        normalize: has(6) && unit != Unit::Bytes,
        ignore_line_ends: has(7),
        ignore_punctuation: has(2) && has(7),
        ignore_accents: has(3) && has(6) && unit != Unit::Bytes,
        ignore_digits: has(4) && has(5),
        costs,
        gaps: if has(7) && Task::ALIGNED.contains(&task) { GapPlacement::Rightmost } else { GapPlacement::Leftmost },
        max_distance: bound.filter(|_| matches!(task, Task::ApproximateSearch | Task::EditDistance)),
        max_mismatches: bound.filter(|_| task == Task::MatchCount),
        ..JobOptions::default()
    };
    options.set_scoring(scoring);
    options
}

/// Reads costs of edits from `bytes`: a preset, or numbers up to one of several bounds.
fn costs(bytes: &mut Bytes) -> EditCosts {
    let kind = bytes.byte();
    let most = [2, 10, 60, EditCosts::MAX][usize::from(kind / 8 % 4)];
    let mut cost = || bytes.below(most as usize + 1) as u32;
    match kind % 8 {
        0 => EditCosts::INDEL,
        1 => EditCosts::OSA,
        _ => EditCosts { substitute: cost(), insert: cost(), delete: cost(), transpose: kind.is_multiple_of(2).then(cost) },
    }
}

/// Reads a mode, free ends, points and costs of gaps from `bytes`.
fn scoring(bytes: &mut Bytes) -> Scoring {
    let (kind, ends) = (bytes.byte(), bytes.byte());
    let mode = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal][usize::from(kind % 3)];
    let has = |end: u8| mode == AlignmentMode::SemiGlobal && ends >> end & 1 == 1;
    let free_ends = FreeEnds { a_start: has(0), a_end: has(1), b_start: has(2), b_end: has(3) };
    let most = [2, 10, 60, Scoring::MAX][usize::from(kind / 8 % 4)] as usize;
    let mut cost = || bytes.below(most + 1);
    let has_decimals = ends >> 4 & 1 == 1;
    let of = |number: i64| if has_decimals { Points::from_tenths(number) } else { Points::from(number) };
    let mut points = || of(cost() as i64 - cost() as i64);
    let (equal, different) = (points(), points());
    let gap = GapPoints { open: of(cost() as i64), extend: of(cost() as i64) };
    Scoring { mode, free_ends, ..Scoring::DEFAULT }.with_numbers(ScoringNumbers { equal, different, gap })
}

/// The alphabet of a generated text. A letter is a character, a byte or a cluster, and has a number from 0.
#[derive(Clone, Copy)]
enum Letters {
    /// A range of characters: the first one and their number.
    From(char, u16),
    /// All 256 bytes, or the first 256 characters of Unicode if the unit is not a byte.
    Bytes,
    /// Characters and clusters that segmentation or folding treats specially.
    Some(&'static [&'static str]),
}

const LETTERS: [Letters; 7] = [
    Letters::Some(&["A", "C", "G", "T"]),
    Letters::From('0', 2),
    Letters::From('a', 1),
    Letters::From('a', 26),
    Letters::Bytes,
    Letters::From('一', 5000),
    Letters::Some(&["a", "A", "b", " ", "\n", "\r", "\r\n", "é", "e\u{301}", "E", "ß", "İ", "\u{a0}", "👍", "🏽", ".", ">", "\u{b}"]),
];

impl Letters {
    fn count(&self) -> u16 {
        match self {
            Self::From(_, count) => *count,
            Self::Bytes => 256,
            Self::Some(letters) => letters.len() as u16,
        }
    }

    /// Writes the letters with the numbers `numbers` as a text for the unit `unit`.
    fn write(&self, numbers: &[u16], unit: Unit) -> Vec<u8> {
        let text = |letter: &dyn Fn(u16) -> Option<char>| numbers.iter().copied().filter_map(letter).collect::<String>().into_bytes();
        match self {
            Self::From(first, _) => text(&|number| char::from_u32(u32::from(*first) + u32::from(number))),
            Self::Bytes if unit == Unit::Bytes => numbers.iter().map(|&number| number as u8).collect(),
            Self::Bytes => text(&|number| char::from_u32(number.into())),
            Self::Some(letters) => numbers.iter().map(|&number| letters[usize::from(number)]).collect::<String>().into_bytes(),
        }
    }
}

/// The conditions under which a text is generated: the other text, and the maximum length.
struct Around<'t> {
    /// The first text of the job as numbers of letters, of which the new text may copy parts. Empty if the new text is
    /// the first one.
    other: &'t [u16],
    /// Maximum number of letters of the new text.
    most: usize,
}

/// Generates a text part by part from `bytes`. Returns the numbers of its letters, which are those of `letters`.
fn letter_numbers(bytes: &mut Bytes, letters: &Letters, around: &Around) -> Vec<u16> {
    let count = letters.count();
    let all: Vec<u16> = (0..count).collect();
    let mut text = Vec::new();
    for _ in 0..bytes.below(8) {
        let kind = bytes.byte() % 5;
        let len = length(bytes, around.most).min(around.most - text.len());
        match kind {
            // Letters read from the bytes.
            0 => text.extend(iter::repeat_with(|| bytes.below(count.into()) as u16).take(len.min(256))),
            1 => text.extend(random(&all, len, bytes.byte().into())),
            // The last letters, repeated.
            2 => {
                let period = text[text.len() - bytes.below(64).min(text.len())..].to_vec();
                text.extend(period.into_iter().cycle().take(len));
            }
            // A part of the other text, or of this one, unchanged or edited.
            _ => {
                let whole = if around.other.is_empty() { &text } else { around.other };
                let from = bytes.below(whole.len() + 1);
                let part = &whole[from..whole.len().min(from + len)];
                let rate = if kind == 3 { 0.0 } else { f64::from(bytes.byte()) / 320.0 };
                let edited = mutated(part, &all, rate, bytes.byte().into());
                text.extend(edited.into_iter().take(len));
            }
        }
    }
    text
}

/// Reads a length from `bytes`: a short one, one near a power of two, or one of at most `most`.
fn length(bytes: &mut Bytes, most: usize) -> usize {
    match bytes.byte() {
        short @ 0..128 => short.into(),
        border @ 128..192 => (64 << (border % 16)) - 1 + bytes.below(3),
        _ => bytes.below(most + 1),
    }
}
