//! The processor, as an engine.

/// The CPU engine: bit-parallel words in SIMD lanes, on some threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Threads of one run, at least 1. In wasm always 1.
    pub threads: usize,
}

impl Cpu {
    /// One thread: the browser, and benchmarks against single-threaded peers.
    pub const SINGLE: Self = Self { threads: 1 };

    /// All cores of this machine.
    pub fn all_cores() -> Self {
        Self { threads: std::thread::available_parallelism().map_or(1, Into::into) }
    }
}
