//! Tiles of alignment scores against the serial definition.

use super::super::scores;
use super::super::tests::{corpus_of, ragged};
use super::*;
use crate::base_set::SymbolMatch;
use crate::collection::Tile;
use crate::collection::tile::PairScore;
use crate::cpu::Cpu;
use crate::job::{FreeEnds, GapCosts, Scoring};
use crate::oracle::serial::sequence_alignment::align;
use crate::run::{NoObserver, Run};
use crate::task::sequence_alignment::engine::SymbolPoints;

/// Returns the model of the case `seed`: all modes and free ends, equality and tables, small and large costs.
fn model(seed: u64, alphabet: u32) -> AlignmentModel {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mode = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal][seed as usize % 3];
    let free_ends = FreeEnds { a_start: rng.bool(), a_end: rng.bool(), b_start: rng.bool(), b_end: rng.bool() };
    let most = [2, 5, 12, 60][rng.usize(..4)];
    let gap = GapCosts { open: [0, rng.u32(0..=most)][rng.usize(..2)], extend: [0, 1, rng.u32(0..=most)][rng.usize(..3)] };
    let number = most as i32;
    let points = match rng.u8(..4) {
        0 => SymbolPoints::Equality { equal: 2, different: -1 },
        // Also negative points of equal symbols, and positive points of different ones.
        1 => SymbolPoints::Equality { equal: rng.i32(-number..=number), different: rng.i32(-number..=number) },
        _ => {
            let size = [1, 2, 4, 24, 70][rng.usize(..5)];
            let classes = (0..alphabet).map(|_| rng.u8(..size)).collect();
            let size = usize::from(size);
            // Tables need not be symmetrical.
            let points = (0..size * size).map(|_| rng.i32(-number..=number)).collect();
            SymbolPoints::Table { classes, size, points }
        }
    };
    AlignmentModel { symbol_match: SymbolMatch::Equal, points, gap, mode, free_ends }
}

/// Checks the scores of a tile, and that the lanes are used if `in_lanes`.
fn check(members: &[Vec<u32>], alphabet: u32, model: &AlignmentModel, in_lanes: bool, threads: usize) {
    let corpus = corpus_of(members, alphabet);
    let longest = &members.iter().max_by_key(|member| member.len()).unwrap()[..];
    let engine = NumberLanes::new(model, alphabet);
    let is_in_lanes = engine.is_some_and(|engine| engine.takes_member(longest) && engine.takes_text(longest));
    assert_eq!(is_in_lanes, in_lanes, "{} symbols, {model:?}", longest.len());
    let tile = Tile { rows: 0..members.len() / 2, columns: 0..members.len() };
    let found = scores(&corpus, &tile, &PairScore::Alignment(model.clone()), &Cpu { threads }, &Run::new(&NoObserver)).unwrap();
    let scoring = Scoring { mode: model.mode, free_ends: model.free_ends, gap: model.gap, ..Scoring::default() };
    let pairs = tile.rows.clone().flat_map(|row| tile.columns.clone().map(move |column| (row, column)));
    for ((row, column), score) in pairs.zip(found) {
        let (a, b) = (&members[row], &members[column]);
        let expected = align(a, b, &|x, y| model.points.of(x, y).into(), &scoring).score;
        assert_eq!(i64::from(score), expected, "{a:?} and {b:?}, {model:?}");
    }
}

#[test]
fn alignment_scores_of_ragged_members_agree_with_the_oracle() {
    for seed in 0..60 {
        let alphabet = [1, 2, 4, 26, 300][seed as usize % 5];
        let members = ragged(70, 40, alphabet, seed);
        check(&members, alphabet, &model(seed, alphabet), true, 1 + seed as usize % 3);
    }
}

#[test]
fn alignment_scores_of_longer_members_agree_with_the_oracle() {
    for seed in 0..6 {
        let mut members = ragged(34, 150, 4, seed);
        members.push(vec![3; 200]);
        let points = SymbolPoints::Equality { equal: 2, different: -1 };
        check(
            &members,
            4,
            &AlignmentModel { symbol_match: SymbolMatch::Equal, points, gap: GapCosts { open: 4, extend: 1 }, ..model(seed, 4) },
            true,
            1,
        );
    }
}

#[test]
fn values_beyond_16_bits_are_left_to_the_engine_of_one_pair() {
    let members: Vec<Vec<u32>> = (30..70).map(|len| vec![1; len]).collect();
    for mode in [AlignmentMode::Global, AlignmentMode::Local] {
        let points = SymbolPoints::Equality { equal: 1000, different: -1000 };
        let model = AlignmentModel {
            symbol_match: SymbolMatch::Equal,
            points,
            gap: GapCosts { open: 1000, extend: 500 },
            mode,
            free_ends: FreeEnds::NONE,
        };
        check(&members, 2, &model, false, 1);
    }
}

#[test]
fn greatest_values_of_lanes_agree_with_the_oracle() {
    let points = SymbolPoints::Equality { equal: 500, different: -1000 };
    let members: Vec<Vec<u32>> = (8..48).map(|number| vec![number % 2; 10 + number as usize % 7]).collect();
    for (mode, free) in [(AlignmentMode::Global, false), (AlignmentMode::Local, false), (AlignmentMode::SemiGlobal, true)] {
        let free_ends = FreeEnds { a_start: free, a_end: free, b_start: free, b_end: free };
        let gap = GapCosts { open: 1000, extend: 2 };
        check(&members, 2, &AlignmentModel { symbol_match: SymbolMatch::Equal, points: points.clone(), gap, mode, free_ends }, true, 1);
    }
}

/// The costs of a long gap exceed 16 bits, but no score of a local alignment does.
#[test]
fn gaps_that_cost_more_than_local_scores_agree_with_the_oracle() {
    let points = SymbolPoints::Equality { equal: 500, different: -700 };
    let members: Vec<Vec<u32>> = (0..40).map(|number| vec![number % 2; 30 + number as usize % 20]).collect();
    let gap = GapCosts { open: 900, extend: 1000 };
    let model = AlignmentModel { symbol_match: SymbolMatch::Equal, points, gap, mode: AlignmentMode::Local, free_ends: FreeEnds::NONE };
    check(&members, 2, &model, true, 1);
}
