//! Searches in several records: every hit lies in one of them.
//!
//! The records of a text stand one after the other with a border symbol between two of them, which no pattern has. What must match
//! symbol by symbol never crosses it, so that an exact search runs on the whole. An edit or a mismatch could, so that the other searches
//! run record by record, and their positions are moved to where the record lies: that is done here for solving, hits, profiles and
//! counts of every engine, and no task knows of records. Short records are shared out among threads, many at a time.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Search, Searched, Size, Solution, Solve};
use crate::alignment::Alignment;
use crate::cpu::{Cpu, try_spread};
use crate::event::{Answer, FIRST_PAGE, Signal, Stage};
use crate::failure::{Failure, large};
use crate::found::{Found, Hit, Positions, PositionsBuilder, Profile, Span, in_spans};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::Source};
use crate::job::{Options, Task};
use crate::plan::Work;
use crate::run::{Halt, Observer, Run};
use crate::text::{Pair, Text};

/// Cells of a record from which on it is searched alone, by all threads or by the device.
const LARGE: u64 = 1 << 26;

/// Cells of the short records that a thread searches between two looks at what is left.
const TOGETHER: u64 = 1 << 22;

/// Offsets whose scores are looked at one by one at a time.
const AT_ONCE: u64 = 1 << 16;

/// Cells of the scores that are made again for a look, at most.
const MOST_CELLS: u64 = 1 << 32;

/// A search in texts of several records.
pub(super) struct ByRecord<S> {
    search: S,
    /// A hit could lie across a border: each record is searched alone.
    is_alone: bool,
}

/// Neighbouring records that are searched one after the other.
struct Group {
    records: Range<usize>,
    is_large: bool,
}

/// What was found in one record: positions are those of the record.
struct Part {
    from: u64,
    answer: Answer,
    found: Option<Found>,
    /// Scores in the spans of the whole text, of `match-count`.
    spans: Vec<(usize, Span)>,
}

impl<S> ByRecord<S> {
    /// A search whose hits could lie across borders.
    pub(super) const fn alone(search: S) -> Self {
        Self { search, is_alone: true }
    }

    /// A search that finds nothing across a border.
    pub(super) const fn at_once(search: S) -> Self {
        Self { search, is_alone: false }
    }

    /// Whether the records of this text are searched one by one.
    fn divides(&self, pair: &Pair) -> bool {
        self.is_alone && pair.b.is_apart()
    }
}

impl<S: Search> ByRecord<S> {
    /// Searches every record. `large` is for those that an engine does better than one thread.
    fn solve(
        &self,
        cpu: &Cpu,
        pair: &Pair,
        options: &Options,
        run: &Run,
        large: &dyn Fn(&Pair, &Run) -> Result<Solution, Halt>,
    ) -> Result<Solution, Halt> {
        run.stage(Stage::Compute)?;
        let cells = |record: usize| self.search.work(&size_of(pair, record), options).cells;
        let groups = groups(pair.b.parts(), cells);
        let all: u64 = (0..pair.b.parts()).map(cells).sum();
        run.expect(all);
        let solve_group = |group: &Group, solve: &dyn Fn(&Pair, &Run) -> Result<Solution, Halt>| {
            let mut part = pair.of_record();
            let mut kept = Vec::new();
            for record in group.records.clone() {
                part.turn_to(pair, record);
                let observer = ProgressOnly::new(run);
                let inner = Run::new(&observer);
                let solution = solve(&part, &inner)?;
                run.hold(inner.peak_bytes());
                run.release(inner.peak_bytes());
                run.tick(cells(record).saturating_sub(inner.cells()))?;
                let from = pair.b.part(record).start as u64;
                let spans = self.spans(pair, &part, from, &solution, options)?;
                kept.push(Part { from, answer: solution.answer, found: solution.found, spans });
            }
            keep_best(&mut kept, options);
            Ok::<_, Halt>(kept)
        };
        let short: Vec<&Group> = groups.iter().filter(|group| !group.is_large).collect();
        let on_one = |part: &Pair, inner: &Run| self.search.cpu(&Cpu::SINGLE, part, options, inner);
        let mut made = try_spread(&short, cpu.threads, |group| solve_group(group, &on_one))?.into_iter();
        let mut parts = Vec::new();
        for group in &groups {
            if group.is_large {
                parts.extend(solve_group(group, large)?);
            } else {
                parts.extend(made.next().into_iter().flatten());
            }
        }
        keep_best(&mut parts, options);
        Ok(sum(pair, parts, options))
    }

