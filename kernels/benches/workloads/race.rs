//! A race: several contenders on the same texts, taking turns, so that what disturbs the machine disturbs all of them.

use std::hint::black_box;
use std::time::Instant;

use kernels::engine::Engine;
use kernels::event::Answer;
use kernels::job::{Options, Task};
use kernels::run::{Halt, NoObserver, Run};
use kernels::text::{Pair, Reading};

use crate::program::Program;

/// Rounds of every contender, where they fit into [`SECONDS`].
const ROUNDS: usize = 9;

/// Fewest rounds, however slow the calls are: a median of fewer says nothing.
const FEWEST: usize = 3;

/// A contender is not asked again after so long.
const SECONDS: f64 = 6.0;

/// A round has enough calls to last so long, so that the clock and the start count for nothing.
const ROUND: f64 = 0.02;

/// What is computed.
pub(crate) struct Course<'t> {
    pub(crate) task: Task,
    pub(crate) options: Options,
    pub(crate) reading: Reading,
    /// The texts as bytes,
    pub(crate) texts: &'t [(&'t [u8], &'t [u8])],
    /// and read.
    pub(crate) pairs: &'t [Pair],
    /// Most calls of one round.
    pub(crate) calls: u64,
}

/// What one contender is.
#[derive(Clone, Copy)]
pub(crate) enum Who<'e> {
    /// An engine in this process on texts that are read, and on a GPU lie there from the second call on.
    Ready(&'e Engine),
    /// The same from bytes, cold: each call reads its texts, and copies them to a GPU that keeps none.
    FromBytes(&'e Engine),
    /// Something in a program, by the program's number.
    Program(usize),
}

/// One contender and its times.
pub(crate) struct Contender<'e> {
    pub(crate) name: String,
    pub(crate) who: Who<'e>,
    /// Seconds of a call in every round, ascending once the race is over.
    seconds: Vec<f64>,
    /// What it found: an engine of ours its answers as JSON or CBOR, others a number or "none".
    pub(crate) found: String,
    /// Most working memory, where it says so.
    pub(crate) peak: Option<u64>,
    calls: u64,
    spent: f64,
}

/// Lets all contenders take turns. The first round is a warm-up, which counts only where calls are slow. A program that breaks
/// down leaves the race; `lost` hears why.
///
/// # Errors
/// When an engine gives no answer.
pub(crate) fn race<'e>(
    course: &Course,
    mut contenders: Vec<Contender<'e>>,
    programs: &mut [Program],
    lost: &dyn Fn(&str),
) -> anyhow::Result<Vec<Contender<'e>>> {
    for round in 0..=ROUNDS {
        let mut still = Vec::with_capacity(contenders.len());
        for mut contender in contenders {
            match contender.turn(course, programs, round) {
                Err(why) if matches!(contender.who, Who::Program(_)) => lost(&format!("{}: {why}", contender.name)),
                Err(why) => return Err(why),
                Ok(()) => still.push(contender),
            }
        }
        contenders = still;
    }
    contenders.iter_mut().for_each(|contender| contender.seconds.sort_by(f64::total_cmp));
    Ok(contenders)
}

impl<'e> Contender<'e> {
    pub(crate) fn new(name: impl Into<String>, who: Who<'e>) -> Self {
        Self { name: name.into(), who, seconds: Vec::new(), found: String::new(), peak: None, calls: 1, spent: 0.0 }
    }

    /// Seconds of a call in the best round.
    pub(crate) fn best(&self) -> f64 {
        self.seconds[0]
    }

    /// The median round.
    pub(crate) fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    /// From the best to the worst round, in per cent of the median.
    pub(crate) fn spread(&self) -> f64 {
        (self.seconds[self.seconds.len() - 1] - self.best()) / self.median() * 100.0
    }

    fn turn(&mut self, course: &Course, programs: &mut [Program], round: usize) -> anyhow::Result<()> {
        if self.spent > SECONDS && self.seconds.len() >= FEWEST {
            return Ok(());
        }
        let pieces = course.pairs.len() as u64;
        let calls = self.calls.div_ceil(pieces) * pieces;
        let seconds = match self.who {
            Who::Ready(engine) => self.run(course, engine, calls / pieces)?,
            Who::FromBytes(engine) => self.read_and_run(course, engine, calls / pieces)?,
            Who::Program(number) => {
                let (seconds, found, peak) = programs[number].time(&self.name, calls)?;
                (self.found, self.peak) = (found, peak);
                seconds
            }
        };
        if round == 1 && self.spent < SECONDS / 3.0 {
            self.seconds.clear();
        }
        let call = seconds / calls as f64;
        self.seconds.push(call);
        self.spent += seconds;
        self.calls = ((ROUND / call) as u64).clamp(1, course.calls);
        Ok(())
    }

    /// One round of an engine on texts that are read.
    fn run(&mut self, course: &Course, engine: &Engine, times: u64) -> anyhow::Result<f64> {
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

    /// One round of an engine on bytes. Forgetting what a GPU keeps is not timed.
    fn read_and_run(&mut self, course: &Course, engine: &Engine, times: u64) -> anyhow::Result<f64> {
        let mut answers = Vec::new();
        let mut seconds = 0.0;
        for _ in 0..times {
            answers.clear();
            forget_texts(engine);
            let clock = Instant::now();
            for &(a, b) in course.texts {
                let pair = Pair::parse(black_box(a), black_box(b), &course.reading).map_err(|failure| anyhow::anyhow!("{failure}"))?;
                answers.push(self.answer(course, engine, &pair)?);
            }
            seconds += clock.elapsed().as_secs_f64();
        }
        self.found = serde_json::to_string(&answers)?;
        Ok(seconds)
    }

    fn answer(&mut self, course: &Course, engine: &Engine, pair: &Pair) -> anyhow::Result<Answer> {
        let run = Run::new(&NoObserver);
        let solution = black_box(engine.run(course.task, &course.options, pair, &run)).map_err(failed)?;
        self.peak = self.peak.max(Some(run.peak_bytes()));
        Ok(solution.answer)
    }
}

fn failed(halt: Halt) -> anyhow::Error {
    anyhow::anyhow!("no answer: {halt:?}")
}

/// Lets a GPU forget the texts that it keeps from one call to the next.
fn forget_texts(engine: &Engine) {
    match engine {
        Engine::Cpu(_) => {}
        Engine::Cuda(keeper) => keeper.forget_texts(),
    }
}
