//! Checks of an engine: against the oracle, or against itself if the oracle is too slow.

use kernels::alignment::{Alignment, GapPlacement};
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::found::Hit;
use kernels::job::{JobOptions, Task};
use kernels::run::{Halt, NoObserver, Run};
use kernels::task::{FinishedSearch, Solution, searcher};
use kernels::text::{Pair, TextSymbols};

use super::serial;

/// Returns the engines that every machine has: the CPU with one thread, and with three threads.
pub fn processors() -> [Engine; 2] {
    [Engine::Cpu(Cpu::SINGLE), Engine::Cpu(Cpu { threads: 3 })]
}

/// Solves the edit distance of `pair` by `engine`. Returns the distance, and the alignment if the options request it.
/// Checks that the alignment fits the texts and has as many edits as the distance says.
///
/// # Panics
/// Panics if the engine fails or its alignment does not fit. The message has the texts in a form that can be pasted
/// into a test.
pub fn solve_edit_distance(engine: &Engine, pair: &Pair, options: &JobOptions) -> (u64, Option<Alignment>) {
    let who = || format!("{} on bytes(b{:?}, b{:?})", engine.name_in_words(), ShortLiteral(pair.a.bytes()), ShortLiteral(pair.b.bytes()));
    let solved = engine.run(Task::EditDistance, options, pair, &Run::new(&NoObserver));
    let solution = solved.unwrap_or_else(|halt| panic!("{halt:?}: {}", who()));
    let TaskAnswer::EditDistance { distance: Some(distance), alignment: summary, .. } = solution.answer else {
        panic!("no edit distance: {}", who())
    };
    if let Some(alignment) = &solution.alignment {
        assert_eq!(Some(alignment.summary()), summary, "{}", who());
        assert_eq!(options.costs.sum(&alignment.summary()), distance, "{}", who());
        let symbols = |symbols: &TextSymbols| (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect::<Vec<u32>>();
        let fits = alignment.check_match(&symbols(pair.a_symbols()), &symbols(pair.b_symbols()), pair.symbol_match);
        assert_eq!(fits, Ok(()), "{}", who());
    }
    assert_eq!(solution.alignment.is_some(), options.alignment);
    (distance, solution.alignment)
}

/// Checks the edit distance that `engine` computes against the oracle, with and without alignment. Takes O(|a||b|)
/// time.
///
/// # Panics
/// Panics if the engine fails, its alignment does not fit, or the distances differ. The message has the texts in a form
/// that can be pasted into a test.
pub fn check(engine: &Engine, pair: &Pair) {
    let (expected, _) = serial::edit_distance::align(pair);
    for alignment in [false, true] {
        let (distance, _) = solve_edit_distance(engine, pair, &JobOptions { alignment, ..JobOptions::default() });
        let (a, b) = (ShortLiteral(pair.a.bytes()), ShortLiteral(pair.b.bytes()));
        assert_eq!(distance, expected, "{} (alignment: {alignment}) on bytes(b{a:?}, b{b:?})", engine.name_in_words());
    }
}

/// Checks the solution of `task` by `engine` against the oracle, and returns the solution.
///
/// Answer and hits must be equal. The alignment must fit the texts and have the score of the answer, and the alignments
/// of some hits must have the distances of these hits. Takes O(|a||b|) time.
///
/// # Panics
/// Panics if a check fails. The message has the texts in a form that can be pasted into a test.
pub fn agree(engine: &Engine, task: Task, pair: &Pair, options: &JobOptions) -> Solution {
    let (a, b) = (ShortLiteral(pair.a.bytes()), ShortLiteral(pair.b.bytes()));
    let who = format!("{} on {} of (b{a:?}, b{b:?}) with {options:?}", engine.name_in_words(), task.name());
    let solution = engine.run(task, options, pair, &Run::new(&NoObserver)).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    let expected = serial::solve(task, pair, options);
    let found = &solution.found;
    // Several alignments may be optimal, so that only the score must equal that of the oracle.
    match (&solution.answer, &expected.answer) {
        (TaskAnswer::EditDistance { distance, more_than, .. }, TaskAnswer::EditDistance { distance: expected, more_than: most, .. }) => {
            assert_eq!((distance, more_than), (expected, most), "{who}");
        }
        (TaskAnswer::Lcs { length, .. }, TaskAnswer::Lcs { length: expected, .. }) => assert_eq!(length, expected, "{who}"),
        (TaskAnswer::SequenceAlignment { score, a, b, .. }, TaskAnswer::SequenceAlignment { score: expected, a: in_a, b: in_b, .. }) => {
            assert_eq!((score, a, b), (expected, in_a, in_b), "{who}")
        }
        (answer, expected) => assert_eq!(answer, expected, "{who}"),
    }
    assert_eq!(found, &expected.found, "{who}");
    assert_eq!(solution.alignment.is_some(), expected.alignment.is_some(), "{who}");
    fits(&solution, pair, options, &who);
    let Some(found) = found else { return solution };
    let searcher = searcher(task).unwrap_or_else(|failure| panic!("{failure}: {who}"));
    let searched = FinishedSearch { pair, options, answer: &solution.answer, found };
    let run = Run::new(&NoObserver);
    let cpu = Cpu { threads: 2 };
    let page = |page| searcher.hits(&searched, page, &cpu, &run).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    let hits = page(0..u64::MAX);
    assert_eq!(hits.len() as u64, found.positions.len(), "{who}");
    for (at, hit) in (0..).zip(&hits).step_by(1 + hits.len() / 7) {
        assert_eq!(page(at..at + 2), hits[at as usize..hits.len().min(at as usize + 2)], "{who}");
        hit_fits(task, pair, *hit, options.gaps, &who);
    }
    if !options.strands.is_forward() {
        assert_eq!(hits, serial::strands::hits(task, pair, options), "{who}");
        both_strands(task, &searched, &who);
        return solution;
    }
    if task == Task::ApproximateSearch {
        assert_eq!(hits, serial::approximate_search::hits(pair, options), "{who}");
    }
    let scores = scores(task, pair, &hits);
    let all = scores.len() as u64;
    assert_eq!(searcher.offsets(&searched), Some(all), "{who}");
    for (from, len, points) in [(0, all, 10), (0, all, usize::MAX), (all / 3, all / 2, 7), (all / 2, 3, 100), (all, 1, 1)] {
        let expected = serial::match_count::profile(&scores, from, len, points);
        let spans = searcher.profile(&searched, from..from + len, points, &run);
        assert_eq!(spans, Ok(expected), "{from}, {len}, {points} of {who}");
    }
    if task == Task::ApproximateSearch {
        let counts = searcher.counts(&searched, &run).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
        let expected = |distance| scores.iter().filter(|score| **score == distance).count() as u64;
        let greatest = scores.iter().max().copied().unwrap_or_default();
        assert_eq!(counts, (0..=greatest).map(expected).collect::<Vec<_>>(), "{who}");
    }
    solution
}

/// Checks the profile of a search on both strands. In an approximate search, the score of each end must be the lower
/// one of the distances on both strands, and the histogram must have the distances on both. In an exact search, the
/// scores must add up to the number of hits. `who` describes the run in messages.
fn both_strands(task: Task, searched: &FinishedSearch, who: &str) {
    let (searcher, run) = (searcher(task).unwrap_or_else(|failure| panic!("{failure}: {who}")), Run::new(&NoObserver));
    let other = serial::strands::reverse_pair(searched.pair, searched.options);
    let ends = |pair: &Pair| -> Vec<u64> { serial::approximate_search::ends(pair).iter().map(|hit| hit.distance).collect() };
    let profile = |from, end, points| searcher.profile(searched, from..end, points, &run).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    if task == Task::ExactSearch {
        let all = (searched.pair.b.len() as u64 + 1).saturating_sub(searched.pair.a.len() as u64);
        assert_eq!(searcher.offsets(searched), Some(all), "{who}");
        let in_all: u64 = profile(0, all, 7).iter().map(|span| span.sum).sum();
        assert_eq!(in_all, searched.found.positions.len(), "{who}");
        return;
    }
    let (forward, reverse) = (ends(searched.pair), ends(&other));
    let nearer: Vec<u64> = forward.iter().zip(&reverse).map(|(one, other)| *one.min(other)).collect();
    let all = nearer.len() as u64;
    for (from, len, points) in [(0, all, 10), (0, all, usize::MAX), (all / 3, all / 2, 7)] {
        assert_eq!(profile(from, from + len, points), serial::match_count::profile(&nearer, from, len, points), "{who}");
    }
    let counts = searcher.counts(searched, &run).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    let with = |distance: u64| forward.iter().chain(&reverse).filter(|score| **score == distance).count() as u64;
    let greatest = forward.iter().chain(&reverse).max().copied().unwrap_or_default();
    assert_eq!(counts, (0..=greatest).map(with).collect::<Vec<_>>(), "{who}");
}

/// Returns the oracle's score at every offset. For an exact search, computes the scores from `hits`: 1 at the start of
/// a hit, otherwise 0.
fn scores(task: Task, pair: &Pair, hits: &[Hit]) -> Vec<u64> {
    match task {
        Task::ApproximateSearch => serial::approximate_search::ends(pair).iter().map(|hit| hit.distance).collect(),
        Task::MatchCount => serial::match_count::scores(pair),
        Task::ExactSearch => {
            let mut scores = vec![0; (pair.b.len() + 1).saturating_sub(pair.a.len())];
            hits.iter().for_each(|hit| scores[hit.start as usize] = 1);
            scores
        }
        Task::EditDistance | Task::Lcs | Task::SequenceAlignment => Vec::new(),
    }
}

/// Solves `task` by `engine` and checks the solution without the oracle, which is too slow for large texts.
///
/// A second run on the CPU, with another number of threads than the first one, must give the same answer and hits.
/// There is no second run after an alignment by the GPU, which may be too large for the CPU. The alignments of the
/// answer and of some hits must fit the texts and have the stated scores.
///
/// # Panics
/// Panics if a check fails.
pub fn solve_and_verify(engine: &Engine, task: Task, pair: &Pair, options: &JobOptions) -> Solution {
    let who = format!("{} on {}", engine.name_in_words(), task.name());
    let run = |engine: &Engine| engine.run(task, options, pair, &Run::new(&NoObserver)).unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    let solution = run(engine);
    // An alignment of the GPU engine may be too large for this CPU. Then the CPU does not solve the task again.
    let again = match engine {
        Engine::Cpu(cpu) => Some(Cpu { threads: cpu.threads % 3 + 1 }),
        #[cfg(not(target_family = "wasm"))]
        Engine::Cuda(_) => solution.alignment.is_none().then(Cpu::all_cores),
    };
    if let Some(cpu) = again {
        let again = run(&Engine::Cpu(cpu));
        assert_eq!((&again.answer, &again.found), (&solution.answer, &solution.found), "{who}");
    }
    fits(&solution, pair, options, &who);
    if let Some(found) = &solution.found {
        let searcher = searcher(task).unwrap_or_else(|failure| panic!("{failure}: {who}"));
        let searched = FinishedSearch { pair, options, answer: &solution.answer, found };
        let unobserved = Run::new(&NoObserver);
        for at in (0..found.positions.len()).step_by(1 + found.positions.len() as usize / 20) {
            let page = searcher.hits(&searched, at..at + 1, &Cpu::SINGLE, &unobserved);
            let hits = page.unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
            hits.iter().for_each(|hit| hit_fits(task, pair, *hit, options.gaps, &who));
        }
    }
    solution
}

/// Checks that the alignment of a solution, if any, fits both texts and has the score of the answer. `who` describes
/// the run in messages.
fn fits(solution: &Solution, pair: &Pair, options: &JobOptions, who: &str) {
    assert_eq!(solution.answer.alignment(), solution.alignment.as_ref().map(Alignment::summary), "{who}");
    let Some(alignment) = &solution.alignment else { return };
    let (mut a, mut b) = (numbers(pair.a_symbols()), numbers(pair.b_symbols()));
    if let TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, scored, .. } = solution.answer {
        (a, b) = (a[in_a.indices()].to_vec(), b[in_b.indices()].to_vec());
        assert_eq!((alignment.a_start(), alignment.b_start()), (in_a.start, in_b.start), "{who}");
        let (sum, columns) = alignment.score_in(pair, &options.scoring()).unwrap_or_else(|failure| panic!("{failure}: {who}"));
        assert_eq!((sum, Some(columns)), (score, scored), "{who}");
    }
    assert_eq!(alignment.check_match(&a, &b, pair.symbol_match), Ok(()), "{who}");
    let summary = alignment.summary();
    match solution.answer {
        TaskAnswer::Lcs { length, .. } => assert_eq!((summary.matches, summary.mismatches), (length, 0), "{who}"),
        TaskAnswer::EditDistance { distance, .. } => assert_eq!(Some(options.costs.sum(&summary)), distance, "{who}"),
        _ => {}
    }
}

