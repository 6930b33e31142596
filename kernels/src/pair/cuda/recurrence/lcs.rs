//! Kernel for the longest common subsequence: a lane's rows on one carry chain.

use super::super::{DigitVariant, KernelTemplate, KernelVariant};

const KERNEL: KernelTemplate = KernelTemplate {
    name: "lcs",
    text: concat!(include_str!("../digits.cuh"), include_str!("lcs.cu"), include_str!("../bands.cuh"), include_str!("../paths.cuh")),
};

/// Table of the kernel variants. A row has the number of bits of a digit (a part of a symbol number), the number of
/// digits of a symbol number, and the possible numbers of 32-row words of a lane. The product of all three is limited,
/// because shared memory holds a mask for each value of a digit.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[4, 8, 16]), (4, 1, &[4, 8, 16]), (4, 2, &[4, 8]), (4, 3, &[4, 8]), (4, 4, &[4]), (4, 6, &[4])];

pub(crate) fn layouts() -> Vec<KernelVariant> {
    DigitVariant::all(&VARIANTS).map(layout).collect()
}

/// Describes the variant `digits` of the kernel: its memory, and the clock cycles per column. The cycles follow from
/// measurements on an H200 with one digit.
fn layout(digits: DigitVariant) -> KernelVariant {
    let (k, more) = (f64::from(digits.words), f64::from(digits.digits - 1));
    let logic = (6.0 + 4.0 * more) * k;
    let layout = digits.layout(KERNEL);
    // An additional bit plane marks padding rows below the last row.
    KernelVariant { row_planes: layout.planes + 1, alone: 20.0 + logic, busy: 1.0 + 52.0 / k + logic, ..layout }
}
