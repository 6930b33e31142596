//! Bounds: the lemmas and theorems of papers 000 and 003 about approximate search, as sums of terms without constants.
//!
//! The numbers are those of paper 000. Paper 003 has the same results as lemmas 1 to 3 and theorem 4. Lemma 1 is in
//! [`access`](super::access).
//!
//! - Section 6 of paper 000 prints the latency overhead of lemma 3 for `p = md` threads as `nL/(md) + ml/d + L + ml`.
//!   The second term must be `nl/d`, as in paper 003: `m(n + md)l/p` is `nl/d + ml`. See
//!   [`SearchParameters::latency_overhead`].
//! - Theorem 6, the lower bound, claims to hold for any implementation. Its proof assumes that each of the `mn` values
//!   of the matrix is read from memory or computed by a separate instruction: "Since Algorithm ASM involves at least mn
//!   additions". Bit vectors, which the paper cites as an alternative (Myers, 1999), compute 32 values in about ten
//!   instructions and fall below the bound. The terms `n/w` and `nL/p` hold for them too.

use super::HierarchicalMachine;

/// The parameters of a parallel search: text, pattern, threads and machine. They are numbers of type `f64`, as are the
/// bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParameters {
    /// Length of the pattern, in symbols.
    pub m: f64,
    /// Length of the text, in symbols.
    pub n: f64,
    /// Number of threads.
    pub p: f64,
    /// Number of discrete memory machines (DMMs), each of which stands for a multiprocessor.
    pub d: f64,
    /// Width of the machine: number of banks of a memory and of threads in a warp.
    pub w: f64,
    /// Latency of shared memory, in time units.
    pub l: f64,
    /// Latency of global memory, in time units.
    pub global_l: f64,
}

impl SearchParameters {
    /// Creates the parameters of a search with `p` threads on `machine`, for a pattern of `m` symbols in a text of `n`
    /// symbols.
    pub fn new(machine: &HierarchicalMachine, m: u64, n: u64, p: u64) -> Self {
        let (l, global_l) = (machine.shared_latency as f64, machine.global_latency as f64);
        Self { m: m as f64, n: n as f64, p: p as f64, d: machine.dmms as f64, w: machine.width as f64, l, global_l }
    }

    /// Returns the bound of lemma 2 for a search on one DMM with `w ≤ p ≤ m`: `mn/w + mnl/p` time units. The letters
    /// are the fields of this type.
    pub fn lemma_2(&self) -> f64 {
        let cells = self.m * self.n;
        cells / self.w + cells * self.l / self.p
    }

    /// Returns the bound of lemma 3, for a search in `d` slices on an HMM with `wd ≤ p ≤ md`. It is `(n+md)/w +
    /// m(n+md)/(dw) + (n+md)L/p + m(n+md)l/p` time units. The letters are the fields of this type, and `L` is
    /// `global_l`.
    pub fn lemma_3(&self) -> f64 {
        let symbols = self.n + self.m * self.d;
        symbols / self.w + self.m * symbols / (self.d * self.w) + self.latency_overhead()
    }

    /// Returns the last two terms of lemma 3, which decrease with more threads: `(n+md)L/p + m(n+md)l/p` time units.
    /// The letters are the fields of this type, and `L` is `global_l`.
    pub fn latency_overhead(&self) -> f64 {
        let symbols = self.n + self.m * self.d;
        symbols * self.global_l / self.p + self.m * symbols * self.l / self.p
    }

    /// Returns the bound of theorem 4, for a search in `D = p/m` slices with `wd ≤ p ≤ mn`. It is `(n+p)/w +
    /// m(n+p)/(dw) + nL/p + mnl/p + L + ml` time units. The letters are the fields of this type, and `L` is `global_l`.
    pub fn theorem_4(&self) -> f64 {
        let symbols = self.n + self.p;
        let latency = self.global_memory_latency() + self.shared_memory_latency() + self.global_l + self.m * self.l;
        symbols / self.w + self.m * symbols / (self.d * self.w) + latency
    }