    /// The scores of a record in the spans of the whole text, where the task keeps scores.
    fn spans(&self, pair: &Pair, part: &Pair, from: u64, solution: &Solution, options: &Options) -> Result<Vec<(usize, Span)>, Halt> {
        let Solution { answer, found: Some(found), .. } = solution else { return Ok(Vec::new()) };
        let Some(profile) = &found.profile else { return Ok(Vec::new()) };
        let offsets: u64 = profile.spans.iter().map(|span| span.offsets).sum();
        let width = Profile::width_for(offsets_of(pair));
        let searched = Searched { pair: part, options, answer, found };
        let mut spans = Vec::new();
        // Up to the first border of a span, whole spans, and what is left.
        let head = from.next_multiple_of(width).min(from + offsets);
        let tail = ((from + offsets) / width * width).max(head);
        for (start, end, points) in [(from, head, 1), (head, tail, (tail - head) / width), (tail, from + offsets, 1)] {
            if start < end {
                let made = self.search.profile(&searched, start - from..end - from, points as usize, &Run::new(&crate::run::NoObserver))?;
                spans.extend((start / width..).map(|number| number as usize).zip(made));
            }
        }
        Ok(spans)
    }

    /// Hands on the score at each of these positions of the whole text that has one.
    fn each(&self, searched: &Searched, range: Range<u64>, take: &mut dyn FnMut(u64, u64), run: &Run) -> Result<(), Halt> {
        let Searched { pair, options, answer, .. } = *searched;
        let m = pair.a_symbols.len() as u64;
        let cells = range.end.saturating_sub(range.start).saturating_mul(m);
        if cells > MOST_CELLS {
            return Err(Failure::TooLarge { what: large::DISTANCES.into(), got: cells, limit: MOST_CELLS }.into());
        }
        let mut part = pair.of_record();
        let at_once = AT_ONCE.max(4 * m);
        // Scores are counted again: no profile of the whole text is that of a record.
        let found = Found { positions: Positions::default(), profile: Some(Profile { width: 1, spans: Vec::new() }) };
        for record in pair.b.parts_within(range.start as usize..range.end as usize) {
            part.turn_to(pair, record);
            let (from, len) = (pair.b.part(record).start as u64, pair.b.part(record).len() as u64);
            let (mut at, end) = (range.start.max(from), range.end.min(from + len + 1));
            while at < end {
                let next = end.min(at + at_once);
                let searched = Searched { pair: &part, options, answer, found: &found };
                let scores = self.search.profile(&searched, at - from..next - from, (next - at) as usize, run)?;
                (at..).zip(scores).for_each(|(at, score)| take(at, score.sum));
                at = next;
            }
        }
        Ok(())
    }
}

impl<S: Search> Solve for ByRecord<S> {
    fn work(&self, size: &Size, options: &Options) -> Work {
        self.search.work(size, options)
    }

    fn work_for(&self, pair: &Pair, options: &Options) -> Work {
        self.search.work_for(pair, options)
    }

    fn probe(&self, cells: u64) -> (usize, usize) {
        self.search.probe(cells)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let solution = if self.divides(pair) {
            self.solve(cpu, pair, options, run, &|part, inner| self.search.cpu(cpu, part, options, inner))?
        } else {
            self.search.cpu(cpu, pair, options, run)?
        };
        Ok(placed(solution, pair))
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let solution = if self.divides(pair) {
            self.solve(host, pair, options, run, &|part, inner| self.search.cuda(gpu, host, part, options, inner))?
        } else {
            self.search.cuda(gpu, host, pair, options, run)?
        };
        Ok(placed(solution, pair))
    }

