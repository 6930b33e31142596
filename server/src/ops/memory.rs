//! Memory that the process takes from the system before it needs it ([`prepare`]).

/// Size of an allocated block, in bytes. mimalloc separates pages of small and large blocks, and most blocks of a
/// request are about this large.
const BLOCK_BYTES: usize = 4 << 10;

/// Takes `bytes` bytes of memory from the system and frees them for later requests, so that the system need not clear
/// pages then. Takes 1 to 5 ms per 2 MiB.
///
/// The program's allocator must keep freed memory, or this call has no effect.
pub fn prepare(bytes: usize) {
    let blocks: Vec<Vec<u8>> = (0..bytes.div_ceil(BLOCK_BYTES)).map(|_| std::hint::black_box(vec![1; BLOCK_BYTES])).collect();
    drop(blocks);
}
