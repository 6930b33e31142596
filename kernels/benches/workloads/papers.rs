//! Papers: the tables of papers 000, 001 and 003 in their layout, with the published figures and the predictions of the
//! machine model. Times on this machine are those of the method, and of Editscope's default algorithm ("ours").
//!
//! - On the GPU, Table 1 has the figures of the paper: the four steps of the search for each number of blocks, between
//!   two events of the device. Beside it are the model's predictions for the device as measured by
//!   `kernels::gpu::probe`. Ours is a whole call on texts that are on the device, and finds all ends instead of only
//!   the distance.
//! - On the CPU, the method runs on one core, and ours on all.
//! - Hirschberg's algorithm on one core would take hours for Table 1 of paper 001. It is measured on shorter texts, and
//!   extrapolated by cells.
//! - Measurements that would take longer than [`MAX_MEASUREMENT_SECONDS`] are skipped with a message.
//!
//! Every answer is compared with ours.

use std::time::Instant;

use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::gpu::probe::{DeviceMeasurements, STRIDES, probe};
use kernels::job::{JobOptions, PaperMethod, Task};
use kernels::machine::HierarchicalMachine;
use kernels::machine::published::{
    BLOCKS, SEARCHES, SUBSEQUENCE_SECONDS, SUBSEQUENCE_SPEED_UPS, SearchTimesRow, TABLE_1, TABLE_1_OF_003, TEXT, predicted, predicted_on,
    throughput,
};
use kernels::methods::cuda::measure;
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, ReadingOptions};
use oracle::random;

use crate::report::say;
use crate::texts::{BINARY, DNA};

/// Number of measured searches by a published method, and by the default algorithm.
const ROUNDS: usize = 5;

/// Maximum expected duration of one measurement, in seconds.
const MAX_MEASUREMENT_SECONDS: f64 = 120.0;

/// Resources of a multiprocessor for the blocks that run at the same time, on devices since Hopper: the maximum numbers
/// of blocks and of threads, and the bytes of shared memory.
const MAX_RESIDENT_RESOURCES: [u64; 3] = [32, 2048, 228 << 10];

const SEED: u64 = 2026;

/// Prints all tables, measured on `engine`, or only the row of Table 2 of paper 001 for strings of `megabytes`
/// megabytes.
///
/// # Errors
/// Returns an error if the engine gives no answer, or if a published method and the default algorithm give different
/// answers.
pub(crate) fn print(engine: &Engine, megabytes: Option<u64>) -> anyhow::Result<()> {
    if megabytes.is_some() {
        return seconds(engine, megabytes);
    }
    let device = match engine {
        Engine::Cuda(gpu) => Some((gpu, probe(gpu)?)),
        Engine::Cpu(_) => None,
    };
    if let Some((_, figures)) = &device {
        print_probe(figures);
    }
    let best = search(engine, device.as_ref().map(|(gpu, figures)| (*gpu, figures)))?;
    throughputs(engine, best)?;
    speed_ups(engine)?;
    seconds(engine, None)
}

/// Prints the measured properties of a device as those of a hierarchical memory machine.
fn print_probe(figures: &DeviceMeasurements) {
    let list = |rates: &[(u32, f64)]| rates.iter().map(|(p, rate)| format!("{p}: {rate:.1}")).collect::<Vec<_>>().join(", ");
    let [block, device] = figures.saturating();
    let DeviceMeasurements { device: name, multiprocessors, clock_ghz, global_latency, cached_latency, shared_rate, global_rate, .. } =
        figures;
    say(format_args!("{name} as a hierarchical memory machine, in cycles of {clock_ghz:.3} GHz"));
    say(format_args!("  d = {multiprocessors} DMMs, width w = {}", figures.width()));
    let strides: Vec<String> = STRIDES.iter().zip(figures.strides).map(|(stride, cycles)| format!("{stride}: {cycles:.1}")).collect();
    say(format_args!(
        "  latency of shared memory l = {:.1}; of a warp's request by stride in words: {}",
        figures.shared_latency(),
        strides.join(", ")
    ));
    say(format_args!("  latency of global memory L = {global_latency:.0}; where the second cache has the words {cached_latency:.0}"));
    say(format_args!("  words of shared memory in a cycle by threads of a block: {}; saturated by p = {block}", list(shared_rate)));
    say(format_args!("  GB of global memory in a second by threads of the device: {}; saturated by p = {device}\n", list(global_rate)));
}

