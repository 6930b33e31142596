//! Write: the answer to a question about a collection as a file. Files never contain the texts, only their names.

use std::io::{self, Write};

use kernels::collection::{CollectionAnswer, CollectionSide, groups};
use kernels::failure::JobFailure;
use kernels::job::Task;
use serde::ser::{SerializeSeq as _, SerializeStruct as _};
use serde::{Serialize, Serializer};

use super::tree::single_linkage;
use super::{AnsweredCollection, CollectionFormat};
use crate::export::csv::field;

/// The reason why an answer was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The answer does not fit the format.
    #[error(transparent)]
    Answer(#[from] JobFailure),
    /// The output failed.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl AnsweredCollection<'_> {
    /// Writes the answer to `to` in `format`.
    ///
    /// Takes O(scores) time. JSON and the formats of matrices need no further memory. The tree takes four bytes for each pair
    /// of texts.
    ///
    /// # Errors
    /// Returns `BadInput` if the format needs scores of all pairs, one collection or distances, and the answer has none of
    /// them. Returns `TooLarge` if the answer has more pairs than may be listed, and the error of the output.
    pub fn write(&self, format: CollectionFormat, to: &mut dyn Write) -> Result<(), WriteError> {
        match format {
            CollectionFormat::Json => self.json(to),
            CollectionFormat::Pairs => self.pairs(to),
            CollectionFormat::Matrix => self.matrix(to),
            CollectionFormat::Groups => self.groups(to),
            CollectionFormat::Phylip => self.phylip(to),
            CollectionFormat::Newick => self.newick(to),
            CollectionFormat::Npy => self.npy(to),
        }
    }

    /// Returns the numbers of rows and columns, if the answer has the scores of all pairs.
    fn need_scores(&self, format: CollectionFormat) -> Result<[usize; 2], JobFailure> {
        match self.answer {
            CollectionAnswer::Scores(_) => Ok([self.collection.a(), self.collection.columns()].map(|side| side.members().len())),
            CollectionAnswer::Pairs(_) | CollectionAnswer::Nearest(_) => Err(JobFailure::bad_input(format!(
                "The format {} needs the scores of all pairs. Leave out keep, or choose pairs.",
                format.name()
            ))),
        }
    }

    /// Returns the number of texts, if the answer has the distances of all pairs of one collection.
    fn need_distances(&self, format: CollectionFormat) -> Result<usize, JobFailure> {
        let [texts, _] = self.need_scores(format)?;
        if self.collection.b().is_some() {
            return Err(JobFailure::bad_input(format!("The format {} needs all pairs of one collection. Leave out b.", format.name())));
        }
        if self.task == Task::SequenceAlignment {
            let message =
                format!("The format {} needs distances, and scores of alignments are none. edit-distance, lcs have them.", format.name());
            return Err(JobFailure::bad_input(message));
        }
        Ok(texts)
    }

    fn score(&self, a: usize, b: usize) -> i32 {
        self.answer.score(self.collection, a, b).unwrap_or(0)
    }

    /// Returns the distance of two texts: their edits, or 1 − the similarity by common subsequence.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let score = self.score(a, b);
        if self.task == Task::EditDistance { score.into() } else { 1.0 - self.similarity(score, a, b).unwrap_or(0.0) }
    }

    fn pairs(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let pairs = self.answer.member_pairs(self.collection, self.task, self.keep, self.max_pairs)?;
        let has_similarity = self.task != Task::SequenceAlignment;
        writeln!(to, "a,b,a_name,b_name,{}{}", self.score_name(), if has_similarity { ",similarity" } else { "" })?;
        let names = [self.collection.a(), self.collection.columns()].map(quoted_names);
        for pair in pairs {
            let (a, b) = (pair.a as usize, pair.b as usize);
            write!(to, "{a},{b},{},{},{}", names[0][a], names[1][b], pair.score)?;
            if let Some(similarity) = self.similarity(pair.score, a, b) {
                write!(to, ",{similarity:.6}")?;
            }
            write!(to, "\n")?;
        }
        Ok(())
    }

    fn matrix(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let [rows, columns] = self.need_scores(CollectionFormat::Matrix)?;
        for name in quoted_names(self.collection.columns()) {
            write!(to, ",{name}")?;
        }
        write!(to, "\n")?;
        for (a, name) in quoted_names(self.collection.a()).iter().enumerate().take(rows) {
            write!(to, "{name}")?;
            for b in 0..columns {
                write!(to, ",{}", self.score(a, b))?;
            }
            write!(to, "\n")?;
        }
        Ok(())
    }

    fn groups(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        if self.collection.b().is_some() || matches!(self.answer, CollectionAnswer::Scores(_)) {
            let message =
                "Groups are those of the kept pairs of one collection. Leave out b, and keep pairs by within, similarity or nearest.";
            return Err(JobFailure::bad_input(message).into());
        }
        let pairs = self.answer.member_pairs(self.collection, self.task, self.keep, self.max_pairs)?;
        let members = self.collection.a().members().len();
        let names = quoted_names(self.collection.a());
        write!(to, "group,text,name\n")?;
        let pairs = pairs.iter().map(|pair| (pair.a as usize, pair.b as usize));
        for (group, texts) in groups(members, pairs).iter().enumerate() {
            for &text in texts {
                write!(to, "{group},{text},{}\n", names[text])?;
            }
        }
        Ok(())
    }

    fn phylip(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let texts = self.need_distances(CollectionFormat::Phylip)?;
        writeln!(to, "{texts}")?;
        for (a, name) in plain_names(self.collection.a()).iter().enumerate() {
            write!(to, "{name}")?;
            for b in 0..texts {
                match a == b {
                    true => write!(to, " 0")?,
                    false => write!(to, " {}", Decimal(self.distance(a, b)))?,
                }
            }
            writeln!(to)?;
        }
        Ok(())
    }

    fn newick(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let texts = self.need_distances(CollectionFormat::Newick)?;
        let names = plain_names(self.collection.a());
        let tree = single_linkage(texts, |a, b| self.distance(a, b));
        // The height of a cluster is half of the distance at which it was made, so that distances along branches add up.
        let height = |cluster: usize| cluster.checked_sub(texts).map_or(0.0, |join| tree[join].distance / 2.0);
        // Without recursion, because a tree of similar texts may be as deep as their number.
        enum Part {
            Cluster(usize, Option<f64>),
            Text(&'static str),
            Length(f64),
        }
        let mut open = match (texts, tree.len()) {
            (0, _) => Vec::new(),
            (1, _) => vec![Part::Cluster(0, None)],
            (_, joins) => vec![Part::Cluster(texts + joins - 1, None)],
        };
        while let Some(part) = open.pop() {
            match part {
                Part::Text(text) => write!(to, "{text}")?,
                Part::Length(length) => write!(to, ":{}", Decimal(length))?,
                Part::Cluster(cluster, above) => {
                    if let Some(above) = above {
                        open.push(Part::Length(above - height(cluster)));
                    }
                    match cluster.checked_sub(texts) {
                        None => write!(to, "{}", names[cluster])?,
                        Some(join) => {
                            let own = Some(height(cluster));
                            let parts = [
                                Part::Text(")"),
                                Part::Cluster(tree[join].second, own),
                                Part::Text(","),
                                Part::Cluster(tree[join].first, own),
                                Part::Text("("),
                            ];
                            open.extend(parts);
                        }
                    }
                }
            }
        }
        writeln!(to, ";")?;
        Ok(())
    }

    /// Writes a NumPy array of version 1.0 of the type `<i4`, row by row.
    fn npy(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let [rows, columns] = self.need_scores(CollectionFormat::Npy)?;
        let header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
        // Magic, version and length take 10 bytes. The data begin at a multiple of 64 bytes.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        to.write_all(b"\x93NUMPY\x01\x00")?;
        to.write_all(&(padded as u16).to_le_bytes())?;
        writeln!(to, "{header:<0$}", padded - 1)?;
        for a in 0..rows {
            let row: Vec<u8> = (0..columns).flat_map(|b| self.score(a, b).to_le_bytes()).collect();
            to.write_all(&row)?;
        }
        Ok(())
    }

    fn json(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let pairs = match self.answer {
            CollectionAnswer::Scores(_) => None,
            CollectionAnswer::Pairs(_) | CollectionAnswer::Nearest(_) => {
                Some(self.answer.member_pairs(self.collection, self.task, self.keep, self.max_pairs)?)
            }
        };
        serde_json::to_writer(&mut *to, &CollectionDocument { answered: self, pairs }).map_err(io::Error::from)?;
        Ok(())
    }
}

