//! Measures an engine: the rate (cells per second) for each task (`offer`), and the overhead of a job (`delays`), which
//! is its duration without the time for its cells.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::event::RunSignal;
use kernels::job::{JobOptions, ReadingOptions, Task};
use kernels::plan::{EngineEffort, EngineLimits, EngineName, EnginePlace, JobWork, PlannerOffer, StartOverhead, TaskRate};
use kernels::run::{Halt, Observer, Run};
use kernels::task::solver;
use kernels::text::Pair;

/// Assumed upload speed of a visitor, in bytes per second: 100 Mbit/s. A browser that has uploaded something uses its
/// own measured speed instead.
const ASSUMED_BYTES_PER_SECOND: f64 = 12.5e6;

pub(super) const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Minimum duration of a run from which a rate is measured. Shorter runs spend most of their time on starting threads.
const MIN_MEASURED_TIME: Duration = Duration::from_millis(40);

/// Number of runs from which a rate is measured. The fastest run determines the rate.
const RATE_ATTEMPTS: usize = 3;

/// Number of runs from which the time of a job after a pause is measured. Their median is used.
const WAKE_UP_RUNS: usize = 3;

/// Number of cells of the smallest text pair for measuring rates.
const MIN_PROBE_CELLS: u64 = 1 << 20;

/// Number of cells of the largest text pair for measuring rates.
const MAX_PROBE_CELLS: u64 = 1 << 40;

/// Numbers of cells of the text pairs for measuring the overhead. Each text has about 1,000 to 32,000 symbols: for
/// these lengths the overhead decides whether the CPU or a GPU is faster.
const BRIEF_PROBE_CELLS: [u64; 6] = [1 << 20, 1 << 24, 1 << 26, 1 << 27, 1 << 28, 1 << 30];

/// Lengths of the searched texts for measuring the overhead of a search, in symbols.
const SEARCH_PROBE_SYMBOLS: [usize; 3] = [1 << 16, 1 << 20, 1 << 24];

/// Length of the pattern for measuring the overhead of a search, in symbols.
const SHORT_PATTERN_SYMBOLS: usize = 16;

/// Maximum length of the patterns for measuring approximate searches, in symbols. Planning matters most for patterns of
/// about this length.
const MAX_APPROXIMATE_PATTERN: u64 = 4096;

/// Maximum length of the patterns for measuring match counts, in symbols.
const MAX_COUNTED_PATTERN: u64 = 1024;

/// Duration of a job, in milliseconds, above which the overhead is not measured for longer texts. Overhead matters only
/// for brief jobs.
const BRIEF_JOB_LIMIT_MS: f64 = 50.0;

/// Time, in milliseconds, by which a real job on a GPU takes longer than a measured one. It was 0.1 to 0.5 ms for pairs
/// of 10,000 symbols.
const DEVICE_HANDOVER_MS: f64 = 0.2;

/// Time without work after which a GPU reduces its clock rate.
const CLOCK_DROP_IDLE: Duration = Duration::from_millis(10);

/// Maximum length of the longer text for measuring rates, in symbols.
const MAX_PROBE_SYMBOLS: usize = 1 << 24;

/// Options that compute scores without alignments.
const SCORE_ONLY_OPTIONS: JobOptions = JobOptions { alignment: false, ..JobOptions::DEFAULT };

/// A flag that stops the current measurement when it is raised.
#[derive(Debug, Default)]
pub(super) struct StopFlag(AtomicBool);