/// Converts the measured properties of a device to a hierarchical memory machine.
fn machine(figures: &DeviceMeasurements) -> HierarchicalMachine {
    HierarchicalMachine {
        dmms: figures.multiprocessors as usize,
        width: figures.width(),
        shared_latency: figures.shared_latency().round() as u64,
        global_latency: figures.global_latency.round() as u64,
    }
}

/// Prints a line of a table: the description `what`, the milliseconds in `figures` (with a dash for `None`), and the
/// text `beside`.
fn line(what: &str, figures: impl IntoIterator<Item = Option<f64>>, beside: &str) {
    let figures: String =
        figures.into_iter().map(|it| it.map_or_else(|| format!("{:>9}", "-"), |ms| format!("{:>9}", short(ms)))).collect();
    say(format_args!("{what:<34}{figures}{beside}"));
}

/// Formats a figure of at least 1 with four digits, and a smaller one with three decimals.
fn short(figure: f64) -> String {
    match figure {
        x if x >= 1000.0 => format!("{x:.0}"),
        x if x >= 100.0 => format!("{x:.1}"),
        x if x >= 10.0 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}

fn parsed(a: Vec<u8>, b: Vec<u8>) -> anyhow::Result<Pair> {
    Ok(Pair::parse(a, b, &ReadingOptions::default())?)
}

/// Solves a job `rounds` times. Returns the median duration in seconds, and the answer. With several rounds, an
/// unmeasured call precedes them.
fn timed(engine: &Engine, task: Task, options: &JobOptions, pair: &Pair, rounds: usize) -> anyhow::Result<(f64, TaskAnswer)> {
    let mut seconds = Vec::new();
    let mut answer = None;
    for round in 0..rounds + usize::from(rounds > 1) {
        let start = Instant::now();
        let solution = engine.run(task, options, pair, &Run::new(&NoObserver)).map_err(|halt| anyhow::anyhow!("no answer: {halt:?}"))?;
        if round > 0 || rounds == 1 {
            seconds.push(start.elapsed().as_secs_f64());
        }
        answer = Some(solution.answer);
    }
    seconds.sort_by(f64::total_cmp);
    answer.map(|answer| (seconds[seconds.len() / 2], answer)).ok_or_else(|| anyhow::anyhow!("no round"))
}

fn by(method: PaperMethod) -> JobOptions {
    JobOptions { method: Some(method), alignment: false, count_only: false, ..JobOptions::default() }
}

/// Prints Table 1 of paper 000. `device` is the GPU with its measured properties, or `None` for a processor. Returns
/// the best time of the method in the table's last row, in milliseconds.
fn search(engine: &Engine, device: Option<(&RecoverableGpu, &DeviceMeasurements)>) -> anyhow::Result<f64> {
    say(format_args!("Table 1 of papers 000 and 003: approximate search, n = 4M random 0/1 bytes, milliseconds"));
    let head: String = BLOCKS.iter().map(|blocks| format!("{blocks:>9}")).collect();
    say(format_args!("{:<34}{head}     best  one core  speed-up", "D"));
    let text = random(BINARY, TEXT as usize, SEED + 1);
    let single = Engine::Cpu(Cpu::SINGLE);
    // Median of the table's factors between time units and milliseconds of the GTX 580.
    let mut factors: Vec<f64> =
        TABLE_1.iter().flat_map(|row| (0..8).map(|at| predicted(row.m, BLOCKS[at]) as f64 / row.gpu_ms[at])).collect();
    factors.sort_by(f64::total_cmp);
    let factor = factors[factors.len() / 2];
    let mut best = f64::NAN;
    let mut ratios = Vec::new();
    for row in TABLE_1 {
        let SearchTimesRow { m, gpu_ms, cpu_ms, speed_up } = row;
        let beside = |ms: f64, cpu: f64| format!("{:>9}{:>10}{:>10.1}", short(ms), short(cpu), cpu / ms);
        let least = gpu_ms.iter().copied().fold(f64::INFINITY, f64::min);
        say(format_args!("m = {m}"));
        line("  published, GTX 580 (000)", gpu_ms.map(Some), &format!("{:>9}{:>10}{speed_up:>10.1}", short(least), short(cpu_ms)));
        if TABLE_1_OF_003.iter().any(|other| other.0 == m) {
            let other = |blocks: &u64| TABLE_1_OF_003.iter().find(|other| other.0 == m && other.1 == *blocks).map(|other| other.2);
            line("  where 003 has another figure", BLOCKS.iter().map(other), "");
        }
        line("  predicted, GTX 580", BLOCKS.map(|blocks| Some(predicted(m, blocks) as f64 / factor)), "");
        let pair = parsed(random(BINARY, m as usize, SEED), text.clone())?;
        let (ours_s, ours) = timed(engine, Task::ApproximateSearch, &JobOptions::default(), &pair, ROUNDS)?;
        let (core_s, on_core) = timed(&single, Task::ApproximateSearch, &by(PaperMethod::Sequential), &pair, 1)?;
        anyhow::ensure!(on_core == ours, "sequential has another answer for m = {m}");
        if let Some((gpu, figures)) = device {
            let TaskAnswer::ApproximateSearch { distance, .. } = ours else { anyhow::bail!("no search") };
            let mut ms = Vec::new();
            for blocks in BLOCKS {
                let found = measure::slices(gpu, &pair, blocks as usize, ROUNDS)?;
                anyhow::ensure!(Some(found.least.into()) == distance, "slices has another distance for m = {m}, D = {blocks}");
                ms.push(f64::from(found.ms[ROUNDS / 2]));
            }
            best = ms.iter().copied().fold(f64::INFINITY, f64::min);
            line("  slices here", ms.iter().copied().map(Some), &beside(best, 1e3 * core_s));
            let units = BLOCKS.map(|blocks| predicted_on(&machine(figures), held(m), m, blocks) as f64 / (figures.clock_ghz * 1e6));
            line("  predicted here", units.map(Some), "");
            line("  measured / predicted", ms.iter().zip(units).map(|(ms, units)| Some(ms / units)), "");
            ratios.extend(ms.iter().zip(units).map(|(ms, units)| ms / units));
        } else {
            let mut ms = Vec::new();
            for blocks in BLOCKS {
                // On one core, the overlaps are the cost of more blocks.
                let options = JobOptions { blocks: Some(blocks), ..by(PaperMethod::Slices) };
                let (seconds, answer) = timed(&single, Task::ApproximateSearch, &options, &pair, 1)?;
                anyhow::ensure!(answer == ours, "slices has another answer for m = {m}, D = {blocks}");
                ms.push(Some(1e3 * seconds));
            }
            line("  slices here, one core", ms, "");
            say(format_args!("{:<34}{:>91}", "  sequential here, one core", short(1e3 * core_s)));
            best = 1e3 * core_s;
        }
        say(format_args!("{:<34}{:>81}", "  ours", format!("{}{:>20.1}", short(1e3 * ours_s), core_s / ours_s)));
    }
    if !ratios.is_empty() {
        let (low, high) = (ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max));
        say(format_args!("measured / predicted: from {low:.2} to {high:.2}, a factor of {:.2} between them", high / low));
    }
    say(format_args!(""));
    Ok(best)
}