    fn has_cuda(&self) -> bool {
        self.search.has_cuda()
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<Source> {
        self.search.kernels()
    }
}

impl<S: Search> Search for ByRecord<S> {
    fn hits(&self, searched: &Searched, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        let Searched { pair, options, answer, found } = *searched;
        if !self.divides(pair) {
            let hits = self.search.hits(searched, page, cpu, run)?;
            return Ok(hits.into_iter().map(|hit| placed_hit(hit, &pair.b)).collect());
        }
        let positions: Vec<u64> = found.positions.iter_page(&page).collect();
        let record_of = |at: &u64| pair.b.part_at(*at as usize);
        let mut part = pair.of_record();
        let mut hits = Vec::with_capacity(positions.len());
        for here in positions.chunk_by(|one, next| record_of(one) == record_of(next)) {
            let record = record_of(&here[0]);
            part.turn_to(pair, record);
            let from = pair.b.part(record).start as u64;
            let positions = Positions::from_list(here.iter().map(|at| at - from).collect());
            let searched = Searched { pair: &part, options, answer, found: &Found { positions, profile: None } };
            hits.extend(
                self.search.hits(&searched, 0..here.len() as u64, cpu, run)?.into_iter().map(|hit| placed_hit(moved(hit, from), &pair.b)),
            );
        }
        Ok(hits)
    }

    fn align(&self, pair: &Pair, hit: Hit, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        if pair.b.is_apart() && pair.b.part(pair.b.part_at(hit.start as usize)).end < hit.end as usize {
            return Err(Failure::bad_input("This piece of b would lie across the border between two records.").into());
        }
        self.search.align(pair, hit, cpu, run)
    }

    fn offsets(&self, searched: &Searched) -> Option<u64> {
        if searched.pair.b.is_apart() && searched.answer.task() == Task::MatchCount {
            return searched.found.profile.as_ref().map(|_| offsets_of(searched.pair));
        }
        self.search.offsets(searched)
    }

