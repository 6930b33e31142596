//! Probe: measures a GPU as the hierarchical memory machine (HMM) of papers 000 and 003. The results are its width w,
//! its number d of discrete memory machines (DMMs), and the latencies l of shared and L of global memory. They also
//! include the number p of threads from which bandwidth instead of latency limits the rate.
//!
//! Latencies are measured with chains, in which each word read is the index of the next one. They are in cycles of a
//! multiprocessor. A cycle stands for the time unit of a DMM, which accepts the requests of one warp in each time unit.

use super::compile::KernelSource;
use super::device_recovery::RecoverableGpu;
use super::session::{GpuSession, KernelArguments};
use super::{Gpu, GpuError};
use crate::failure::JobFailure;
use crate::run::{Halt, NoObserver, Run};

/// Number of words of a chain (a list of indices to read one after the other) that fits into no cache.
const FAR_CHAIN_WORDS: u32 = 1 << 28;
/// Number of words of a chain (a list of indices to read one after the other) that fits into the second-level cache.
const NEAR_CHAIN_WORDS: u32 = 1 << 18;

/// Number of requests that a thread makes one after the other in a measurement.
const ROUNDS: u32 = 4096;

/// Share of a memory's maximum rate from which the memory is regarded as saturated by the requests.
const SATURATED_SHARE: f64 = 0.95;

/// Strides at which the threads of a warp read shared memory: differences between the addresses of neighbouring
/// threads, in words.
pub const STRIDES: [u32; 8] = [1, 2, 4, 8, 16, 32, 33, 64];

#[derive(Clone, Copy)]
#[repr(C)]
struct ProbeChainArguments {
    memory: u64,
    cycles: u64,
    last: u64,
    length: u32,
    rounds: u32,
    stride: u32,
    pad: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the comments at the launches say why these stay within their
// buffers.
unsafe impl KernelArguments for ProbeChainArguments {}

/// The measured properties of a GPU, regarded as a hierarchical memory machine.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceMeasurements {
    /// The GPU's name.
    pub device: String,
    /// Number of multiprocessors, which is the number d of the machine's discrete memory machines (DMMs).
    pub multiprocessors: u32,
    /// Maximum shared memory of a thread block, in bytes.
    pub shared_bytes: u32,
    /// Clock rate of a multiprocessor, in cycles per nanosecond.
    pub clock_ghz: f64,
    /// Cycles from a warp's request to shared memory until the request is served, for each stride in [`STRIDES`].
    pub strides: [f64; 8],
    /// Latency L of global memory, in cycles, for words that are in no cache.
    pub global_latency: f64,
    /// Latency of global memory, in cycles, for words that are in the second-level cache.
    pub cached_latency: f64,
    /// Measurements of shared memory: the number of threads of one block, and the words that they read per cycle.
    pub shared_rate: Vec<(u32, f64)>,
    /// Measurements of global memory: the number of threads on the whole GPU, and the gigabytes that they read per
    /// second.
    pub global_rate: Vec<(u32, f64)>,
}

impl DeviceMeasurements {
    /// Returns the width w of the machine: the number of requests of a warp that are served together. This is the
    /// smallest stride at which all words of a warp are in one bank, so that longer strides are not slower.
    pub fn width(&self) -> usize {
        let worst = self.strides.iter().copied().fold(0.0, f64::max);
        let at = self.strides.iter().position(|cycles| *cycles > 0.9 * worst).unwrap_or_default();
        STRIDES[at] as usize
    }

    /// Returns the latency l of shared memory, in cycles of a multiprocessor, without bank conflicts.
    pub fn shared_latency(&self) -> f64 {
        self.strides[0]
    }

    /// Returns two numbers of threads: the threads of a block that saturate shared memory, and the threads on the whole
    /// GPU that saturate global memory.
    pub fn saturating(&self) -> [u32; 2] {
        let least = |rates: &[(u32, f64)]| {
            let most = rates.iter().map(|rate| rate.1).fold(0.0, f64::max);
            rates.iter().find(|rate| rate.1 >= SATURATED_SHARE * most).map_or(0, |rate| rate.0)
        };
        [least(&self.shared_rate), least(&self.global_rate)]
    }
}

