//! The edit distance by the methods of paper 000. They keep no way back through the matrix: there is no alignment.

use super::{EditDistance, solution};
use crate::cpu::Cpu;
use crate::job::{Method, Options};
use crate::methods::edit_distance::{diagonal::diagonal, sequential::sequential};
use crate::run::{Halt, Run};
use crate::task::by_method::{Published, unknown};
use crate::task::{Size, Solution};
use crate::text::Pair;
use crate::with_symbols;

impl Published for EditDistance {
    fn by(&self, method: Method, _cpu: &Cpu, pair: &Pair, _options: &Options, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let distance = with_symbols!(pair, |x, y| match method {
            Method::Sequential => sequential(x, y, tick)?,
            Method::Diagonal => diagonal(x, y, tick)?,
            _ => return Err(unknown(method)),
        });
        Ok(solution(distance.into(), None))
    }

    fn steps(&self, method: Method, size: &Size, _options: &Options) -> (u64, f64) {
        (size.cells(), if method == Method::Sequential { 1.3 } else { 3.0 })
    }
}
