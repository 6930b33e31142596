//! Two examples to start from. Their texts are generated, the same at every visit.

use kernels::collection::MemberSplit;
use kernels::job::{JobOptions, Unit};

use super::form::CollectionForm;
use super::measure::Measure;
use super::sources::{TextSide, TextSource};

/// An example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionSample {
    /// Essays of a class, of which four are alike.
    Essays,
    /// Reads of barcodes with errors.
    Barcodes,
}

/// Sentences of essays. Paragraphs are points; the first one has beginnings, and the last one ends.
const SENTENCES: &str = include_str!("samples/sentences.txt");

/// Names of the authors.
const AUTHORS: [&str; 30] = [
    "Aydin, Elif",
    "Bauer, Mia",
    "Bianchi, Luca",
    "Costa, Inês",
    "Dubois, Léa",
    "Eriksen, Noah",
    "Fischer, Jonas",
    "García, Sofía",
    "Haddad, Omar",
    "Ivanova, Daria",
    "Jansen, Bram",
    "Kaya, Deniz",
    "Kowalska, Zofia",
    "Lindqvist, Saga",
    "Mensah, Ama",
    "Moreau, Théo",
    "Nguyen, Linh",
    "Novak, Petra",
    "O’Brien, Ciara",
    "Okafor, Tom",
    "Papadakis, Eleni",
    "Petrov, Ivan",
    "Rossi, Giulia",
    "Sato, Yuki",
    "Schmidt, Lena",
    "Silva, João",
    "Tanaka, Ren",
    "Varga, Máté",
    "Weber, Paul",
    "Zhang, Wei",
];

/// Numbers of the authors of alike essays: the first one's essay was the model of the second one's, in which the given
/// share of the sentences are other ones.
const MODELS: [(usize, usize, f64); 2] = [(1, 19, 0.1), (8, 22, 0.15)];

/// Number of points of an essay.
const POINTS: usize = 7;

/// Number of barcodes, of reads of each barcode, and of bases.
const BARCODES: [usize; 3] = [24, 12, 16];

/// Probability that a base is read wrongly.
const ERROR_RATE: f64 = 0.04;

/// A generator of numbers that look random (xorshift64*, Vigna 2016).
pub(super) struct Generator(pub(super) u64);

impl Generator {
    /// Returns a number below `most`.
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % most.max(1)
    }

    /// Returns true with the probability `share`.
    fn is_hit(&mut self, share: f64) -> bool {
        self.below(1 << 20) < (share * f64::from(1 << 20)) as usize
    }

    pub(super) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

impl CollectionSample {
    pub const ALL: [Self; 2] = [Self::Essays, Self::Barcodes];

    /// Returns the form of the example.
    pub fn form(self) -> CollectionForm {
        match self {
            Self::Essays => {
                let sources = AUTHORS.iter().zip(essays());
                let source = |(name, essay): (&&str, String)| TextSource::file(name, essay.as_bytes());
                CollectionForm {
                    a: TextSide { sources: sources.map(source).collect(), split: MemberSplit::Files, ..TextSide::default() },
                    options: JobOptions { unit: Unit::Words, ..CollectionForm::default().options },
                    ..CollectionForm::default()
                }
            }
            Self::Barcodes => {
                let source = TextSource::file("reads.txt", reads().join("\n").as_bytes());
                CollectionForm {
                    a: TextSide { sources: vec![source], ..TextSide::default() },
                    measure: Measure::Edits,
                    ..CollectionForm::default()
                }
            }
        }
    }
}

fn essays() -> Vec<String> {
    let paragraphs: Vec<Vec<&str>> = SENTENCES.split("\n\n").map(|paragraph| paragraph.lines().collect()).collect();
    let (Some((first, rest)), random) = (paragraphs.split_first(), &mut Generator(7)) else { return Vec::new() };
    let Some((last, points)) = rest.split_last() else { return Vec::new() };
    let mut essays: Vec<Vec<&str>> = Vec::new();
    for _ in AUTHORS {
        let mut essay = vec![random.choose(first)];
        let mut order: Vec<usize> = (0..points.len()).collect();
        for _ in 0..POINTS.min(points.len()) {
            let point = order.swap_remove(random.below(order.len()));
            essay.push(random.choose(&points[point]));
            essay.push(random.choose(&points[point]));
        }
        essay.push(random.choose(last));
        essay.dedup();
        essays.push(essay);
    }
    for (model, copy, others) in MODELS {
        essays[copy] = essays[model].clone();
        for sentence in &mut essays[copy] {
            if random.is_hit(others) {
                *sentence = random.choose(point_of(points, sentence));
            }
        }
    }
    essays.into_iter().map(|essay| essay.join(" ") + "\n").collect()
}

