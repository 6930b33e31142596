//! Pieces: the host's part in computing an alignment. Sections of the path that the GPU has traced are decoded and
//! checked. All other sections are aligned on all cores of the host, because each lies between two known points of one
//! optimal path.

use std::ops::{ControlFlow, Range};

use super::trace::{PathPart, TracedEdits};
use super::{DeviceRecurrence, RowsAndColumns};
use crate::alignment::{Alignment, EditKind};
use crate::cpu::{Cpu, try_spread};
use crate::event::RunSignal;
use crate::failure::JobFailure;
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Observer, Run};
use crate::symbol::Symbol;

/// Minimum number of columns for which it is worth starting a thread.
const COLUMNS_PER_THREAD: u64 = 30_000;

/// Finds the edits of all sections of a path, which are `parts`: decodes a section that the GPU has traced, and aligns
/// any other section. Returns the cost of the path without the common prefix and suffix, and the alignment of the whole
/// texts.
pub(super) fn align<R: DeviceRecurrence, T: Symbol>(
    texts: RowsAndColumns<T>,
    parts: &[PathPart],
    run: &Run,
) -> Result<(i64, Alignment), Halt> {
    let observer = StopObserver(run);
    run.raise_expected(parts.iter().map(cells).sum());
    let work = |part: &PathPart| -> Result<(i64, Alignment), Halt> {
        let a = &texts.rows[part.rows.start as usize..part.rows.end as usize];
        let b = &texts.columns[part.columns.start as usize..part.columns.end as usize];
        let (cost, alignment) = match &part.edits {
            Some(edits) => {
                let alignment = read(edits, texts.swapped);
                let summary = alignment.summary();
                (if R::KERNEL_SPEC.rises { summary.distance() as i64 } else { -(summary.matches as i64) }, alignment)
            }
            None => {
                let (cost, alignment) = R::solve(a, b, texts.alphabet, PairOutput::Alignment, &Run::new(&observer))?;
                let alignment = alignment.unwrap_or_default();
                (cost, if texts.swapped { alignment.swapped() } else { alignment })
            }
        };
        let fits = if texts.swapped { alignment.check(b, a) } else { alignment.check(a, b) };
        if let Err(misfit) = fits {
            return Err(JobFailure::engine(format!("The GPU engine failed its own check: rows from {}, {misfit}.", part.rows.start)).into());
        }
        run.tick(cells(part))?;
        Ok((cost, alignment))
    };
    let solved: u64 = parts.iter().map(|part| part.columns.end - part.columns.start + cells(part)).sum();
    let threads = Cpu::all_cores().threads.min((solved / COLUMNS_PER_THREAD) as usize + 1);
    let aligned = try_spread(parts, threads, work)?;
    let stretches: usize = aligned.iter().map(|(_, alignment)| alignment.cigar_ops().len()).sum();
    let (mut sum, mut whole) = (0, Alignment::with_capacity(stretches + 2));
    whole.push(EditKind::Equal, texts.ends.prefix as u64);
    for (cost, alignment) in aligned {
        sum += cost;
        whole.extend(&alignment);
    }
    whole.push(EditKind::Equal, texts.ends.suffix as u64);
    Ok((sum, whole))
}

/// Returns the number of cells that the host computes for a section of the path, or 0 if the GPU has traced it.
fn cells(part: &PathPart) -> u64 {
    let len = |range: &Range<u64>| range.end - range.start;
    if part.edits.is_some() { 0 } else { len(&part.rows) * len(&part.columns) }
}

/// Decodes `traced`, edits that the GPU has found. Returns an alignment of the rows to the columns, or with `swapped`
/// of the columns to the rows.
fn read(traced: &TracedEdits, swapped: bool) -> Alignment {
    let [insert, delete] = if swapped { [EditKind::Delete, EditKind::Insert] } else { [EditKind::Insert, EditKind::Delete] };
    let edits = traced.edits();
    let changes = edits.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let mut alignment = Alignment::with_capacity(changes + 1);
    let mut take = |run: &[u8]| {
        let edit = match run[0] {
            0 => EditKind::Equal,
            1 => EditKind::Substitute,
            2 => insert,
            _ => delete,
        };
        alignment.push(edit, run.len() as u64);
    };
    let runs = edits.chunk_by(|one, next| one == next);
    if traced.reversed {
        runs.rev().for_each(&mut take)
    } else {
        runs.for_each(&mut take)
    }
    alignment
}

/// An observer for the run of one section. It forwards stop requests of the whole job. It ignores reports, because they
/// describe only the section.
pub(super) struct StopObserver<'r>(pub(super) &'r Run<'r>);

impl Observer for StopObserver<'_> {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.0.tick(0).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
