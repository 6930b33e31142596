//! Edit distance of short texts, the shorter of which fits a machine word. A browser loads this code with the page. The
//! code for longer texts is seven times as large and is fetched on demand. Both give the same answers.

use super::cpu::{PairOutput, solve_word};
use super::{EditDistance, solution, solve_short_pair};
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::job::{JobOptions, Task};
use crate::pair::cpu::WORD;
use crate::pair::effort::{PairEfforts, word_efforts};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::task::{InputSize, Solution, SolvableTask};
use crate::text::Pair;
use crate::with_units;

/// Maximum size of the longer text, in bytes.
const MAX_SHORT_BYTES: usize = 1024;

/// The solver of the task `edit-distance` for pairs of short texts, for which [`can_solve`] returns `true`.
pub struct ShortEditDistance;

/// Returns whether [`ShortEditDistance`] can solve a job with `options` whose texts have the sizes `a` and `b` in
/// bytes. The texts may be read in any unit, because no text has more symbols than bytes.
pub fn can_solve([a, b]: [usize; 2], options: &JobOptions) -> bool {
    let is_plain = options.method.is_none() && options.costs.is_levenshtein() && !options.ambiguity;
    is_plain && a.min(b) <= WORD && a.max(b) <= MAX_SHORT_BYTES
}

impl SolvableTask for ShortEditDistance {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        // Without the recurrences of other costs, which short texts do not need in the first download.
        size.work(Task::EditDistance, size.cells(), if options.alignment { 2 } else { 1 })
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let PairEfforts { cpu, cuda } = with_units!(pair, |a, b| word_efforts(a, b, options.alignment));
            Ok(JobWork { cpu, cuda, is_known: true, ..work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        EditDistance.benchmark_size(cells)
    }

    fn cpu(&self, _cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let solution = with_units!(pair, |a, b| match solve_short_pair(a, b, pair.unit_bound(), want, run)? {
            Some(solution) => solution,
            None => {
                let (distance, alignment) = solve_word(a, b, pair.unit_bound(), want, run)?;
                solution(distance, alignment)
            }
        });
        Ok(solution.finish(pair, options)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::PaperMethod;
    use crate::oracle::{mutated, random};
    use crate::run::NoObserver;
    use crate::task::solver;
    use crate::text::{ReadingOptions, Unit};

    /// The answers equal those of the whole task, including alignment, work and cells.
    #[test]
    fn short_solver_has_the_same_answer_as_the_whole_task() {
        let han: Vec<char> = ('\u{4e00}'..).take(700).collect();
        let sizes = [(0, 0), (0, 9), (1, 1), (6, 7), (63, 64), (64, 64), (64, 300), (64, 1024), (5, 1000)];
        let mut checked = 0;
        for (seed, (m, n)) in (0..).zip(sizes) {
            for letters in [&han[..2], &han[..20], &han] {
                let (a, b) = (random(letters, m, seed), random(letters, n, seed + 100));
                let near = mutated(&b, letters, 0.1, seed);
                for (a, b) in [(&a, &b), (&b, &a), (&near[..near.len().min(64)].to_vec(), &b)] {
                    let [a, b] = [a, b].map(|text| text.iter().collect::<String>());
                    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() })
                        .unwrap();
                    for alignment in [false, true] {
                        let options = JobOptions { alignment, ..JobOptions::default() };
                        let (one, other) = (Run::new(&NoObserver), Run::new(&NoObserver));
                        let expected = solver(Task::EditDistance).cpu(&Cpu::SINGLE, &pair, &options, &one).unwrap();
                        assert_eq!(ShortEditDistance.cpu(&Cpu::SINGLE, &pair, &options, &other).unwrap(), expected, "{a:?}, {b:?}");
                        assert_eq!((other.cells(), other.peak_bytes()), (one.cells(), one.peak_bytes()));
                        assert_eq!(ShortEditDistance.work_for(&pair, &options), EditDistance.work_for(&pair, &options), "{a:?}, {b:?}");
                        checked += 1;
                    }
                }
            }
        }
        assert_eq!(checked, 9 * 3 * 3 * 2);
    }

    #[test]
    fn short_solver_refuses_longer_texts_methods_and_codes() {
        let options = JobOptions::default();
        let short = [[0, 0], [64, 64], [64, MAX_SHORT_BYTES], [MAX_SHORT_BYTES, 3]];
        assert!(short.into_iter().all(|bytes| can_solve(bytes, &options)));
        assert!(
            ![[65, 65], [1, MAX_SHORT_BYTES + 1], [MAX_SHORT_BYTES, MAX_SHORT_BYTES]].into_iter().any(|bytes| can_solve(bytes, &options))
        );
        let by_method = JobOptions { method: Some(PaperMethod::Diagonal), ..options.clone() };
        assert!(!can_solve([6, 7], &by_method));
        assert!(!can_solve([6, 7], &JobOptions { ambiguity: true, ..options.clone() }));
        let long = Pair::parse(&random(b"ACGT", 100, 1)[..], &random(b"ACGT", 100, 2)[..], &ReadingOptions::default()).unwrap();
        assert!(ShortEditDistance.cpu(&Cpu::SINGLE, &long, &options, &Run::new(&NoObserver)).is_err());
    }
}
