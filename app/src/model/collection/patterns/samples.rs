//! Two examples of searches for many patterns. The sequence is generated, the same at every visit.

use kernels::strand::{NucleicAcid, reverse_complement};

use super::super::samples::Generator;
use super::super::sources::TextSource;
use super::form::PatternForm;

/// An example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternSample {
    /// Primers and restriction sites in a sequence of DNA, on both strands.
    Primers,
    /// Modern words in a sonnet in old spelling.
    Words,
}

/// Number of letters of the sequence.
const LETTERS: usize = 20_000;

/// Number of letters of a primer.
const PRIMER: usize = 20;

/// Places of the primers in the sequence: name, position, number of replaced letters, and whether it is on the reverse
/// strand.
const PRIMERS: [(&str, usize, usize, bool); 6] = [
    ("rep_F", 812, 0, false),
    ("rep_R", 2_377, 1, true),
    ("tail_F", 6_140, 2, false),
    ("tail_R", 7_905, 0, true),
    ("lys_F", 13_266, 1, false),
    ("lys_R", 15_018, 2, true),
];

/// Names and letters of restriction sites, which are palindromes.
const SITES: [(&str, &str); 3] = [("EcoRI", "GAATTC"), ("HindIII", "AAGCTT"), ("NotI", "GCGGCCGC")];

/// The first lines of Shakespeare's sonnet 18 in the edition of 1609.
const SONNET: &str = "Shall I compare thee to a Summers day?\nThou art more louely and more temperate:\nRough windes do shake the darling buds of Maie,\nAnd Sommers lease hath all too short a date:\nSometime too hot the eye of heauen shines,\nAnd often is his gold complexion dimm’d,\nAnd euery faire from faire some-time declines,\nBy chance, or natures changing course vntrim’d:\nBut thy eternall Sommer shall not fade,\nNor loose possession of that faire thou ow’st,\n";

/// Modern words, some of which the sonnet has in another spelling.
const WORDS: &str = "summer\nlovely\nheaven\neternal\nwinter\tautumn\t1\nfair";

impl PatternSample {
    pub const ALL: [Self; 2] = [Self::Primers, Self::Words];

    /// Returns the form of the example.
    pub fn form(self) -> PatternForm {
        match self {
            Self::Primers => {
                let (primers, sequence) = primers();
                let file = |name: &str, text: &str| TextSource::file(name, text.as_bytes());
                PatternForm {
                    patterns: file("primers.fasta", &primers),
                    texts: vec![file("plasmid.fasta", &sequence)],
                    max_distance: 2,
                    has_both_strands: true,
                    ..PatternForm::default()
                }
            }
            Self::Words => {
                let mut form = PatternForm { patterns: TextSource::typed(WORDS), case_insensitive: true, ..PatternForm::default() };
                form.retype_text(SONNET);
                form
            }
        }
    }
}

/// Generates the primers as a FASTA file, and the sequence that has them.
fn primers() -> (String, String) {
    let mut random = Generator(0x9E37_79B9_7F4A_7C15);
    let mut letters: Vec<u8> = (0..LETTERS).map(|_| random.choose(b"ACGT")).collect();
    let mut primers = String::new();
    let mut add = |name: &str, pattern: &[u8], limit: &str| {
        primers.push_str(&format!(">{name}{limit}\n{}\n", String::from_utf8_lossy(pattern)));
    };
    for (name, at, replaced, is_reverse) in PRIMERS {
        let place = letters[at..at + PRIMER].to_vec();
        let primer = if is_reverse { reverse_complement(&place, NucleicAcid::Dna).unwrap_or(place) } else { place };
        add(name, &primer, "");
        // Letters of the sequence are replaced, so that the primer does not fit any more.
        for nth in 0..replaced {
            let letter = &mut letters[at + 4 + 7 * nth];
            *letter = match letter {
                b'A' => b'C',
                b'C' => b'G',
                b'G' => b'T',
                _ => b'A',
            };
        }
    }
    SITES.iter().for_each(|(name, site)| add(name, site.as_bytes(), " k=0"));
    let control: Vec<u8> = (0..PRIMER).map(|_| random.choose(b"ACGT")).collect();
    add("control", &control, "");
    let lines: Vec<String> = letters.chunks(70).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    (primers, format!(">plasmid\n{}\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use kernels::collection::{MemberSource, PatternCollection, PatternHits, PatternLabel, SideSources};
    use kernels::cpu::Cpu;
    use kernels::run::{NoObserver, Run};

    use super::*;

    fn hits(sample: PatternSample) -> Vec<(String, PatternHits)> {
        let form = sample.form();
        let (request, bytes) = form.request(u64::MAX).unwrap();
        let (patterns, texts): (SideSources, SideSources) = request.sides_of(&bytes).unwrap();
        assert!(texts.sources.iter().all(|source: &MemberSource| !source.bytes.is_empty()));
        let labels: Vec<PatternLabel> = request.labels.iter().map(PatternLabel::from).collect();
        let searched = PatternCollection::parse(patterns, texts, form.task, &request.options).unwrap().with_labels(&labels).unwrap();
        let found = searched.solve(1_000, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
        searched.pairs().iter().map(|pair| pair.a.name().unwrap_or_default().to_owned()).zip(found).collect()
    }

    #[test]
    fn primers_are_where_they_were_put() {
        let found = hits(PatternSample::Primers);
        for ((name, at, replaced, is_reverse), (found_name, found)) in PRIMERS.iter().zip(&found) {
            let sign = if *is_reverse { '-' } else { '+' };
            let is_it =
                |hit: &&kernels::found::Hit| hit.start.abs_diff(*at as u64) <= 2 && hit.strand.map(|strand| strand.sign()) == Some(sign);
            assert!(found_name.starts_with(name), "{found_name}");
            assert_eq!(found.hits.iter().find(is_it).map(|hit| hit.distance), Some(*replaced as u64), "{name}");
        }
        assert!(found.last().unwrap().1.hits.is_empty(), "the control does not occur");
    }

    #[test]
    fn words_are_found_in_another_spelling() {
        let found = hits(PatternSample::Words);
        let totals: Vec<_> = found.iter().map(|(name, found)| (name.as_str(), found.hits.len())).collect();
        assert_eq!(totals[0].0, "summer");
        assert!(totals[0].1 >= 3 && totals[1].1 >= 1, "{totals:?}");
        assert_eq!(totals[4], ("winter", 0));
    }
}
