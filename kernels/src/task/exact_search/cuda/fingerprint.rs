//! Long patterns on the GPU: candidates are compared one by one, or found by fingerprints (hashes of all substrings of
//! the pattern's length), whose result is then proven.

use std::hash::{BuildHasher, RandomState};

use crate::failure::JobFailure;
use crate::gpu::compaction::{BLOCK, DeviceBitSet, DeviceHitList, HIT_LIST_CAPACITY, PartOnes};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments};
use crate::run::Halt;

/// Modulus of the fingerprints, a prime number.
const PRIME: u64 = (1 << 61) - 1;

/// Number of symbols of the text that a thread adds up. The CUDA code has the same number.
const SYMBOLS_PER_THREAD: u64 = 32;
/// Number of threads that share a tile of the text. The CUDA code has the same number.
const TILE: u64 = 256;

/// Number of random bases of the fingerprint that are tried before the GPU is regarded as broken. A base fails in fewer
/// than one of 10^5 searches.
const MAX_BASES: u64 = 4;

/// Number of threads in a CUDA block.
const THREADS: u32 = 256;

#[derive(Clone, Copy)]
#[repr(C)]
struct VerifyArguments {
    text: u64,
    pattern: u64,
    list: u64,
    agrees: u64,
    m: u64,
}

// SAFETY: plain numbers and addresses in C's layout; the launches state the bounds of every access.
unsafe impl KernelArguments for VerifyArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct SumsArguments {
    text: u64,
    powers: u64,
    inner: u64,
    tops: u64,
    symbols: u64,
    base: u64,
    tiles: u32,
}

// SAFETY: as for `VerifyArguments`.
unsafe impl KernelArguments for SumsArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct WindowsArguments {
    text: u64,
    powers: u64,
    inner: u64,
    tops: u64,
    bits: u64,
    counts: u64,
    m: u64,
    base: u64,
    power: u64,
    wanted: u64,
    offsets: u32,
}

// SAFETY: as for `VerifyArguments`.
unsafe impl KernelArguments for WindowsArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct ChainArguments {
    text: u64,
    pattern: u64,
    periods: u64,
    bits: u64,
    found: u64,
    m: u64,
    words: u32,
}

// SAFETY: as for `VerifyArguments`.
unsafe impl KernelArguments for ChainArguments {}

pub(super) fn source(unit: u32) -> KernelSource {
    KernelSource { name: "exact-search-long", text: include_str!("long.cu"), defines: vec![("UNIT", unit.into()), ("BLOCK", BLOCK)] }
}

/// Returns the GPU memory in bytes that the fingerprints of a text of `symbols` symbols take.
pub(super) fn bytes(symbols: u64) -> u64 {
    8 * tiles(symbols) * (TILE + 1)
}

fn tiles(symbols: u64) -> u64 {
    symbols / (SYMBOLS_PER_THREAD * TILE) + 1
}

/// A long pattern and one part of the text in GPU memory, in which all occurrences of the pattern are searched.
pub(super) struct LongPatternPart<'s, T> {
    pub(super) session: &'s GpuSession<'s>,
    pub(super) a: &'s [T],
    pub(super) text: u64,
    pub(super) offsets: u64,
}

impl<T: DeviceSymbol> LongPatternPart<'_, T> {
    /// Returns the positions in `list` at which the whole pattern occurs.
    pub(super) fn compare(&self, list: &[u32]) -> Result<Vec<u32>, Halt> {
        let session = self.session;
        let (pattern, candidates) = (session.text_address(self.a)?, session.values(list)?);
        let agrees = session.allocate_uninit::<u8>(list.len())?;
        let (list_at, agrees_at) = (session.address(&candidates), session.address(&agrees));
        let job = VerifyArguments { text: self.text, pattern, list: list_at, agrees: agrees_at, m: self.a.len() as u64 };
        let kernel = self.session.kernel(&source(T::BYTES as u32), "verify")?;
        // SAFETY: a block for each candidate, from which the text has at least the pattern's length.
        unsafe { session.launch(&kernel, list.len() as u32, THREADS, job)? };
        let agrees = session.download(&agrees)?;
        Ok(list.iter().zip(agrees).filter(|(_, agrees)| *agrees != 0).map(|(&at, _)| at).collect())
    }

    /// Finds all occurrences by fingerprints, and proves that they are right. Returns their number and positions.
    pub(super) fn search(&self) -> Result<(u64, PartOnes), Halt> {
        let pattern = self.session.text_address(self.a)?;
        let periods = self.session.values(&periods(self.a))?;
        let draw = RandomState::new();
        for number in 0..MAX_BASES {
            let print = PatternFingerprint::new(self.a, 2 + draw.hash_one(number) % (PRIME - 3));
            let marks = self.windows(&print)?;
            let found = DeviceHitList::new(self.session, HIT_LIST_CAPACITY)?;
            let words = self.offsets.div_ceil(32) as u32;
            let [periods, bits] = [&periods, &marks.bits].map(|buffer| self.session.address(buffer));
            let job = ChainArguments { text: self.text, pattern, periods, bits, found: found.address(self.session), m: print.m, words };
            let kernel = self.session.kernel(&source(T::BYTES as u32), "chain")?;
            // SAFETY: a thread for each word of bits; every bit is below `offsets`, so that m symbols follow.
            unsafe { self.session.launch(&kernel, words.div_ceil(THREADS), THREADS, job)? };
            marks.compact(self.session, &found)?;
            let part = marks.positions(self.session, &found)?;
            if part.own == 0 {
                return Ok((part.total, part.ones));
            }
        }
        Err(JobFailure::engine("The GPU engine failed its own check: fingerprints were wrong too often.").into())
    }

    /// Returns a bit set of the positions at which the text has the fingerprint `print` of the pattern.
    fn windows(&self, print: &PatternFingerprint) -> Result<DeviceBitSet, Halt> {
        let session = self.session;
        let symbols = self.offsets + print.m - 1;
        let tiles = tiles(symbols);
        let (inner, tops) = (session.allocate_uninit::<u64>((tiles * TILE) as usize)?, session.allocate_uninit::<u64>(tiles as usize)?);
        let powers = session.values(&print.powers)?;
        let [powers, inner_at, tops_at] = [&powers, &inner, &tops].map(|buffer| session.address(buffer));
        let sums =
            SumsArguments { text: self.text, powers, inner: inner_at, tops: tops_at, symbols, base: print.base, tiles: tiles as u32 };
        let kernel = |name| self.session.kernel(&source(T::BYTES as u32), name);
        let marks = DeviceBitSet::new(session, self.offsets)?;
        let job = WindowsArguments {
            text: self.text,
            powers,
            inner: inner_at,
            tops: tops_at,
            bits: session.address(&marks.bits),
            counts: session.address(&marks.counts),
            m: print.m,
            base: print.base,
            power: print.power,
            wanted: print.wanted,
            offsets: self.offsets as u32,
        };
        // SAFETY: a thread for each of the `tiles · TILE` runs, which reach behind the last symbol; the text is read in
        // whole runs that begin before its end, and zeros are behind it; a thread of `windows` for each 32 offsets.
        unsafe {
            session.launch(&kernel("tiles")?, tiles as u32, TILE as u32, sums)?;
            session.launch(&kernel("tops")?, 1, 1024, sums)?;
            session.launch(&kernel("windows")?, (self.offsets.div_ceil(SYMBOLS_PER_THREAD) as u32).div_ceil(THREADS), THREADS, job)?;
        }
        Ok(marks)
    }
}

