//! The CUDA engine: the subsequence as a [pipeline of bands](crate::gpu::bands). Costs are lengths, negative.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::gpu::bands::{Digits, Form, Kernel, Layout, Rule};
use crate::gpu::compile::Source;
use crate::pair::cpu::{Symbol, Want};
use crate::run::{Halt, Run};
use crate::task::lcs::cpu;

const KERNEL: Kernel = Kernel {
    name: "lcs",
    text: concat!(
        include_str!("../../gpu/digits.cuh"),
        include_str!("kernel.cu"),
        include_str!("../../gpu/bands.cuh"),
        include_str!("../../gpu/bands/paths.cuh")
    ),
};

/// Bits of a digit of symbol numbers, digits, and words that a lane may keep: shared memory holds the masks of both.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[4, 8, 16]), (4, 1, &[4, 8, 16]), (4, 2, &[4, 8]), (4, 3, &[4, 8]), (4, 4, &[4]), (4, 6, &[4])];

/// Longest common subsequence by bands.
pub(crate) struct Subsequence;

impl Rule for Subsequence {
    const FORM: Form = Form { layouts, pads_columns: false, rises: false };

    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: Want, run: &Run) -> Result<(i64, Option<Alignment>), Halt> {
        let (length, alignment) = cpu::solve(a, b, alphabet, want, &Cpu::SINGLE, run)?;
        Ok((-(length as i64), alignment))
    }
}

/// Every variant of the kernels that a job can ask for.
pub fn variants() -> Vec<Source> {
    Subsequence::FORM.sources()
}

fn layouts() -> Vec<Layout> {
    Digits::all(&VARIANTS).map(layout).collect()
}

/// Clocks are fitted to an H200 with one digit.
fn layout(digits: Digits) -> Layout {
    let (k, more) = (f64::from(digits.words), f64::from(digits.digits - 1));
    let logic = (6.0 + 4.0 * more) * k;
    let layout = digits.layout(KERNEL);
    // A plane more marks rows after the last one.
    Layout { row_planes: layout.planes + 1, alone: 20.0 + logic, busy: 1.0 + 52.0 / k + logic, ..layout }
}
