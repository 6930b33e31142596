//! What is asked at the stations. A seed decides which texts and numbers; what is right is computed by the code that the page explains.

use explain::matrix::Matrix;
use kernels::job::Task;
use kernels::machine::MemoryMachine;

use crate::percent::encode;

/// Stations of the lesson.
pub const STATIONS: usize = 5;

/// Answers to choose from.
const CHOICES: usize = 4;

/// A question with what stands beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Values of its sentences, by their names.
    pub values: Vec<(&'static str, String)>,
    /// What is right.
    pub right: u64,
    /// Answers to choose from, ascending, that among them.
    pub choices: Vec<u64>,
    /// What is watched: task and fragment of the address.
    pub live: (&'static str, String),
}

/// Pairs of words that are compared.
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

/// Numbers from a seed: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// The edit distance of two words.
fn distance(a: &str, b: &str) -> u64 {
    let numbers = |text: &str| text.chars().map(u32::from).collect();
    let matrix = Matrix::new(Task::EditDistance, numbers(a), numbers(b)).expect("words are short");
    matrix.value(matrix.last()).into()
}

/// The right answer among others, ascending; numbers next to it where there are too few.
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

/// What is asked for a seed.
pub fn questions(seed: u32) -> [Question; STATIONS] {
    let mut random = Random(u64::from(seed));
    let mut pick = |from: u64, to: u64| from + random.below(to - from + 1);
    let (a, b) = PAIRS[pick(0, PAIRS.len() as u64 - 1) as usize];
    let (m, n) = (a.chars().count() as u64, b.chars().count() as u64);
    let texts = format!("a={}&b={}", encode(a), encode(b));
    let right = distance(a, b);
    let matrix = Question {
        values: vec![("a", a.into()), ("b", b.into())],
        right,
        choices: choices(right, &[m.max(n), m.abs_diff(n)]),
        live: ("edit-distance", format!("{texts}&view=matrix&step={}", m * n / 2)),
    };
    let (rows, columns) = (pick(4, 12), pick(4, 12));
    let diagonals = Question {
        values: vec![("m", rows.to_string()), ("n", columns.to_string())],
        right: rows + columns - 1,
        choices: choices(rows + columns - 1, &[rows * columns, rows.max(columns), rows + columns]),
        live: ("edit-distance", format!("{texts}&view=matrix&order=diag&step={}", (m + n) / 2)),
    };
    let (w, rows, columns) = ([8, 16, 32, 64][pick(0, 3) as usize], pick(65, 200), pick(10, 90));
    let words = rows.div_ceil(w) * columns;
    let bits = Question {
        values: vec![("m", rows.to_string()), ("n", columns.to_string()), ("w", w.to_string()), ("words", rows.div_ceil(w).to_string())],
        right: words,
        choices: choices(words, &[rows * columns, rows * columns / w, columns.div_ceil(w) * rows]),
        live: ("lcs", "a=TEACHING&b=LEARNING&view=matrix&lens=bit-vectors&step=5".into()),
    };
    let pattern = pick(4, 40);
    let slices = Question {
        values: vec![("m", pattern.to_string())],
        right: 2 * pattern,
        choices: choices(2 * pattern, &[pattern, pattern - 1, 4 * pattern]),
        live: ("approximate-search", "a=read&b=the+word+we+write+are+the+world+we+read&view=matrix&lens=slices&step=13".into()),
    };
    let latency = pick(5, 12);
    // Some addresses in one bank, so that neither the latency alone nor one stage a thread is right.
    let addresses: Vec<usize> = (0..4).map(|_| pick(0, 15) as usize).collect();
    let requests: Vec<Option<usize>> = addresses.iter().copied().map(Some).collect();
    let (dmm, umm) = (MemoryMachine::dmm(4, latency), MemoryMachine::umm(4, latency));
    let time = dmm.round(&requests).time_units();
    let listed = |between: &str| addresses.iter().map(usize::to_string).collect::<Vec<_>>().join(between);
    let machine = Question {
        values: vec![("addresses", listed(", ")), ("l", latency.to_string()), ("stages", dmm.stages(&requests).to_string())],
        right: time,
        choices: choices(time, &[umm.round(&requests).time_units(), latency, 4 * latency]),
        live: ("approximate-search", "a=read&b=the+word+we+write&view=matrix&lens=machine&step=3".into()),
    };
    [matrix, diagonals, bits, slices, machine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_asks_the_same_and_another_one_something_else() {
        assert_eq!(questions(7), questions(7));
        assert_ne!(questions(7), questions(8));
        assert!((0..20).map(|seed| questions(seed)[0].right).any(|right| right != questions(0)[0].right));
    }

    #[test]
    fn the_right_answer_is_one_of_four_different_ones() {
        for seed in 0..500 {
            for question in questions(seed) {
                let Question { choices, right, .. } = &question;
                assert_eq!(choices.len(), CHOICES, "{question:?}");
                assert!(choices.contains(right) && choices.is_sorted_by(|one, other| one < other), "{question:?}");
            }
        }
    }

    #[test]
    fn what_is_right() {
        assert_eq!(["SUNDAY", "kitten"].map(|a| PAIRS.iter().find(|(one, _)| *one == a).map(|(a, b)| distance(a, b))), [Some(3), Some(3)]);
        let bits = &questions(3)[2];
        let value =
            |name: &str| bits.values.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.parse::<u64>().ok()).unwrap();
        assert_eq!(bits.right, value("words") * value("n"));
        assert!(value("words") * value("w") >= value("m"));
    }
}