    /// Returns the bound of corollary 5 for `wd ≤ p ≤ n`: `n/w + mn/(dw) + nL/p + mnl/p` time units. The letters are
    /// the fields of this type, and `L` is `global_l`. By theorem 6, this is the minimum for a matrix that is filled
    /// value by value.
    pub fn corollary_5(&self) -> f64 {
        self.bandwidth() + self.speed_up() + self.global_memory_latency() + self.shared_memory_latency()
    }

    /// Returns the bandwidth limitation of theorem 6, `n/w` time units, because each symbol of the text is read once.
    pub fn bandwidth(&self) -> f64 {
        self.n / self.w
    }

    /// Returns the speed-up limitation of theorem 6, `mn/(dw)` time units, because `dw` instructions are executed in a
    /// time unit.
    pub fn speed_up(&self) -> f64 {
        self.m * self.n / (self.d * self.w)
    }

    /// Returns the global memory latency limitation of theorem 6, `nL/p` time units with `L` = `global_l`, because a
    /// thread makes one request in `L` time units.
    pub fn global_memory_latency(&self) -> f64 {
        self.n * self.global_l / self.p
    }

    /// Returns the shared memory latency limitation of theorem 6, `mnl/p` time units, because a thread makes one of
    /// `mn` accesses in `l` time units.
    pub fn shared_memory_latency(&self) -> f64 {
        self.m * self.n * self.l / self.p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::search::{SliceMapping, diagonal, diagonal_time, slices, slices_steps};

    fn machine(dmms: usize, width: usize, shared_latency: u64, global_latency: u64) -> HierarchicalMachine {
        HierarchicalMachine { dmms, width, shared_latency, global_latency }
    }

    /// Returns machines of several sizes, up to the GPU of papers 000 and 003 and to current ones.
    fn machines() -> [HierarchicalMachine; 4] {
        [machine(1, 4, 2, 10), machine(4, 8, 5, 100), machine(16, 32, 24, 500), machine(128, 32, 30, 700)]
    }

    /// Returns the exact number of time units of a search in `blocks` slices, with `m` threads for each slice, and the
    /// parameters for its bounds.
    fn priced(machine: &HierarchicalMachine, m: u64, n: u64, blocks: u64) -> (f64, SearchParameters) {
        let s = (n - 2 * m).div_ceil(blocks).next_multiple_of(machine.width as u64);
        let time: u64 = slices_steps(machine, m, s + 2 * m, blocks, m).iter().sum();
        (time as f64, SearchParameters::new(machine, m, s * blocks + 2 * m, m * blocks))
    }

    #[test]
    fn lemma_2_bounds_the_time_on_a_dmm_from_both_sides() {
        for machine in machines() {
            for m in [32, 64, 256, 1024] {
                for n in [m, 4 * m, 100 * m] {
                    for p in [32, m / 2, m] {
                        let time = diagonal_time(&machine.shared(), m, n, p) as f64;
                        let ratio = time / SearchParameters::new(&machine, m, n, p).lemma_2();
                        // A cell takes six accesses, and the search takes up to twice as many steps as the text has
                        // symbols.
                        assert!((2.0..=14.0).contains(&ratio), "{machine:?} m = {m}, n = {n}, p = {p}: {ratio}");
                    }
                }
            }
        }
    }

    #[test]
    fn lemma_3_and_theorem_4_bound_the_time_on_an_hmm() {
        for machine in machines() {
            for m in [32, 128, 1024] {
                for n in [1 << 18, 1 << 22] {
                    for blocks in [128, 256, 1024, 4096] {
                        let (time, search) = priced(&machine, m, n, blocks);
                        let ratio = time / search.theorem_4();
                        assert!((1.0..=14.0).contains(&ratio), "{machine:?} m = {m}, n = {n}, D = {blocks}: {ratio}");
                    }
                    let (time, search) = priced(&machine, m, n, (machine.dmms as u64).next_power_of_two());
                    let ratio = time / search.lemma_3();
                    assert!((1.0..=14.0).contains(&ratio), "{machine:?} m = {m}, n = {n}: {ratio}");
                }
            }
        }
    }

    #[test]
    fn simulated_runs_lie_within_the_bounds() {
        let machine = machine(2, 4, 3, 40);
        let (x, y): (Vec<u64>, Vec<u64>) = ((0..8).map(|i| i % 3 % 2).collect(), (0..144).map(|i| i * i % 7 % 2).collect());
        let on_one = diagonal(machine.shared(), &x, &y, 8).time_units as f64 / SearchParameters::new(&machine, 8, 144, 8).lemma_2();
        assert!((2.0..=14.0).contains(&on_one), "{on_one}");
        let ranges: Vec<_> = (0..4).map(|i| i * 32..i * 32 + 48).collect();
        let counted = slices(&machine, &x, &y, SliceMapping { slices: &ranges, threads: 8 });
        let search = SearchParameters::new(&machine, 8, 144, 32);
        let ratio = counted.time_units as f64 / search.theorem_4();
        assert!((1.0..=14.0).contains(&ratio), "{ratio}");
        assert!(counted.time_units as f64 >= search.corollary_5());
    }

    #[test]
    fn theorem_4_exceeds_corollary_5_by_at_most_a_factor_of_two() {
        for machine in machines() {
            for m in [32, 1024] {
                for (n, p) in [(1 << 14, 1 << 12), (1 << 22, 1 << 12), (1 << 22, 1 << 22)] {
                    let search = SearchParameters::new(&machine, m, n, p);
                    let (theorem, corollary) = (search.theorem_4(), search.corollary_5());
                    assert!(corollary <= theorem && theorem <= 2.0 * corollary);
                }
            }
        }
        // With more threads than symbols both bounds differ, because the overlaps cost more than the text.
        let search = SearchParameters::new(&machines()[2], 32, 1 << 14, 1 << 19);
        assert!(search.theorem_4() > 2.0 * search.corollary_5());
    }

    #[test]
    fn theorem_6_no_run_beats_any_of_the_four_limitations() {
        for machine in machines() {
            for (m, n, blocks) in [(32, 1 << 18, 16), (128, 1 << 18, 256), (1024, 1 << 22, 2048)] {
                let (time, search) = priced(&machine, m, n, blocks.max(machine.dmms as u64));
                assert!(time >= search.bandwidth() && time >= search.speed_up());
                assert!(time >= search.global_memory_latency() && time >= search.shared_memory_latency());
            }
        }
    }

    #[test]
    fn theorem_6_does_not_hold_for_bit_vectors() {
        // A word has 32 rows. Each word and column takes about ten instructions, less than one for each cell.
        let search = SearchParameters::new(&machines()[2], 1024, 1 << 22, 1 << 16);
        let instructions = 10.0 * (search.m / 32.0) * search.n;
        assert!(instructions / (search.d * search.w) < search.speed_up());
    }

    #[test]
    fn latency_overhead_agrees_with_the_corrected_formula() {
        for (m, n, d) in [(32u64, 1u64 << 20, 16u64), (1024, 1 << 22, 16)] {
            let search = SearchParameters::new(&machine(d as usize, 32, 24, 500), m, n, m * d);
            let SearchParameters { m, n, d, l, global_l, .. } = search;
            let overhead = |second: f64| n * global_l / (m * d) + second + global_l + m * l;
            assert!((search.latency_overhead() - overhead(n * l / d)).abs() < 1e-6 * search.latency_overhead());
            // As paper 000 prints the formula, most of the overhead is missing.
            assert!(overhead(m * l / d) < 0.6 * search.latency_overhead());
        }
    }

    #[test]
    fn shorter_patterns_are_fastest_with_more_blocks() {
        // As in Table 1 of paper 000, short patterns are fastest with more blocks than long ones.
        let machine = machine(16, 32, 24, 500);
        let best = |m: u64| {
            let time = |blocks: &u64| priced(&machine, m, 1 << 22, *blocks).0;
            [16, 32, 64, 128, 256, 512, 1024, 2048].into_iter().min_by(|a, b| time(a).total_cmp(&time(b)))
        };
        assert!(best(32) >= best(256) && best(256) >= best(1024));
    }
}
