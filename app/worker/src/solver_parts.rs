//! Parts of the solver ([`SolverPart`]) that are loaded when they are first needed, so that comparing two words needs
//! no code for long texts, searches, files and drawings.
//!
//! In the browser each part is a WebAssembly module of its own. Other targets have all parts from the start. `fetch`
//! loads the parts that a request needs before the request is answered.

use std::sync::OnceLock;

use explain::format::ExportFormat;
use explain::worker_protocol::query::{HitQuery, LayoutQuery, QrCode, ToolQuery};
use explain::worker_protocol::{EngineOffers, PART_MISSING, RequestKind};
use kernels::failure::JobFailure;
use kernels::job::Task;
use kernels::plan::PlannerOffer;
use kernels::reading::unicode::needs_tables;
use kernels::task::edit_distance::short;
#[cfg(not(target_family = "wasm"))]
use kernels::task::edit_distance::short_pairs;

#[cfg(not(target_family = "wasm"))]
use crate::collection::ReadCollection;
use crate::kept_result::{KeptResult, QueryReply};
#[cfg(not(target_family = "wasm"))]
use crate::pair_shares::PAIR_SHARE_FNS;
use crate::pair_shares::{MIN_DIVIDED_CELLS, PairShareFns};
#[cfg(not(target_family = "wasm"))]
use crate::patterns::ReadPatterns;
use crate::qr;
use crate::shares::ManyTextsFns;
#[cfg(not(target_family = "wasm"))]
use crate::shares::many_texts_fns;

/// A part of the solver that is loaded when it is first needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverPart {
    /// The solver of a task for texts of any length.
    Solver(Task),
    /// The code that writes results as files.
    Files,
    /// The layouts of matrices, dot plots and side-by-side texts, and QR codes.
    Drawings,
    /// Unicode tables of letters, for words, graphemes and case.
    Letters,
    /// The parser of the engines that the server offers.
    Offers,
    /// The function that computes the BLAKE3 hash of a text.
    Digest,
    /// The code that compares all texts of a collection.
    Collections,
    /// The code that searches for many patterns.
    Patterns,
    /// The code that divides jobs about two long texts.
    PairShares,
}

/// A function that computes the edit distance of two strings of UTF-16 code units of any length.
pub(crate) type LongDistanceFn = fn(&[u16], &[u16]) -> Result<u64, JobFailure>;

/// A function that parses the JSON of the engines that a server offers.
type ParseOffersFn = fn(&str) -> Vec<PlannerOffer>;

/// A function that returns the BLAKE3 hash of some bytes, in hexadecimal.
type DigestFn = fn(&[u8]) -> String;

/// A function that answers a query about the hits of the stored result.
type HitQueryFn = fn(&mut KeptResult, &HitQuery) -> QueryReply;

/// A function that writes the stored result as a file in a format. The pair is a range of columns of the alignment
/// (first column and number of columns), which only a picture uses.
type FileFn = fn(&KeptResult, ExportFormat, (u64, u64)) -> QueryReply;

/// The functions of the part [`SolverPart::Drawings`].
#[derive(Clone, Copy)]
pub(crate) struct DrawingFns {
    /// Answers a query that computes a layout.
    pub(crate) layout: fn(&mut KeptResult, &LayoutQuery) -> QueryReply,
    /// Draws a QR code.
    pub(crate) code: fn(&str) -> Option<QrCode>,
}

impl SolverPart {
    /// Returns the parts of the solver that a request needs, beyond the module loaded at the worker's start. `what` is
    /// the request, and `texts` are the texts beside it.
    pub fn all_for_request(what: &RequestKind, texts: [&[u8]; 2]) -> impl Iterator<Item = Self> + use<> {
        let (task, is_short, reads_offers) = match what {
            RequestKind::Solve { task, options, offers, .. } | RequestKind::Measure { task, options, offers, .. } => {
                // Texts on the server are given by their lengths alone, and are empty and short here.
                (Some(*task), short::can_solve(texts.map(<[u8]>::len), options), !offers.is_empty())
            }
            _ => (None, false, false),
        };
        let whole = Self::for_request(what).filter(|_| task != Some(Task::EditDistance) || !is_short);
        // With ambiguity codes, the solver of sequence alignment solves these tasks.
        let aligner = match what {
            RequestKind::Solve { task: Task::EditDistance | Task::Lcs, options, .. }
            | RequestKind::Measure { task: Task::EditDistance | Task::Lcs, options, .. } => {
                options.ambiguity.then_some(Self::Solver(Task::SequenceAlignment))
            }
            _ => None,
        };
        let reads_letters = match what {
            RequestKind::Solve { options, .. } => needs_tables(texts, &options.reading()),
            RequestKind::Collection | RequestKind::Patterns => true,
            // Side by side, words are marked in lines that changed.
            RequestKind::Layout(LayoutQuery::RowPairs(_)) => true,
            _ => false,
        };
        let cells = (texts[0].len() as u64).saturating_mul(texts[1].len() as u64);
        let divides = matches!(what, RequestKind::Solve { .. }) && cells >= MIN_DIVIDED_CELLS;
        let divider = divides.then_some(Self::PairShares);
        let others = [aligner, divider, reads_letters.then_some(Self::Letters), reads_offers.then_some(Self::Offers)];
        // A pattern that does not occur has a nearest place, which an approximate search finds.
        let searchers = match what {
            RequestKind::Patterns => [Task::ExactSearch, Task::ApproximateSearch].map(|task| Some(Self::Solver(task))),
            _ => [None, None],
        };
        whole.into_iter().chain(others.into_iter().chain(searchers).flatten())
    }