/// Returns the number of blocks of `m` threads that a multiprocessor holds at a time. The rows, the pattern and a piece
/// of the slice of each block are in its shared memory.
fn held(m: u64) -> u64 {
    let shared = 12 * (m + 32) + m + (m + 1024).next_power_of_two() + 1024;
    MAX_RESIDENT_RESOURCES[0].min(MAX_RESIDENT_RESOURCES[1] / m.next_multiple_of(32)).min(MAX_RESIDENT_RESOURCES[2] / shared)
}

/// Approximate cells per second of `sequential` and `parallel-shift-add` on one core.
const METHODS_ON_CORE: f64 = 4e8;

/// Prints Table 2 of paper 003. `best` is the time of the method for the first row of this table, in milliseconds.
fn throughputs(engine: &Engine, best: f64) -> anyhow::Result<()> {
    say(format_args!("Table 2 of paper 003: throughput in MB/s, an M being 1,024,000 characters"));
    say(format_args!(
        "{:>20} {:>5} {:>6} | published: {:>12} {:>10} {:>9} {:>9} | here: {:>9} {:>10} {:>9} {:>10}",
        "", "m", "n, M", "device", "ms", "printed", "by rule", "method ms", "MB/s", "ours ms", "MB/s"
    ));
    let single = Engine::Cpu(Cpu::SINGLE);
    let by_method = if matches!(engine, Engine::Cuda(_)) { engine } else { &single };
    for (at, row) in SEARCHES.into_iter().enumerate() {
        let (is_search, mega) = (at != 1, row.mega as f64);
        let (task, letters) = if is_search { (Task::ApproximateSearch, BINARY) } else { (Task::MatchCount, DNA) };
        let pair = parsed(random(letters, row.m as usize, SEED), random(letters, (row.mega << 20) as usize, SEED + 1))?;
        let (ours, answer) = timed(engine, task, &JobOptions::default(), &pair, ROUNDS)?;
        let method_ms = match (engine, is_search) {
            _ if at == 0 => Some(best),
            (Engine::Cuda(gpu), true) => {
                let TaskAnswer::ApproximateSearch { distance, .. } = answer else { anyhow::bail!("no search") };
                let mut least = f64::INFINITY;
                for blocks in [128, 512, 2048] {
                    let found = measure::slices(gpu, &pair, blocks, 1)?;
                    anyhow::ensure!(Some(found.least.into()) == distance, "slices has another distance for {}", row.whose);
                    least = least.min(f64::from(found.ms[0]));
                }
                Some(least)
            }
            (Engine::Cpu(_), _) if pair.cells() as f64 / METHODS_ON_CORE > MAX_MEASUREMENT_SECONDS => None,
            _ => {
                let method = if is_search { PaperMethod::Sequential } else { PaperMethod::ParallelShiftAdd };
                let (seconds, other) = timed(by_method, task, &by(method), &pair, 1)?;
                anyhow::ensure!(answer == other, "{} has another answer", method.name());
                Some(1e3 * seconds)
            }
        };
        let said = |figure: Option<f64>| figure.map_or("-".to_owned(), short);
        say(format_args!(
            "{:>20} {:>5} {:>6} |            {:>12} {:>10} {:>9.2} {:>9.2} |       {:>9} {:>10} {:>9} {:>10}",
            row.whose,
            row.m,
            row.mega,
            row.device,
            short(row.ms),
            row.printed,
            throughput(mega, row.ms),
            said(method_ms),
            said(method_ms.map(|ms| throughput(mega, ms))),
            short(1e3 * ours),
            short(throughput(mega, 1e3 * ours))
        ));
    }
    let methods = if matches!(engine, Engine::Cuda(_)) { "slices with the best number of blocks" } else { "sequential on one core" };
    say(format_args!("the method is {methods}; of the Hamming distance it is parallel-shift-add (002)\n"));
    Ok(())
}