impl StopFlag {
    /// Raises the flag. The measured job ends when it next reports its progress.
    pub(super) fn raise(&self) {
        self.0.store(true, Relaxed);
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}

impl Observer for StopFlag {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// An engine to measure, and the flag that stops its measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasurementTarget<'a> {
    pub(super) engine: &'a Engine,
    pub(super) stop: &'a StopFlag,
}

/// Measures the rate of an engine for each task that it solves. Returns an offer with these rates, but without limits.
///
/// # Errors
/// Returns the error of a measured job, or `Stopped`.
pub(super) fn offer(subject: MeasurementTarget) -> Result<PlannerOffer, Halt> {
    warm_up(subject)?;
    let engine = subject.engine;
    let smallest = probe(Task::EditDistance, MIN_PROBE_CELLS)?;
    let all: Vec<Task> = Task::ALL.into_iter().filter(|task| engine.solves(*task)).collect();
    let rate = |task| rate(subject, task).map(|cells_per_second| TaskRate { task, cells_per_second });
    Ok(PlannerOffer {
        engine: engine.name(),
        place: EnginePlace::Server,
        device: device(engine),
        tasks: all.iter().copied().map(rate).collect::<Result<_, Halt>>()?,
        start_ms: woken_ms(subject, Task::EditDistance, &smallest)?,
        bytes_per_second: ASSUMED_BYTES_PER_SECOND,
        limits: EngineLimits::NONE,
        version: PROGRAM_VERSION.into(),
    })
}

/// Measures the overhead of jobs on an engine, for each task except exact search, which has none. `offer` has the
/// measured rates. Takes some tenths of a second.
///
/// # Errors
/// Returns the error of a measured job, or `Stopped`.
pub(super) fn delays(subject: MeasurementTarget, offer: &PlannerOffer) -> Result<Vec<StartOverhead>, Halt> {
    let delay = |task| match task {
        Task::EditDistance | Task::Lcs | Task::SequenceAlignment => {
            Some(delay(subject, task, offer, BRIEF_PROBE_CELLS.map(|cells| solver(task).benchmark_size(cells).0).map(similar)))
        }
        Task::ApproximateSearch | Task::MatchCount => Some(delay(subject, task, offer, SEARCH_PROBE_SYMBOLS.map(searched))),
        Task::ExactSearch => None,
    };
    Task::ALL.into_iter().filter(|task| subject.engine.solves(*task)).filter_map(delay).collect()
}

/// Measures the overhead of jobs of `task` for each pair in `texts`, which are sorted by length. The overhead is the
/// measured time minus the expected time for the cells at the rate in `offer`.
fn delay<const N: usize>(
    subject: MeasurementTarget,
    task: Task,
    offer: &PlannerOffer,
    texts: [[Vec<u8>; 2]; N],
) -> Result<StartOverhead, Halt> {
    let engine = subject.engine.name();
    let handover_ms = if engine == EngineName::Cuda { DEVICE_HANDOVER_MS } else { 0.0 };
    let mut points = Vec::with_capacity(N);
    for [a, b] in texts {
        let pair = Pair::parse(a, b, &ReadingOptions::default())?;
        let work = JobWork { bytes: 0, ..solver(task).work_for(&pair, &JobOptions::default()) };
        let said_ms = offer.expected_ms(&work) - offer.start_ms;
        let took_ms = woken_ms(subject, task, &pair)?;
        points.push((work.symbols as f64, (handover_ms + took_ms - said_ms).max(0.0)));
        if took_ms > BRIEF_JOB_LIMIT_MS {
            break;
        }
    }
    Ok(StartOverhead { engine, task, points })
}

/// Creates two similar texts, because most visitors compare such texts: an edited copy of a random text of `symbols`
/// letters, and the random text itself.
fn similar(symbols: usize) -> [Vec<u8>; 2] {
    let text = random_dna(symbols, 1);
    [edited(&text), text]
}

/// Creates a random pattern of [`SHORT_PATTERN_SYMBOLS`] letters, and a random text of `symbols` letters to search in.
fn searched(symbols: usize) -> [Vec<u8>; 2] {
    [random_dna(SHORT_PATTERN_SYMBOLS, 1), random_dna(symbols, 2)]
}

/// Returns the time in milliseconds of a job of `task` on `pair` that begins after an idle moment: the median of
/// [`WAKE_UP_RUNS`] runs. The job computes an alignment if the task has one.
fn woken_ms(subject: MeasurementTarget, task: Task, pair: &Pair) -> Result<f64, Halt> {
    let mut took = [Duration::ZERO; WAKE_UP_RUNS];
    for took in &mut took {
        thread::sleep(CLOCK_DROP_IDLE);
        *took = time(subject, task, &JobOptions::default(), pair)?.0;
    }
    took.sort_unstable();
    Ok(1e3 * took[WAKE_UP_RUNS / 2].as_secs_f64())
}

/// Measures the rate of an engine for `task`, in cells per second, without the overhead of a run. The cells of the
/// random texts grow by a factor of four until a run takes at least [`MIN_MEASURED_TIME`].
fn rate(subject: MeasurementTarget, task: Task) -> Result<f64, Halt> {
    let mut cells = MIN_PROBE_CELLS;
    loop {
        let pair = probe(task, cells)?;
        let EngineEffort { overhead_ns: beside_ns, .. } = solver(task).work_for(&pair, &SCORE_ONLY_OPTIONS).effort(subject.engine.name());
        let (first, filled) = best(subject, task, &pair, 1)?;
        let is_last = cells >= MAX_PROBE_CELLS || lengths(task, 4 * cells).1 > MAX_PROBE_SYMBOLS;
        if first >= MIN_MEASURED_TIME || is_last {
            let took = first.min(best(subject, task, &pair, RATE_ATTEMPTS - 1)?.0);
            // The first run may have waited for the compilation of a kernel.
            if 2 * took >= MIN_MEASURED_TIME || is_last {
                // At most half of the time is subtracted, because the overhead is only a rough estimate.
                let filling = took.saturating_sub(Duration::from_nanos(beside_ns)).max(took / 2);
                return Ok(filled as f64 / filling.as_secs_f64().max(1e-9));
            }
        }
        cells *= 4;
    }
}

/// Returns the lengths of two texts for which `task` fills about `cells` cells.
fn lengths(task: Task, cells: u64) -> (usize, usize) {
    let longest = match task {
        Task::ApproximateSearch => MAX_APPROXIMATE_PATTERN,
        Task::MatchCount => MAX_COUNTED_PATTERN,
        Task::EditDistance | Task::Lcs | Task::ExactSearch | Task::SequenceAlignment => return solver(task).benchmark_size(cells),
    };
    let pattern = cells.isqrt().clamp(1, longest);
    (pattern as usize, (cells / pattern + pattern) as usize)
}

/// Creates two random texts for which `task` fills about `cells` cells.
fn probe(task: Task, cells: u64) -> Result<Pair, Halt> {
    let (m, n) = lengths(task, cells);
    Ok(Pair::parse(random_dna(m, 1), random_dna(n, 2), &ReadingOptions::default())?)
}

/// Returns the duration of the fastest of `attempts` runs without alignment or hits, and the number of cells that it
/// filled. The fastest run is taken, because other programs can only slow a run down.
fn best(subject: MeasurementTarget, task: Task, pair: &Pair, attempts: usize) -> Result<(Duration, u64), Halt> {
    let options = JobOptions { count_only: Task::SEARCHES.contains(&task), ..SCORE_ONLY_OPTIONS };
    let all: Result<Vec<(Duration, u64)>, Halt> = (0..attempts).map(|_| time(subject, task, &options, pair)).collect();
    all.map(|all| all.into_iter().min().unwrap_or_default())
}

fn time(subject: MeasurementTarget, task: Task, options: &JobOptions, pair: &Pair) -> Result<(Duration, u64), Halt> {
    let (start, run) = (Instant::now(), Run::new(subject.stop));
    subject.engine.run(task, options, pair, &run)?;
    Ok((start.elapsed(), run.cells()))
}

/// Runs two small jobs of each task, so that the engine loads its code and allocates its buffers before visitors or
/// measurements wait for that. The tasks run at the same time, because each may wait for a compiler.
///
/// # Errors
/// Returns the error of a job, or `Stopped`.
pub(super) fn warm_up(MeasurementTarget { engine, stop }: MeasurementTarget) -> Result<(), Halt> {
    let warm = |task| -> Result<(), Halt> {
        for symbols in [64, 1 << 13] {
            let pair = Pair::parse(random_dna(symbols, 1), random_dna(symbols, 2), &ReadingOptions::default())?;
            engine.run(task, &JobOptions::default(), &pair, &Run::new(stop))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let tasks: Vec<_> = Task::ALL.into_iter().filter(|task| engine.solves(*task)).map(|task| scope.spawn(move || warm(task))).collect();
        tasks.into_iter().try_for_each(|task| task.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Returns the description of the device of an engine (the processor or a GPU), such as "16 cores" or "NVIDIA H200".
pub(super) fn device(engine: &Engine) -> String {
    match engine {
        Engine::Cpu(Cpu { threads: 1 }) => "1 core".into(),
        Engine::Cpu(Cpu { threads }) => format!("{threads} cores"),
        Engine::Cuda(gpu) => gpu.name().to_owned(),
    }
}

/// Generates `symbols` random letters of DNA with the generator xorshift. The same `seed` gives the same text at every
/// start, so that measurements are comparable.
fn random_dna(symbols: usize, seed: u64) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ seed;
    let letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        b"ACGT"[(state >> 33) as usize & 3]
    };
    std::iter::repeat_with(letter).take(symbols).collect()
}

/// Returns a copy of `text` with an edit at every eighth symbol: a substitution, a deletion and an insertion in turn.
fn edited(text: &[u8]) -> Vec<u8> {
    let mut edited = Vec::with_capacity(text.len() + text.len() / 24);
    for (at, &letter) in text.iter().enumerate() {
        match at % 24 {
            7 => edited.push(if letter == b'A' { b'C' } else { b'A' }),
            15 => {}
            23 => edited.extend([letter, letter]),
            _ => edited.push(letter),
        }
    }
    edited
}

#[cfg(test)]
mod tests {
    use kernels::run::NoObserver;
    use kernels::task::InputSize;

    use super::*;

    #[test]
    fn measured_searches_have_patterns_that_fill_a_device() {
        for (task, longest) in [(Task::ApproximateSearch, 4096), (Task::MatchCount, 1024)] {
            for cells in [1 << 20, 1 << 30, 1 << 36] {
                let (m, n) = lengths(task, cells);
                assert!(m <= longest && (cells >> 30 == 0 || m == longest), "{m}");
                let size = InputSize { a: m as u64, b: n as u64, alphabet: 4, bytes: 0 };
                let work = solver(task).work(&size, &JobOptions::default());
                assert!((cells..=2 * cells + n as u64).contains(&work.cells), "{m} x {n}");
            }
        }
    }

    #[test]
    fn an_eighth_of_the_measured_text_is_edited() {
        let text = random_dna(2400, 1);
        let pair = Pair::parse(edited(&text), text, &ReadingOptions::default()).unwrap();
        let solved = Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &JobOptions::default(), &pair, &Run::new(&NoObserver)).unwrap();
        let edits = solved.alignment.unwrap().summary().distance();
        assert!((250..=300).contains(&edits), "{edits}");
    }
}