/// A number with at most six digits after the point, and none that are 0 at its end.
struct Decimal(f64);

impl std::fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = format!("{:.6}", self.0);
        formatter.write_str(digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The JSON document of an answer.
struct CollectionDocument<'d> {
    answered: &'d AnsweredCollection<'d>,
    pairs: Option<Vec<kernels::collection::ScoredPair>>,
}

impl Serialize for CollectionDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { answered, pairs } = self;
        let collection = answered.collection;
        let mut document = serializer.serialize_struct("Collection", 8)?;
        document.serialize_field("task", &answered.task)?;
        document.serialize_field("names", &Names(collection.a()))?;
        document.serialize_field("lengths", &Lengths(collection.a()))?;
        if let Some(b) = collection.b() {
            document.serialize_field("names_b", &Names(b))?;
            document.serialize_field("lengths_b", &Lengths(b))?;
        }
        match pairs {
            None => document.serialize_field("scores", &Scores(answered))?,
            Some(pairs) => document.serialize_field("pairs", &Pairs(answered, pairs))?,
        }
        document.end()
    }
}

struct Names<'d>(&'d CollectionSide);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.members().iter().map(|member| &member.name))
    }
}

struct Lengths<'d>(&'d CollectionSide);

impl Serialize for Lengths<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0.members().len()).map(|member| self.0.member_len(member)))
    }
}