/// Returns the source of the measuring kernels, for a caller that compiles all kernels ahead of time.
pub fn source() -> KernelSource {
    KernelSource { name: "probe", text: include_str!("probe.cu"), defines: Vec::new() }
}

/// Measures a GPU. Takes about a second, and a gigabyte of the GPU's memory.
///
/// # Errors
/// Returns `Engine` if the GPU fails.
pub fn probe(gpu: &RecoverableGpu) -> Result<DeviceMeasurements, JobFailure> {
    let run = Run::new(&NoObserver);
    gpu.lend(&run, |gpu| measure(gpu, &run)).map_err(Halt::failure)
}

fn measure(gpu: &Gpu, run: &Run) -> Result<DeviceMeasurements, Halt> {
    let session = GpuSession::new(gpu, run)?;
    let memory = session.allocate_uninit::<u32>(FAR_CHAIN_WORDS as usize)?;
    let cycles = session.zeros::<u64>(1)?;
    let last = session.zeros::<u32>(1)?;
    let [chain, follow, shared] =
        [session.kernel(&source(), "chain")?, session.kernel(&source(), "follow")?, session.kernel(&source(), "follow_shared")?];
    let [address, cycles_at, last] = [session.address(&memory), session.address(&cycles), session.address(&last)];
    let job = |length, rounds, stride| ProbeChainArguments { memory: address, cycles: cycles_at, last, length, rounds, stride, pad: 0 };
    let link = |length, stride| -> Result<(), GpuError> {
        // SAFETY: the threads write only the first `length` words of the buffer, which has at least that length.
        unsafe { session.launch(&chain, gpu.multiprocessors() * 2, 1024, job(length, 0, stride)) }
    };
    let taken = || session.download(&cycles).map(|cycles| cycles[0] as f64);
    // Each access touches another cache line, and sometimes another page. From the second run on, the cache serves a
    // short chain.
    let latency = |length: u32, stride: u32, times: u32| -> Result<(f64, f64), GpuError> {
        link(length, stride)?;
        let mut found = (0.0, 0.0);
        for _ in 0..times {
            let start = session.record_event()?;
            // SAFETY: one thread reads words that hold indices below `length`.
            unsafe { session.launch(&follow, 1, 1, job(length, ROUNDS, stride))? };
            let end = session.record_event()?;
            let all = taken()?;
            found = (all / f64::from(ROUNDS), all / (f64::from(session.elapsed_ms(&start, &end)?) * 1e6));
        }
        Ok(found)
    };
    let (global_latency, _) = latency(FAR_CHAIN_WORDS, FAR_CHAIN_WORDS / ROUNDS + 32, 1)?;
    let (cached_latency, clock_ghz) = latency(NEAR_CHAIN_WORDS, 64, 3)?;
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
        link(FAR_CHAIN_WORDS, all)?;
        let start = session.record_event()?;
        // SAFETY: every thread begins at its own number, which is below `length`, and all indices in memory are below
        // `length` too.
        unsafe { session.launch(&follow, blocks, threads, job(FAR_CHAIN_WORDS, rounds, all))? };
        let end = session.record_event()?;
        let bytes = 4.0 * f64::from(all) * f64::from(rounds);
        global_rate.push((all, bytes / (f64::from(session.elapsed_ms(&start, &end)?) * 1e6)));
    }
    Ok(DeviceMeasurements {
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
    fn width_and_threads_are_derived_from_measurements() {
        let figures = DeviceMeasurements {
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
    fn device_has_32_memory_banks() {
        let Some(gpu) = crate::gpu::testing::gpu() else { return };
        let found = measure(&gpu, &Run::new(&NoObserver)).unwrap();
        assert_eq!(found.width(), 32, "{found:?}");
        assert!(found.shared_latency() > 5.0 && found.shared_latency() < found.cached_latency, "{found:?}");
        assert!(found.cached_latency < found.global_latency, "{found:?}");
    }
}
