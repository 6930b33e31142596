//! Scores by Fourier transforms: the number of equal symbols is a sum of correlations, and a correlation is a product
//! of spectra (Fischer and Paterson 1974).
//!
//! ```text
//! c[s] = Σ over signals k of Σ over i of A_k[i] · B_k[s + i]
//! ```
//!
//! A signal gives every code a value. One signal for each code, 1 for this code and 0 for all others, suffices. If a
//! text has exactly q = 2ʳ codes, the q − 1 rows of ±1 of a Hadamard matrix other than the first do the same with one
//! transform less. Their products add up to q − 1 for equal codes and to −1 for others, so that c = (m + Σ) / q.
//!
//! The text is cut into overlapping parts of the transform's length N, each good for N − m + 1 offsets (overlap-save).
//! Two parts are transformed together, one as the real and one as the imaginary part. The pattern is real, so that its
//! spectrum keeps them apart. Each two parts take a transform for each signal, the sum of the products, and one
//! transform back.
//!
//! The result is exact, by this bound: a transform of N values with a unit roundoff u has a relative error of at most
//! η·log₂ N in the 2-norm, with η = 7u for butterflies of radix 2 (Higham, Accuracy and Stability of Numerical
//! Algorithms, theorem 24.2). Higher radices have fewer roundings. Three transforms and a product follow each other.
//! The products of K signals are added one after another, so that each has at most K − 1 more roundings. By Cauchy and
//! Schwarz the sum over all signals of ‖A_k‖·‖B_k‖ is at most √(m·2N) for 0 and 1, and q times that before the division
//! by q for ±1. So no score is off by more than (3·η·(log₂ N + 1) + (K − 1)·u)·√(m·2N), and rounding gives the exact
//! score while that is below ½: see [`error`]. 32 bits suffice for patterns of some thousand symbols, or fewer if there
//! are hundreds of signals. 64 bits suffice for every length that a transform may have.

use std::fmt::Debug;
use std::sync::Arc;

use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum};

/// Maximum length of a transform. A run can only stop between transforms, and one of this length (16 MiB) takes some
/// tens of milliseconds. Patterns longer than half of it are cut into parts, whose scores are added.
const MAX_TRANSFORM_LEN: usize = 1 << 20;

/// Maximum number of symbols in a part of the pattern.
const MAX_TRANSFORM_ROWS: usize = MAX_TRANSFORM_LEN / 2;

/// Maximum total size of the pattern's spectra up to which they are stored, in bytes. Larger spectra are computed again
/// for each block of the text.
const MAX_SPECTRA_BYTES: usize = 128 << 20;

/// Granularity of the number of offsets for which a transform gives the scores: the number is a positive multiple of
/// this constant.
const MIN_TRANSFORM_OFFSETS: usize = 256;

/// The codes of the symbols of a pattern: small numbers of its distinct symbols, except of those that lists count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodedRows<'c> {
    /// For each symbol of the pattern, its code, or `None` if the symbol is counted by a list of occurrences.
    pub(super) rows: &'c [Option<u8>],
    /// Number of codes of the pattern. All its codes are below this number.
    pub(super) codes: usize,
    /// Whether a text may have codes that the pattern does not have.
    pub(super) has_others: bool,
}

impl CodedRows<'_> {
    /// Returns whether the rows of a Hadamard matrix can serve as signals (functions from codes to numbers), which
    /// saves one signal.
    fn is_balanced(&self) -> bool {
        !self.has_others && matches!(self.codes, 2 | 4 | 8) && self.rows.iter().all(Option::is_some)
    }

    /// Returns the number of signals (functions from codes to numbers). Each signal takes one transform of the pattern
    /// and one of the text.
    pub(super) fn signals(&self) -> usize {
        if self.is_balanced() { self.codes - 1 } else { self.codes }
    }
}

/// The lengths of the transforms for a pattern, and the precision of their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TransformShape {
    /// Number of values in a transform, a power of two.
    len: usize,
    /// Number of offsets for which one transform gives the scores.
    hop: usize,
    /// Number of symbols in a part of the pattern.
    part: usize,
    /// Whether numbers of 32 bits are precise enough. Otherwise they have 64.
    single: bool,
}