struct Scores<'d>(&'d AnsweredCollection<'d>);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(answered) = self;
        let [rows, columns] = [answered.collection.a(), answered.collection.columns()].map(|side| side.members().len());
        let mut all = serializer.serialize_seq(Some(rows))?;
        for a in 0..rows {
            all.serialize_element(&(0..columns).map(|b| answered.score(a, b)).collect::<Vec<i32>>())?;
        }
        all.end()
    }
}

struct Pairs<'d>(&'d AnsweredCollection<'d>, &'d [kernels::collection::ScoredPair]);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(answered, pairs) = self;
        serializer.collect_seq(pairs.iter().map(|pair| {
            let similarity = answered.similarity(pair.score, pair.a as usize, pair.b as usize);
            PairDocument { a: pair.a, b: pair.b, score_name: answered.score_name(), score: pair.score, similarity }
        }))
    }
}

struct PairDocument {
    a: u32,
    b: u32,
    score_name: &'static str,
    score: i32,
    similarity: Option<f64>,
}

impl Serialize for PairDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_struct("Pair", 4)?;
        pair.serialize_field("a", &self.a)?;
        pair.serialize_field("b", &self.b)?;
        pair.serialize_field(self.score_name, &self.score)?;
        if let Some(similarity) = self.similarity {
            pair.serialize_field("similarity", &similarity)?;
        }
        pair.end()
    }
}

/// Lists the names of all members as fields of comma-separated values.
fn quoted_names(side: &CollectionSide) -> Vec<String> {
    side.members().iter().map(|member| field(&member.name).into_owned()).collect()
}

