//! The edit distance, by the two orders of paper 000. It reviews the distance in section 4, with "Introduction to Algorithms" (Cormen and
//! others) for details, and fills the same matrix for approximate search; the only difference is row 0, `c[0][j] = j`.
//!
//! - [`sequential`]: row by row
//! - [`diagonal`]: along diagonals, three of which are kept

pub mod diagonal;
pub mod sequential;

#[cfg(test)]
mod tests {
    use super::diagonal::diagonal;
    use super::sequential::sequential;
    use crate::methods::counted;

    /// The recurrence from the ends of both texts, as it stands.
    fn by_definition(x: &[u8], y: &[u8]) -> u32 {
        match (x, y) {
            ([], rest) | (rest, []) => rest.len() as u32,
            ([x, xs @ ..], [y, ys @ ..]) if x == y => by_definition(xs, ys),
            ([_, xs @ ..], [_, ys @ ..]) => 1 + by_definition(xs, y).min(by_definition(x, ys)).min(by_definition(xs, ys)),
        }
    }

    #[test]
    fn both_agree_with_the_definition() {
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
    fn both_agree_on_longer_texts() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..1000 {
            let text = |rng: &mut fastrand::Rng| -> Vec<u8> { (0..rng.usize(..150)).map(|_| rng.u8(..4)).collect() };
            let (x, y) = (text(&mut rng), text(&mut rng));
            assert_eq!(counted(|tick| sequential(&x, &y, tick)), counted(|tick| diagonal(&x, &y, tick)), "{x:?} {y:?}");
        }
    }
}
