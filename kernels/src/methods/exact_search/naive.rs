//! `naive`: "Brute Force", paper 004, section V.A. At each place the symbols are compared one by one until two differ.

use crate::methods::Tick;
use crate::run::Halt;

/// All positions. Time O((n − m + 1)·m); a step is a comparison.
///
/// # Errors
/// What `tick` returns.
pub fn naive<T: Copy + Eq>(p: &[T], s: &[T], tick: Tick) -> Result<Vec<usize>, Halt> {
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