/// Returns two random texts of `m` and `n` symbols over the letters of DNA.
fn genes(m: u64, n: u64) -> anyhow::Result<Pair> {
    parsed(random(DNA, m as usize, SEED), random(DNA, n as usize, SEED + 1))
}

fn length(answer: &TaskAnswer) -> Option<u64> {
    match answer {
        TaskAnswer::Lcs { length, .. } => Some(*length),
        _ => None,
    }
}

/// Returns the expected duration, in seconds, of `method` on one core if it finds a longest common subsequence in a
/// table of `cells` cells. Extrapolates by cells from a measurement with two texts of `sample` symbols.
fn on_one_core(method: PaperMethod, sample: u64, cells: f64) -> anyhow::Result<f64> {
    let options = JobOptions { alignment: true, ..by(method) };
    let (seconds, _) = timed(&Engine::Cpu(Cpu::SINGLE), Task::Lcs, &options, &genes(sample, sample)?, 1)?;
    Ok(seconds * cells / (sample as f64 * sample as f64))
}

/// Approximate number of cells per second of the default algorithm on a few cores.
const OURS_ON_CORES: f64 = 1e12;

/// Returns the durations of `bit-parallel-blocks` and of the default algorithm for a longest common subsequence of
/// `pair`, in seconds. A duration is `None` if it is expected to be too long. `expected` is the expected duration of
/// `bit-parallel-blocks`.
fn both(engine: &Engine, pair: &Pair, expected: f64) -> anyhow::Result<[Option<f64>; 2]> {
    let with = JobOptions { alignment: true, ..JobOptions::default() };
    if matches!(engine, Engine::Cpu(_)) && pair.cells() as f64 / OURS_ON_CORES > MAX_MEASUREMENT_SECONDS {
        return Ok([None, None]);
    }
    // On a GPU, the first call may wait for a kernel to be compiled.
    let rounds = if matches!(engine, Engine::Cuda(_)) { 3 } else { 1 };
    let (ours, answer) = timed(engine, Task::Lcs, &with, pair, rounds)?;
    if expected > MAX_MEASUREMENT_SECONDS {
        return Ok([None, Some(ours)]);
    }
    let (here, by_method) = timed(engine, Task::Lcs, &JobOptions { method: Some(PaperMethod::BitParallelBlocks), ..with }, pair, 1)?;
    anyhow::ensure!(length(&answer) == length(&by_method), "bit-parallel-blocks has another length");
    Ok([Some(here), Some(ours)])
}

