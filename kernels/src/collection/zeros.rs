//! Memory for the scores of many pairs ([`zeros`]).

/// Returns `len` zeros. Requests huge pages from Linux, because the first writes to new memory take longer than the scores on
/// a GPU otherwise (kernels/benches/results/collections.md).
pub(super) fn zeros(len: usize) -> Vec<i32> {
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "only Linux gets advice about the memory"))]
    let mut zeros = vec![0; len];
    #[cfg(target_os = "linux")]
    advise_huge_pages(&mut zeros);
    zeros
}

/// Requests huge pages for all of `scores` that has whole pages. Ignores refusals, because the memory works without.
#[cfg(target_os = "linux")]
fn advise_huge_pages(scores: &mut [i32]) {
    use rustix::mm::{Advice, madvise};
    /// Size of a huge page in bytes. Smaller memory has none.
    const HUGE_PAGE: usize = 1 << 21;
    // SAFETY: Every value is a valid byte.
    let (_, pages, _) = unsafe { scores.align_to_mut::<Page>() };
    let bytes = size_of_val(pages);
    if bytes >= HUGE_PAGE {
        // SAFETY: The range consists of whole pages of this slice, and the advice keeps their contents.
        let _ = unsafe { madvise(pages.as_mut_ptr().cast(), bytes, Advice::LinuxHugepage) };
    }
}

/// A page of memory.
#[cfg(target_os = "linux")]
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "only the size and the alignment count")] [i32; 1024]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_zero() {
        for len in [0, 1, 1023, 1 << 19, (1 << 21) + 5] {
            let zeros = zeros(len);
            assert!(zeros.len() == len && zeros.iter().all(|score| *score == 0));
        }
    }
}