/// Lists the names of all members for formats of trees: characters with a meaning become `_`, and members without a name
/// have their number. A name that occurs before gets its number too.
fn plain_names(side: &CollectionSide) -> Vec<String> {
    let mut known = std::collections::HashSet::new();
    let plain = |(number, name): (usize, &str)| {
        let has_meaning = |letter: char| letter.is_whitespace() || letter.is_control() || "()[]{}:;,'\"".contains(letter);
        let name = name.replace(has_meaning, "_");
        let name = if name.is_empty() { number.to_string() } else { name };
        if known.insert(name.clone()) {
            return name;
        }
        let name = format!("{name}_{number}");
        known.insert(name.clone());
        name
    };
    side.members().iter().map(|member| &*member.name).enumerate().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use kernels::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, SideSources};
    use kernels::cpu::Cpu;
    use kernels::job::JobOptions;
    use kernels::run::{NoObserver, Run};

    use super::*;

    fn side(text: &str) -> SideSources {
        SideSources { sources: vec![MemberSource { name: "list".into(), bytes: text.as_bytes().into() }], split: MemberSplit::Lines }
    }

    /// Returns the answer about the lines of `a`, and of `b` if given, in `format`.
    fn written(task: Task, a: &str, b: Option<&str>, keep: KeptPairs, format: CollectionFormat) -> Result<Vec<u8>, String> {
        let options = JobOptions { alignment: false, ..JobOptions::default() };
        let collection = Collection::parse(side(a), b.map(side), &options.reading()).unwrap();
        let limits = AnswerLimits { max_scores: 100, max_pairs: 100 };
        let question = CollectionQuestion::new(task, &options, keep, &collection).unwrap();
        let answer = question.solve(&collection, &limits, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
        let answered = AnsweredCollection { collection: &collection, task, keep, answer: &answer, max_pairs: 9 };
        let mut file = Vec::new();
        answered.write(format, &mut file).map(|()| file).map_err(|error| error.to_string())
    }

    fn text(task: Task, a: &str, b: Option<&str>, keep: KeptPairs, format: CollectionFormat) -> String {
        String::from_utf8(written(task, a, b, keep, format).unwrap()).unwrap()
    }

    const WORDS: &str = "kitten\nsitting\nkitten\n=mitten, 2";
    const ALL: KeptPairs = KeptPairs::All;

    #[test]
    fn every_format_of_all_pairs_has_their_scores() {
        let own = |format| text(Task::EditDistance, WORDS, None, ALL, format);
        assert_eq!(
            own(CollectionFormat::Json),
            r#"{"task":"edit-distance","names":["kitten","sitting","kitten","=mitten, 2"],"lengths":[6,7,6,10],"scores":[[0,3,0,5],[3,0,3,7],[0,3,0,5],[5,7,5,0]]}"#
        );
        assert_eq!(
            own(CollectionFormat::Matrix),
            ",kitten,sitting,kitten,\"'=mitten, 2\"\nkitten,0,3,0,5\nsitting,3,0,3,7\nkitten,0,3,0,5\n\"'=mitten, 2\",5,7,5,0\n"
        );
        assert_eq!(
            own(CollectionFormat::Pairs),
            "a,b,a_name,b_name,distance,similarity\n0,1,kitten,sitting,3,0.571429\n0,2,kitten,kitten,0,1.000000\n0,3,kitten,\"'=mitten, 2\",5,0.500000\n\
             1,2,sitting,kitten,3,0.571429\n1,3,sitting,\"'=mitten, 2\",7,0.300000\n2,3,kitten,\"'=mitten, 2\",5,0.500000\n"
        );
        assert_eq!(own(CollectionFormat::Phylip), "4\nkitten 0 3 0 5\nsitting 3 0 3 7\nkitten_2 0 3 0 5\n=mitten__2 5 7 5 0\n");
        assert_eq!(own(CollectionFormat::Newick), "(((kitten:0,kitten_2:0):1.5,sitting:1.5):1,=mitten__2:2.5);\n");
        let npy = written(Task::EditDistance, WORDS, None, ALL, CollectionFormat::Npy).unwrap();
        assert!(npy.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (4, 4), }"));
        assert_eq!((npy.len(), npy[127], npy[128 + 4]), (128 + 64, b'\n', 3));
        assert_eq!(text(Task::EditDistance, "one", None, ALL, CollectionFormat::Newick), "one;\n");
    }

    #[test]
    fn kept_pairs_are_written_by_their_members() {
        let within = KeptPairs::Within(3);
        assert_eq!(
            text(Task::EditDistance, WORDS, None, within, CollectionFormat::Pairs),
            "a,b,a_name,b_name,distance,similarity\n0,1,kitten,sitting,3,0.571429\n0,2,kitten,kitten,0,1.000000\n1,2,sitting,kitten,3,0.571429\n"
        );
        assert_eq!(
            text(Task::EditDistance, WORDS, None, within, CollectionFormat::Groups),
            "group,text,name\n0,0,kitten\n0,1,sitting\n0,2,kitten\n"
        );
        assert_eq!(
            text(Task::Lcs, "abc\nb", Some("bc\nx\nb"), KeptPairs::Nearest(1), CollectionFormat::Json),
            r#"{"task":"lcs","names":["abc","b"],"lengths":[3,1],"names_b":["bc","x","b"],"lengths_b":[2,1,1],"pairs":[{"a":0,"b":0,"length":2,"similarity":0.8},{"a":1,"b":2,"length":1,"similarity":1.0}]}"#
        );
        assert_eq!(text(Task::SequenceAlignment, "abc\nb", None, ALL, CollectionFormat::Pairs), "a,b,a_name,b_name,score\n0,1,abc,b,-1\n");
    }

    #[test]
    fn formats_that_do_not_fit_say_what_they_need() {
        let refused = |task, b, keep, format| written(task, WORDS, b, keep, format).unwrap_err();
        let scores = "needs the scores of all pairs. Leave out keep, or choose pairs.";
        assert_eq!(refused(Task::Lcs, None, KeptPairs::Nearest(1), CollectionFormat::Npy), format!("The format npy {scores}"));
        assert_eq!(
            refused(Task::Lcs, Some("x"), ALL, CollectionFormat::Newick),
            "The format newick needs all pairs of one collection. Leave out b."
        );
        assert_eq!(
            refused(Task::SequenceAlignment, None, ALL, CollectionFormat::Phylip),
            "The format phylip needs distances, and scores of alignments are none. edit-distance, lcs have them."
        );
        assert_eq!(
            refused(Task::Lcs, None, ALL, CollectionFormat::Groups),
            "Groups are those of the kept pairs of one collection. Leave out b, and keep pairs by within, similarity or nearest."
        );
        assert_eq!(
            written(Task::Lcs, &"a\n".repeat(5), None, ALL, CollectionFormat::Pairs).unwrap_err(),
            "The number of kept pairs is 10, and the limit here is 9."
        );
    }
}