/// The speed of `bit-parallel-blocks`, measured on a pair of moderate length, from which the durations for longer texts
/// are estimated.
struct MethodPace {
    seconds: f64,
    cells: f64,
    /// Exponent of the time in cells. On a device, small tables and consecutive calls take most of the time, and their
    /// number grows more slowly than that of cells.
    power: f64,
}

impl MethodPace {
    fn of(engine: &Engine) -> anyhow::Result<Self> {
        let pair = genes(200_000, 200_000)?;
        let [Some(seconds), _] = both(engine, &pair, 0.0)? else { anyhow::bail!("it was left out") };
        let power = if matches!(engine, Engine::Cuda(_)) { 0.55 } else { 1.0 };
        Ok(Self { seconds, cells: pair.cells() as f64, power })
    }

    fn expected(&self, cells: f64) -> f64 {
        self.seconds * (cells / self.cells).powf(self.power)
    }
}

/// Prints Table 1 of paper 001: speed-ups over Hirschberg's algorithm.
fn speed_ups(engine: &Engine) -> anyhow::Result<()> {
    say(format_args!("Table 1 of paper 001: lcs with the subsequence, speed-up over Hirschberg's algorithm on one core"));
    say(format_args!(
        "{:>5} {:>5} | published: {:>7} {:>7} {:>7} {:>7} | here: {:>9} {:>9} {:>9} {:>9} | CPU(Hi), s",
        "m, M", "n, M", "CPU(bp)", "8800", "GTX 285", "GTX 480", "CPU(bp)", "blocks", "ours", "seconds"
    ));
    let cells = |[m, n]: [f64; 2]| m * n * 1e12;
    let pace = MethodPace::of(engine)?;
    let hirschberg = on_one_core(PaperMethod::Hirschberg, 20_000, 1.0)?;
    let words = on_one_core(PaperMethod::BitParallel, 100_000, 1.0)?;
    for (millions, published) in SUBSEQUENCE_SPEED_UPS {
        let pair = genes((millions[0] * 1e6) as u64, (millions[1] * 1e6) as u64)?;
        let on_core = hirschberg * cells(millions);
        let [here, ours] = both(engine, &pair, pace.expected(cells(millions)))?;
        let times = |seconds: Option<f64>| seconds.map_or("-".to_owned(), |seconds| format!("{:.1}", on_core / seconds));
        say(format_args!(
            "{:>5.2} {:>5.2} |            {:>7.2} {:>7.2} {:>7.2} {:>7.2} |       {:>9.1} {:>9} {:>9} {:>9} | {:.0}",
            millions[0],
            millions[1],
            published[0],
            published[1],
            published[2],
            published[3],
            hirschberg / words,
            times(here),
            times(ours),
            here.map_or("-".to_owned(), short),
            on_core
        ));
    }
    say(format_args!("CPU(Hi) and CPU(bp) here are counted up by cells from 20,000 × 20,000 and 100,000 × 100,000 symbols\n"));
    Ok(())
}

