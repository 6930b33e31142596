//! The solver without its browser: takes an [`Ask`], posts [`Reply`]s, keeps the last run.
//!
//! - [`files`]: what is kept, as a file
//! - [`kept`]: what is kept, and looks at it
//! - [`mod@rate`]: how fast this solver is

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use kernels::ask::{Ask, Content, Offers, Reply, Say, What, When};
use kernels::engine::{Cpu, Engine};
use kernels::event::{Event, Signal, Stage};
use kernels::failure::{Failure, Wrong};
use kernels::job::{Options, Task};
use kernels::narrator::{Narrator, Totals};
use kernels::plan::{EngineName, LOCAL_IS_FINE_MS, Limits, Offer, Place, Plan, Rate, Work, plan};
use kernels::run::{Halt, Listen, Run};
use kernels::task::{Size, solver};
use kernels::text::{Pair, Text};

use self::kept::Kept;
use self::rate::{cells_per_second, rate};
use crate::qr::{self, Drawing};

mod files;
mod kept;
mod rate;

/// What the desk needs of the world around it.
#[derive(Clone, Copy)]
pub struct World {
    /// Milliseconds of a steady clock.
    pub now: fn() -> f64,
    /// Sends a reply and the bytes beside it.
    pub post: fn(&Reply, &[u8]),
}

/// Where asks are answered, one at a time.
pub struct Desk {
    world: World,
    /// Holds the rates of the tasks that were measured.
    offer: Offer,
    kept: Option<Kept>,
}

/// Bytes beside a message.
pub struct Beside {
    /// The first text, or what the message says.
    pub a: Vec<u8>,
    /// The second text.
    pub b: Vec<u8>,
}

