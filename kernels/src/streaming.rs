//! Streaming: match count in a text that arrives in pieces and may never end, after paper 002, section 4.1. The score
//! at an offset (the number of equal symbols) is reported as soon as the last symbol under the pattern has arrived.

use std::ops::ControlFlow;

use crate::engine::Engine;
use crate::failure::JobFailure;
use crate::job::PaperMethod;
use crate::methods::cuda::match_count as cuda;
use crate::methods::match_count::parallel_shift_add::SymbolStream;
use crate::methods::match_count::shift_add::ShiftAddCounter;
use crate::run::{Halt, Run};

/// A callback that receives the scores (numbers of equal symbols) of some adjacent offsets. Each call continues with
/// the offset after the last one of the previous call.
pub type ScoreSink<'f> = &'f mut dyn FnMut(&[u32]) -> ControlFlow<()>;

/// Counts the symbols of the pattern `p` that equal the symbols of a text under them, at each offset of the pattern.
/// The text arrives in `pieces`. Reports the counts to `told` in the order of the offsets.
///
/// `method` is Shift-Add (paper 002, section 3.2) on one core, or parallel Shift-Add (section 4.2) on one core or on a
/// GPU with a thread for each distinct symbol of the pattern. Stores only the O(m) words of the method, and nothing of
/// the text. Returns when `pieces` ends.
///
/// # Errors
/// Returns `BadInput` if the pattern is empty, or if the method does not support a text in pieces on this engine.
/// Returns `Stopped` if `told` stops the run, and `Engine` if a GPU fails.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use kernels::engine::{Cpu, Engine};
/// use kernels::job::PaperMethod;
/// use kernels::streaming::count_stream;
/// use kernels::run::{NoObserver, Run};
///
/// let mut scores: Vec<u32> = Vec::new();
/// let mut pieces = [&b"acb"[..], b"abbac", b"cb"].into_iter().map(Vec::from);
/// let run = Run::new(&NoObserver);
/// count_stream(&Engine::Cpu(Cpu::SINGLE), PaperMethod::ShiftAdd, b"abbac", &run, &mut pieces, &mut |some| {
///     scores.extend(some);
///     ControlFlow::Continue(())
/// })
/// .unwrap();
/// assert_eq!(scores, [3, 1, 1, 5, 2, 0]);
/// ```
pub fn count_stream(
    engine: &Engine,
    method: PaperMethod,
    p: &[u8],
    run: &Run,
    pieces: &mut dyn Iterator<Item = Vec<u8>>,
    told: ScoreSink,
) -> Result<(), Halt> {
    if p.is_empty() {
        return Err(JobFailure::bad_input("The pattern is empty.").into());
    }
    match (engine, method) {
        (Engine::Cpu(_), PaperMethod::ShiftAdd) => {
            let mut counter = ShiftAddCounter::new(p);
            each(pieces, told, |piece| Ok(piece.iter().filter_map(|symbol| counter.push(*symbol)).collect()))
        }
        (Engine::Cpu(_), PaperMethod::ParallelShiftAdd) => {
            let mut symbols = p.to_vec();
            symbols.sort_unstable();
            symbols.dedup();
            let mut streams: Vec<SymbolStream<u8>> = symbols.into_iter().map(|symbol| SymbolStream::new(symbol, p)).collect();
            let mut read = 0;
            let mut push = |symbol: u8| {
                let score = streams.iter_mut().map(|stream| stream.push(symbol)).sum();
                read = p.len().min(read + 1);
                (read == p.len()).then_some(score)
            };
            each(pieces, told, |piece| Ok(piece.iter().filter_map(|symbol| push(*symbol)).collect()))
        }
        (Engine::Cuda(gpu), PaperMethod::ParallelShiftAdd) => gpu.lend(run, |gpu| {
            let mut streams = cuda::DeviceSymbolStreams::open(gpu, p, run)?;
            each(pieces, told, |piece| streams.push_all(piece))
        }),
        _ => {
            Err(JobFailure::bad_input("A text that comes in pieces needs the method shift-add (processor only) or parallel-shift-add.")
                .into())
        }
    }
}

/// Calls `scores` with each of `pieces`, and `told` with the scores that `scores` returns for the piece. A piece that
/// completes no offset has no scores.
///
/// # Errors
/// Returns the error of `scores`, and `Stopped` if `told` stops the run.
fn each(
    pieces: &mut dyn Iterator<Item = Vec<u8>>,
    told: ScoreSink,
    mut scores: impl FnMut(&[u8]) -> Result<Vec<u32>, Halt>,
) -> Result<(), Halt> {
    for piece in pieces {
        if told(&scores(&piece)?).is_break() {
            return Err(Halt::Stopped);
        }
    }
    Ok(())
}