impl TransformShape {
    /// Chooses the cheapest shape for a pattern of `m` symbols, at most `signals` signals, and `offsets` offsets if
    /// known. Returns the shape, and the time per offset of one transform, summed over the parts of the pattern. The
    /// time is in nanoseconds of the machine on which the constants were measured.
    pub(super) fn cheapest(m: usize, signals: usize, offsets: Option<u64>) -> (Self, f64) {
        let part = m.clamp(1, MAX_TRANSFORM_ROWS);
        let offsets = offsets.map_or(usize::MAX, |offsets| usize::try_from(offsets).unwrap_or(usize::MAX));
        let shapes = (part.next_power_of_two().ilog2()..=MAX_TRANSFORM_LEN.ilog2()).map(|log| 1usize << log).filter_map(|len| {
            let hop = (len + 1).checked_sub(part)? / MIN_TRANSFORM_OFFSETS * MIN_TRANSFORM_OFFSETS;
            (hop > 0).then(|| Self { len, hop, part, single: error(f32::EPSILON.into(), part, len, signals) < 0.5 })
        });
        let cost = |shape: &Self| {
            let per_level = if shape.single { LEVEL_NS } else { 2.0 * LEVEL_NS };
            let far = if shape.len > 1 << 16 { 1.5 } else { 1.0 };
            let parts = m.div_ceil(part).max(1) as f64;
            parts * per_level * far * (shape.len as f64) * f64::from(shape.len.ilog2()) / (2 * shape.hop).min(offsets.max(1)) as f64
        };
        let first = Self { len: MAX_TRANSFORM_LEN, hop: MAX_TRANSFORM_LEN - part, part, single: false };
        let best = shapes.min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or(first);
        (best, cost(&best))
    }

    /// Returns whether the spectra of `signals` signals of a pattern of `m` symbols are stored, because they fit
    /// [`MAX_SPECTRA_BYTES`].
    pub(super) fn keeps(&self, m: usize, signals: usize) -> bool {
        let number = if self.single { size_of::<Complex<f32>>() } else { size_of::<Complex<f64>>() };
        m.div_ceil(self.part) * signals * self.len * number <= MAX_SPECTRA_BYTES
    }
}

/// Time of one level of a transform of 32-bit numbers, for one of its values, in nanoseconds, with AVX. A transform of
/// N values has log₂ N levels. Measured by the example `crossover`, relative to the time to compare a symbol.
const LEVEL_NS: f64 = 0.13;

/// Returns an upper bound on the rounding error of any score of a part of `m` pattern symbols, with `signals` signals
/// and transforms of length `len`. `epsilon` is the distance between 1 and the next number of the type.
fn error(epsilon: f64, m: usize, len: usize, signals: usize) -> f64 {
    let roundoff = epsilon / 2.0;
    let transforms = 3.0 * 7.0 * (f64::from(len.ilog2()) + 1.0);
    let additions = signals.saturating_sub(1) as f64;
    (transforms + additions) * roundoff * (m as f64 * 2.0 * len as f64).sqrt()
}

/// A pattern's spectra, prepared for blocks of text.
#[derive(Clone, Debug)]
pub(super) struct TransformKernel {
    shape: TransformShape,
    numbers: PrecisionTransforms,
}

#[derive(Clone, Debug)]
enum PrecisionTransforms {
    Single(PatternTransforms<f32>),
    Double(PatternTransforms<f64>),
}

/// Buffers of one thread that counts equal symbols by Fourier transforms.
#[derive(Default)]
pub(super) struct TransformScratch {
    single: TransformBuffers<f32>,
    double: TransformBuffers<f64>,
}

impl TransformKernel {
    /// Prepares the pattern `coded` by computing the spectra of its signals, with the transforms of `shape`. Takes
    /// O(signals · N log N) time.
    pub(super) fn new(coded: CodedRows, shape: TransformShape) -> Self {
        let numbers = if shape.single {
            PrecisionTransforms::Single(PatternTransforms::new(coded, shape))
        } else {
            PrecisionTransforms::Double(PatternTransforms::new(coded, shape))
        };
        Self { shape, numbers }
    }

    /// Returns the number of offsets whose scores are computed at a time: those of two transforms.
    pub(super) fn block(&self) -> usize {
        2 * self.shape.hop
    }

