//! Race: several contenders that alternate on the same texts, so that disturbances of the machine affect all of them.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use kernels::engine::Engine;
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::run::{Halt, NoObserver, Run};
use kernels::text::{Pair, ReadingOptions};

use crate::program::PeerProgram;

/// Number of measured rounds of each contender, unless its calls take longer than [`MAX_CONTENDER_SECONDS`].
const ROUNDS: usize = 9;

/// Minimum number of rounds of each contender, because a median of fewer is meaningless.
const MIN_ROUNDS: usize = 3;

/// Total duration of a contender's calls, in seconds, after which the contender is not called again.
const MAX_CONTENDER_SECONDS: f64 = 6.0;

/// Minimum duration of a round in seconds, so that the overhead of reading the clock and of starting is negligible.
const MIN_ROUND_SECONDS: f64 = 0.02;

/// A pair of texts, as bytes in shared memory.
pub(crate) type SharedTexts = (Arc<[u8]>, Arc<[u8]>);

/// The job that all contenders solve: task, options and texts.
pub(crate) struct RaceCourse<'t> {
    pub(crate) task: Task,
    pub(crate) options: JobOptions,
    pub(crate) reading: ReadingOptions,
    /// The pairs of texts, as bytes. In a round, each pair is solved equally often.
    pub(crate) texts: &'t [SharedTexts],
    /// The pairs of texts, parsed.
    pub(crate) pairs: &'t [Pair],
    /// Maximum number of calls of a contender in one round.
    pub(crate) calls: u64,
}

/// The kind of a contender, which decides how the contender is called.
#[derive(Clone, Copy)]
pub(crate) enum ContenderKind<'e> {
    /// An engine in this process, called with parsed texts, which are on a GPU from the second call on.
    Ready(&'e Engine),
    /// An engine in this process, called with bytes in shared memory. Each call parses its texts, and copies them to a
    /// GPU without cached texts.
    FromBytes(&'e Engine),
    /// The function [`kernels::distance()`], called with bytes.
    DistanceFunction,
    /// A function that solves a problem of another kind, and returns the number that all contenders compute.
    Call(&'e dyn Fn() -> anyhow::Result<u64>),
    /// A contender in another program. Holds the index of the program.
    Program(usize),
}

/// A contender with its measured times and its result.
pub(crate) struct RaceContender<'e> {
    pub(crate) name: String,
    pub(crate) who: ContenderKind<'e>,
    /// Seconds per call in every round, in ascending order after the race.
    seconds: Vec<f64>,
    /// Result: answers as JSON or CBOR for our engines, a number or "none" for others.
    pub(crate) found: String,
    /// Peak of working memory in bytes, if reported.
    pub(crate) peak: Option<u64>,
    calls: u64,
    spent: f64,
}

/// Calls all contenders alternately, round by round, to solve `course`, and returns them with their times. The first
/// round is a warm-up, which counts only if calls are slow. A contender in another program (one of `programs`) that
/// fails leaves the race; `lost` receives the reason.
///
/// # Errors
/// Returns an error if an engine in this process gives no answer.
pub(crate) fn race<'e>(
    course: &RaceCourse,
    mut contenders: Vec<RaceContender<'e>>,
    programs: &mut [PeerProgram],
    lost: &dyn Fn(&str),
) -> anyhow::Result<Vec<RaceContender<'e>>> {
    for round in 0..=ROUNDS {
        let mut still = Vec::with_capacity(contenders.len());
        for mut contender in contenders {
            match contender.turn(course, programs, round) {
                Err(why) if matches!(contender.who, ContenderKind::Program(_)) => lost(&format!("{}: {why}", contender.name)),
                Err(why) => return Err(why),
                Ok(()) => still.push(contender),
            }
        }
        contenders = still;
    }
    contenders.iter_mut().for_each(|contender| contender.seconds.sort_by(f64::total_cmp));
    Ok(contenders)
}

impl<'e> RaceContender<'e> {
    pub(crate) fn new(name: impl Into<String>, who: ContenderKind<'e>) -> Self {
        Self { name: name.into(), who, seconds: Vec::new(), found: String::new(), peak: None, calls: 1, spent: 0.0 }
    }

    /// Returns the seconds per call in the best round. Valid only after the race.
    pub(crate) fn best(&self) -> f64 {
        self.seconds[0]
    }

    /// Returns the seconds per call in the median round. Valid only after the race.
    pub(crate) fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    /// Returns the difference between the worst and the best round, in per cent of the median. Valid only after the
    /// race.
    pub(crate) fn spread(&self) -> f64 {
        (self.seconds[self.seconds.len() - 1] - self.best()) / self.median() * 100.0
    }

