//! The CUDA engine: the subsequence as a [pipeline of bands](crate::gpu::bands). Costs are lengths, negative.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::gpu::bands::{Form, Kernel, Layout, Rule};
use crate::gpu::compile::Source;
use crate::run::{Halt, Run};
use crate::task::lcs::bits;
use crate::wavefront::{Symbol, Want};

const KERNEL: Kernel = Kernel {
    name: "lcs",
    text: concat!(include_str!("../../gpu/digits.cuh"), include_str!("kernel.cu"), include_str!("../../gpu/bands.cuh")),
};

/// Bits of a digit of symbol numbers, digits, and words that a lane may keep: shared memory holds the masks of both.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[4, 8, 16]), (4, 1, &[4, 8, 16]), (4, 2, &[4, 8]), (4, 3, &[4, 8]), (4, 4, &[4]), (4, 6, &[4])];

/// Columns that a lane works on before it hands over.
const GROUP: u32 = 16;
/// Warps of the largest block, and bytes of shared memory that all its warps may take.
const WARPS: u32 = 8;
const SHARED: u32 = 227 << 10;

/// Longest common subsequence by bands.
pub(crate) struct Subsequence;

impl Rule for Subsequence {
    const FORM: Form = Form { layouts, pads_columns: false, rises: false };

    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: Want, run: &Run) -> Result<(i64, Option<Alignment>), Halt> {
        let (length, alignment) = bits::solve(a, b, alphabet, want, &Cpu::SINGLE, run)?;
        Ok((-(length as i64), alignment))
    }
}

/// Every variant of the kernels that a job can ask for.
pub fn variants() -> Vec<Source> {
    Subsequence::FORM.sources()
}

fn layouts() -> Vec<Layout> {
    VARIANTS.iter().flat_map(|&(bits, digits, words)| words.iter().map(move |&words| layout(words, bits, digits))).collect()
}

/// Clocks are fitted to an H200 with one digit.
fn layout(words: u32, bits: u32, digits: u32) -> Layout {
    let shared = digits * (1 << bits) * words * 128;
    let (k, d) = (f64::from(words), f64::from(digits));
    let logic = (6.0 + 4.0 * (d - 1.0)) * k;
    Layout {
        kernel: KERNEL,
        words,
        planes: bits * digits,
        bits,
        group: GROUP,
        lag: 16,
        text_words: 2 * digits * GROUP * bits / 32,
        row_planes: bits * digits + 1,
        record_words: 32 * words,
        warps: WARPS.min(SHARED / shared),
        shared,
        alone: 20.0 + logic,
        busy: 1.0 + 52.0 / k + logic,
    }
}
