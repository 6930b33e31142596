//! Look: checks queries at any position of a result. The answer to each query must be a part of the whole result.

use explain::window::AlignmentWindow;
use kernels::alignment::Alignment;
use kernels::engine::Cpu;
use kernels::event::TaskAnswer;
use kernels::job::Task;
use kernels::run::{NoObserver, Run};
use kernels::task::{FinishedSearch, Solution, searcher};
use oracle::serial;

use super::bytes::Bytes;
use super::job::Job;

/// Returns the distance, the length or the score in `answer`, or `None` for a search.
pub(crate) fn score(answer: &TaskAnswer) -> Option<i64> {
    match answer {
        TaskAnswer::EditDistance { distance, .. } => distance.map(|distance| distance as i64),
        TaskAnswer::Lcs { length, .. } => Some(*length as i64),
        TaskAnswer::SequenceAlignment { score, .. } => Some(score.tenths()),
        TaskAnswer::ApproximateSearch { .. } | TaskAnswer::MatchCount { .. } | TaskAnswer::ExactSearch { .. } => None,
    }
}

/// Checks queries of the result `solution` of `job` at positions that `bytes` selects: pages of hits, profiles, and
/// windows of the alignment. Panics if an answer is not the expected part of the whole result.
pub(crate) fn anywhere(job: &Job, solution: &Solution, bytes: &mut Bytes) {
    if let Some(found) = &solution.found {
        let searched = FinishedSearch { pair: &job.pair, options: &job.options, answer: &solution.answer, found };
        pages(job, &searched, bytes);
        if job.task == Task::MatchCount {
            profiles(job, &searched, bytes);
        }
    }
    if let Some(alignment) = &solution.alignment {
        window(job, alignment, bytes);
    }
}

fn pages(job: &Job, searched: &FinishedSearch, bytes: &mut Bytes) {
    let run = Run::new(&NoObserver);
    let hits = |from: u64, len: u64| {
        let page = searcher(job.task).unwrap().hits(searched, from..from.saturating_add(len), &Cpu { threads: 2 }, &run);
        page.expect("the pair is that of the run")
    };
    let total = searched.found.positions.len();
    let all = hits(0, u64::MAX);
    assert_eq!(all.len() as u64, total);
    for _ in 0..3 {
        let (from, len) = (bytes.place(total), bytes.place(total));
        let expected: Vec<_> = all.iter().copied().skip(from as usize).take(len as usize).collect();
        assert_eq!(hits(from, len), expected, "hits {from}, {len} of {total}");
    }
}

fn profiles(job: &Job, searched: &FinishedSearch, bytes: &mut Bytes) {
    let run = Run::new(&NoObserver);
    let spans = |from: u64, len: u64, points| {
        let spans = searcher(job.task).unwrap().profile(searched, from..from.saturating_add(len), points, &run);
        spans.expect("the run kept a profile")
    };
    let scores: Vec<u64> = spans(0, u64::MAX, usize::MAX).into_iter().map(|span| span.most).collect();
    let offsets = scores.len() as u64;
    for _ in 0..2 {
        let (from, len, points) = (bytes.place(offsets), bytes.place(offsets), bytes.place(offsets) as usize);
        assert_eq!(spans(from, len, points), serial::match_count::profile(&scores, from, len, points), "profile {from}, {len}, {points}");
    }
}

fn window(job: &Job, alignment: &Alignment, bytes: &mut Bytes) {
    let parsed = alignment.to_string().parse::<Alignment>().map(|parsed| parsed.starting_at(alignment.a_start(), alignment.b_start()));
    assert_eq!(parsed.as_ref(), Ok(alignment), "the CIGAR goes there and back");
    let columns = alignment.summary().columns;
    let (from, len) = (bytes.place(columns), bytes.place(columns));
    let window = AlignmentWindow::new(alignment, &job.pair, from, len);
    let edits = alignment.cigar_ops().iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
    let shown = window.stretches.iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
    assert!(edits.skip(from as usize).take(len as usize).eq(shown), "window {from}, {len} of {alignment}");
    for (text, start, units) in [(&job.pair.a, window.a_start, &window.a), (&job.pair.b, window.b_start, &window.b)] {
        let is_shown = |(at, unit): (usize, &String)| {
            let whole = text.display_unit(at);
            // A unit of several kilobytes is shown as its first bytes and an ellipsis.
            whole == *unit
                || (whole.len() > 1000 && unit.strip_suffix('…').is_some_and(|begin| begin.len() > 990 && whole.starts_with(begin)))
        };
        assert!((start as usize..).zip(units).all(is_shown), "window {from}, {len} of {alignment}");
    }
}
