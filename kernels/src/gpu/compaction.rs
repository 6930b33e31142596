//! Compaction: converts the bit set in which a kernel has marked hits to a list of their positions. Few hits are copied
//! to the host as a list, many hits as the bit set.

use cudarc::driver::CudaSlice;

use super::compile::KernelSource;
use super::session::{GpuSession, KernelArguments};
use crate::found::PositionSet;
use crate::run::Halt;

/// Number of 32-bit words of a bit set whose ones are counted together. Also the number of threads in a block of the
/// kernel that lists the positions, with one thread for each of these words.
pub(crate) const BLOCK: u64 = 1024;

/// Number of words in a [`DeviceHitList`] before its positions: the total number of hits, and a word that the task
/// defines.
pub(crate) const LIST: u64 = 2;

/// Maximum number of positions in a [`DeviceHitList`].
pub(crate) const HIT_LIST_CAPACITY: u32 = 1 << 16;
/// Number of positions that are always fetched together with the total, in one copy.
const FETCHED_POSITIONS: usize = 1 << 11;

#[derive(Clone, Copy)]
#[repr(C)]
struct CompactArguments {
    bits: u64,
    counts: u64,
    found: u64,
    words: u32,
    room: u32,
}

// SAFETY: plain numbers and addresses in C's layout; `DeviceBitSet` keeps them within its buffers.
unsafe impl KernelArguments for CompactArguments {}

/// Returns the source of the kernel that lists positions, for a caller that compiles all kernels ahead of time.
pub fn source() -> KernelSource {
    KernelSource { name: "compaction", text: include_str!("compaction.cu"), defines: vec![("BLOCK", BLOCK), ("LIST", LIST)] }
}

/// A bit set on the GPU, whose ones are hits of a search, with counts of the ones.
pub(crate) struct DeviceBitSet {
    pub(crate) bits: CudaSlice<u32>,
    /// Number of ones in each group of [`BLOCK`] words of `bits`. All counts are 0 until a kernel has counted.
    pub(crate) counts: CudaSlice<u32>,
    words: u32,
}

impl DeviceBitSet {
    /// Allocates a bit set for `bits` bits, at most 2^32 − 2^15. The bits are not initialized.
    pub(crate) fn new(session: &GpuSession, bits: u64) -> Result<Self, Halt> {
        let words = bits.div_ceil(32);
        Ok(Self {
            bits: session.allocate_uninit(words as usize)?,
            counts: session.zeros(words.div_ceil(BLOCK) as usize)?,
            words: words as u32,
        })
    }

    /// Returns the memory that a bit set for `bits` bits takes on the GPU, in bytes.
    pub(crate) fn bytes(bits: u64) -> u64 {
        bits / 8 + bits / (8 * BLOCK) + 16
    }

    /// Queues the kernel that writes the number of ones and their positions, in ascending order, to `found`. Positions
    /// for which the list of `found` has no room are left out. `counts` must be complete.
    pub(crate) fn compact(&self, session: &GpuSession, found: &DeviceHitList) -> Result<(), Halt> {
        let job = CompactArguments {
            bits: session.address(&self.bits),
            counts: session.address(&self.counts),
            found: found.address(session),
            words: self.words,
            room: found.room(),
        };
        let kernel = session.kernel(&source(), "compact")?;
        // SAFETY: the launch has a block for each count, and the list is cut off at `room`.
        unsafe { session.launch(&kernel, self.counts.len() as u32, BLOCK as u32, job)? };
        Ok(())
    }

    /// Fetches all hits after [`compact`](Self::compact) has written to `found`: as a list if `found` lists all of
    /// them, otherwise as this bit set.
    pub(crate) fn positions(&self, session: &GpuSession, found: &DeviceHitList) -> Result<PartHits, Halt> {
        let (total, own, list) = found.fetch(session)?;
        let all = total == list.len() as u64;
        Ok(PartHits { total, own, ones: if all { PartOnes::List(list) } else { PartOnes::Bits(session.download(&self.bits)?) } })
    }
}

/// The positions of hits in one part of a text, counted from its start: a list, or a bit set in words of 32 bits.
pub(crate) enum PartOnes {
    List(Vec<u32>),
    Bits(Vec<u32>),
}

