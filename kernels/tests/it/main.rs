//! Tests of the kernels from outside, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

mod agree;
mod ambiguity;
mod byte_units;
mod costs;
mod cuda;
mod cuda_searches;
mod device;
mod exact;
mod gaps;
mod lcs;
mod match_count;
mod methods;
mod methods_cuda;
mod modules;
mod nvrtc;
mod reading;
mod real;
mod records;
mod sequence_alignment;
mod stop;
mod strands;
mod tasks;
mod threads;
mod wire;