    /// Returns the memory that the spectra and one thread's buffers take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match &self.numbers {
            PrecisionTransforms::Single(transforms) => transforms.bytes(self.shape),
            PrecisionTransforms::Double(transforms) => transforms.bytes(self.shape),
        }
    }

    /// Sets `scores` to the numbers of equal symbols at the offsets `0..scores.len()`, at most [`block`](Self::block),
    /// of a text with the codes `codes`. `scratch` is a buffer.
    pub(super) fn count(&self, codes: &[u8], scores: &mut [u32], scratch: &mut TransformScratch) {
        scores.fill(0);
        match &self.numbers {
            PrecisionTransforms::Single(transforms) => transforms.count(self.shape, codes, scores, &mut scratch.single),
            PrecisionTransforms::Double(transforms) => transforms.count(self.shape, codes, scores, &mut scratch.double),
        }
    }
}

/// A floating-point number of 32 or 64 bits.
trait TransformNumber: FftNum + Default {
    fn of(value: f64) -> Self;
    fn nearest(self) -> u32;
}

impl TransformNumber for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }
    fn nearest(self) -> u32 {
        (self + 0.5) as u32
    }
}

impl TransformNumber for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn nearest(self) -> u32 {
        (self + 0.5) as u32
    }
}

#[derive(Default)]
struct TransformBuffers<F> {
    values: Vec<Complex<F>>,
    sum: Vec<Complex<F>>,
    row: Vec<Complex<F>>,
    scratch: Vec<Complex<F>>,
}

#[derive(Clone)]
struct PatternTransforms<F> {
    forward: Arc<dyn Fft<F>>,
    back: Arc<dyn Fft<F>>,
    /// For each symbol of the pattern, its code, or `None` if the symbol is counted by a list of occurrences.
    rows: Vec<Option<u8>>,
    /// For each signal (a function from codes to numbers), its value for each code.
    signals: Vec<[F; 256]>,
    /// Amount that is added to a score for each symbol of the pattern.
    constant: F,
    /// Factor by which the signal values of the pattern are multiplied.
    scale: F,
    /// Conjugate spectra of the pattern, ordered by part and then by signal. Empty if the spectra are not stored,
    /// because they would be too large.
    spectra: Vec<Vec<Complex<F>>>,
}

impl<F> Debug for PatternTransforms<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} signals of {} rows", self.signals.len(), self.rows.len())
    }
}

impl<F: TransformNumber> PatternTransforms<F> {
    fn new(coded: CodedRows, shape: TransformShape) -> Self {
        let count = coded.signals();
        let value = |signal: usize, code: usize| match coded.is_balanced() {
            true if ((signal + 1) & code).count_ones().is_multiple_of(2) => 1.0,
            true => -1.0,
            false => f64::from(u8::from(signal == code)),
        };
        let signals = (0..count).map(|signal| std::array::from_fn(|code| F::of(value(signal, code)))).collect();
        let weight = if coded.is_balanced() { 1.0 / coded.codes as f64 } else { 1.0 };
        let (forward, back) = plan(shape.len);
        let mut transforms = Self {
            forward,
            back,
            rows: coded.rows.to_vec(),
            signals,
            constant: F::of(if coded.is_balanced() { weight } else { 0.0 }),
            scale: F::of(weight / shape.len as f64),
            spectra: Vec::new(),
        };
        let parts = coded.rows.len().div_ceil(shape.part);
        if shape.keeps(coded.rows.len(), count) {
            let mut buffers = TransformBuffers::default();
            for (part, signal) in (0..parts).flat_map(|part| (0..count).map(move |signal| (part, signal))) {
                transforms.row(shape, part, signal, &mut buffers);
                transforms.spectra.push(std::mem::take(&mut buffers.row));
            }
        }
        transforms
    }

    fn bytes(&self, shape: TransformShape) -> usize {
        (self.spectra.len() + 4) * shape.len * size_of::<Complex<F>>() + self.rows.len() * 2
    }

    /// Computes the conjugate spectrum of the pattern's part `part` in the signal `signal`, into `buffers.row`.
    fn row(&self, shape: TransformShape, part: usize, signal: usize, buffers: &mut TransformBuffers<F>) {
        let values = &self.signals[signal];
        let rows = self.rows[part * shape.part..].iter().take(shape.part);
        buffers.row.clear();
        buffers
            .row
            .extend(rows.map(|code| code.map_or_else(Complex::default, |code| Complex::from(values[usize::from(code)] * self.scale))));
        buffers.row.resize(shape.len, Complex::default());
        buffers.scratch.resize(self.forward.get_inplace_scratch_len(), Complex::default());
        self.forward.process_with_scratch(&mut buffers.row, &mut buffers.scratch);
        buffers.row.iter_mut().for_each(|value| *value = value.conj());
    }

