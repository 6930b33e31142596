//! Measures the resident memory of the process. This is a process of its own, because other tests would add memory.

#![cfg(target_os = "linux")]

use std::time::Duration;

use allocator::{MiMalloc, keep_memory, memory_settings};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const MIB: usize = 1 << 20;

/// Upper bound on the time after which mimalloc returns free memory by default.
const MAX_PURGE_DELAY: Duration = Duration::from_millis(1800);

/// Returns the resident memory, in MiB.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux says how many pages a process has");
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("the second number") * 4096 / MIB
}

fn touched(bytes: usize) -> Vec<u8> {
    let mut block = vec![0; bytes];
    block.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(block)
}

/// Allocates and frees blocks for a while, because mimalloc returns memory only during these calls.
fn work() {
    for _ in 0..3 {
        std::thread::sleep(MAX_PURGE_DELAY / 3);
        drop((0..500).map(|size| std::hint::black_box(vec![0u8; 16 + 4 * size])).collect::<Vec<_>>());
    }
}

#[test]
fn memory_is_kept_and_prepared_and_that_of_large_blocks_is_given_back() {
    // Checks that the constants name the intended options.
    assert_eq!(memory_settings(), (1000, 2 << 20), "mimalloc's own: a second, 2 GiB");
    drop(touched(24 * MIB));
    work();
    let before = resident();
    assert!(before < 24, "{before} MiB");

    keep_memory(48 * MIB);
    assert_eq!(memory_settings(), (-1, 512));
    work();
    let prepared = resident();
    assert!((before + 40..before + 60).contains(&prepared), "{before}, then {prepared} MiB");
    // The prepared memory is used.
    let blocks: Vec<_> = (0..768).map(|_| touched(MIB / 32)).collect();
    assert!(resident() < prepared + 8, "{prepared}, then {} MiB", resident());
    drop(blocks);
    work();
    assert!(resident() >= prepared - 4);

    let large = touched(40 * MIB);
    assert!(resident() >= prepared + 36);
    drop(large);
    assert!(resident() < prepared + 8, "{prepared}, then {} MiB", resident());
}