/// The fingerprint of a pattern, and the powers of the base from which fingerprints of the text are computed.
struct PatternFingerprint {
    m: u64,
    base: u64,
    /// The base to the power of the pattern length: base^m.
    power: u64,
    wanted: u64,
    /// The powers base^(32·i) for i < `TILE`, followed by base^(32·TILE·2^i) for i < 10.
    powers: Vec<u64>,
}

impl PatternFingerprint {
    fn new<T: Copy + Into<u32>>(a: &[T], base: u64) -> Self {
        let wanted = a.iter().fold(0, |sum, &symbol| plus(times(sum, base), 1 + u64::from(symbol.into())));
        let run = power(base, SYMBOLS_PER_THREAD);
        let mut powers: Vec<u64> = std::iter::successors(Some(1), |&last| Some(times(last, run))).take(TILE as usize).collect();
        powers.extend((0..10).map(|i| power(base, (SYMBOLS_PER_THREAD * TILE) << i)));
        Self { m: a.len() as u64, base, power: power(base, a.len() as u64), wanted, powers }
    }
}

fn plus(a: u64, b: u64) -> u64 {
    if a + b >= PRIME { a + b - PRIME } else { a + b }
}

fn times(a: u64, b: u64) -> u64 {
    // 2^61 is congruent to 1, so that the upper bits are added to the lower ones.
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn power(base: u64, exponent: u64) -> u64 {
    let bits = (0..u64::BITS - exponent.leading_zeros()).rev();
    bits.fold(1, |product, bit| times(times(product, product), if exponent >> bit & 1 == 1 { base } else { 1 }))
}

/// Returns a bit set of the periods of `a`: the lengths below |a| by which `a` can be shifted so that it agrees with
/// itself. Takes O(|a|) time and memory.
fn periods<T: Eq>(a: &[T]) -> Vec<u32> {
    // For each i, the length of the longest proper prefix of a[..i] that is its suffix too (Knuth, Morris and Pratt).
    let mut border = vec![0u32; a.len() + 1];
    let mut k = 0;
    for i in 1..a.len() {
        while k > 0 && a[i] != a[k] {
            k = border[k] as usize;
        }
        k += usize::from(a[i] == a[k]);
        border[i + 1] = k as u32;
    }
    let mut bits = vec![0; a.len() / 32 + 1];
    let mut k = border[a.len()] as usize;
    while k > 0 {
        let period = a.len() - k;
        bits[period / 32] |= 1 << (period % 32);
        k = border[k] as usize;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    #[test]
    fn periods_are_shifts_with_equal_symbols() {
        for (len, letters) in [(1, "a"), (2, "ab"), (40, "a"), (65, "ab"), (300, "ab")] {
            for repeated in 1..6 {
                let a: Vec<u8> = random(letters.as_bytes(), len, repeated).into_iter().cycle().take(len * repeated as usize).collect();
                let periods = periods(&a);
                for d in 1..a.len() {
                    assert_eq!(periods[d / 32] >> (d % 32) & 1 == 1, a[d..] == a[..a.len() - d], "{d} of {a:?}");
                }
            }
        }
    }

    #[test]
    fn powers_of_the_base_are_products() {
        let (base, mut product) = (0x0123_4567_89ab_cdef, 1);
        for exponent in 0..70 {
            assert_eq!(power(base, exponent), product);
            product = (u128::from(product) * u128::from(base) % u128::from(PRIME)) as u64;
        }
        let print = PatternFingerprint::new(b"abc", base);
        assert_eq!(print.powers[3], power(base, 96));
        assert_eq!(print.powers[TILE as usize + 2], power(base, 4 * 32 * 256));
        let [a, b, c] = [98u64, 99, 100];
        assert_eq!(print.wanted, (times(times(a, base), base) + times(b, base) + c) % PRIME);
    }
}
