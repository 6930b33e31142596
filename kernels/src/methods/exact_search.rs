//! Exact search as in paper 004: all positions of `P` in `S` in ascending order. Occurrences may overlap.
//!
//! - [`naive`]: "Brute Force", section V.A
//! - [`kmp`]: Knuth, Morris and Pratt, section VI
//! - [`kmp_blocks`]: Knuth, Morris and Pratt with a thread for each piece of the text, section VII
//!
//! The paper assumes texts of fewer than 40,000,000 symbols and patterns of fewer than 4,000, much shorter than the
//! text. This implementation has none of these limits. An empty pattern, which the paper does not treat, occurs at
//! every position, as in [`task`](crate::task).

pub mod kmp;
pub mod kmp_blocks;
pub mod naive;

#[cfg(test)]
mod tests {
    use super::kmp::kmp;
    use super::kmp_blocks::kmp_blocks;
    use super::naive::naive;
    use crate::methods::counted;

    fn check(p: &[u8], s: &[u8]) {
        let is_at = |at: usize| s[at..].starts_with(p);
        let expected: Vec<usize> = (0..(s.len() + 1).saturating_sub(p.len())).filter(|at| is_at(*at)).collect();
        assert_eq!(counted(|tick| naive(p, s, tick)).0, expected, "{p:?} {s:?}");
        assert_eq!(counted(|tick| kmp(p, s, tick)).0, expected, "{p:?} {s:?}");
        assert_eq!(counted(|tick| kmp_blocks(p, s, tick)).0, expected, "{p:?} {s:?}");
    }

    #[test]
    fn example_of_section_4_is_right() {
        assert_eq!(counted(|tick| kmp_blocks(b"aba", b"ababa", tick)).0, [0, 2]);
        check(b"aba", b"ababa");
    }

    #[test]
    fn all_methods_agree_on_random_texts() {
        let mut rng = fastrand::Rng::with_seed(18);
        for _ in 0..1000 {
            let letters = rng.u8(1..4);
            let text = |rng: &mut fastrand::Rng, len| -> Vec<u8> { (0..len).map(|_| rng.u8(..letters)).collect() };
            let (m, n) = (rng.usize(0..9), rng.usize(0..100));
            let s = text(&mut rng, n);
            // Half of the patterns are copied from the text.
            let from = rng.usize(0..=n.saturating_sub(m));
            let p = if rng.bool() { text(&mut rng, m) } else { s[from..(from + m).min(n)].to_vec() };
            check(&p, &s);
        }
    }

    #[test]
    fn all_methods_agree_if_the_text_ends_inside_a_piece() {
        for m in 1..6 {
            for n in 0..=8 * m {
                check(&vec![7; m], &vec![7; n]);
                let periodic: Vec<u8> = (0..n).map(|i| (i % m) as u8).collect();
                check(&periodic[..m.min(n)], &periodic);
            }
        }
    }

    #[test]
    fn kmp_makes_at_most_two_comparisons_per_symbol() {
        let (p, s) = ([vec![1u8; 50], vec![2]].concat(), vec![1u8; 5000]);
        let steps = |method: &dyn Fn(&[u8], &[u8]) -> u64| method(&p, &s);
        assert_eq!(steps(&|p, s| counted(|tick| naive(p, s, tick)).1), 51 * (5000 - 50));
        assert!(steps(&|p, s| counted(|tick| kmp(p, s, tick)).1) <= 2 * 5000);
        // Each symbol lies in one piece and in one overlap.
        assert!(steps(&|p, s| counted(|tick| kmp_blocks(p, s, tick)).1) <= 4 * 5000);
    }
}
