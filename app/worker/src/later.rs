//! What the solver fetches when it is first asked for, so that nobody who compares two words waits for longer texts, searches, files and drawings: in the
//! browser each [`Part`] is a module of its own. Elsewhere all is there.
//!
//! `fetch` brings what an ask needs, and then the ask is answered.

use std::sync::OnceLock;

use explain::ask::{Offers, PART_MISSING, What};
use kernels::failure::Failure;
use kernels::job::Task;
use kernels::plan::Offer;
use kernels::reading::unicode::needs_tables;
use kernels::task::edit_distance::short;
#[cfg(not(target_family = "wasm"))]
use kernels::task::edit_distance::short_pairs;

use crate::desk::kept::{Kept, Looked};
use crate::qr::{self, Drawing};

/// A part of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What solves a task.
    Solver(Task),
    /// What writes files.
    Files,
    /// What lays out matrices, dots, editions and codes.
    Drawings,
    /// What Unicode's tables tell of letters.
    Letters,
    /// What reads the words of a server.
    Offers,
    /// What a file is known by.
    Digest,
}

/// The distance of two strings of any length.
pub(crate) type OfUnits = fn(&[u16], &[u16]) -> Result<u64, Failure>;

/// Reads what a server offers.
type ReadOffers = fn(&str) -> Vec<Offer>;

/// The BLAKE3 of some bytes, in hexadecimal.
type Digest = fn(&[u8]) -> String;

/// Answers a look at what is kept.
pub(crate) type Look = fn(&mut Kept, &What) -> Looked;

/// What the drawings' part has.
#[derive(Clone, Copy)]
pub(crate) struct Drawings {
    pub(crate) look: Look,
    pub(crate) code: fn(&str) -> Option<Drawing>,
}

impl Part {
    /// Those that an ask on these texts needs beside what is always there.
    pub fn all_of(what: &What, texts: [&[u8]; 2]) -> impl Iterator<Item = Self> + use<> {
        let (task, is_short, reads_offers) = match what {
            What::Solve { task, options, offers, .. } | What::Measure { task, options, offers, .. } => {
                // Texts that are elsewhere are measured by their lengths alone, and short here.
                (Some(*task), short::takes(texts.map(<[u8]>::len), options), !offers.is_empty())
            }
            _ => (None, false, false),
        };
        let whole = Self::of(what).filter(|_| task != Some(Task::EditDistance) || !is_short);
        let reads_letters = match what {
            What::Solve { options, .. } => needs_tables(texts, &options.reading()),
            // Words are marked in lines that changed.
            What::Editions { .. } => true,
            _ => false,
        };
        let others = [reads_letters.then_some(Self::Letters), reads_offers.then_some(Self::Offers)];
        whole.into_iter().chain(others.into_iter().flatten())
    }

    /// The one that an ask needs whatever the texts are.
    fn of(what: &What) -> Option<Self> {
        match what {
            What::Solve { task, .. } | What::Measure { task, .. } => Some(Self::Solver(*task)),
            What::Nearest { .. } => Some(Self::Solver(Task::ApproximateSearch)),
            What::Export { .. } => Some(Self::Files),
            What::Matrix | What::Dots(_) | What::Outline | What::Editions { .. } | What::Code { .. } => Some(Self::Drawings),
            What::Digest => Some(Self::Digest),
            What::Keep
            | What::Window { .. }
            | What::Overview { .. }
            | What::Rows { .. }
            | What::Place { .. }
            | What::Column { .. }
            | What::Hits { .. }
            | What::Open { .. }
            | What::Lay { .. }
            | What::Seen { .. }
            | What::Counts
            | What::Profile { .. } => None,
        }
    }
}

/// What looks at hits. It comes with whatever searches.
static HITS: OnceLock<Look> = OnceLock::new();
static FILES: OnceLock<Look> = OnceLock::new();
static DIGEST: OnceLock<Digest> = OnceLock::new();
static OFFERS: OnceLock<ReadOffers> = OnceLock::new();
static OF_UNITS: OnceLock<OfUnits> = OnceLock::new();
static DRAWINGS: OnceLock<Drawings> = OnceLock::new();

const ALL_DRAWINGS: Drawings = Drawings { look: Kept::drawn, code: qr::draw };

/// Answers a look at what is kept, by the part that it needs.
pub(crate) fn look(kept: &mut Kept, what: &What) -> Looked {
    match Part::of(what) {
        _ if is_of_hits(what) => hits(kept, what),
        Some(Part::Files) => file(kept, what),
        Some(Part::Drawings) => (drawings()?.look)(kept, what),
        Some(Part::Solver(_) | Part::Letters | Part::Offers | Part::Digest) | None => kept.look(what),
    }
}

fn is_of_hits(what: &What) -> bool {
    matches!(
        what,
        What::Hits { .. }
            | What::Open { .. }
            | What::Seen { .. }
            | What::Nearest { .. }
            | What::Lay { .. }
            | What::Counts
            | What::Profile { .. }
    )
}

fn hits(kept: &mut Kept, what: &What) -> Looked {
    #[cfg(not(target_family = "wasm"))]
    HITS.get_or_init(|| Kept::found);
    HITS.get().ok_or_else(|| Failure::engine("Nothing was searched."))?(kept, what)
}

/// Writes a file of what is kept.
fn file(kept: &mut Kept, what: &What) -> Looked {
    #[cfg(not(target_family = "wasm"))]
    FILES.get_or_init(|| Kept::exported);
    FILES.get().ok_or_else(missing)?(kept, what)
}