impl Desk {
    /// A desk that has measured how fast it finds edit distances, and said that it is there.
    pub fn open(world: World) -> Self {
        let offer = Offer {
            engine: EngineName::Cpu,
            place: Place::Browser,
            device: "WebAssembly, one thread".into(),
            tasks: Vec::new(),
            start_ms: 0.0,
            bytes_per_second: 1e8,
            limits: Limits { cells: 4_000_000_000_000, symbols: 16_000_000, alphabet: u64::MAX },
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let mut desk = Self { world, offer, kept: None };
        desk.offer_task(Task::EditDistance);
        desk.say(0, Say::Ready);
        desk
    }

    /// Answers one ask by one or more replies.
    pub fn answer(&mut self, ask: Ask, beside: Beside) {
        let number = ask.number;
        match ask.what {
            What::Solve { task, options, offers, when } => {
                self.kept = None;
                if let Err(Halt::Failed(failure)) = self.solve(number, task, options, &read(&offers), when, beside) {
                    self.say(number, Say::Event(Event::Failed(failure)));
                }
            }
            What::Measure { task, options, offers, a, b, bytes } => {
                self.measure(number, task, options, &read(&offers), Size { a, b, alphabet: 1, bytes })
            }
            What::Keep => match Kept::of_cigar(&beside.a) {
                Ok((kept, summary)) => {
                    self.kept = Some(kept);
                    self.say(number, Say::Kept(summary));
                }
                Err(failure) => self.say(number, Say::Refused(failure)),
            },
            What::Code { text } => match qr::draw(&text) {
                Some(Drawing { size, path }) => self.say(number, Say::Code { size, path }),
                None => self.say(number, Say::Refused(Failure::wrong("This is too long for a QR code.", Wrong::LongForCode))),
            },
            what => {
                let looked = match &mut self.kept {
                    Some(kept) => kept.look(&what),
                    None => Err(Failure::engine("There is no result here any more. Run it again.")),
                };
                match looked {
                    Ok((say, beside)) => (self.world.post)(&Reply { number, say }, &beside),
                    Err(failure) => self.say(number, Say::Refused(failure)),
                }
            }
        }
    }

    fn solve(&mut self, number: u64, task: Task, options: Options, offers: &[Offer], when: When, beside: Beside) -> Result<(), Halt> {
        let World { now, .. } = self.world;
        self.offer_task(task);
        let started = now();
        let pair = Pair::parse(beside.a, beside.b, &options.reading())?;
        let content = |text: &Text| Content { name: text.name().map(str::to_owned), symbols: text.len() as u64 };
        self.say(number, Say::Read { a: content(&pair.a), b: content(&pair.b), alphabet: pair.alphabet.into() });
        let work = solver(task).work(&Size::from(&pair), &options);
        let quick = |plan: &Plan| plan.place == Place::Browser && plan.expected_ms <= LOCAL_IS_FINE_MS;
        let mut plan = self.plan(&work, offers)?;
        if !quick(&plan) {
            // The first measure may have been taken while the browser compiled, or while the device had other things to do.
            self.learn(task, rate(task, now));
            plan = self.plan(&work, offers)?;
        }
        let (here, quick) = (plan.place == Place::Browser, quick(&plan));
        let mut narrator = Narrator::new(&plan, started);
        let read = [narrator.tell(Signal::Stage(Stage::Read), started)];
        self.say(number, Say::Event(Event::Planned(plan)));
        if !here || (when == When::Quick && !quick) {
            self.say(number, Say::Waiting);
            return Ok(());
        }
        read.into_iter().flatten().for_each(|event| self.say(number, Say::Event(event)));
        let teller = Teller { world: self.world, number, narrator: Mutex::new(narrator) };
        let run = Run::new(&teller);
        let solving = now();
        let solution = Engine::Cpu(Cpu::SINGLE).run(task, &options, &pair, &run)?;
        self.learn(task, cells_per_second(run.cells(), now() - solving));
        let totals = Totals { cells: run.cells(), peak_bytes: run.peak_bytes() };
        let narrator = teller.narrator.into_inner().unwrap_or_else(PoisonError::into_inner);
        let answer = solution.answer.clone();
        self.kept = Some(Kept::of_run(task, options, pair, solution)?);
        for event in narrator.finish(answer, totals, now()) {
            self.say(number, Say::Event(event));
        }
        Ok(())
    }

    /// Chooses among this solver and the server's engines.
    fn plan(&self, work: &Work, offers: &[Offer]) -> Result<Plan, Failure> {
        let all: Vec<Offer> = std::iter::once(&self.offer).chain(offers).cloned().collect();
        plan(work, &all)
    }

    fn measure(&self, number: u64, task: Task, options: Options, offers: &[Offer], size: Size) {
        let work: Work = solver(task).work(&size, &options);
        let event = match plan(&work, offers) {
            Ok(plan) => Event::Planned(plan),
            Err(failure) => Event::Failed(failure),
        };
        self.say(number, Say::Event(event));
        self.say(number, Say::Waiting);
    }

    /// Measures a task, unless that was done.
    fn offer_task(&mut self, task: Task) {
        if self.offer.rate(task).is_none() {
            self.offer.tasks.push(Rate { task, cells_per_second: rate(task, self.world.now) });
        }
    }

    /// The solver learns from every run: its first measure is taken while the browser still compiles it.
    fn learn(&mut self, task: Task, learnt: f64) {
        if let Some(rate) = self.offer.tasks.iter_mut().find(|rate| rate.task == task) {
            rate.cells_per_second = rate.cells_per_second.max(learnt);
        }
    }

    fn say(&self, number: u64, say: Say) {
        (self.world.post)(&Reply { number, say }, &[]);
    }
}

/// A server whose words are not understood offers nothing.
fn read(offers: &str) -> Vec<Offer> {
    serde_json::from_str::<Offers>(offers).unwrap_or_default().offers
}

/// Hears the run and posts its events.
struct Teller {
    world: World,
    number: u64,
    narrator: Mutex<Narrator>,
}

impl Listen for Teller {
    fn hear(&self, signal: Signal) -> ControlFlow<()> {
        let event = self.narrator.lock().unwrap_or_else(PoisonError::into_inner).tell(signal, (self.world.now)());
        if let Some(event) = event {
            (self.world.post)(&Reply { number: self.number, say: Say::Event(event) }, &[]);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
