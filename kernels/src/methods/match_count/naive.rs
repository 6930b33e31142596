//! `naive`: compares all pairs of symbols; paper 002, section 3.1, equation 1. The matrix `D` with `D[i][j] = δ(p_i,
//! t_j)` is summed along its diagonals: `c_k = Σ_i D[i][i + k − 1]`.

use crate::methods::StepSink;
use crate::run::Halt;

/// Returns the number of equal symbols at every offset of the pattern `p` in the text `t`. Takes O(mn) time, in m·(n −
/// m + 1) steps of one comparison each, and O(n) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub fn naive<T: Copy + Eq>(p: &[T], t: &[T], tick: StepSink) -> Result<Vec<u32>, Halt> {
    let offsets = (t.len() + 1).saturating_sub(p.len());
    let mut scores = Vec::with_capacity(offsets);
    for k in 0..offsets {
        let mut score = 0;
        for (i, symbol) in p.iter().enumerate() {
            score += u32::from(*symbol == t[i + k]);
        }
        scores.push(score);
        tick(p.len() as u64)?;
    }
    Ok(scores)
}