    fn turn(&mut self, course: &RaceCourse, programs: &mut [PeerProgram], round: usize) -> anyhow::Result<()> {
        if self.spent > MAX_CONTENDER_SECONDS && self.seconds.len() >= MIN_ROUNDS {
            return Ok(());
        }
        let pieces = course.pairs.len().max(1) as u64;
        let calls = self.calls.div_ceil(pieces) * pieces;
        let seconds = match self.who {
            ContenderKind::Ready(engine) => self.run(course, engine, calls / pieces)?,
            ContenderKind::FromBytes(engine) => self.read_and_run(course, engine, calls / pieces)?,
            ContenderKind::DistanceFunction => self.measure_function(course, calls / pieces),
            ContenderKind::Call(call) => self.measure_calls(call, calls)?,
            ContenderKind::Program(number) => {
                let (seconds, found, peak) = programs[number].time(&self.name, calls)?;
                (self.found, self.peak) = (found, peak);
                seconds
            }
        };
        if round == 1 && self.spent < MAX_CONTENDER_SECONDS / 3.0 {
            self.seconds.clear();
        }
        let call = seconds / calls as f64;
        self.seconds.push(call);
        self.spent += seconds;
        self.calls = ((MIN_ROUND_SECONDS / call) as u64).clamp(1, course.calls);
        Ok(())
    }

    /// Executes one round of `engine` on parsed texts: solves each pair `times` times. Returns the duration in seconds.
    fn run(&mut self, course: &RaceCourse, engine: &Engine, times: u64) -> anyhow::Result<f64> {
        let clock = Instant::now();
        for _ in 1..times {
            for pair in course.pairs {
                let run = Run::new(&NoObserver);
                black_box(engine.run(course.task, &course.options, black_box(pair), &run)).map_err(failed)?;
            }
        }
        let mut answers = Vec::with_capacity(course.pairs.len());
        for pair in course.pairs {
            answers.push(self.answer(course, engine, pair)?);
        }
        let seconds = clock.elapsed().as_secs_f64();
        self.found = serde_json::to_string(&answers)?;
        Ok(seconds)
    }

    /// Executes one round of `engine` on bytes: parses and solves each pair `times` times. Returns the duration in
    /// seconds, without the time to evict cached texts of a GPU.
    fn read_and_run(&mut self, course: &RaceCourse, engine: &Engine, times: u64) -> anyhow::Result<f64> {
        let mut answers = Vec::new();
        let mut seconds = 0.0;
        for _ in 0..times {
            answers.clear();
            forget_texts(engine);
            let clock = Instant::now();
            for (a, b) in course.texts {
                let pair = Pair::parse(Arc::clone(black_box(a)), Arc::clone(black_box(b)), &course.reading)
                    .map_err(|failure| anyhow::anyhow!("{failure}"))?;
                answers.push(self.answer(course, engine, &pair)?);
            }
            seconds += clock.elapsed().as_secs_f64();
        }
        self.found = serde_json::to_string(&answers)?;
        Ok(seconds)
    }

    /// Executes one round of [`kernels::distance()`]: computes the distance of each pair `times` times. Returns the duration
    /// in seconds.
    fn measure_function(&mut self, course: &RaceCourse, times: u64) -> f64 {
        let mut sum = 0;
        let clock = Instant::now();
        for _ in 0..times {
            sum = course.texts.iter().map(|(a, b)| kernels::distance(black_box(a), black_box(b))).sum();
            black_box(sum);
        }
        let seconds = clock.elapsed().as_secs_f64();
        self.found = sum.to_string();
        seconds
    }

    /// Executes one round of `times` calls of `call`. Returns the duration in seconds.
    fn measure_calls(&mut self, call: &dyn Fn() -> anyhow::Result<u64>, times: u64) -> anyhow::Result<f64> {
        let mut found = 0;
        let clock = Instant::now();
        for _ in 0..times {
            found = black_box(call()?);
        }
        let seconds = clock.elapsed().as_secs_f64();
        self.found = found.to_string();
        Ok(seconds)
    }

    fn answer(&mut self, course: &RaceCourse, engine: &Engine, pair: &Pair) -> anyhow::Result<TaskAnswer> {
        let run = Run::new(&NoObserver);
        let solution = black_box(engine.run(course.task, &course.options, pair, &run)).map_err(failed)?;
        self.peak = self.peak.max(Some(run.peak_bytes()));
        Ok(solution.answer)
    }
}

fn failed(halt: Halt) -> anyhow::Error {
    anyhow::anyhow!("no answer: {halt:?}")
}

/// Evicts the texts that a GPU caches between calls.
fn forget_texts(engine: &Engine) {
    match engine {
        Engine::Cpu(_) => {}
        Engine::Cuda(keeper) => keeper.forget_texts(),
    }
}
