//! `naive`: "Brute Force", paper 004, section V.A. Compares the symbols at each position one by one until two differ.

use crate::methods::StepSink;
use crate::run::Halt;

/// Returns all positions at which `p` occurs in `s`, in ascending order. Takes O((n − m + 1)·m) time; a step is a
/// comparison.
///
/// # Errors
/// Returns the error of `tick`.
pub fn naive<T: Copy + Eq>(p: &[T], s: &[T], tick: StepSink) -> Result<Vec<usize>, Halt> {
    let mut positions = Vec::new();
    for at in 0..(s.len() + 1).saturating_sub(p.len()) {
        let equal = p.iter().zip(&s[at..]).take_while(|(x, y)| x == y).count();
        if equal == p.len() {
            positions.push(at);
        }
        tick((equal + 1).min(p.len()) as u64)?;
    }
    Ok(positions)
}