    fn profile(&self, searched: &Searched, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<Span>, Halt> {
        if !self.divides(searched.pair) {
            return self.search.profile(searched, offsets, points, run);
        }
        let all = self.offsets(searched).unwrap_or_default();
        let (from, end) = (offsets.start.min(all), offsets.end.min(all).max(offsets.start.min(all)));
        let width = (end - from).div_ceil(points.max(1) as u64).max(1);
        let spans = match &searched.found.profile {
            None => in_spans(from..end, points, |range, take| self.each(searched, range, take, run))?,
            Some(kept) => {
                let mut spans = vec![Span::EMPTY; (end - from).div_ceil(width) as usize];
                let span_at = |at: u64| ((at - from) / width) as usize;
                let mut again: Vec<Range<u64>> = Vec::new();
                let mut at = from;
                while at < end {
                    let number = at / kept.width;
                    let (begin, next) = (number * kept.width, ((number + 1) * kept.width).min(end));
                    let is_whole = at == begin && (next == begin + kept.width || next == all) && span_at(at) == span_at(next - 1);
                    match kept.spans.get(number as usize).filter(|_| is_whole) {
                        Some(whole) => spans[span_at(at)] = spans[span_at(at)].join(*whole),
                        None => match again.last_mut().filter(|last| last.end == at) {
                            Some(last) => last.end = next,
                            None => again.push(at..next),
                        },
                    }
                    at = next;
                }
                for part in again {
                    self.each(searched, part, &mut |at, score| spans[span_at(at)] = spans[span_at(at)].join(Span::of(score)), run)?;
                }
                spans
            }
        };
        // A span is as wide as the others where records meet in it, and offsets across a border have no score.
        let covered = |number: usize| width.min(end - from - number as u64 * width);
        let wide = |(number, span): (usize, Span)| Span {
            offsets: covered(number),
            least: if span.offsets == 0 { 0 } else { span.least },
            ..span
        };
        Ok(spans.into_iter().enumerate().map(wide).collect())
    }

    fn counts(&self, searched: &Searched, run: &Run) -> Result<Vec<u64>, Halt> {
        let Searched { pair, options, answer, found } = *searched;
        if !self.divides(pair) {
            return self.search.counts(searched, run);
        }
        let cells = pair.cells();
        if cells > MOST_CELLS {
            return Err(Failure::TooLarge { what: large::DISTANCES.into(), got: cells, limit: MOST_CELLS }.into());
        }
        let mut part = pair.of_record();
        let mut counts = Vec::new();
        for record in 0..pair.b.parts() {
            part.turn_to(pair, record);
            let here = self.search.counts(&Searched { pair: &part, options, answer, found }, run)?;
            if counts.len() < here.len() {
                counts.resize(here.len(), 0);
            }
            counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count);
        }
        Ok(counts)
    }
}

/// What is asked of an engine for one record.
fn size_of(pair: &Pair, record: usize) -> Size {
    Size { b: pair.b.part(record).len() as u64, ..Size::from(pair) }
}

/// Positions of the whole text at which `a` may be laid over it, those across borders counted too.
fn offsets_of(pair: &Pair) -> u64 {
    (pair.b.len() as u64 + 1).saturating_sub(pair.a.len() as u64)
}

/// Large records alone, the others together.
fn groups(records: usize, cells: impl Fn(usize) -> u64) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut together = 0;
    for record in 0..records {
        let here = cells(record);
        let is_large = here >= LARGE;
        match groups.last_mut().filter(|last| !is_large && !last.is_large && together < TOGETHER) {
            Some(last) => last.records.end = record + 1,
            None => {
                groups.push(Group { records: record..record + 1, is_large });
                together = 0;
            }
        }
        // A record costs something however short it is.
        together += here + (1 << 10);
    }
    groups
}

/// How good the best of a record is, the less the better; none where nothing is found.
fn best_of(answer: &Answer) -> Option<u64> {
    match answer {
        Answer::ApproximateSearch { distance, .. } => *distance,
        Answer::MatchCount { best, .. } => best.map(|best| u64::MAX - best),
        Answer::EditDistance { .. } | Answer::Lcs { .. } | Answer::ExactSearch { .. } => None,
    }
}

/// Forgets where records have hits that are no hits of the whole, since another record has better ones.
fn keep_best(parts: &mut [Part], options: &Options) {
    if options.max_distance.is_some() || options.max_mismatches.is_some() {
        return;
    }
    let best = parts.iter().filter_map(|part| best_of(&part.answer)).min();
    for part in parts.iter_mut().filter(|part| best_of(&part.answer) != best) {
        if let Some(found) = &mut part.found {
            found.positions = Positions::default();
        }
        match &mut part.answer {
            Answer::ApproximateSearch { distance, total, hits } => {
                (*distance, *total) = (None, 0);
                hits.clear();
            }
            // The best offsets of all records are ranked together.
            Answer::MatchCount { best, total_best, offsets, .. } => {
                (*best, *total_best) = (None, 0);
                offsets.clear();
            }
            Answer::EditDistance { .. } | Answer::Lcs { .. } | Answer::ExactSearch { .. } => {}
        }
    }
}

fn moved(hit: Hit, by: u64) -> Hit {
    Hit { start: hit.start + by, end: hit.end + by, ..hit }
}

/// A hit with the record that it lies in.
fn placed_hit(hit: Hit, b: &Text) -> Hit {
    Hit { record: b.in_record(hit.start, hit.end), ..hit }
}

