//! The CUDA engine: edit distance as a [pipeline of bands](crate::gpu::bands).
//!
//! Rows must come in whole bands, so the same number of symbols 0 is appended to both texts. A common suffix does not change the
//! distance. An optimal path may cross border rows right of the last column then; where it first leaves that column it may as well
//! go down to the end of the rows and straight on, so such crossings are taken at the last column.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::gpu::bands::{Form, Layout, Rule};
use crate::gpu::compile::Source;
use crate::run::{Halt, Run};
use crate::task::edit_distance::bits;
use crate::wavefront::{Symbol, Want};

pub use crate::gpu::bands::{MOST_DISTINCT, MOST_SYMBOLS};

/// Bits of a symbol number, and words that a lane may keep then: its registers hold both.
const VARIANTS: [(u32, &[u32]); 9] = [
    (2, &[1, 2, 4, 8, 16]),
    (3, &[1, 2, 4, 8, 16]),
    (4, &[1, 2, 4, 8, 16]),
    (5, &[1, 2, 4, 8, 16]),
    (6, &[1, 2, 4, 8, 16]),
    (8, &[1, 2, 4, 8, 16]),
    (12, &[1, 4, 8]),
    (16, &[1, 4]),
    (24, &[1, 2]),
];

/// Warps of the largest block. More would leave a lane too few registers.
const WARPS: u32 = 8;

/// Edit distance by bands.
pub(crate) struct Levenshtein;

impl Rule for Levenshtein {
    const FORM: Form = Form {
        name: "edit-distance",
        text: concat!(include_str!("kernel.cu"), include_str!("../../gpu/bands.cuh")),
        layouts,
        pads_columns: true,
        rises: true,
    };

    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: Want, run: &Run) -> Result<(i64, Option<Alignment>), Halt> {
        let (distance, alignment) = bits::solve(a, b, alphabet, want, &Cpu::SINGLE, run)?;
        Ok((distance as i64, alignment))
    }
}

/// Every variant of the kernels that a job can ask for.
pub fn variants() -> Vec<Source> {
    Levenshtein::FORM.sources()
}

fn layouts() -> Vec<Layout> {
    VARIANTS.iter().flat_map(|&(planes, words)| words.iter().map(move |&words| layout(words, planes))).collect()
}

/// Clocks are fitted to an H200 with 2 and 8 planes: 10 % off at most, but 23 % for a lone warp of 16 words and 8 planes.
fn layout(words: u32, planes: u32) -> Layout {
    // A power of 2 below 32. More cost less a step and make a band longer on its way: with more words there are fewer bands.
    let group = match words {
        1 | 2 => 2,
        4 | 8 => 4,
        _ => 8,
    };
    let (k, p) = (f64::from(words), f64::from(planes));
    let logic = 2.0 * (3.0 + p) * k;
    Layout {
        words,
        planes,
        bits: 1,
        group,
        lag: 32 + group,
        text_words: planes,
        row_planes: planes,
        record_words: 64 * words,
        warps: WARPS,
        shared: 0,
        alone: 21.0 + 2.5 * p + 4.2 * k + logic,
        busy: 17.5 + 2.5 * p + 2.3 * k + logic,
    }
}