/// What lays out drawings.
pub(crate) fn drawings() -> Result<Drawings, Failure> {
    #[cfg(not(target_family = "wasm"))]
    DRAWINGS.get_or_init(|| ALL_DRAWINGS);
    DRAWINGS.get().copied().ok_or_else(missing)
}

/// What a server offers. One whose words are not understood offers nothing.
pub(crate) fn offers(words: &str) -> Vec<Offer> {
    #[cfg(not(target_family = "wasm"))]
    OFFERS.get_or_init(|| read_offers);
    OFFERS.get().filter(|_| !words.is_empty()).map(|read| read(words)).unwrap_or_default()
}

fn read_offers(words: &str) -> Vec<Offer> {
    serde_json::from_str::<Offers>(words).unwrap_or_default().offers
}

/// The BLAKE3 of both texts.
pub(crate) fn digests(texts: [&[u8]; 2]) -> Result<[String; 2], Failure> {
    #[cfg(not(target_family = "wasm"))]
    DIGEST.get_or_init(|| digest);
    let digest = DIGEST.get().ok_or_else(missing)?;
    Ok(texts.map(digest))
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// What compares two strings of any length, once it is here.
pub(crate) fn of_units() -> Option<OfUnits> {
    #[cfg(not(target_family = "wasm"))]
    OF_UNITS.get_or_init(|| short_pairs::of_units);
    OF_UNITS.get().copied()
}

/// What is said where a part is not here: the network is gone, or the server has a newer page.
pub fn missing() -> Failure {
    Failure::engine(PART_MISSING)
}

/// Brings a part, unless it is there.
///
/// # Errors
/// When it does not come. It is tried again the next time.
#[cfg(target_family = "wasm")]
pub async fn fetch(part: Part) -> Result<(), Failure> {
    use kernels::reading::unicode;
    use kernels::task::solvers::{is_provided, provide};
    match part {
        Part::Solver(task) if is_provided(task) => {}
        Part::Solver(task @ Task::EditDistance) => {
            let (solver, of_units) = parts::edit_distance().await?;
            OF_UNITS.get_or_init(|| of_units);
            provide(task, solver);
        }
        Part::Solver(task @ Task::Lcs) => provide(task, parts::lcs().await?),
        Part::Solver(task @ (Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch)) => {
            let (solver, look) = match task {
                Task::MatchCount => parts::match_count().await?,
                Task::ExactSearch => parts::exact_search().await?,
                _ => parts::approximate_search().await?,
            };
            HITS.get_or_init(|| look);
            provide(task, solver);
        }
        Part::Files => {
            let look = parts::files().await?;
            FILES.get_or_init(|| look);
        }
        Part::Drawings => {
            let drawings = parts::drawings().await?;
            DRAWINGS.get_or_init(|| drawings);
        }
        Part::Letters if unicode::are_provided() => {}
        Part::Letters => unicode::provide(parts::letters().await?),
        Part::Digest => {
            let digest = parts::digest().await?;
            DIGEST.get_or_init(|| digest);
        }
        Part::Offers => {
            let read = parts::offers().await?;
            OFFERS.get_or_init(|| read);
        }
    }
    Ok(())
}

/// What each part hands over.
#[cfg(target_family = "wasm")]
mod parts {
    use kernels::failure::Failure;
    use kernels::reading::unicode::{self, Tables};
    use kernels::task::edit_distance::short_pairs::of_units;
    use kernels::task::{Solver, solvers};
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{ALL_DRAWINGS, Digest, Drawings, Look, OfUnits, ReadOffers, missing, read_offers};
    use crate::desk::kept::Kept;

    /// It did not come.
    pub(super) struct Missing;

    impl From<SplitLoaderError> for Missing {
        fn from(_: SplitLoaderError) -> Self {
            Self
        }
    }

    impl From<Missing> for Failure {
        fn from(Missing: Missing) -> Self {
            missing()
        }
    }

    #[wasm_split(edit_distance, fallible)]
    pub(super) fn edit_distance() -> Result<(Solver, OfUnits), Missing> {
        Ok((solvers::edit_distance(), of_units))
    }

    #[wasm_split(approximate_search, fallible)]
    pub(super) fn approximate_search() -> Result<(Solver, Look), Missing> {
        Ok((solvers::approximate_search(), Kept::found))
    }

    #[wasm_split(lcs, fallible)]
    pub(super) fn lcs() -> Result<Solver, Missing> {
        Ok(solvers::lcs())
    }

    #[wasm_split(match_count, fallible)]
    pub(super) fn match_count() -> Result<(Solver, Look), Missing> {
        Ok((solvers::match_count(), Kept::found))
    }

    #[wasm_split(exact_search, fallible)]
    pub(super) fn exact_search() -> Result<(Solver, Look), Missing> {
        Ok((solvers::exact_search(), Kept::found))
    }

    #[wasm_split(files, fallible)]
    pub(super) fn files() -> Result<Look, Missing> {
        Ok(Kept::exported)
    }

    #[wasm_split(drawings, fallible)]
    pub(super) fn drawings() -> Result<Drawings, Missing> {
        Ok(ALL_DRAWINGS)
    }

    #[wasm_split(digest, fallible)]
    pub(super) fn digest() -> Result<Digest, Missing> {
        Ok(super::digest)
    }

    #[wasm_split(offers, fallible)]
    pub(super) fn offers() -> Result<ReadOffers, Missing> {
        Ok(read_offers)
    }

    #[wasm_split(letters, fallible)]
    pub(super) fn letters() -> Result<Tables, Missing> {
        Ok(unicode::tables())
    }
}
