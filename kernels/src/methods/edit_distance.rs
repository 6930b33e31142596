//! Edit distance in the two orders of paper 000. Section 4 of the paper reviews the distance, refers to "Introduction
//! to Algorithms" (Cormen and others) for details, and fills the same matrix for approximate search. The only
//! difference is row 0, `c[0][j] = j`.
//!
//! - [`sequential`]: row by row
//! - [`diagonal`]: along diagonals, storing three of them
//! - `hirschberg`: an alignment by Hirschberg's division (paper 001), with distances by either order, because paper 000
//!   describes no traceback

pub mod diagonal;
pub(crate) mod hirschberg;
pub mod sequential;

#[cfg(test)]
mod tests {
    use super::diagonal::{self, diagonal};
    use super::sequential::{self, sequential};
    use crate::alignment::Alignment;
    use crate::methods::counted;
    use crate::run::Halt;

    /// Computes the distance by the plain recurrence, from the start of both texts.
    fn by_definition(x: &[u8], y: &[u8]) -> u32 {
        match (x, y) {
            ([], rest) | (rest, []) => rest.len() as u32,
            ([x, xs @ ..], [y, ys @ ..]) if x == y => by_definition(xs, ys),
            ([_, xs @ ..], [_, ys @ ..]) => 1 + by_definition(xs, y).min(by_definition(x, ys)).min(by_definition(xs, ys)),
        }
    }

    #[test]
    fn both_methods_agree_with_the_definition() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let letters = rng.u8(1..4);
            let text = |rng: &mut fastrand::Rng| -> Vec<u8> { (0..rng.usize(..8)).map(|_| rng.u8(..letters)).collect() };
            let (x, y) = (text(&mut rng), text(&mut rng));
            let expected = (by_definition(&x, &y), (x.len() * y.len()) as u64);
            assert_eq!(counted(|tick| sequential(&x, &y, tick)), expected, "{x:?} {y:?}");
            assert_eq!(counted(|tick| diagonal(&x, &y, tick)), expected, "{x:?} {y:?}");
        }
    }

    #[test]
    fn both_methods_agree_on_longer_texts() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..1000 {
            let text = |rng: &mut fastrand::Rng| -> Vec<u8> { (0..rng.usize(..150)).map(|_| rng.u8(..4)).collect() };
            let (x, y) = (text(&mut rng), text(&mut rng));
            assert_eq!(counted(|tick| sequential(&x, &y, tick)), counted(|tick| diagonal(&x, &y, tick)), "{x:?} {y:?}");
        }
    }

    /// Returns the alignments by both methods, each with its number of steps.
    fn alignments(x: &[u8], y: &[u8]) -> [(Alignment, u64); 2] {
        [counted(|tick| sequential::alignment(x, y, tick)), counted(|tick| diagonal::alignment(x, y, tick))]
    }

    #[test]
    fn alignments_fit_the_texts_and_cost_the_distance() {
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..1000 {
            let letters = rng.u8(1..=4);
            let longest = if round % 10 == 0 { 200 } else { 40 };
            let text = |rng: &mut fastrand::Rng| -> Vec<u8> { (0..rng.usize(..=longest)).map(|_| rng.u8(..letters)).collect() };
            let (x, y) = (text(&mut rng), text(&mut rng));
            let (distance, _) = counted(|tick| sequential(&x, &y, tick));
            let [by_rows, by_diagonals] = alignments(&x, &y);
            assert_eq!(by_rows.0.check(&x, &y), Ok(()), "{x:?} {y:?}");
            assert_eq!(by_rows.0.summary().distance(), u64::from(distance), "{x:?} {y:?}");
            // Both methods divide at the same positions, because their rows are equal.
            assert_eq!(by_rows, by_diagonals, "{x:?} {y:?}");
        }
    }

    #[test]
    fn texts_of_zero_or_one_symbol_are_aligned() {
        for (x, y, expected) in [
            (&b""[..], &b""[..], ""),
            (b"", b"abc", "3I"),
            (b"abc", b"", "3D"),
            (b"a", b"a", "1="),
            (b"a", b"b", "1X"),
            (b"b", b"abc", "1I1=1I"),
            (b"x", b"abc", "1X2I"),
            (b"abc", b"b", "1D1=1D"),
            (b"abc", b"x", "2D1X"),
        ] {
            for (alignment, _) in alignments(x, y) {
                assert_eq!(alignment.to_string(), expected, "{x:?} {y:?}");
            }
        }
    }

    #[test]
    fn alignment_fills_about_two_matrices() {
        let mut rng = fastrand::Rng::with_seed(4);
        for (m, n) in [(1, 1), (2, 9), (3, 100), (5, 70), (64, 64), (100, 333), (333, 100)] {
            let text = |rng: &mut fastrand::Rng, len: usize| -> Vec<u8> { (0..len).map(|_| rng.u8(..4)).collect() };
            let (x, y) = (text(&mut rng, m), text(&mut rng, n));
            let (m, n) = (m as u64, n as u64);
            for (_, cells) in alignments(&x, &y) {
                assert!((m * n..=n * (2 * m + u64::from(m.ilog2()) + 1)).contains(&cells), "{m} {n}: {cells}");
            }
        }
    }

    /// Stops in either half and in any division.
    #[test]
    fn stopped_alignment_ends_at_once() {
        let (x, y) = (vec![0; 1024], vec![0; 1000]);
        let halted = |at: u32| {
            let mut ticks = 0;
            let tick = &mut |_| {
                ticks += 1;
                if ticks == at { Err(Halt::Stopped) } else { Ok(()) }
            };
            (sequential::alignment(&x, &y, tick), ticks)
        };
        for at in [1, 3, 600, 1100] {
            assert_eq!(halted(at), (Err(Halt::Stopped), at));
        }
    }
}
