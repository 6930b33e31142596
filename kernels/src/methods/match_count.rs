//! Match count as in paper 002: the score vector `c_i = Σ_j δ(t_{i+j−1}, p_j)`, which counts the equal symbols of
//! pattern and text at each offset `i` of the pattern.
//!
//! - [`naive`]: section 3.1
//! - [`shift_add`]: section 3.2, figure 2 (Baeza-Yates and Gonnet, 1992)
//! - [`parallel_shift_add`]: section 4.2, figure 3
//! - `bits`: bit sequences of any length
//!
//! [`shift_add`] and [`parallel_shift_add`] process the text symbol by symbol, so it may be a stream (`streaming`).

mod bits;
pub mod naive;
pub mod parallel_shift_add;
pub mod shift_add;

#[cfg(test)]
mod tests {
    use super::naive::naive;
    use super::parallel_shift_add::parallel_shift_add;
    use super::shift_add::{fields, shift_add};
    use crate::methods::counted;

    #[test]
    fn table_of_section_3_1_is_reproduced() {
        // In section 3.1, the text beside the table has acbabaccb and abba, of nine and four symbols. The table has ten
        // and five symbols. The texts here are those of the table.
        let (p, t, scores) = (b"abbac", b"acbabbaccb", vec![3, 1, 1, 5, 2, 0]);
        assert_eq!(counted(|tick| naive(p, t, tick)).0, scores);
        assert_eq!(counted(|tick| shift_add(p, t, tick)).0, scores);
        assert_eq!(counted(|tick| parallel_shift_add(p, t, tick)).0, scores);
    }

    #[test]
    fn all_methods_agree_and_take_the_steps_of_their_formulas() {
        let mut rng = fastrand::Rng::with_seed(17);
        for round in 0..1000 {
            let letters = rng.u8(1..6);
            // Lengths around powers of two, at which fields need another bit, and around the length of a word.
            let near = [1, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 65, 127, 128];
            let m = if round % 2 == 0 { near[rng.usize(..near.len())] } else { rng.usize(0..150) };
            let text = |rng: &mut fastrand::Rng, len| -> Vec<u8> { (0..len).map(|_| rng.u8(..letters)).collect() };
            let n = rng.usize(0..300);
            let (p, t) = (text(&mut rng, m), text(&mut rng, n));
            let expected: Vec<u32> = t.windows(m.max(1)).map(|w| w.iter().zip(&p).map(|(x, y)| u32::from(x == y)).sum()).collect();
            let expected = if m == 0 { vec![0; n + 1] } else { expected };
            let offsets = (n + 1).saturating_sub(m) as u64;
            assert_eq!(counted(|tick| naive(&p, &t, tick)), (expected.clone(), m as u64 * offsets), "{p:?} {t:?}");
            let (scores, words) = counted(|tick| shift_add(&p, &t, tick));
            assert_eq!(scores, expected, "{p:?} {t:?}");
            let with_text = if m == 0 || n < m { 0 } else { n as u64 };
            assert_eq!(words, (m * fields(m)).div_ceil(64) as u64 * with_text);
            let (scores, words) = counted(|tick| parallel_shift_add(&p, &t, tick));
            assert_eq!(scores, expected, "{p:?} {t:?}");
            let mut symbols = p.clone();
            symbols.sort_unstable();
            symbols.dedup();
            assert_eq!(words, (symbols.len() * m.div_ceil(64)) as u64 * with_text);
        }
    }

    #[test]
    fn full_match_does_not_overflow_a_field() {
        for m in [1, 2, 3, 4, 7, 8, 63, 64, 127, 128, 255, 256] {
            let (p, t) = (vec![5u8; m], vec![5u8; m + 70]);
            assert_eq!(counted(|tick| shift_add(&p, &t, tick)).0, vec![m as u32; 71]);
            assert_eq!(counted(|tick| parallel_shift_add(&p, &t, tick)).0, vec![m as u32; 71]);
        }
    }
}
