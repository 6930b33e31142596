//! The sentences of a class, as a seed determines them ([`ClassSentences`]), and the questions about their distances.

use explain::collection::tree::single_linkage;
use kernels::collection::{
    AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, SideSources,
};
use kernels::cpu::Cpu;
use kernels::job::{JobOptions, Task, Unit};
use kernels::run::{NoObserver, Run};

use super::super::questions::LessonRandom;
use crate::model::link::percent::encode;

/// Number of questions.
pub const TREE_STATIONS: usize = 3;

/// Number of sentences.
const SENTENCES: usize = 5;

/// Number of answers to choose from at each question.
const CHOICES: usize = 4;

/// Sentences that a class could write.
const ALL: [&str; 12] = [
    "The old man walked slowly to the sea",
    "The old man walked quickly to the sea",
    "An old man walked slowly to the market",
    "The young man walked home from the sea",
    "My little sister sings in the kitchen",
    "My little brother sings in the garden",
    "My brother sings loudly in the old garden",
    "Nobody saw the rain that night",
    "Nobody heard the rain all night",
    "We saw the rain and stayed inside",
    "The dog chased the cat across the garden",
    "The cat chased the dog across the street",
];

/// A question: the values in its text, the right answer and the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeQuestion {
    /// Names and values of the placeholders in the sentences of the station.
    pub values: Vec<(&'static str, String)>,
    /// The right answer: a number, or the number of a pair.
    pub right: u64,
    /// Answers to choose from.
    pub choices: Vec<u64>,
    /// The address of the sentences on the page `/collections`.
    pub address: String,
    has_pairs: bool,
}

impl TreeQuestion {
    /// Returns the letters of the two sentences of an answer, if answers are pairs.
    pub fn pair_of(&self, answer: u64) -> Option<(char, char)> {
        let letter = |sentence: u64| char::from(b'A' + (sentence % 26) as u8);
        self.has_pairs.then(|| (letter(answer / SENTENCES as u64), letter(answer % SENTENCES as u64)))
    }
}

/// Five sentences and the number of edits between every two, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSentences {
    sentences: Vec<&'static str>,
    distances: Vec<u64>,
}

impl ClassSentences {
    /// Chooses the sentences of a seed, so that each question has one right answer.
    pub fn of_seed(seed: u32) -> Self {
        let mut random = LessonRandom::new(seed.into());
        loop {
            let mut left = ALL.to_vec();
            let class = Self::new((0..SENTENCES).map(|_| left.swap_remove(random.below(left.len() as u64) as usize)).collect());
            if class.is_clear() {
                return class;
            }
        }
    }

    /// Computes the distances of sentences as the page `/collections` does.
    fn new(sentences: Vec<&'static str>) -> Self {
        let options = JobOptions { unit: Unit::Words, alignment: false, ..JobOptions::default() };
        let source = MemberSource { name: "sentences".into(), bytes: sentences.join("\n").as_bytes().into() };
        let side = SideSources { sources: vec![source], split: MemberSplit::Lines };
        let limits = AnswerLimits { max_scores: 1_000, max_pairs: 0 };
        let scores = Collection::parse(side, None, &options.reading()).ok().and_then(|collection| {
            let question = CollectionQuestion::new(Task::EditDistance, &options, KeptPairs::All, &collection).ok()?;
            match question.solve(&collection, &limits, &Cpu::SINGLE, &Run::new(&NoObserver)).ok()? {
                CollectionAnswer::Scores(scores) => Some(scores),
                CollectionAnswer::Pairs(_) | CollectionAnswer::Nearest(_) => None,
            }
        });
        // The sentences are distinct, so that rows of scores are in their order.
        let distances = scores.unwrap_or_default().into_iter().map(|score| u64::from(score.unsigned_abs())).collect();
        Self { sentences, distances }
    }

    pub fn sentences(&self) -> &[&'static str] {
        &self.sentences
    }

    /// Returns the number of words to change between two sentences.
    pub fn distance(&self, a: usize, b: usize) -> u64 {
        self.distances.get(a * SENTENCES + b).copied().unwrap_or_default()
    }

