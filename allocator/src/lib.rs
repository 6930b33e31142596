//! The settings of mimalloc, the allocator of the server.
//!
//! By default mimalloc returns memory to the system a second after it was freed. A burst of small jobs then needs pages
//! that the system has to clear first, which is slow in virtual machines (kernels/benches/results/stress.md). These settings keep freed
//! memory instead.

use std::ffi::c_long;

use libmimalloc_sys::{mi_option_get, mi_option_set_default, mi_option_t};
pub use mimalloc::MiMalloc;

/// `mi_option_purge_delay`: milliseconds after which free memory is returned to the system; -1 means never.
const PURGE_DELAY_OPTION: mi_option_t = 15;

/// `mi_option_arena_max_object_size`: largest block inside of mimalloc's arenas, in KiB. Larger blocks come from the
/// system and return to it at once.
const MAX_ARENA_OBJECT_OPTION: mi_option_t = 45;

/// Largest block that is kept after it was freed, in KiB. Most memory of a large job lies in larger blocks, so that it
/// is returned when the job ends and takes nothing from small jobs.
const MAX_KEPT_KIB: c_long = 512;

/// Size of the blocks that [`keep_memory`] allocates, in bytes. mimalloc separates pages of small and large blocks, and
/// most blocks of a request are as small as these.
const BLOCK_BYTES: usize = 4 << 10;

/// Lower bound on the size of a system page, in bytes.
const MIN_PAGE_BYTES: usize = 4096;

/// Keeps freed memory, except blocks of more than 512 KiB, and prepares `bytes` bytes, so that the system need not
/// clear pages later.
///
/// The environment variables `MIMALLOC_PURGE_DELAY` and `MIMALLOC_ARENA_MAX_OBJECT_SIZE` take precedence. Call this
/// before any thread starts, in a program whose allocator is [`MiMalloc`]. It takes 1 to 5 ms per 2 MiB.
pub fn keep_memory(bytes: usize) {
    for (option, value) in [(PURGE_DELAY_OPTION, -1), (MAX_ARENA_OBJECT_OPTION, MAX_KEPT_KIB)] {
        // SAFETY: An option is a number. Options must not be changed by several threads at once; the doc above requires
        // that none has started.
        unsafe { mi_option_set_default(option, value) };
    }
    let blocks: Vec<Vec<u8>> = (0..bytes.div_ceil(BLOCK_BYTES)).map(|_| touched(BLOCK_BYTES)).collect();
    drop(blocks);
}

/// Allocates `bytes` bytes and writes to each page, so that the pages are in memory.
fn touched(bytes: usize) -> Vec<u8> {
    let mut block = vec![0; bytes];
    block.iter_mut().step_by(MIN_PAGE_BYTES).for_each(|byte| *byte = 1);
    std::hint::black_box(block)
}

/// Returns the current settings: the purge delay in milliseconds (-1 means never), and the largest kept block in KiB.
pub fn memory_settings() -> (c_long, c_long) {
    // SAFETY: An option is a number, and only `keep_memory` changes options.
    unsafe { (mi_option_get(PURGE_DELAY_OPTION), mi_option_get(MAX_ARENA_OBJECT_OPTION)) }
}
