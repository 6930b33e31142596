//! Edit distance with other costs: every engine that each machine has agrees with the oracle.

use kernels::event::TaskAnswer;
use kernels::job::{EditCosts, JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, ReadingOptions, Unit};
use oracle::{agree, bytes, mutated, processors, random};
use proptest::prelude::*;

use crate::tasks::EDGES;

fn check(pair: &Pair, costs: EditCosts) {
    for alignment in [false, true] {
        let options = JobOptions { costs, alignment, ..JobOptions::default() };
        let [single, several] = processors();
        let solution = agree(&single, Task::EditDistance, pair, &options);
        let TaskAnswer::EditDistance { distance: Some(distance), .. } = solution.answer else { panic!("a distance") };
        // Limits below, at and above the distance.
        for limit in [Some(0), Some(distance / 2), distance.checked_sub(1), Some(distance), Some(distance + 1)].into_iter().flatten() {
            let options = JobOptions { max_distance: Some(limit), ..options.clone() };
            agree(&several, Task::EditDistance, pair, &options);
        }
        agree(&several, Task::EditDistance, pair, &options);
    }
}

/// Long texts are solved in corridors, which a limit narrows. Without a limit, other tests compare the answers with those
/// of the oracle.
#[test]
fn limits_of_long_texts_change_no_distance() {
    let a = random(b"ACGT", 2_600, 1);
    let pairs = [mutated(&a, b"ACGT", 0.05, 2), random(b"ACGT", 2_500, 3)].map(|b| bytes(&a, &b));
    let [_, engine] = processors();
    let solve = |pair: &Pair, options: JobOptions| engine.run(Task::EditDistance, &options, pair, &Run::new(&NoObserver)).unwrap().answer;
    for (costs, pair) in table().into_iter().flat_map(|costs| pairs.iter().map(move |pair| (costs, pair))) {
        let options = JobOptions { costs, ..JobOptions::default() };
        let exact = solve(pair, options.clone());
        let TaskAnswer::EditDistance { distance: Some(distance), .. } = exact else { panic!("a distance") };
        for limit in [Some(0), Some(distance / 2), distance.checked_sub(1), Some(distance), Some(distance + 1)].into_iter().flatten() {
            for alignment in [false, true] {
                let answer = solve(pair, JobOptions { max_distance: Some(limit), alignment, ..options.clone() });
                let TaskAnswer::EditDistance { distance: found, more_than, alignment: summary, .. } = answer else { panic!("{answer:?}") };
                let expected = if distance <= limit { (Some(distance), None) } else { (None, Some(limit)) };
                assert_eq!((found, more_than), expected, "{costs:?}, {limit}");
                let sum = summary.map(|summary| costs.sum(&summary));
                assert_eq!(sum, found.filter(|_| alignment), "{costs:?}, {limit}");
            }
        }
    }
}

/// Returns costs of each kind: those of every recurrence, and the least and greatest ones.
fn table() -> Vec<EditCosts> {
    let costs = |substitute, insert, delete, transpose| EditCosts { substitute, insert, delete, transpose };
    let most = EditCosts::MAX;
    vec![
        EditCosts::LEVENSHTEIN,
        EditCosts::INDEL,
        EditCosts::OSA,
        costs(1, 2, 3, None),
        costs(3, 1, 4, Some(2)),
        costs(2, 0, 5, Some(1)),
        costs(0, 1, 1, Some(0)),
        costs(0, 0, 0, None),
        costs(most, most, most, Some(most)),
        costs(most, most, most - 1, Some(1)),
        costs(999, 1, most, None),
    ]
}

#[test]
fn empty_texts_and_edge_cases_agree_with_the_oracle() {
    for costs in table() {
        EDGES.iter().for_each(|(a, b)| check(&bytes(a, b), costs));
    }
}

#[test]
fn exchanges_at_borders_of_words_and_tiles_agree_with_the_oracle() {
    for (seed, len) in (0..).zip([31usize, 64, 65, 127, 128, 129, 256, 257]) {
        let a = random(b"ACGT", len, seed);
        let mut b = a.clone();
        for at in [0, len / 2, len - 2] {
            b.swap(at, at + 1);
        }
        b.insert(len / 3, b'T');
        table().into_iter().for_each(|costs| check(&bytes(&a, &b), costs));
    }
}

#[test]
fn wide_symbols_agree_with_the_oracle() {
    let letters: Vec<char> = ('\u{4e00}'..).take(5000).collect();
    let text: Vec<char> = random(&letters, 400, 1);
    let mut edited = mutated(&text, &letters, 0.2, 2);
    (0..edited.len() - 1).step_by(7).for_each(|at| edited.swap(at, at + 1));
    let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    let [a, b] = [text, edited].map(|text| text.into_iter().collect::<String>().into_bytes());
    for costs in table() {
        check(&Pair::parse(&a[..], &b[..], &reading).unwrap(), costs);
    }
}

/// Generates costs: the usual ones, small ones, and any that are allowed.
fn costs() -> impl Strategy<Value = EditCosts> {
    let cost = prop_oneof![0..4u32, 0..=EditCosts::MAX];
    let any = (cost.clone(), cost.clone(), cost.clone(), prop::option::of(cost))
        .prop_map(|(substitute, insert, delete, transpose)| EditCosts { substitute, insert, delete, transpose });
    prop_oneof![1 => prop::sample::select(vec![EditCosts::LEVENSHTEIN, EditCosts::INDEL, EditCosts::OSA]), 4 => any]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn few_letters_agree_with_the_oracle(
        a in proptest::collection::vec(b'a'..b'd', 0..150), b in proptest::collection::vec(b'a'..b'd', 0..150), costs in costs(),
    ) {
        check(&bytes(&a, &b), costs);
    }

    #[test]
    fn edited_texts_agree_with_the_oracle(seed: u64, len in 1usize..500, rate in 0.0f64..0.6, swaps in 2usize..40, costs in costs()) {
        let a = random(b"ACGT", len, seed);
        let mut b = mutated(&a, b"ACGT", rate, seed ^ 1);
        (1..b.len()).step_by(swaps).for_each(|at| b.swap(at - 1, at));
        check(&bytes(&a, &b), costs);
    }

    #[test]
    fn every_unit_agrees_with_the_oracle(
        a in "[ab é\n👍]{0,60}", b in "[ab é\n👍]{0,60}", unit in prop::sample::select(Unit::ALL.to_vec()), costs in costs(),
    ) {
        let reading = ReadingOptions { unit, ..ReadingOptions::default() };
        check(&Pair::parse(a.into_bytes(), b.into_bytes(), &reading).unwrap(), costs);
    }
}
