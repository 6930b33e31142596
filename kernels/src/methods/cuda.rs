//! The methods on a GPU, by CUDA. Parallel methods run with their paper's blocks, threads and shared memory. Sequential
//! methods run on one thread, which shows the speed of a single thread of the GPU.
//!
//! | task | methods | threads |
//! |---|---|---|
//! | edit distance, approximate search | `sequential` | one |
//! | | `diagonal` | one block of m threads, three rows in shared memory (000, 003, section 5) |
//! | approximate search | `slices` | D blocks of m threads, the minimum of their minima (000, 003, section 6) |
//! | lcs | `hirschberg`, `bit-parallel` | one; words of 32 bits |
//! | | `bit-parallel-blocks` | ⌈m/1024⌉ blocks of 32 threads in each of ⌈m/1024⌉ + ⌈n/1024⌉ − 1 calls (001, section 3) |
//! | match count | `naive`, `shift-add` | one |
//! | | `parallel-shift-add` | one for each distinct symbol of the pattern (002, section 4.2) |
//! | exact search | `naive`, `kmp` | one |
//! | | `kmp-blocks` | ⌊n/m⌋ in blocks of 1,024 (004, section VII) |
//!
//! A block has at most 1,024 threads. For longer patterns, a thread of `diagonal` and `slices` has several rows, as in
//! lemma 2 for p < m. As in paper 001, Hirschberg's recursion on the CPU finds the subsequence, and the CPU also fills
//! tables with few rows. The same recursion finds alignments of the edit distance, because paper 000 describes no
//! traceback.
//!
//! A kernel that may run for long counts its steps, and stops when the host requests it (`watch.cuh`).
//!
//! - `fill`: the matrix by rows, by diagonals, in slices
//! - `edit_distance`: alignments, computed from last rows of the matrix
//! - `lcs`, `match_count`, `exact_search`: the methods of these tasks
//! - [`measure`]: times on the GPU alone

use cudarc::driver::CudaFunction;

use crate::failure::{JobFailure, large};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, GpuSession, KernelArguments, KernelProgress, LaunchGrid, OVER, SAID, STOP, WISH};
use crate::run::Halt;

pub(crate) mod edit_distance;
pub(crate) mod exact_search;
pub(crate) mod fill;
pub(crate) mod lcs;
pub(crate) mod match_count;
pub mod measure;

/// Maximum number of threads in a block.
const THREADS: u32 = 1024;

/// Maximum length of a text in symbols, because numbers on the GPU have 32 bits.
const MAX_TEXT_SYMBOLS: u64 = 1 << 31;

/// The argument of a kernel that counts its steps and stops on request. It holds two addresses: that of the control
/// words in GPU memory, and that of the board (words in host memory by which kernel and host communicate). It also
/// holds the number of steps that the kernel has counted when it is done.
#[derive(Clone, Copy)]
#[repr(C)]
struct KernelWatch {
    control: u64,
    board: u64,
    counts: u64,
}

/// Returns the kernel file `name` with contents `text`, for symbols of `unit` bytes. `own` holds additional constants
/// with their names.
fn source(name: &'static str, text: &'static str, unit: usize, own: &[(&'static str, u64)]) -> KernelSource {
    let shared = [("UNIT", unit as u64), ("STOP", STOP), ("DONE", DONE), ("SAID", SAID), ("OVER", OVER), ("WISH", WISH)];
    KernelSource { name, text, defines: shared.iter().chain(own).copied().collect() }
}

/// Returns all kernel files of this module in all variants, so that they can be compiled before a job needs them.
pub fn variants() -> Vec<KernelSource> {
    let units = [1, 4].into_iter();
    let all =
        units.flat_map(|unit| [fill::source(unit, false), fill::source(unit, true), lcs::source(unit)].into_iter().chain(searches(unit)));
    all.collect()
}

fn searches(unit: usize) -> [KernelSource; 2] {
    [match_count::source(unit), exact_search::source(unit)]
}

/// Launches `kernel` and waits for its end. `arguments` creates the kernel's argument from the [`KernelWatch`] to put
/// into it. The kernel counts `counts` steps in all; the run reports `cells` steps in all, in proportion.
///
/// # Safety
/// See [`GpuSession::launch_as`].
unsafe fn run_watched<T: KernelArguments>(
    session: &mut GpuSession,
    kernel: &CudaFunction,
    launch: LaunchGrid,
    [counts, cells]: [u64; 2],
    arguments: impl FnOnce(KernelWatch) -> T,
) -> Result<(), Halt> {
    session.reset()?;
    let arguments = arguments(KernelWatch { control: session.control(), board: session.board(), counts });
    // SAFETY: the caller upholds the contract of `launch_as`.
    unsafe { session.launch_as(kernel, launch, arguments)? };
    session.wait_for_kernel(&mut KernelProgress::new(counts, cells), None)?;
    Ok(())
}

/// A launch of one block with one thread.
const SINGLE_THREAD_GRID: LaunchGrid = LaunchGrid { blocks: [1, 1], threads: 1, shared: 0 };

/// Checks that neither of two texts, whose lengths are given, is longer than [`MAX_TEXT_SYMBOLS`].
///
/// # Errors
/// Returns `TooLarge` if a text is longer.
fn check_lengths(lengths: [usize; 2]) -> Result<(), JobFailure> {
    let got = lengths.into_iter().max().unwrap_or_default() as u64;
    if got <= MAX_TEXT_SYMBOLS { Ok(()) } else { Err(JobFailure::TooLarge { what: large::SYMBOLS.into(), got, limit: MAX_TEXT_SYMBOLS }) }
}