    /// Returns the part that the request `what` needs for any texts, or `None` if it needs no part.
    fn for_request(what: &RequestKind) -> Option<Self> {
        match what {
            RequestKind::Solve { task, .. } | RequestKind::Measure { task, .. } => Some(Self::Solver(*task)),
            RequestKind::Hits(HitQuery::Nearest(_)) => Some(Self::Solver(Task::ApproximateSearch)),
            RequestKind::Export { .. } => Some(Self::Files),
            RequestKind::Layout(_) | RequestKind::Tool(ToolQuery::Code(_)) => Some(Self::Drawings),
            RequestKind::Tool(ToolQuery::Digest(_)) => Some(Self::Digest),
            RequestKind::Collection => Some(Self::Collections),
            RequestKind::Patterns => Some(Self::Patterns),
            RequestKind::Tool(ToolQuery::Keep(_)) | RequestKind::Alignment(_) | RequestKind::Hits(_) => None,
        }
    }
}

/// Function that answers queries about hits. It is set when the part of any search task is loaded.
static HITS: OnceLock<HitQueryFn> = OnceLock::new();
static FILES: OnceLock<FileFn> = OnceLock::new();
static DIGEST: OnceLock<DigestFn> = OnceLock::new();
static OFFERS: OnceLock<ParseOffersFn> = OnceLock::new();
static LONG_DISTANCE: OnceLock<LongDistanceFn> = OnceLock::new();
static DRAWINGS: OnceLock<DrawingFns> = OnceLock::new();
static COLLECTIONS: OnceLock<ManyTextsFns> = OnceLock::new();
static PATTERNS: OnceLock<ManyTextsFns> = OnceLock::new();
static PAIR_SHARES: OnceLock<PairShareFns> = OnceLock::new();

const ALL_DRAWINGS: DrawingFns = DrawingFns { layout: KeptResult::answer_layout_query, code: qr::draw };

/// Answers a query about the hits of the stored result.
///
/// # Errors
/// Returns an error if no part for a search is loaded, or if the query fails.
pub(crate) fn hits(kept: &mut KeptResult, query: &HitQuery) -> QueryReply {
    #[cfg(not(target_family = "wasm"))]
    HITS.get_or_init(|| KeptResult::answer_hit_query);
    HITS.get().ok_or_else(|| JobFailure::engine("Nothing was searched."))?(kept, query)
}

/// Writes the stored result as a file in `format`. `columns` is a range of columns of the alignment (first column and
/// number of columns), which only a picture uses.
///
/// # Errors
/// Returns an error if the part [`SolverPart::Files`] is not loaded, or if the result cannot be written.
pub(crate) fn file(kept: &KeptResult, format: ExportFormat, columns: (u64, u64)) -> QueryReply {
    #[cfg(not(target_family = "wasm"))]
    FILES.get_or_init(|| KeptResult::file);
    FILES.get().ok_or_else(missing)?(kept, format, columns)
}

/// Returns the functions of the part [`SolverPart::Drawings`].
///
/// # Errors
/// Returns an error if the part is not loaded.
pub(crate) fn drawings() -> Result<DrawingFns, JobFailure> {
    #[cfg(not(target_family = "wasm"))]
    DRAWINGS.get_or_init(|| ALL_DRAWINGS);
    DRAWINGS.get().copied().ok_or_else(missing)
}

/// Returns the functions of the part [`SolverPart::Collections`].
///
/// # Errors
/// Returns an error if the part is not loaded.
pub(crate) fn collections() -> Result<ManyTextsFns, JobFailure> {
    #[cfg(not(target_family = "wasm"))]
    COLLECTIONS.get_or_init(many_texts_fns::<ReadCollection>);
    COLLECTIONS.get().copied().ok_or_else(missing)
}

