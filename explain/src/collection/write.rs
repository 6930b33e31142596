//! Write: the answer to a question about a collection as a file. Files never contain the texts, only their names.

use std::borrow::Cow;
use std::io::{self, Write};

use kernels::collection::{CollectionAnswer, CollectionSide, Member};
use kernels::failure::JobFailure;
use kernels::job::{Points, Task};
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
    /// Takes O(scores) time. Kept pairs take 12 bytes each, and the tree takes four bytes for each pair of texts.
    ///
    /// # Errors
    /// Returns the errors of [`CollectionFormat::check`], `TooLarge` if the answer has more pairs than may be listed, and the
    /// error of the output.
    pub fn write(&self, format: CollectionFormat, to: &mut dyn Write) -> Result<(), WriteError> {
        format.check(&self.rule, self.keep, self.collection, self.max_pairs)?;
        match format {
            CollectionFormat::Json => self.json(to),
            CollectionFormat::Pairs => self.pairs(to),
            CollectionFormat::Matrix => self.matrix(to),
            CollectionFormat::Groups => self.groups(to),
            CollectionFormat::Phylip => self.phylip(to),
            CollectionFormat::Newick => self.newick(to),
            CollectionFormat::Npy => self.npy(to),
            // These formats of searches do not pass the check.
            CollectionFormat::Hits | CollectionFormat::Counts | CollectionFormat::Bed | CollectionFormat::Paf | CollectionFormat::Sam => {
                Ok(())
            }
        }
    }

    /// Lists the names of all texts of a side, or their numbers from 1.
    fn names<'s>(&self, side: &'s CollectionSide) -> impl Iterator<Item = Cow<'s, str>> {
        let has_names = self.has_names;
        let name = move |(number, member): (usize, &'s Member)| {
            if has_names { Cow::Borrowed(&*member.name) } else { Cow::Owned((number + 1).to_string()) }
        };
        side.members().iter().enumerate().map(name)
    }

    /// Lists the names of all texts as fields of comma-separated values.
    fn quoted_names(&self, side: &CollectionSide) -> Vec<String> {
        self.names(side).map(|name| field(&name).into_owned()).collect()
    }

    /// Lists the names of all texts for formats of trees: characters with a meaning become `_`, and texts without a name have
    /// their number. A name that occurs before gets its number too.
    fn plain_names(&self, side: &CollectionSide) -> Vec<String> {
        let mut known = std::collections::HashSet::new();
        let plain = |(number, name): (usize, Cow<str>)| {
            let has_meaning = |letter: char| letter.is_whitespace() || letter.is_control() || "()[]{}:;,'\"".contains(letter);
            let name = name.replace(has_meaning, "_");
            let name = if name.is_empty() { number.to_string() } else { name };
            let mut numbered = std::iter::once(name.clone()).chain((number..).map(|number| format!("{name}_{number}")));
            numbered.find(|name| known.insert(name.clone())).unwrap_or(name)
        };
        self.names(side).enumerate().map(plain).collect()
    }

    /// Returns the numbers of rows and columns.
    fn sizes(&self) -> [usize; 2] {
        [self.collection.a(), self.collection.columns()].map(|side| side.members().len())
    }

    fn score(&self, a: usize, b: usize) -> i32 {
        self.answer.score(self.collection, a, b).unwrap_or(0)
    }

    /// Returns the distance of two texts: their edits, or 1 − the similarity by common subsequence.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let score = self.score(a, b);
        if self.rule.task == Task::EditDistance { score.into() } else { 1.0 - self.similarity(score, a, b).unwrap_or(0.0) }
    }

    fn pairs(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let has_similarity = self.rule.task != Task::SequenceAlignment;
        writeln!(to, "a,b,a_name,b_name,{}{}", self.score_name(), if has_similarity { ",similarity" } else { "" })?;
        let names = [self.collection.a(), self.collection.columns()].map(|side| self.quoted_names(side));
        let mut line = |a: usize, b: usize, score: i32| -> io::Result<()> {
            write!(to, "{a},{b},{},{},{}", names[0][a], names[1][b], self.rule.number(score))?;
            if let Some(similarity) = self.similarity(score, a, b) {
                // Cut and not rounded, so that only equal texts have 1.
                write!(to, ",{:.6}", (similarity * 1e6 + 1e-6).floor() / 1e6)?;
            }
            writeln!(to)
        };
        if let CollectionAnswer::Scores(_) = self.answer {
            let [rows, columns] = self.sizes();
            for a in 0..rows {
                let first = if self.collection.b().is_none() { a + 1 } else { 0 };
                (first..columns).try_for_each(|b| line(a, b, self.score(a, b)))?;
            }
            return Ok(());
        }
        let pairs = self.answer.member_pairs(self.collection, self.rule.task, self.keep, self.max_pairs)?;
        Ok(pairs.into_iter().try_for_each(|pair| line(pair.a as usize, pair.b as usize, pair.score))?)
    }

    fn matrix(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let [rows, columns] = self.sizes();
        for name in self.quoted_names(self.collection.columns()) {
            write!(to, ",{name}")?;
        }
        writeln!(to)?;
        for (a, name) in self.quoted_names(self.collection.a()).iter().enumerate().take(rows) {
            write!(to, "{name}")?;
            for b in 0..columns {
                write!(to, ",{}", self.rule.number(self.score(a, b)))?;
            }
            writeln!(to)?;
        }
        Ok(())
    }

    fn groups(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let names = self.quoted_names(self.collection.a());
        writeln!(to, "group,text,name")?;
        for (group, texts) in self.answer.groups(self.collection).iter().enumerate() {
            for &text in texts {
                writeln!(to, "{group},{text},{}", names[text])?;
            }
        }
        Ok(())
    }

    fn phylip(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let [texts, _] = self.sizes();
        writeln!(to, "{texts}")?;
        for (a, name) in self.plain_names(self.collection.a()).iter().enumerate() {
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
        let [texts, _] = self.sizes();
        let names = self.plain_names(self.collection.a());
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

    /// Writes a NumPy array of version 1.0 of the type `<i4`, or `<f8` for scores with decimals, row by row.
    fn npy(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let [rows, columns] = self.sizes();
        let kind = if self.rule.is_whole() { "<i4" } else { "<f8" };
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
        // Magic, version and length take 10 bytes. The data begin at a multiple of 64 bytes.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        to.write_all(b"\x93NUMPY\x01\x00")?;
        to.write_all(&(padded as u16).to_le_bytes())?;
        writeln!(to, "{header:<0$}", padded - 1)?;
        for a in 0..rows {
            let scores = (0..columns).map(|b| self.score(a, b));
            let row: Vec<u8> = match self.rule.is_whole() {
                true => scores.flat_map(i32::to_le_bytes).collect(),
                false => scores.flat_map(|score| self.rule.number(score).approximate().to_le_bytes()).collect(),
            };
            to.write_all(&row)?;
        }
        Ok(())
    }

    fn json(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let pairs = match self.answer {
            CollectionAnswer::Scores(_) => None,
            CollectionAnswer::Pairs(_) | CollectionAnswer::Nearest(_) => {
                Some(self.answer.member_pairs(self.collection, self.rule.task, self.keep, self.max_pairs)?)
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
        let mut document = serializer.serialize_struct("Collection", 9)?;
        document.serialize_field("task", &answered.rule.task)?;
        let warnings: Vec<&str> = collection.warnings().iter().map(|warning| &*warning.message).collect();
        if answered.has_names && !warnings.is_empty() {
            document.serialize_field("warnings", &warnings)?;
        }
        let distinct = collection.a().distinct().len() + collection.b().map_or(0, |b| b.distinct().len());
        document.serialize_field("distinct", &distinct)?;
        document.serialize_field("names", &answered.names(collection.a()).collect::<Vec<_>>())?;
        document.serialize_field("lengths", &Lengths(collection.a()))?;
        if let Some(b) = collection.b() {
            document.serialize_field("names_b", &answered.names(b).collect::<Vec<_>>())?;
            document.serialize_field("lengths_b", &Lengths(b))?;
        }
        match pairs {
            None => document.serialize_field("scores", &Scores(answered))?,
            Some(pairs) => document.serialize_field("pairs", &Pairs(answered, pairs))?,
        }
        document.end()
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
            all.serialize_element(&(0..columns).map(|b| answered.rule.number(answered.score(a, b))).collect::<Vec<_>>())?;
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
            PairDocument { a: pair.a, b: pair.b, score_name: answered.score_name(), score: answered.rule.number(pair.score), similarity }
        }))
    }
}

struct PairDocument {
    a: u32,
    b: u32,
    score_name: &'static str,
    score: Points,
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

#[cfg(test)]
mod tests;
