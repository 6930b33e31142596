//! The symbols of all members on the GPU.

use std::fmt::{self, Debug, Formatter};

use cudarc::driver::CudaSlice;

use crate::collection::Corpus;
use crate::gpu::Gpu;
use crate::gpu::session::GpuSession;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::with_corpus_symbols;

/// Number of symbols to a multiple of which each member is padded, because kernels read vectors.
const PLACE_SYMBOLS: usize = 8;

/// Number of symbols after the last member, because kernels read ahead.
const TAIL_SYMBOLS: usize = 64;

/// A corpus whose symbols stay on a GPU, for the scores of several tiles.
pub(crate) struct DeviceCorpus<'c> {
    pub(super) gpu: &'c Gpu,
    pub(super) corpus: &'c Corpus,
    /// The symbols of all members in 16 bits.
    pub(super) symbols: CudaSlice<u16>,
    /// Position of the first symbol of each member, in units of [`PLACE_SYMBOLS`].
    pub(super) places: CudaSlice<u32>,
    /// Number of symbols of each member.
    pub(super) lens: CudaSlice<u32>,
}

impl<'c> DeviceCorpus<'c> {
    /// Copies the symbols of `corpus` to `gpu`, with 2 bytes for each.
    ///
    /// Symbols of 16 bits or more are cut, because such corpora have too many distinct symbols for every kernel.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
    pub(crate) fn new(gpu: &'c Gpu, corpus: &'c Corpus, run: &Run) -> Result<Self, Halt> {
        let session = GpuSession::new(gpu, run)?;
        let (mut places, mut lens, mut symbols) = (Vec::with_capacity(corpus.len()), Vec::with_capacity(corpus.len()), Vec::new());
        with_corpus_symbols!(corpus, |all| {
            for member in 0..corpus.len() {
                places.push((symbols.len() / PLACE_SYMBOLS) as u32);
                lens.push(corpus.member_len(member) as u32);
                symbols.extend(all[corpus.range(member)].iter().map(|symbol| symbol.number() as u16));
                symbols.resize(symbols.len().next_multiple_of(PLACE_SYMBOLS), 0);
            }
        });
        symbols.resize(symbols.len() + TAIL_SYMBOLS, 0);
        // Empty buffers cannot be allocated.
        places.push(0);
        lens.push(0);
        let device =
            Self { gpu, corpus, symbols: session.values(&symbols)?, places: session.values(&places)?, lens: session.values(&lens)? };
        // Sessions on other streams read the symbols.
        session.synchronize()?;
        Ok(device)
    }
}

impl Debug for DeviceCorpus<'_> {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        to.debug_struct("DeviceCorpus").field("members", &self.corpus.len()).finish_non_exhaustive()
    }
}
