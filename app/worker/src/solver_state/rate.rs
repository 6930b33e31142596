//! Measurement of the speed of this solver, by [`rate()`]. Each task is measured when it is first requested, so
//! that unused tasks cost no time.

use kernels::engine::{Cpu, Engine};
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::task::solver;
use kernels::text::Pair;

/// Duration of a run after which the measurement of a task ends, in milliseconds. Until a run takes longer, the texts
/// grow. The whole measurement takes a few times as long.
const PROBE_MS: f64 = 2.0;

/// Assumed rate of a task that was not measured, in cells per second.
pub(super) const DEFAULT_CELLS_PER_SECOND: f64 = 1e6;

/// Measures the rate of a task in cells per second, by runs without alignment and hits. `now` is the clock, in
/// milliseconds. Returns the best rate of a few runs on growing texts, because the first runs of a WebAssembly module
/// use the baseline compiler. The rate is at least [`DEFAULT_CELLS_PER_SECOND`].
pub(super) fn rate(task: Task, now: fn() -> f64) -> f64 {
    let mut state = 1u32;
    let mut text = |len: usize| -> Vec<u8> {
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"ACGT"[(state >> 30) as usize]
        })
        .take(len)
        .collect()
    };
    let options = JobOptions { alignment: false, count_only: Task::SEARCHES.contains(&task), ..JobOptions::default() };
    let mut best = DEFAULT_CELLS_PER_SECOND;
    for power in [16, 18, 20, 22, 24] {
        let (m, n) = solver(task).benchmark_size(1 << power);
        let Ok(pair) = Pair::parse(text(m), text(n), &options.reading()) else { return best };
        let started = now();
        let run = Run::new(&NoObserver);
        let solved = Engine::Cpu(Cpu::SINGLE).run(task, &options, &pair, &run);
        let took = now() - started;
        if solved.is_ok() {
            best = best.max(cells_per_second(run.cells(), took));
        }
        if took > PROBE_MS {
            break;
        }
    }
    best
}

/// Returns the rate of a run that solved `cells` cells in `ms` milliseconds. Returns 0 for less than 0.5 ms, because
/// browsers make their clock coarse on purpose.
pub(super) fn cells_per_second(cells: u64, ms: f64) -> f64 {
    if ms >= 0.5 { 1e3 * cells as f64 / ms } else { 0.0 }
}
