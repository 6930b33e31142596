//! The program of Editscope. [`server::command`] describes its commands, and [`server::config`] its settings.
#![deny(unsafe_code)]

use std::ffi::c_long;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use libmimalloc_sys::{mi_option_set_default, mi_option_t};
use mimalloc::MiMalloc;
use server::command::terminal::visible_lines;
use server::command::{CommandLine, EXIT_FAILED};

/// Memory allocator of the program. A burst of 200 small jobs takes a quarter less time than with the allocator of
/// glibc.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// mimalloc's option `mi_option_purge_delay`: milliseconds after which free memory is returned to the system; -1 means
/// never.
const PURGE_DELAY_OPTION: mi_option_t = 15;

/// mimalloc's option `mi_option_arena_max_object_size`: size of the largest block inside of an arena, in KiB. Larger
/// blocks come from the system and return to it when they are freed.
const MAX_ARENA_OBJECT_OPTION: mi_option_t = 45;

/// Size of the largest block whose memory is kept after it was freed, in KiB. Most memory of a large job lies in larger
/// blocks, so that it returns to the system when the job ends.
const MAX_KEPT_KIB: c_long = 512;

fn main() -> ExitCode {
    keep_memory();
    CommandLine::parse().into_command().execute().unwrap_or_else(|cause| {
        complain(&cause);
        ExitCode::from(EXIT_FAILED)
    })
}

/// Prints the error that ends the program. The message is escaped, because names of files and records may contain any
/// characters.
fn complain(cause: &anyhow::Error) {
    // Nobody reads the message if standard error is closed.
    let _ = writeln!(io::stderr(), "editscope: {}", visible_lines(&format!("{cause:#}")));
}

/// Keeps the memory of freed blocks of up to [`MAX_KEPT_KIB`]. By default mimalloc returns it after a second, and the
/// system clears it before the next use, which is slow in virtual machines (kernels/benches/results/stress.md).
///
/// The environment variables `MIMALLOC_PURGE_DELAY` and `MIMALLOC_ARENA_MAX_OBJECT_SIZE` take precedence.
#[expect(unsafe_code, reason = "mimalloc's options have no safe function")]
fn keep_memory() {
    for (option, value) in [(PURGE_DELAY_OPTION, -1), (MAX_ARENA_OBJECT_OPTION, MAX_KEPT_KIB)] {
        // SAFETY: Options must not be changed by two threads at once. `main` has not started another thread yet.
        unsafe { mi_option_set_default(option, value) };
    }
}

#[cfg(test)]
mod tests {
    //! The only test of this program, because another one in the process would change its resident memory.

    use std::time::Duration;

    use libmimalloc_sys::mi_option_get;
    use server::ops::memory::prepare;

    use super::*;

    const MIB: usize = 1 << 20;

    /// Maximum time after which mimalloc returns free memory by default.
    const MAX_PURGE_DELAY: Duration = Duration::from_millis(1800);

    /// Returns the resident memory, in MiB.
    fn resident() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").expect("/proc/self/statm exists");
        pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("/proc/self/statm has a second number") * 4096 / MIB
    }

    /// Returns the purge delay in milliseconds, and the size of the largest kept block in KiB.
    #[expect(unsafe_code, reason = "mimalloc's options have no safe function")]
    fn memory_settings() -> (c_long, c_long) {
        // SAFETY: Options may be read at any time. Only this test changes them.
        unsafe { (mi_option_get(PURGE_DELAY_OPTION), mi_option_get(MAX_ARENA_OBJECT_OPTION)) }
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
    fn freed_memory_is_kept_except_that_of_large_blocks() {
        // Checks that the constants name the intended options.
        assert_eq!(memory_settings(), (1000, 2 << 20), "mimalloc's own: a second, 2 GiB");
        drop(touched(24 * MIB));
        work();
        let before = resident();
        assert!(before < 24, "{before} MiB");

        keep_memory();
        prepare(48 * MIB);
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
}
