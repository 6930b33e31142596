//! Probe: a device measured as the papers' hierarchical memory machine. Its width w, its number of DMMs d, the latencies l of shared and L of
//! global memory, and how many threads p it takes until requests and not their latency are what counts.
//!
//! Latencies are those of chains: each word read holds the index of the next one. They are in cycles of a multiprocessor, the time unit of a
//! DMM: it takes in the requests of a warp in each.

use super::compile::KernelSource;
use super::device_recovery::RecoverableGpu;
use super::session::{Arguments, Session};
use super::{Gpu, GpuError};
use crate::failure::Failure;
use crate::run::{Halt, NoObserver, Run};

/// Words of a chain that no cache holds, and of one that the second cache holds.
const FAR: u32 = 1 << 28;
const NEAR: u32 = 1 << 18;

/// Requests of a thread one after another.
const ROUNDS: u32 = 4096;

/// Share of the greatest rate at which a memory counts as saturated.
const SATURATED: f64 = 0.95;

/// Strides, in words, at which a warp reads shared memory.
pub const STRIDES: [u32; 8] = [1, 2, 4, 8, 16, 32, 33, 64];

#[derive(Clone, Copy)]
#[repr(C)]
struct Chain {
    memory: u64,
    cycles: u64,
    last: u64,
    length: u32,
    rounds: u32,
    stride: u32,
    pad: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launches say what they stay inside of.
unsafe impl Arguments for Chain {}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The device's name.
    pub device: String,
    /// d.
    pub multiprocessors: u32,
    /// Most shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Cycles of a multiprocessor in a nanosecond.
    pub clock_ghz: f64,
    /// Cycles of a warp's request to shared memory for each of [`STRIDES`].
    pub strides: [f64; 8],
    /// L of words that no cache holds, in cycles.
    pub global_latency: f64,
    /// The same of words that the second cache holds.
    pub cached_latency: f64,
    /// Threads of one block, and words of shared memory that they read in a cycle.
    pub shared_rate: Vec<(u32, f64)>,
    /// Threads of the device, and gigabytes of global memory that they read in a second.
    pub global_rate: Vec<(u32, f64)>,
}

impl Probe {
    /// w: requests that are served at once. The least stride at which all of a warp's words are in one bank: a longer one makes it no worse.
    pub fn width(&self) -> usize {
        let worst = self.strides.iter().copied().fold(0.0, f64::max);
        let at = self.strides.iter().position(|cycles| *cycles > 0.9 * worst).unwrap_or_default();
        STRIDES[at] as usize
    }

    /// l in cycles.
    pub fn shared_latency(&self) -> f64 {
        self.strides[0]
    }

    /// Threads from which on a memory is saturated: those of a block for shared memory, then those of the device for global memory.
    pub fn saturating(&self) -> [u32; 2] {
        let least = |rates: &[(u32, f64)]| {
            let most = rates.iter().map(|rate| rate.1).fold(0.0, f64::max);
            rates.iter().find(|rate| rate.1 >= SATURATED * most).map_or(0, |rate| rate.0)
        };
        [least(&self.shared_rate), least(&self.global_rate)]
    }
}

/// The kernels' source, for whoever compiles all there are.
pub fn source() -> KernelSource {
    KernelSource { name: "probe", text: include_str!("probe.cu"), defines: Vec::new() }
}

/// Measures a device. Takes about a second and a gigabyte of its memory.
///
/// # Errors
/// `Engine` when the device fails.
pub fn probe(gpu: &RecoverableGpu) -> Result<Probe, Failure> {
    let run = Run::new(&NoObserver);
    gpu.lend(&run, |gpu| measure(gpu, &run)).map_err(Halt::failure)
}