/// Checks that the alignment of `hit` fits the part of the text that the hit covers, and has the distance of the hit.
/// `who` describes the run in messages.
fn hit_fits(task: Task, pair: &Pair, hit: Hit, gaps: GapPlacement, who: &str) {
    let aligned =
        searcher(task).map_err(Halt::from).and_then(|searcher| searcher.align(pair, hit, gaps, &Cpu::SINGLE, &Run::new(&NoObserver)));
    let alignment = aligned.unwrap_or_else(|halt| panic!("{halt:?}: {who}"));
    let under: Vec<u32> = (hit.start..hit.end).map(|at| pair.b_symbols().symbol_at(at as usize)).collect();
    let on = pair.for_strand(hit.strand).unwrap_or_else(|failure| panic!("{failure}: {who}"));
    assert_eq!(alignment.check_match(&numbers(on.a_symbols()), &under, pair.symbol_match), Ok(()), "{hit:?} of {who}");
    assert_eq!(alignment.summary().distance(), hit.distance, "{hit:?} of {who}");
}

fn numbers(symbols: &TextSymbols) -> Vec<u32> {
    (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect()
}

/// A byte string that is formatted as a literal, cut after 1,000 bytes.
struct ShortLiteral<'b>(&'b [u8]);

impl std::fmt::Debug for ShortLiteral<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = &self.0[..self.0.len().min(1000)];
        write!(f, "\"{}\"", shown.escape_ascii())?;
        if shown.len() < self.0.len() { write!(f, " … {} bytes", self.0.len()) } else { Ok(()) }
    }
}