/// An answer whose hits say in which records they lie.
fn placed(mut solution: Solution, pair: &Pair) -> Solution {
    let (b, m) = (&pair.b, pair.a.len() as u64);
    if !b.is_apart() {
        return solution;
    }
    let starting = |starts: &[u64]| starts.iter().filter_map(|&start| b.in_record(start, start + m)).collect();
    let place = |hits: &mut Vec<Hit>| hits.iter_mut().for_each(|hit| *hit = placed_hit(*hit, b));
    match &mut solution.answer {
        Answer::ApproximateSearch { hits, .. } => place(hits),
        Answer::MatchCount { offsets, top, records, .. } => {
            place(top);
            *records = starting(offsets);
        }
        Answer::ExactSearch { positions, records, .. } => *records = starting(positions),
        Answer::EditDistance { .. } | Answer::Lcs { .. } => {}
    }
    solution
}

/// What was found in all records together.
fn sum(pair: &Pair, parts: Vec<Part>, options: &Options) -> Solution {
    let best = parts.iter().filter_map(|part| best_of(&part.answer)).min();
    let mut positions = PositionsBuilder::default();
    let width = Profile::width_for(offsets_of(pair));
    let keeps_scores = parts.iter().any(|part| part.answer.task() == Task::MatchCount) && !options.count_only;
    let mut spans = if keeps_scores { vec![Span::EMPTY; offsets_of(pair).div_ceil(width) as usize] } else { Vec::new() };
    let (mut total, mut within, mut hits, mut starts) = (0, None, Vec::new(), Vec::new());
    let task = parts.first().map_or(Task::ApproximateSearch, |part| part.answer.task());
    for part in parts {
        let is_best = best_of(&part.answer) == best;
        for (at, span) in part.spans {
            spans[at] = spans[at].join(span);
        }
        if let Some(found) = part.found {
            found.positions.iter().for_each(|at| positions.push(part.from + at));
        }
        match part.answer {
            Answer::ApproximateSearch { total: here, hits: first, .. } => {
                total += here;
                let left = FIRST_PAGE - hits.len();
                hits.extend(first.into_iter().take(left).map(|hit| moved(hit, part.from)));
            }
            Answer::MatchCount { total_best, offsets, within: here, top, .. } => {
                if is_best {
                    total += total_best;
                    let left = FIRST_PAGE - starts.len();
                    starts.extend(offsets.into_iter().take(left).map(|offset| offset + part.from));
                }
                within = here.map(|here| here + within.unwrap_or(0)).or(within);
                hits.extend(top.into_iter().map(|hit| moved(hit, part.from)));
                if hits.len() > 64 * super::match_count::TOP {
                    rank(&mut hits);
                }
            }
            Answer::EditDistance { .. } | Answer::Lcs { .. } | Answer::ExactSearch { .. } => {}
        }
    }
    let profile = keeps_scores.then_some(Profile { width, spans });
    let answer = if task == Task::MatchCount {
        rank(&mut hits);
        Answer::MatchCount {
            best: best.map(|best| u64::MAX - best),
            total_best: total,
            offsets: starts,
            within,
            top: hits,
            records: Vec::new(),
        }
    } else {
        Answer::ApproximateSearch { distance: best, total, hits }
    };
    let found = Found { positions: positions.finish(), profile };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(found) }
}

/// The best of these offsets.
fn rank(hits: &mut Vec<Hit>) {
    hits.sort_by_key(|hit| (hit.distance, hit.start));
    hits.truncate(super::match_count::TOP);
}

/// Passes on how far the search of a record is, and nothing else: what it says of stages and hits is not said of the whole.
struct ProgressOnly<'r, 'l> {
    run: &'r Run<'l>,
    done: AtomicU64,
}

impl<'r, 'l> ProgressOnly<'r, 'l> {
    fn new(run: &'r Run<'l>) -> Self {
        Self { run, done: AtomicU64::new(0) }
    }
}

impl Observer for ProgressOnly<'_, '_> {
    fn on_signal(&self, signal: Signal) -> ControlFlow<()> {
        let cells = match signal {
            Signal::Progress { done, .. } => done.saturating_sub(self.done.fetch_max(done, Relaxed)),
            Signal::Stage(_) | Signal::Partial(_) => 0,
        };
        // A tick of nothing asks whether the observer goes on.
        match self.run.tick(cells) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