/// Returns the functions of the part [`SolverPart::Patterns`].
///
/// # Errors
/// Returns an error if the part is not loaded.
pub(crate) fn patterns() -> Result<ManyTextsFns, JobFailure> {
    #[cfg(not(target_family = "wasm"))]
    PATTERNS.get_or_init(many_texts_fns::<ReadPatterns>);
    PATTERNS.get().copied().ok_or_else(missing)
}

/// Returns the functions of the part [`SolverPart::PairShares`], or `None` if the part is not loaded.
pub(crate) fn pair_shares() -> Option<PairShareFns> {
    #[cfg(not(target_family = "wasm"))]
    PAIR_SHARES.get_or_init(|| PAIR_SHARE_FNS);
    PAIR_SHARES.get().copied()
}

/// Parses `words`, the JSON of the engines that the server offers. Returns an empty list if `words` is empty or not
/// valid.
pub(crate) fn offers(words: &str) -> Vec<PlannerOffer> {
    #[cfg(not(target_family = "wasm"))]
    OFFERS.get_or_init(|| read_offers);
    OFFERS.get().filter(|_| !words.is_empty()).map(|read| read(words)).unwrap_or_default()
}

fn read_offers(words: &str) -> Vec<PlannerOffer> {
    serde_json::from_str::<EngineOffers>(words).unwrap_or_default().offers
}

