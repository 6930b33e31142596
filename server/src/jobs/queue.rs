//! Queue: who waits in which line, and who may start. Pure: it starts nothing itself.

use std::collections::VecDeque;

use kernels::plan::{EngineName, Plan};

/// A job that is expected to take at most so many milliseconds on a GPU does not wait for longer ones: they make room for it.
const BRIEF_MS: f64 = 100.0;

/// Where a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which engine for.
    pub engine: EngineName,
    /// Whether only brief jobs wait here.
    pub brief: bool,
}

impl Line {
    /// Where a job of this plan waits.
    pub fn of(plan: &Plan) -> Self {
        // The processor has nothing that gives way.
        Self { engine: plan.engine, brief: plan.engine == EngineName::Cuda && plan.expected_ms <= BRIEF_MS }
    }
}

/// One line.
#[derive(Debug)]
struct Lane<T> {
    line: Line,
    permits: usize,
    running: usize,
    waiting: VecDeque<T>,
}

/// All lines, together at most `capacity` long.
#[derive(Debug)]
pub struct Queue<T> {
    lanes: Vec<Lane<T>>,
    capacity: usize,
}

/// The queue takes no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl<T> Queue<T> {
    /// An empty queue with so many permits for each line.
    pub fn new(permits: impl IntoIterator<Item = (Line, usize)>, capacity: usize) -> Self {
        let lane = |(line, permits)| Lane { line, permits, running: 0, waiting: VecDeque::new() };
        Self { lanes: permits.into_iter().map(lane).collect(), capacity }
    }

    /// Lets `item` wait in `line`.
    ///
    /// # Errors
    /// `Full` when it would have to wait and as many as may wait already do.
    pub fn push(&mut self, line: Line, item: T) -> Result<(), Full> {
        let full = self.waiting() >= self.capacity;
        let lane = self.lane(line).ok_or(Full)?;
        if full && lane.running >= lane.permits {
            return Err(Full);
        }
        lane.waiting.push_back(item);
        Ok(())
    }

    /// Lets `item`, which has waited before, wait at the head of another line. Never refused.
    pub fn push_first(&mut self, line: Line, item: T) {
        if let Some(lane) = self.lane(line) {
            lane.waiting.push_front(item);
        }
    }

    /// The next one that may start now. Its permit is taken until [`release`](Self::release).
    pub fn start(&mut self) -> Option<T> {
        let lane = self.lanes.iter_mut().find(|lane| lane.running < lane.permits && !lane.waiting.is_empty())?;
        lane.running += 1;
        lane.waiting.pop_front()
    }

    /// Gives a permit back.
    pub fn release(&mut self, line: Line) {
        if let Some(lane) = self.lane(line) {
            lane.running = lane.running.saturating_sub(1);
        }
    }

    /// Takes the first one that `is` says yes to out of the line.
    pub fn remove(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        self.lanes.iter_mut().find_map(|lane| lane.waiting.iter().position(&is).and_then(|at| lane.waiting.remove(at)))
    }

    /// Everyone who waits, with the number of those ahead: running from the same line or waiting in it.
    pub fn positions(&self) -> impl Iterator<Item = (u64, &T)> {
        self.lanes.iter().flat_map(|lane| lane.waiting.iter().enumerate().map(|(at, item)| ((lane.running + at) as u64, item)))
    }

    /// How many jobs of a line run at once.
    pub fn permits(&self, line: Line) -> usize {
        self.lanes.iter().find(|lane| lane.line == line).map_or(0, |lane| lane.permits)
    }

    /// Whether none of these engines would take another one.
    pub fn is_full(&self, engines: &[EngineName]) -> bool {
        let is_busy = |lane: &Lane<T>| lane.running >= lane.permits || !engines.contains(&lane.line.engine);
        self.waiting() >= self.capacity && self.lanes.iter().all(is_busy)
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    /// How many run.
    pub fn running(&self) -> usize {
        self.lanes.iter().map(|lane| lane.running).sum()
    }

    fn lane(&mut self, line: Line) -> Option<&mut Lane<T>> {
        self.lanes.iter_mut().find(|lane| lane.line == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: Line = Line { engine: EngineName::Cpu, brief: false };
    const CUDA: Line = Line { engine: EngineName::Cuda, brief: false };

    #[test]
    fn permits_bound_what_runs_and_capacity_what_waits() {
        let mut queue = Queue::new([(CPU, 1), (CUDA, 1)], 2);
        queue.push(CPU, 'a').unwrap();
        assert_eq!((queue.start(), queue.start()), (Some('a'), None));
        queue.push(CPU, 'b').unwrap();
        queue.push(CPU, 'c').unwrap();
        assert_eq!(queue.push(CPU, 'd'), Err(Full));
        assert!(queue.is_full(&[EngineName::Cpu]) && !queue.is_full(&[EngineName::Cpu, EngineName::Cuda]));
        queue.push(CUDA, 'x').expect("its engine is idle, so it does not wait");
        assert_eq!(queue.start(), Some('x'));
        assert_eq!(queue.positions().collect::<Vec<_>>(), [(1, &'b'), (2, &'c')]);
        assert_eq!(queue.remove(|item| *item == 'b'), Some('b'));
        queue.release(CPU);
        assert_eq!((queue.start(), queue.running(), queue.waiting()), (Some('c'), 2, 0));
        queue.push_first(CPU, 'y');
        assert_eq!(queue.start(), None);
    }
}
