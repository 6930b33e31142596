//! What the solver fetches when it is first asked for, so that nobody who compares two words waits for searches, files and drawings: in the
//! browser each [`Part`] is a module of its own. Elsewhere all is there.
//!
//! `fetch` brings what an ask needs, and then the ask is answered.

use std::sync::OnceLock;

use explain::ask::{PART_MISSING, What};
use kernels::failure::Failure;
use kernels::job::Task;
use kernels::reading::unicode::needs_tables;

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
}

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
        let reads_letters = match what {
            What::Solve { options, .. } => needs_tables(texts, &options.reading()),
            // Words are marked in lines that changed.
            What::Editions { .. } => true,
            _ => false,
        };
        Self::of(what).into_iter().chain(reads_letters.then_some(Self::Letters))
    }

    /// The one that an ask needs whatever the texts are.
    fn of(what: &What) -> Option<Self> {
        match what {
            What::Solve { task, .. } | What::Measure { task, .. } => Some(Self::Solver(*task)),
            What::Nearest { .. } => Some(Self::Solver(Task::ApproximateSearch)),
            What::Export { .. } => Some(Self::Files),
            What::Matrix | What::Dots(_) | What::Outline | What::Editions { .. } | What::Code { .. } => Some(Self::Drawings),
            What::Keep
            | What::Digest
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

static FILES: OnceLock<Look> = OnceLock::new();
static DRAWINGS: OnceLock<Drawings> = OnceLock::new();

const ALL_DRAWINGS: Drawings = Drawings { look: Kept::drawn, code: qr::draw };

/// Answers a look at what is kept, by the part that it needs.
pub(crate) fn look(kept: &mut Kept, what: &What) -> Looked {
    match Part::of(what) {
        Some(Part::Files) => file(kept, what),
        Some(Part::Drawings) => (drawings()?.look)(kept, what),
        Some(Part::Solver(_) | Part::Letters) | None => kept.look(what),
    }
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

/// What is said where a part is not here: the network is gone, or the server has a newer page.
pub fn missing() -> Failure {
    Failure::engine(PART_MISSING)
}

/// What the page cannot do without: called before the first ask.
#[cfg(target_family = "wasm")]
pub fn open() {
    use kernels::task::solvers;
    solvers::provide(Task::EditDistance, solvers::edit_distance());
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
        Part::Solver(Task::EditDistance) => open(),
        Part::Solver(task @ Task::ApproximateSearch) => provide(task, parts::approximate_search().await?),
        Part::Solver(task @ Task::Lcs) => provide(task, parts::lcs().await?),
        Part::Solver(task @ Task::MatchCount) => provide(task, parts::match_count().await?),
        Part::Solver(task @ Task::ExactSearch) => provide(task, parts::exact_search().await?),
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
    }
    Ok(())
}

/// What each part hands over.
#[cfg(target_family = "wasm")]
mod parts {
    use kernels::failure::Failure;
    use kernels::reading::unicode::{self, Tables};
    use kernels::task::{Solver, solvers};
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{ALL_DRAWINGS, Drawings, Look, missing};
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

    #[wasm_split(approximate_search, fallible)]
    pub(super) fn approximate_search() -> Result<Solver, Missing> {
        Ok(solvers::approximate_search())
    }

    #[wasm_split(lcs, fallible)]
    pub(super) fn lcs() -> Result<Solver, Missing> {
        Ok(solvers::lcs())
    }

    #[wasm_split(match_count, fallible)]
    pub(super) fn match_count() -> Result<Solver, Missing> {
        Ok(solvers::match_count())
    }

    #[wasm_split(exact_search, fallible)]
    pub(super) fn exact_search() -> Result<Solver, Missing> {
        Ok(solvers::exact_search())
    }

    #[wasm_split(files, fallible)]
    pub(super) fn files() -> Result<Look, Missing> {
        Ok(Kept::exported)
    }

    #[wasm_split(drawings, fallible)]
    pub(super) fn drawings() -> Result<Drawings, Missing> {
        Ok(ALL_DRAWINGS)
    }

    #[wasm_split(letters, fallible)]
    pub(super) fn letters() -> Result<Tables, Missing> {
        Ok(unicode::tables())
    }
}
