//! Exact search by the methods of paper 004.

use super::{ExactSearch, solution};
use crate::cpu::Cpu;
use crate::found::Positions;
use crate::job::{Method, Options};
use crate::methods::exact_search::{kmp::kmp, kmp_blocks::kmp_blocks, naive::naive};
use crate::run::{Halt, Run};
use crate::task::by_method::{Published, unknown};
use crate::task::{Size, Solution};
use crate::text::Pair;
use crate::with_symbols;

impl Published for ExactSearch {
    fn by(&self, method: Method, _cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let positions = with_symbols!(pair, |p, s| match method {
            Method::Naive => naive(p, s, tick)?,
            Method::Kmp => kmp(p, s, tick)?,
            Method::KmpBlocks => kmp_blocks(p, s, tick)?,
            _ => return Err(unknown(method)),
        });
        let total = positions.len() as u64;
        let kept = if options.count_only { Vec::new() } else { positions.into_iter().map(|at| at as u64).collect() };
        Ok(solution(total, Positions::from_list(kept), options))
    }

    /// What is usual: comparisons at most places end after the first one.
    fn steps(&self, method: Method, size: &Size, _options: &Options) -> (u64, f64) {
        (if method == Method::KmpBlocks { size.b.saturating_mul(2) } else { size.b }, if method == Method::Naive { 2.0 } else { 4.2 })
    }
}