    fn count(&self, shape: TransformShape, codes: &[u8], scores: &mut [u32], buffers: &mut TransformBuffers<F>) {
        let half = shape.hop.min(scores.len());
        for part in 0..self.rows.len().div_ceil(shape.part) {
            let text = &codes[part * shape.part..];
            let (one, two) = (&text[..text.len().min(shape.len)], text.get(half..).unwrap_or_default());
            buffers.sum.clear();
            buffers.sum.resize(shape.len, Complex::default());
            for (signal, values) in self.signals.iter().enumerate() {
                let number = part * self.signals.len() + signal;
                if self.spectra.is_empty() {
                    self.row(shape, part, signal, buffers);
                }
                let value = |code: &u8| values[usize::from(*code)];
                buffers.values.clear();
                buffers.values.extend(one.iter().map(|code| Complex::new(value(code), F::zero())));
                buffers.values.resize(shape.len, Complex::default());
                buffers.values.iter_mut().zip(two).for_each(|(whole, code)| whole.im = value(code));
                buffers.scratch.resize(self.forward.get_inplace_scratch_len(), Complex::default());
                self.forward.process_with_scratch(&mut buffers.values, &mut buffers.scratch);
                let row = self.spectra.get(number).unwrap_or(&buffers.row);
                for ((sum, value), row) in buffers.sum.iter_mut().zip(&buffers.values).zip(row) {
                    *sum = *sum + *value * *row;
                }
            }
            buffers.scratch.resize(self.back.get_inplace_scratch_len(), Complex::default());
            self.back.process_with_scratch(&mut buffers.sum, &mut buffers.scratch);
            let rows = (self.rows.len() - part * shape.part).min(shape.part);
            let constant = self.constant * F::of(rows as f64);
            let (first, second) = scores.split_at_mut(half);
            for (score, sum) in first.iter_mut().zip(&buffers.sum) {
                *score += (sum.re + constant).nearest();
            }
            for (score, sum) in second.iter_mut().zip(&buffers.sum) {
                *score += (sum.im + constant).nearest();
            }
        }
    }
}

/// Plans transforms of length `len`. Returns the forward and the inverse transform. Lengths are powers of two, so that
/// radix 4 suffices without AVX. The general planner would compile all its algorithms for both widths of numbers.
fn plan<F: FftNum>(len: usize) -> (Arc<dyn Fft<F>>, Arc<dyn Fft<F>>) {
    use rustfft::FftDirection::{Forward, Inverse};
    #[cfg(target_arch = "x86_64")]
    if let Ok(mut planner) = rustfft::FftPlannerAvx::new() {
        return (planner.plan_fft_forward(len), planner.plan_fft_inverse(len));
    }
    (Arc::new(Radix4::new(len, Forward)), Arc::new(Radix4::new(len, Inverse)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates the bound of the module documentation term by term.
    #[test]
    fn single_precision_is_used_only_within_the_proven_error_bound() {
        let unit = f64::from(f32::EPSILON) / 2.0;
        let mut singles = 0;
        for m in [1, 100, 1000, 4096, 8000, 9500, 30_000, 1_000_000] {
            for signals in [1, 3, 4, 20, 62, 255] {
                let (shape, _) = TransformShape::cheapest(m, signals, None);
                if shape.single {
                    let transforms = 21.0 * unit * f64::from(shape.len.ilog2() + 1);
                    let sums = (signals - 1) as f64 * unit;
                    assert!((transforms + sums) * (shape.part as f64 * 2.0 * shape.len as f64).sqrt() < 0.5, "{m}, {signals}: {shape:?}");
                    singles += 1;
                }
                assert!(error(f64::EPSILON, shape.part, shape.len, signals) < 0.5, "double precision is always exact enough");
            }
        }
        assert!(singles > 10, "too few shapes use single precision");
        // With 255 signals, adding the products adds 0.35 to the error of 0.49.
        assert!(error(f32::EPSILON.into(), 4096, 1 << 16, 4) < 0.5);
        assert!(error(f32::EPSILON.into(), 4096, 1 << 16, 255) > 0.8);
    }
}
