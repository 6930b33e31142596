//! The allocator of the server's program, mimalloc, and what it does with memory that is free.
//!
//! By itself it gives memory back to the system a second after it was freed. A burst of small jobs then needs pages that the system has to clear first: in virtual
//! machines, whose host has to find memory for them too, 2 MiB took 5 ms, and two hundred jobs needed 14 MB (kernels/benches/results/stress.md). A server keeps what it had.

use std::ffi::c_long;

use libmimalloc_sys::{mi_option_get, mi_option_set_default, mi_option_t};
pub use mimalloc::MiMalloc;

/// `mi_option_purge_delay`: after how many milliseconds free memory is given back; -1 is never.
const PURGE_DELAY: mi_option_t = 15;

/// `mi_option_arena_max_object_size`: the largest block, in KiB, that is a part of memory that is kept. Larger ones are the system's, and go back at once.
const LARGEST_KEPT: mi_option_t = 45;

/// Blocks of so many KiB are kept at most. Most of what a large job has is larger: it is given back when the job ends, and takes nothing of what small jobs need.
const LARGEST_KEPT_KIB: c_long = 512;

/// Memory is asked for in blocks of so many bytes when it is prepared: mimalloc keeps the pages of such small ones apart from others, and most of what a request has is as small.
const BLOCK: usize = 4 << 10;

/// A page of the system, at least.
const PAGE: usize = 4096;

/// Keeps memory that is freed, but for blocks of more than 512 KiB, and prepares so many bytes of it, so that the system has no page of them to clear when they are needed.
/// What `MIMALLOC_PURGE_DELAY` and `MIMALLOC_ARENA_MAX_OBJECT_SIZE` say in the environment holds instead. Call it before there are other threads, in a program whose
/// allocator is [`MiMalloc`]. It takes 1 to 5 ms for each 2 MiB.
pub fn keep_memory(bytes: usize) {
    for (option, value) in [(PURGE_DELAY, -1), (LARGEST_KEPT, LARGEST_KEPT_KIB)] {
        // SAFETY: an option is a number. It may not be changed by several threads at once, and is not: see above.
        unsafe { mi_option_set_default(option, value) };
    }
    let blocks: Vec<Vec<u8>> = (0..bytes.div_ceil(BLOCK)).map(|_| touched(BLOCK)).collect();
    drop(blocks);
}

/// A block whose pages are there.
fn touched(bytes: usize) -> Vec<u8> {
    let mut block = vec![0; bytes];
    block.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    std::hint::black_box(block)
}

/// What is kept now: the milliseconds after which free memory is given back, -1 for never, and the KiB of the largest block of it.
pub fn kept() -> (c_long, c_long) {
    // SAFETY: an option is a number, and nobody changes one but above.
    unsafe { (mi_option_get(PURGE_DELAY), mi_option_get(LARGEST_KEPT)) }
}
