//! Pieces: the host's share of an alignment. The cuts lie on one optimal path, so what is between two of them is aligned on
//! its own, on all cores at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::Texts;
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::Signal;
use crate::failure::Failure;
use crate::run::{Halt, Listen, Run};
use crate::task::edit_distance::bits::{self, Want};

/// Cells per second that one core aligns, most of them never looked at, since a band round the path is enough; only for choosing
/// a shape.
const CELLS_PER_SECOND: f64 = 2e10;

/// Cells per second that all cores align.
pub(super) fn cells_per_second() -> f64 {
    CELLS_PER_SECOND * Cpu::all_cores().threads as f64
}

/// Distance and alignment of the path through `cuts`, which begin at (0, 0) and end at the texts' lengths.
pub(super) fn align(texts: Texts, cuts: &[(u64, u64)], run: &Run) -> Result<(u64, Alignment), Halt> {
    let parts = cuts.len() - 1;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<(u64, Alignment)>>> = Mutex::new(vec![None; parts]);
    let quiet = Quiet(run);
    run.expect((0..parts).map(|at| cells(cuts, at)).sum());
    let work = || -> Result<(), Halt> {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(&[(a0, b0), (a1, b1)]) = cuts.get(at..at + 2) else { return Ok(()) };
            let [a, b] = [&texts.a[a0 as usize..a1 as usize], &texts.b[b0 as usize..b1 as usize]];
            let own = Run::new(&quiet);
            let (distance, alignment) = bits::solve(a, b, texts.alphabet, Want::Alignment, &Cpu::SINGLE, &own)?;
            let alignment = alignment.unwrap_or_default();
            if let Err(misfit) = alignment.check(a, b) {
                return Err(Failure::engine(format!("The GPU engine failed its own check: part {at}, {misfit}.")).into());
            }
            run.tick(cells(cuts, at))?;
            done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some((distance, alignment));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..Cpu::all_cores().threads.min(parts)).map(|_| scope.spawn(work)).collect();
        let own = work();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Failure::engine("An aligner broke.").into())))
            .fold(own, Result::and)
    })?;
    let mut whole = (0, Alignment::default());
    for (distance, alignment) in done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten() {
        whole.0 += distance;
        whole.1.extend(&alignment);
    }
    Ok(whole)
}

fn cells(cuts: &[(u64, u64)], at: usize) -> u64 {
    (cuts[at + 1].0 - cuts[at].0) * (cuts[at + 1].1 - cuts[at].1)
}

/// Asks the whole job whether it goes on, and keeps a part's own stages and bounds to itself.
struct Quiet<'r>(&'r Run<'r>);

impl Listen for Quiet<'_> {
    fn hear(&self, _: Signal) -> ControlFlow<()> {
        if self.0.tick(0).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