/// The hits in one part of a text, as the host has fetched them from the GPU.
pub(crate) struct PartHits {
    pub(crate) total: u64,
    /// A 32-bit word from the kernel, whose meaning the task defines.
    pub(crate) own: u32,
    pub(crate) ones: PartOnes,
}

/// A GPU buffer with the hits of one part of a text, for the host. It holds the total number of hits, a word that the
/// task defines, and a list of positions. Both words are 0 at first.
pub(crate) struct DeviceHitList(CudaSlice<u32>);

impl DeviceHitList {
    /// Allocates a buffer whose list has room for `room` positions.
    pub(crate) fn new(session: &GpuSession, room: u32) -> Result<Self, Halt> {
        let mut buffer = session.allocate_uninit((LIST + u64::from(room)) as usize)?;
        // Also clears the part of the list that is always fetched, so that no uninitialized memory is copied.
        session.clear(&mut buffer, LIST as usize + FETCHED_POSITIONS)?;
        Ok(Self(buffer))
    }

    /// Returns the GPU address of the buffer.
    pub(crate) fn address(&self, session: &GpuSession) -> u64 {
        session.address(&self.0)
    }

    /// Returns the maximum number of positions in the list.
    pub(crate) fn room(&self) -> u32 {
        self.0.len() as u32 - LIST as u32
    }

    /// Fetches the total number of hits, the word that the task defines, and the listed positions. These are all
    /// positions if the list has room for them, otherwise some of them.
    pub(crate) fn fetch(&self, session: &GpuSession) -> Result<(u64, u32, Vec<u32>), Halt> {
        let (start, room) = (LIST as usize, self.room() as usize);
        let head = session.download_range(&self.0, 0..start + room.min(FETCHED_POSITIONS))?;
        let (total, own, mut list) = (head[0], head[1], head[start..].to_vec());
        let all = room.min(total as usize);
        if all > list.len() {
            list.extend(session.download_range(&self.0, start + list.len()..start + all)?);
        }
        list.truncate(all);
        Ok((total.into(), own, list))
    }
}

/// A collection of the hits in all parts of a text, which are added one after another.
#[derive(Default)]
pub(crate) struct HitCollector {
    list: Vec<u64>,
    /// Bit set with all hits so far, or `None` until a part has arrived as a bit set. Until then `list` holds the hits.
    bits: Option<Vec<u64>>,
}

impl HitCollector {
    /// Adds `ones`, the hits of the next part of the text. The part begins at position `start`, a multiple of 64.
    pub(crate) fn push(&mut self, start: u64, ones: PartOnes) {
        debug_assert!(start.is_multiple_of(64), "parts are whole words");
        match (ones, &mut self.bits) {
            (PartOnes::List(list), None) => self.list.extend(list.iter().map(|&at| start + u64::from(at))),
            (PartOnes::List(list), Some(bits)) => list.iter().for_each(|&at| set(bits, start + u64::from(at))),
            (PartOnes::Bits(words), bits) => {
                let bits = bits.get_or_insert_default();
                self.list.drain(..).for_each(|at| set(bits, at));
                bits.resize((start / 64) as usize, 0);
                bits.extend(words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32));
            }
        }
    }

    /// Returns the positions of all hits.
    pub(crate) fn positions(self) -> PositionSet {
        match self.bits {
            Some(bits) => PositionSet::from_bits(bits),
            None => PositionSet::from_list(self.list),
        }
    }
}

fn set(bits: &mut Vec<u64>, at: u64) {
    let word = (at / 64) as usize;
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    bits[word] |= 1 << (at % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_as_bits_or_lists_give_the_same_positions() {
        let parts: [(u64, &[u32]); 4] = [(0, &[0, 63, 64, 130]), (192, &[]), (256, &[0, 31, 32, 127]), (384, &[5])];
        let all: Vec<u64> = parts.iter().flat_map(|(start, list)| list.iter().map(move |&at| start + u64::from(at))).collect();
        for forms in 0..16 {
            let mut collected = HitCollector::default();
            for (number, &(start, list)) in parts.iter().enumerate() {
                let mut words = vec![0; [6, 2, 4, 1][number]];
                list.iter().for_each(|at| words[(at / 32) as usize] |= 1 << (at % 32));
                collected.push(start, if forms >> number & 1 == 1 { PartOnes::Bits(words) } else { PartOnes::List(list.to_vec()) });
            }
            assert_eq!(collected.positions(), PositionSet::from_list(all.clone()), "{forms}");
        }
    }
}
