//! A text that comes in pieces and need not end, as paper 002 has it (section 4.1): each score is told once the last symbol of its offset has come.

use std::ops::ControlFlow;

use crate::engine::Engine;
use crate::failure::Failure;
use crate::job::Method;
use crate::methods::cuda::match_count as cuda;
use crate::methods::match_count::parallel_shift_add::Stream;
use crate::methods::match_count::shift_add::ShiftAdd;
use crate::run::{Halt, Run};

/// Who is told scores, piece by piece, in the order of their offsets.
pub type Told<'f> = &'f mut dyn FnMut(&[u32]) -> ControlFlow<()>;

/// How many symbols of `p` are equal to the text's at each offset: by Shift-Add (section 3.2), by parallel Shift-Add on one core, or by that on a
/// device with a thread for each symbol of the pattern (section 4.2). Nothing of the text is kept but what the method keeps, O(m) words. Returns when
/// `pieces` end.
///
/// # Errors
/// `BadInput` when the pattern is empty, or the method takes no text in pieces there; `Stopped` when `told` breaks off; `Engine` when a device fails.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use kernels::engine::{Cpu, Engine};
/// use kernels::job::Method;
/// use kernels::streaming::count_stream;
/// use kernels::run::{NoObserver, Run};
///
/// let mut scores: Vec<u32> = Vec::new();
/// let mut pieces = [&b"acb"[..], b"abbac", b"cb"].into_iter().map(Vec::from);
/// let run = Run::new(&NoObserver);
/// count_stream(&Engine::Cpu(Cpu::SINGLE), Method::ShiftAdd, b"abbac", &run, &mut pieces, &mut |some| {
///     scores.extend(some);
///     ControlFlow::Continue(())
/// })
/// .unwrap();
/// assert_eq!(scores, [3, 1, 1, 5, 2, 0]);
/// ```
pub fn count_stream(
    engine: &Engine,
    method: Method,
    p: &[u8],
    run: &Run,
    pieces: &mut dyn Iterator<Item = Vec<u8>>,
    told: Told,
) -> Result<(), Halt> {
    if p.is_empty() {
        return Err(Failure::bad_input("The pattern is empty.").into());
    }
    match (engine, method) {
        (Engine::Cpu(_), Method::ShiftAdd) => {
            let mut counter = ShiftAdd::new(p);
            each(pieces, told, |piece| Ok(piece.iter().filter_map(|symbol| counter.push(*symbol)).collect()))
        }
        (Engine::Cpu(_), Method::ParallelShiftAdd) => {
            let mut symbols = p.to_vec();
            symbols.sort_unstable();
            symbols.dedup();
            let mut streams: Vec<Stream<u8>> = symbols.into_iter().map(|symbol| Stream::new(symbol, p)).collect();
            let mut read = 0;
            let mut push = |symbol: u8| {
                let score = streams.iter_mut().map(|stream| stream.push(symbol)).sum();
                read = p.len().min(read + 1);
                (read == p.len()).then_some(score)
            };
            each(pieces, told, |piece| Ok(piece.iter().filter_map(|symbol| push(*symbol)).collect()))
        }
        (Engine::Cuda(gpu), Method::ParallelShiftAdd) => gpu.lend(run, |gpu| {
            let mut streams = cuda::Streams::open(gpu, p, run)?;
            each(pieces, told, |piece| streams.push_all(piece))
        }),
        _ => {
            Err(Failure::bad_input("A text that comes in pieces needs the method shift-add (processor only) or parallel-shift-add.").into())
        }
    }
}

/// Tells the scores of each piece. Those of pieces that end no offset are none.
fn each(
    pieces: &mut dyn Iterator<Item = Vec<u8>>,
    told: Told,
    mut scores: impl FnMut(&[u8]) -> Result<Vec<u32>, Halt>,
) -> Result<(), Halt> {
    for piece in pieces {
        if told(&scores(&piece)?).is_break() {
            return Err(Halt::Stopped);
        }
    }
    Ok(())
}