fn measure(gpu: &Gpu, run: &Run) -> Result<Probe, Halt> {
    let session = Session::new(gpu, run)?;
    let memory = session.room::<u32>(FAR as usize)?;
    let cycles = session.zeros::<u64>(1)?;
    let last = session.zeros::<u32>(1)?;
    let [chain, follow, shared] =
        [session.kernel(&source(), "chain")?, session.kernel(&source(), "follow")?, session.kernel(&source(), "follow_shared")?];
    let [address, cycles_at, last] = [session.address(&memory), session.address(&cycles), session.address(&last)];
    let job = |length, rounds, stride| Chain { memory: address, cycles: cycles_at, last, length, rounds, stride, pad: 0 };
    let link = |length, stride| -> Result<(), GpuError> {
        // SAFETY: the threads write the first `length` words, which is as many as there are at most.
        unsafe { session.launch(&chain, gpu.multiprocessors() * 2, 1024, job(length, 0, stride)) }
    };
    let taken = || session.download(&cycles).map(|cycles| cycles[0] as f64);
    // Another line, and another page after some, each time; the second round of a short chain is served by the cache.
    let latency = |length: u32, stride: u32, times: u32| -> Result<(f64, f64), GpuError> {
        link(length, stride)?;
        let mut found = (0.0, 0.0);
        for _ in 0..times {
            let start = session.moment()?;
            // SAFETY: one thread reads words that hold indices below `length`.
            unsafe { session.launch(&follow, 1, 1, job(length, ROUNDS, stride))? };
            let end = session.moment()?;
            let all = taken()?;
            found = (all / f64::from(ROUNDS), all / (f64::from(session.between(&start, &end)?) * 1e6));
        }
        Ok(found)
    };
    let (global_latency, _) = latency(FAR, FAR / ROUNDS + 32, 1)?;
    let (cached_latency, clock_ghz) = latency(NEAR, 64, 3)?;
    let block = |threads: u32, stride: u32| -> Result<f64, GpuError> {
        for _ in 0..2 {
            // SAFETY: one block reads its own shared memory.
            unsafe { session.launch(&shared, 1, threads, job(0, ROUNDS, stride))? };
        }
        Ok(taken()? / f64::from(ROUNDS))
    };
    let mut strides = [0.0; 8];
    for (cycles, stride) in strides.iter_mut().zip(STRIDES) {
        *cycles = block(32, stride)?;
    }
    let mut shared_rate = Vec::new();
    for threads in [32, 64, 128, 256, 384, 512, 640, 768, 896, 1024] {
        shared_rate.push((threads, f64::from(threads) / block(threads, 1)?));
    }
    let mut global_rate = Vec::new();
    for (blocks, threads) in [(1, 32), (1, 64), (1, 128), (1, 256), (1, 512), (1, 1024), (2, 1024)] {
        let (blocks, rounds) = (blocks * gpu.multiprocessors(), 512);
        let all = blocks * threads;
        link(FAR, all)?;
        let start = session.moment()?;
        // SAFETY: every thread begins at its own number, which is below `length`, and so are all indices in memory.
        unsafe { session.launch(&follow, blocks, threads, job(FAR, rounds, all))? };
        let end = session.moment()?;
        let bytes = 4.0 * f64::from(all) * f64::from(rounds);
        global_rate.push((all, bytes / (f64::from(session.between(&start, &end)?) * 1e6)));
    }
    Ok(Probe {
        device: gpu.name().to_owned(),
        multiprocessors: gpu.multiprocessors(),
        shared_bytes: gpu.shared_bytes(),
        clock_ghz,
        strides,
        global_latency,
        cached_latency,
        shared_rate,
        global_rate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_and_threads_are_read_off_the_figures() {
        let figures = Probe {
            device: String::new(),
            multiprocessors: 132,
            shared_bytes: 0,
            clock_ghz: 1.98,
            strides: [30.0, 31.0, 33.0, 37.0, 46.0, 63.0, 30.0, 63.0],
            global_latency: 700.4,
            cached_latency: 260.0,
            shared_rate: vec![(32, 1.0), (512, 17.0), (960, 31.0), (1024, 32.0)],
            global_rate: vec![(4224, 400.0), (135_168, 3000.0), (270_336, 3050.0)],
        };
        assert_eq!((figures.width(), figures.shared_latency()), (32, 30.0));
        assert_eq!(figures.saturating(), [960, 135_168]);
    }

    #[test]
    fn a_device_is_a_machine_of_32_banks() {
        let Some(gpu) = crate::gpu::testing::gpu() else { return };
        let found = measure(&gpu, &Run::new(&NoObserver)).unwrap();
        assert_eq!(found.width(), 32, "{found:?}");
        assert!(found.shared_latency() > 5.0 && found.shared_latency() < found.cached_latency, "{found:?}");
        assert!(found.cached_latency < found.global_latency, "{found:?}");
    }
}
