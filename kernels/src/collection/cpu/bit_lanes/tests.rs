//! Tests of sums and borders that the tests of whole tiles do not reach.

use super::*;

#[test]
fn columns_within_a_limit_contain_every_cell_of_a_path() {
    for (limit, text) in (0..12).flat_map(|limit| (0..40).map(move |text| (limit, text))) {
        for top in (0..40).step_by(4) {
            let columns = columns_within(Some(limit), top, 4, text);
            for (row, column) in (top + 1..=top + 4).flat_map(|row| (1..=text).map(move |column| (row, column))) {
                if row.abs_diff(column) <= limit {
                    assert!(columns.contains(&(column - 1)), "row {row}, column {column}, limit {limit}, {columns:?}");
                }
            }
        }
    }
}

#[inline(always)]
fn sums_of<S: Simd>(s: S, rounds: usize) -> (Vec<u8>, usize) {
    let mut sums = LaneSums::new(s, 4 * rounds);
    let words: Vec<u64> = (0..S::u64s::LEN as u64).map(|word| 0x9e37_79b9_7f4a_7c15 << word).collect();
    for round in 0..rounds {
        let bits = S::u64s::from_slice(s, &words);
        let none = S::u64s::splat(s, 0);
        sums.add([bits, S::u64s::splat(s, !0), none, if round % 2 == 0 { bits } else { none }]);
    }
    let mut buffer = Vec::new();
    let sums = sums.bytes(&mut buffer);
    let lanes = sums.lanes;
    (buffer, lanes)
}

#[test]
fn sums_of_one_to_three_bytes_are_those_of_each_lane() {
    for rounds in [1, 2, 60, 64, 100, 20_000, 70_000] {
        let (bytes, lanes) = dispatch!(Level::new(), s => sums_of(s, rounds));
        for lane in 0..lanes {
            let bit = (0x9e37_79b9_7f4a_7c15u64 << (lane / WORD)) >> (lane % WORD) & 1;
            let expected = rounds + bit as usize * (rounds + rounds.div_ceil(2));
            let found = bytes[lane..].iter().step_by(lanes).rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            assert_eq!(found, expected, "lane {lane} after {rounds} rounds");
        }
    }
}