/// Returns the point that a sentence belongs to, or the first point.
fn point_of<'p>(points: &'p [Vec<&'static str>], sentence: &str) -> &'p [&'static str] {
    points.iter().find(|point| point.contains(&sentence)).unwrap_or(&points[0])
}

fn reads() -> Vec<String> {
    let random = &mut Generator(11);
    let [barcodes, reads_of_each, bases] = BARCODES;
    let barcodes: Vec<Vec<u8>> = (0..barcodes).map(|_| (0..bases).map(|_| random.choose(b"ACGT")).collect()).collect();
    let mut reads = Vec::new();
    for _ in 0..reads_of_each {
        for barcode in &barcodes {
            let mut read = String::new();
            for &base in barcode {
                match (random.is_hit(ERROR_RATE), random.below(3)) {
                    (false, _) => read.push(base.into()),
                    (true, 0) => read.push(random.choose(b"ACGT").into()),
                    (true, 1) => read.extend([char::from(base), char::from(random.choose(b"ACGT"))]),
                    (true, _) => {}
                }
            }
            reads.push(read);
        }
    }
    reads
}

#[cfg(test)]
mod tests {
    use explain::collection::tree::single_linkage;

    use super::super::measure::Threshold;
    use super::*;

    #[test]
    fn four_of_thirty_essays_are_alike() {
        let essays = essays();
        assert_eq!((essays.len(), CollectionSample::Essays.form().a.sources.len()), (30, 30));
        assert!(essays.iter().all(|essay| (150..400).contains(&essay.split_whitespace().count())), "{essays:?}");
        let words: Vec<Vec<u64>> = essays
            .iter()
            .map(|essay| {
                essay.split_whitespace().map(|word| word.bytes().fold(7, |hash, byte| hash * 31 % 1_000_003 + u64::from(byte))).collect()
            })
            .collect();
        let similarity = |a: usize, b: usize| {
            let (x, y) = (&words[a], &words[b]);
            let mut row: Vec<usize> = (0..=y.len()).collect();
            for (at, word) in x.iter().enumerate() {
                let mut before = row[0];
                row[0] = at + 1;
                for column in 0..y.len() {
                    let next = (before + usize::from(*word != y[column])).min(row[column] + 1).min(row[column + 1] + 1);
                    before = row[column + 1];
                    row[column + 1] = next;
                }
            }
            1.0 - row[y.len()] as f64 / x.len().max(y.len()) as f64
        };
        let tree = single_linkage(30, |a, b| 1.0 - similarity(a, b));
        let alike = tree.iter().filter(|join| 1.0 - join.distance >= Threshold::Percent(50).nearness()).count();
        assert_eq!(alike, 2, "{tree:?}");
        for (model, copy, _) in MODELS {
            assert!(similarity(model, copy) >= 0.5);
        }
    }

    #[test]
    fn reads_of_a_barcode_have_few_errors() {
        let reads = reads();
        let [barcodes, of_each, _] = BARCODES;
        assert_eq!(reads.len(), barcodes * of_each);
        let distance = |a: usize, b: usize| kernels::distance(reads[a].as_bytes(), reads[b].as_bytes());
        let same: u64 = (1..of_each).map(|turn| distance(0, turn * barcodes)).sum();
        let other: u64 = (1..of_each).map(|turn| distance(0, turn * barcodes + turn)).sum();
        assert!(same * 3 < other, "{same}, {other}");
        assert_eq!(CollectionSample::Barcodes.form().a.typed().map(|text| text.lines().count()), Some(reads.len()));
    }
}