/// Returns the BLAKE3 hashes of both texts, in hexadecimal.
pub(crate) fn digests(texts: [&[u8]; 2]) -> Result<[String; 2], JobFailure> {
    #[cfg(not(target_family = "wasm"))]
    DIGEST.get_or_init(|| digest);
    let digest = DIGEST.get().ok_or_else(missing)?;
    Ok(texts.map(digest))
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the function that computes the edit distance of strings of any length, or `None` if its part is not loaded.
pub(crate) fn loaded_long_distance() -> Option<LongDistanceFn> {
    #[cfg(not(target_family = "wasm"))]
    LONG_DISTANCE.get_or_init(|| short_pairs::of_units);
    LONG_DISTANCE.get().copied()
}

/// Returns the failure for a part that could not be loaded, because the network is down or the server has a newer page.
pub fn missing() -> JobFailure {
    JobFailure::engine(PART_MISSING)
}

/// Loads a part of the solver unless it is loaded already.
///
/// # Errors
/// Returns an error if the part cannot be loaded. The next call tries again.
#[cfg(target_family = "wasm")]
pub async fn fetch(part: SolverPart) -> Result<(), JobFailure> {
    use kernels::reading::unicode;
    use kernels::task::solvers::{is_provided, provide};
    match part {
        SolverPart::Solver(task) if is_provided(task) => {}
        SolverPart::Solver(task @ Task::EditDistance) => {
            let (solver, of_units) = parts::edit_distance().await?;
            LONG_DISTANCE.get_or_init(|| of_units);
            provide(task, solver);
        }
        SolverPart::Solver(task @ Task::SequenceAlignment) => provide(task, parts::sequence_alignment().await?),
        SolverPart::Solver(task @ Task::Lcs) => provide(task, parts::lcs().await?),
        SolverPart::Solver(task @ (Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch)) => {
            let (solver, hits) = match task {
                Task::MatchCount => parts::match_count().await?,
                Task::ExactSearch => parts::exact_search().await?,
                _ => parts::approximate_search().await?,
            };
            HITS.get_or_init(|| hits);
            provide(task, solver);
        }
        SolverPart::Files => {
            let file = parts::files().await?;
            FILES.get_or_init(|| file);
        }
        SolverPart::Drawings => {
            let drawings = parts::drawings().await?;
            DRAWINGS.get_or_init(|| drawings);
        }
        SolverPart::Letters if unicode::are_provided() => {}
        SolverPart::Letters => unicode::provide(parts::letters().await?),
        SolverPart::Digest => {
            let digest = parts::digest().await?;
            DIGEST.get_or_init(|| digest);
        }
        SolverPart::Collections => {
            let solve = parts::collections().await?;
            COLLECTIONS.get_or_init(|| solve);
        }
        SolverPart::Patterns => {
            let search = parts::patterns().await?;
            PATTERNS.get_or_init(|| search);
        }
        SolverPart::PairShares => {
            let fns = parts::pair_shares().await?;
            PAIR_SHARES.get_or_init(|| fns);
        }
        SolverPart::Offers => {
            let read = parts::offers().await?;
            OFFERS.get_or_init(|| read);
        }
    }
    Ok(())
}

/// Entry points of the WebAssembly modules that are loaded later. Each function loads the module of a part and returns
/// the functions of this part.
#[cfg(target_family = "wasm")]
mod parts {
    use kernels::failure::JobFailure;
    use kernels::reading::unicode::{self, UnicodeTables};
    use kernels::task::edit_distance::short_pairs::of_units;
    use kernels::task::{TaskSolver, solvers};
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{
        ALL_DRAWINGS, DigestFn, DrawingFns, FileFn, HitQueryFn, LongDistanceFn, ManyTextsFns, PairShareFns, ParseOffersFn, missing,
        read_offers,
    };
    use crate::collection::ReadCollection;
    use crate::kept_result::KeptResult;
    use crate::pair_shares::PAIR_SHARE_FNS;
    use crate::patterns::ReadPatterns;
    use crate::shares::many_texts_fns;

    /// Error for a part that could not be loaded.
    pub(super) struct PartLoadError;

    impl From<SplitLoaderError> for PartLoadError {
        fn from(_: SplitLoaderError) -> Self {
            Self
        }
    }

    impl From<PartLoadError> for JobFailure {
        fn from(PartLoadError: PartLoadError) -> Self {
            missing()
        }
    }

    #[wasm_split(edit_distance, fallible)]
    pub(super) fn edit_distance() -> Result<(TaskSolver, LongDistanceFn), PartLoadError> {
        Ok((solvers::edit_distance(), of_units))
    }

    #[wasm_split(approximate_search, fallible)]
    pub(super) fn approximate_search() -> Result<(TaskSolver, HitQueryFn), PartLoadError> {
        Ok((solvers::approximate_search(), KeptResult::answer_hit_query))
    }

    #[wasm_split(lcs, fallible)]
    pub(super) fn lcs() -> Result<TaskSolver, PartLoadError> {
        Ok(solvers::lcs())
    }

    #[wasm_split(sequence_alignment, fallible)]
    pub(super) fn sequence_alignment() -> Result<TaskSolver, PartLoadError> {
        Ok(solvers::sequence_alignment())
    }

    #[wasm_split(match_count, fallible)]
    pub(super) fn match_count() -> Result<(TaskSolver, HitQueryFn), PartLoadError> {
        Ok((solvers::match_count(), KeptResult::answer_hit_query))
    }

    #[wasm_split(exact_search, fallible)]
    pub(super) fn exact_search() -> Result<(TaskSolver, HitQueryFn), PartLoadError> {
        Ok((solvers::exact_search(), KeptResult::answer_hit_query))
    }

    #[wasm_split(files, fallible)]
    pub(super) fn files() -> Result<FileFn, PartLoadError> {
        Ok(KeptResult::file)
    }

    #[wasm_split(drawings, fallible)]
    pub(super) fn drawings() -> Result<DrawingFns, PartLoadError> {
        Ok(ALL_DRAWINGS)
    }

    #[wasm_split(digest, fallible)]
    pub(super) fn digest() -> Result<DigestFn, PartLoadError> {
        Ok(super::digest)
    }

    #[wasm_split(all_pairs, fallible)]
    pub(super) fn collections() -> Result<ManyTextsFns, PartLoadError> {
        Ok(many_texts_fns::<ReadCollection>())
    }

    #[wasm_split(patterns, fallible)]
    pub(super) fn patterns() -> Result<ManyTextsFns, PartLoadError> {
        Ok(many_texts_fns::<ReadPatterns>())
    }

    #[wasm_split(pair_shares, fallible)]
    pub(super) fn pair_shares() -> Result<PairShareFns, PartLoadError> {
        Ok(PAIR_SHARE_FNS)
    }

    #[wasm_split(offers, fallible)]
    pub(super) fn offers() -> Result<ParseOffersFn, PartLoadError> {
        Ok(read_offers)
    }

    #[wasm_split(letters, fallible)]
    pub(super) fn letters() -> Result<UnicodeTables, PartLoadError> {
        Ok(unicode::tables())
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::JobOptions;

    use super::*;

    #[test]
    fn pairs_with_ambiguity_codes_need_the_solver_of_sequence_alignment() {
        let parts = |task, ambiguity| -> Vec<SolverPart> {
            let options = JobOptions { ambiguity, ..JobOptions::default() };
            let what = RequestKind::Measure { task, options, offers: String::new(), a: 4, b: 4, bytes: 8 };
            SolverPart::all_for_request(&what, [b"", b""]).collect()
        };
        let aligner = SolverPart::Solver(Task::SequenceAlignment);
        assert_eq!(parts(Task::EditDistance, false), []);
        assert_eq!(parts(Task::EditDistance, true), [SolverPart::Solver(Task::EditDistance), aligner]);
        assert_eq!(parts(Task::Lcs, true), [SolverPart::Solver(Task::Lcs), aligner]);
        assert_eq!(parts(Task::SequenceAlignment, true), [aligner]);
        assert_eq!(parts(Task::ExactSearch, true), [SolverPart::Solver(Task::ExactSearch)]);
    }
}