    /// Lists all pairs, the nearest one first.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = (0..SENTENCES).flat_map(|a| (a + 1..SENTENCES).map(move |b| (a, b))).collect();
        pairs.sort_by_key(|&(a, b)| self.distance(a, b));
        pairs
    }

    /// Returns the two nearest sentences.
    pub fn nearest(&self) -> (usize, usize) {
        self.pairs()[0]
    }

    /// Lists the pairs that are not joined once the two nearest sentences are one group, the nearest one first.
    fn unjoined(&self) -> Vec<(usize, usize)> {
        self.pairs().split_off(1)
    }

    /// Returns whether one pair is the nearest, and one cell joins next.
    fn is_clear(&self) -> bool {
        let is_first = |pairs: &[(usize, usize)]| self.distance(pairs[0].0, pairs[0].1) < self.distance(pairs[1].0, pairs[1].1);
        self.distances.len() == SENTENCES * SENTENCES && is_first(&self.pairs()) && is_first(&self.unjoined())
    }

    /// Returns the number of sentences with another one within `edits`.
    fn alike(&self, edits: u64) -> u64 {
        let has_other = |a: &usize| (0..SENTENCES).any(|b| b != *a && self.distance(*a, b) <= edits);
        (0..SENTENCES).filter(has_other).count() as u64
    }

    /// Returns the address of the sentences on the page `/collections`, with the threshold `edits` if there is one.
    fn address(&self, edits: Option<u64>) -> String {
        let threshold = edits.map(|edits| format!("&alike-within={edits}")).unwrap_or_default();
        format!("/collections#unit=words&measure=edits&a={}{threshold}", encode(&self.sentences.join("\n")))
    }

    /// Returns the questions.
    pub fn questions(&self) -> [TreeQuestion; TREE_STATIONS] {
        let number = |(a, b): &(usize, usize)| (a * SENTENCES + b) as u64;
        let choices = |pairs: &[(usize, usize)]| {
            let mut choices: Vec<u64> = pairs.iter().take(CHOICES).map(number).collect();
            choices.sort_unstable();
            choices
        };
        let letter = |sentence: usize| char::from(b'A' + sentence as u8).to_string();
        let (pairs, next) = (self.pairs(), self.unjoined());
        let (first, second) = (pairs[0], next[0]);
        let joined = vec![("a", letter(first.0)), ("b", letter(first.1))];
        let tree = single_linkage(SENTENCES, |a, b| self.distance(a, b) as f64);
        let edits = tree[1].distance as u64;
        let alike = self.alike(edits);
        let of_pairs = |values: Vec<(&'static str, String)>, right: &(usize, usize), among: &[(usize, usize)], address: String| {
            TreeQuestion { values, right: number(right), choices: choices(among), address, has_pairs: true }
        };
        let with = |(a, b): (usize, usize), mut values: Vec<(&'static str, String)>| {
            values.push(("d", self.distance(a, b).to_string()));
            values
        };
        [
            of_pairs(with(first, joined.clone()), &first, &pairs, self.address(None)),
            of_pairs(with(second, joined), &second, &next, self.address(Some(self.distance(first.0, first.1)))),
            TreeQuestion {
                values: vec![("d", edits.to_string()), ("n", SENTENCES.to_string())],
                right: alike,
                // After two steps of the tree, at least three sentences have a partner.
                choices: (2..=SENTENCES as u64).collect(),
                address: self.address(Some(edits)),
                has_pairs: false,
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::collection::link;

    #[test]
    fn distances_count_words() {
        let class = ClassSentences::new(ALL[..SENTENCES].to_vec());
        assert_eq!((class.distance(0, 1), class.distance(0, 2), class.distance(2, 1), class.distance(3, 3)), (1, 2, 3, 0));
    }

    #[test]
    fn every_seed_has_one_right_answer_among_the_choices() {
        for seed in 0..300 {
            let class = ClassSentences::of_seed(seed);
            assert_eq!(class, ClassSentences::of_seed(seed));
            for question in class.questions() {
                assert_eq!(question.choices.len(), CHOICES, "{seed}");
                assert!(question.choices.contains(&question.right), "{seed}: {question:?}");
            }
            let (a, b) = class.nearest();
            let others = class.pairs().into_iter().filter(|pair| *pair != (a, b));
            assert!(others.clone().all(|(x, y)| class.distance(x, y) > class.distance(a, b)), "{seed}");
        }
    }

    #[test]
    fn next_cell_is_the_second_step_of_the_tree() {
        for seed in 0..100 {
            let class = ClassSentences::of_seed(seed);
            let tree = single_linkage(SENTENCES, |a, b| class.distance(a, b) as f64);
            let next = class.unjoined()[0];
            assert_eq!(tree[1].distance as u64, class.distance(next.0, next.1), "{seed}");
        }
    }

    #[test]
    fn links_have_the_sentences_and_the_threshold() {
        let class = ClassSentences::of_seed(3);
        let questions = class.questions();
        let read = link::read(questions[2].address.trim_start_matches("/collections#")).unwrap();
        assert_eq!(read.form.a.typed(), Some(class.sentences().join("\n").as_str()));
        assert_eq!(
            (read.form.options.unit, read.view.threshold.map(|edits| edits.to_string())),
            (Unit::Words, Some(questions[2].values[0].1.clone()))
        );
    }
}
