//! The questions of the lesson's five stations (sections): [`questions`]. The seed, and the texts of a teacher if there
//! are any, determine the texts and numbers in the questions. The right answers are computed by the code that the page
//! explains.

use kernels::machine::MemoryMachine;

use super::texts::LessonTexts;
use crate::model::link::percent::encode;

/// Number of stations (sections with a question each) in the lesson.
pub const STATIONS: usize = 5;

/// Number of answers to choose from at each question.
const CHOICES: usize = 4;

/// A question of the lesson: the values in its text, the right answer and the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonQuestion {
    /// Names and values of the placeholders in the sentences of the station.
    pub values: Vec<(&'static str, String)>,
    /// The right answer.
    pub right: u64,
    /// Answers to choose from in ascending order, including the right one.
    pub choices: Vec<u64>,
    /// The task and the fragment of the address that shows the method of the station step by step.
    pub live: (&'static str, String),
}

/// Pairs of words that the questions are about if a teacher gives no texts.
const PAIRS: [(&str, &str); 8] = [
    ("SUNDAY", "SATURDAY"),
    ("kitten", "sitting"),
    ("TEACHING", "LEARNING"),
    ("flower", "flour"),
    ("winter", "writer"),
    ("GATTACA", "GCATGCA"),
    ("saxophone", "telephone"),
    ("island", "inland"),
];

/// A pseudo-random number generator (SplitMix64). The value is its state.
pub(super) struct LessonRandom(u64);

impl LessonRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// Texts to show beside the questions about bit vectors and about slices, which have no texts of their own. Encoded as
/// fragments of an address.
const LIVE: [&str; 2] = ["a=TEACHING&b=LEARNING", "a=read&b=the+word+we+write+are+the+world+we+read"];

/// Returns [`CHOICES`] answers to choose from, in ascending order: `right`, wrong answers from `others`, and numbers
/// close to `right` if there are too few.
fn choices(right: u64, others: &[u64]) -> Vec<u64> {
    let mut choices = vec![right];
    let near = (1..).flat_map(|by| [right + by, right.saturating_sub(by)]);
    for other in others.iter().copied().chain(near).filter(|other| *other > 0) {
        if choices.len() == CHOICES {
            break;
        }
        if !choices.contains(&other) {
            choices.push(other);
        }
    }
    choices.sort_unstable();
    choices
}

/// Returns the questions for `seed` about the texts `given` by a teacher, or about texts of the lesson if there are
/// none.
pub fn questions(seed: u32, given: Option<&LessonTexts>) -> [LessonQuestion; STATIONS] {
    let mut random = LessonRandom(u64::from(seed) ^ given.map_or(0, LessonTexts::number));
    let mut pick = |from: u64, to: u64| from + random.below(to - from + 1);
    let (a, b) = PAIRS[pick(0, PAIRS.len() as u64 - 1) as usize];
    let own = || LessonTexts::new(a, b).expect("words are short");
    let pair = given.cloned().unwrap_or_else(own);
    let (m, n) = pair.symbols();
    let texts = pair.address();
    let [live_lcs, live_search] = LIVE.map(|own| given.map_or_else(|| own.to_owned(), LessonTexts::address));
    let right = pair.distance();
    // An asterisk would start a name in the sentence.
    let [a, b] = [&pair.a, &pair.b].map(|text| text.replace('*', "∗"));
    let matrix = LessonQuestion {
        values: vec![("a", a), ("b", b)],
        right,
        choices: choices(right, &[m.max(n), m.abs_diff(n)]),
        live: ("edit-distance", format!("{texts}&view=matrix&step=0")),
    };
    let (rows, columns) = (pick(4, 12), pick(4, 12));
    let (rows, columns) = if given.is_some() { (m, n) } else { (rows, columns) };
    let diagonals = LessonQuestion {
        values: vec![("m", rows.to_string()), ("n", columns.to_string())],
        right: rows + columns - 1,
        choices: choices(rows + columns - 1, &[rows * columns, rows.max(columns), rows + columns]),
        live: ("edit-distance", format!("{texts}&view=matrix&order=diag&step={}", (m + n) / 2)),
    };
    let (width, rows, columns) = (pick(0, 3) as usize, pick(65, 200), pick(10, 90));
    // Given texts are short, so that smaller words are needed for a column to have several.
    let (w, rows, columns) = if given.is_some() { ([2, 3, 4, 8][width], m, n) } else { ([8, 16, 32, 64][width], rows, columns) };
    let words = rows.div_ceil(w) * columns;
    let bits = LessonQuestion {
        values: vec![("m", rows.to_string()), ("n", columns.to_string()), ("w", w.to_string()), ("words", rows.div_ceil(w).to_string())],
        right: words,
        choices: choices(words, &[rows * columns, rows * columns / w, columns.div_ceil(w) * rows]),
        live: (
            "lcs",
            format!("{live_lcs}&view=matrix&lens=bit-vectors{}&step=5", given.map_or(String::new(), |_| with(&format!("w:{w}")))),
        ),
    };
    let pattern = pick(4, 40);
    let pattern = if given.is_some() { m } else { pattern };
    let slices = LessonQuestion {
        values: vec![("m", pattern.to_string())],
        right: 2 * pattern,
        choices: choices(2 * pattern, &[pattern, pattern.saturating_sub(1), 4 * pattern]),
        live: ("approximate-search", format!("{live_search}&view=matrix&lens=slices&step=13")),
    };
    let latency = pick(5, 12);
    // Puts some addresses in one bank, so that neither the latency alone nor one stage per thread is right.
    let addresses: Vec<usize> = (0..4).map(|_| pick(0, 15) as usize).collect();
    let requests: Vec<Option<usize>> = addresses.iter().copied().map(Some).collect();
    let (dmm, umm) = (MemoryMachine::dmm(4, latency), MemoryMachine::umm(4, latency));
    let time = dmm.round(&requests).time_units();
    let listed = |between: &str| addresses.iter().map(usize::to_string).collect::<Vec<_>>().join(between);
    let machine = LessonQuestion {
        values: vec![("addresses", listed(", ")), ("l", latency.to_string()), ("stages", dmm.stages(&requests).to_string())],
        right: time,
        choices: choices(time, &[umm.round(&requests).time_units(), latency, 4 * latency]),
        live: match given {
            None => ("approximate-search", "a=read&b=the+word+we+write&view=matrix&lens=machine&step=3".into()),
            Some(_) => {
                let asked = with(&format!("w:4,l:{latency},requests:{}", listed(".")));
                ("approximate-search", format!("{live_search}&view=matrix&lens=machine{asked}&step=3"))
            }
        },
    };
    [matrix, diagonals, bits, slices, machine]
}

/// Returns a part of an address fragment that sets the `parameters` of a method.
fn with(parameters: &str) -> String {
    format!("&with={}", encode(parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_depend_on_the_seed_alone() {
        let of = |seed| questions(seed, None);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert!((0..20).map(|seed| of(seed)[0].right).any(|right| right != of(0)[0].right));
    }

    #[test]
    fn questions_follow_from_the_texts_of_the_teacher() {
        for (a, b) in [("GATTACA", "GCATGCU"), ("a", "b"), ("aa", "aa"), ("x*y", "{x} & y"), ("e\u{301}te\u{301}", "été")] {
            let texts = LessonTexts::new(a, b).unwrap();
            let (m, n) = texts.symbols();
            for seed in 0..40 {
                let [matrix, diagonals, bits, slices, machine] = questions(seed, Some(&texts));
                let value =
                    |question: &LessonQuestion, name: &str| question.values.iter().find(|(known, _)| *known == name).unwrap().1.clone();
                let number = |question: &LessonQuestion, name: &str| value(question, name).parse::<u64>().unwrap();
                assert_eq!(matrix.right, texts.distance());
                assert_eq!((diagonals.right, slices.right), (m + n - 1, 2 * m));
                assert_eq!(bits.right, m.div_ceil(number(&bits, "w")) * n);
                // Every method runs on the given texts, and the memory machine on the addresses of its question.
                let all = [&matrix, &diagonals, &bits, &slices, &machine];
                assert!(all.iter().all(|question| question.live.1.starts_with(&texts.address())), "{all:?}");
                let requests = value(&machine, "addresses").replace(", ", ".");
                assert!(machine.live.1.contains(&with(&format!("w:4,l:{},requests:{requests}", number(&machine, "l")))), "{machine:?}");
                for question in all {
                    assert!(question.choices.len() == CHOICES && question.choices.contains(&question.right), "{question:?}");
                    assert!(question.values.iter().all(|(_, value)| !value.contains('*')));
                }
            }
            assert_ne!(questions(1, Some(&texts))[4], questions(2, Some(&texts))[4]);
        }
    }

    #[test]
    fn four_different_choices_contain_the_right_answer() {
        for seed in 0..500 {
            for question in questions(seed, None) {
                let LessonQuestion { choices, right, .. } = &question;
                assert_eq!(choices.len(), CHOICES, "{question:?}");
                assert!(choices.contains(right) && choices.is_sorted_by(|one, other| one < other), "{question:?}");
            }
        }
    }

    #[test]
    fn right_answers_agree_with_the_methods() {
        let distance = |a: &str, b: &str| LessonTexts::new(a, b).unwrap().distance();
        assert_eq!(["SUNDAY", "kitten"].map(|a| PAIRS.iter().find(|(one, _)| *one == a).map(|(a, b)| distance(a, b))), [Some(3), Some(3)]);
        assert!(PAIRS.iter().all(|(a, b)| LessonTexts::new(a, b).is_some()));
        let bits = &questions(3, None)[2];
        let value =
            |name: &str| bits.values.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.parse::<u64>().ok()).unwrap();
        assert_eq!(bits.right, value("words") * value("n"));
        assert!(value("words") * value("w") >= value("m"));
    }
}