/// Prints Table 2 of paper 001, durations in seconds, or only the row for `only` megabytes. A single row is measured
/// however long it takes.
fn seconds(engine: &Engine, only: Option<u64>) -> anyhow::Result<()> {
    say(format_args!("Table 2 of paper 001: lcs with the subsequence, seconds"));
    say(format_args!(
        "{:>3} MB | published: {:>10} {:>10} {:>9} | here: {:>10} {:>10} {:>9} {:>10} {:>12}",
        "", "CPU(bp)", "GTX 285", "speed-up", "CPU(bp)", "blocks", "speed-up", "ours", "length alone"
    ));
    let rows = SUBSEQUENCE_SECONDS.into_iter().filter(|(megabytes, ..)| only.is_none_or(|only| only == *megabytes));
    anyhow::ensure!(rows.clone().count() > 0, "the table has no row of so many megabytes");
    let mut pace = MethodPace::of(engine)?;
    let words = on_one_core(PaperMethod::BitParallel, 100_000, 1.0)?;
    for (megabytes, cpu, gpu, speed_up) in rows {
        let pair = genes(megabytes << 20, megabytes << 20)?;
        let cells = pair.cells() as f64;
        let expected = if only.is_some() { 0.0 } else { pace.expected(cells) };
        let [here, ours] = both(engine, &pair, expected)?;
        if let Some(here) = here {
            pace = MethodPace { seconds: here, cells, ..pace };
        }
        // The table alone, without the recursion, shows the work of the device.
        let alone = match engine {
            Engine::Cuda(_) => Some(timed(engine, Task::Lcs, &by(PaperMethod::BitParallelBlocks), &pair, 1)?.0),
            Engine::Cpu(_) => None,
        };
        let said = |seconds: Option<f64>| seconds.map_or("-".to_owned(), short);
        say(format_args!(
            "{megabytes:>3}    |            {cpu:>10.2} {gpu:>10.2} {speed_up:>9.2} |       {:>10} {:>10} {:>9} {:>10} {:>12}",
            short(words * cells),
            said(here),
            said(here.map(|here| words * cells / here)),
            said(ours),
            said(alone)
        ));
    }
    say(format_args!("CPU(bp) here is counted up by cells from 100,000 × 100,000 symbols"));
    Ok(())
}
