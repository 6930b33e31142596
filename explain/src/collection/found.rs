//! Found: the hits of many patterns as a file. Each record of a searched file is a text, with positions of its own.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use kernels::collection::{PatternCollection, PatternHits};
use kernels::cpu::Cpu;
use kernels::failure::JobFailure;
use kernels::found::Hit;
use kernels::run::{Halt, Run};
use kernels::strand::Strand;
use serde::{Serialize, Serializer};

use super::CollectionFormat;
use super::write::WriteError;
use crate::export::csv::field;
use crate::export::hit_file::{HitFile, HitFileNames};
use crate::format::FindingsFormat;

/// The hits of many patterns with the patterns and the text.
#[derive(Clone, Copy, Debug)]
pub struct FoundPatterns<'c> {
    /// The patterns and the text.
    pub collection: &'c PatternCollection,
    /// The hits of each pattern.
    pub hits: &'c [PatternHits],
}

/// A hit in JSON, with the number of its pattern and of its text.
#[derive(Serialize)]
struct HitDocument {
    pattern: usize,
    text: u64,
    start: u64,
    end: u64,
    distance: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    strand: Option<Strand>,
}

/// The JSON document of all hits.
#[derive(Serialize)]
struct FoundDocument<'d> {
    task: kernels::job::Task,
    patterns: Vec<String>,
    lengths: Vec<usize>,
    texts: &'d [String],
    totals: Vec<u64>,
    #[serde(serialize_with = "hit_documents")]
    hits: &'d FoundPatterns<'d>,
}

fn hit_documents<S: Serializer>(found: &&FoundPatterns<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(found.all().map(|(pattern, hit)| {
        let (text, start, end) = place(hit);
        HitDocument { pattern, text, start, end, distance: hit.distance, strand: hit.strand }
    }))
}

/// Returns the number of the text that has `hit`, and the range of the hit in this text.
fn place(hit: &Hit) -> (u64, u64, u64) {
    hit.record.map_or((0, hit.start, hit.end), |record| (record.number, record.start, record.end))
}

impl FoundPatterns<'_> {
    /// Writes the hits to `to` in `format`. PAF and SAM take the time to align each hit.
    ///
    /// # Errors
    /// Returns `BadInput` if the format is none of hits, the errors of an alignment, and the error of the output.
    pub fn write(&self, format: CollectionFormat, to: &mut dyn Write, cpu: &Cpu, run: &Run) -> Result<(), WriteError> {
        format.check_search(self.collection.task(), self.collection.options().count_only)?;
        match format {
            CollectionFormat::Json => self.json(to),
            CollectionFormat::Hits => self.list(to),
            CollectionFormat::Counts => self.counts(to),
            CollectionFormat::Bed => self.mapped(FindingsFormat::Bed, to, cpu, run),
            CollectionFormat::Paf => self.mapped(FindingsFormat::Paf, to, cpu, run),
            CollectionFormat::Sam => self.mapped(FindingsFormat::Sam, to, cpu, run),
            // These formats of pairs do not pass the check.
            CollectionFormat::Pairs
            | CollectionFormat::Matrix
            | CollectionFormat::Groups
            | CollectionFormat::Phylip
            | CollectionFormat::Newick
            | CollectionFormat::Npy => Ok(()),
        }
    }

    /// Iterates over all hits with the numbers of their patterns.
    fn all(&self) -> impl Iterator<Item = (usize, &Hit)> {
        self.hits.iter().enumerate().flat_map(|(pattern, found)| found.hits.iter().map(move |hit| (pattern, hit)))
    }

    /// Lists the names of the patterns. A pattern without a name has its number.
    fn patterns(&self) -> Vec<String> {
        let name = |(number, pair): (usize, &kernels::text::Pair)| pair.a.name().map_or_else(|| number.to_string(), str::to_owned);
        self.collection.pairs().iter().enumerate().map(name).collect()
    }

    fn json(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let document = FoundDocument {
            task: self.collection.task(),
            patterns: self.patterns(),
            lengths: self.collection.pairs().iter().map(|pair| pair.a.len()).collect(),
            texts: self.collection.texts(),
            totals: self.hits.iter().map(|found| found.total).collect(),
            hits: self,
        };
        Ok(serde_json::to_writer(to, &document).map_err(io::Error::from)?)
    }

    fn list(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        let (patterns, texts) = (self.patterns(), self.collection.texts());
        let has_strands = !self.collection.options().strands.is_forward();
        writeln!(to, "pattern,text,start,end,distance{},pattern_name,text_name", if has_strands { ",strand" } else { "" })?;
        for (pattern, hit) in self.all() {
            let (text, start, end) = place(hit);
            write!(to, "{pattern},{text},{start},{end},{}", hit.distance)?;
            if has_strands {
                write!(to, ",{}", hit.strand.map_or('+', Strand::sign))?;
            }
            writeln!(to, ",{},{}", field(&patterns[pattern]), field(&texts[text as usize]))?;
        }
        Ok(())
    }

    fn counts(&self, to: &mut dyn Write) -> Result<(), WriteError> {
        writeln!(to, "pattern,pattern_name,hits")?;
        for ((number, found), name) in self.hits.iter().enumerate().zip(self.patterns()) {
            writeln!(to, "{number},{},{}", field(&name), found.total)?;
        }
        Ok(())
    }

    /// Writes the hits in a format of read mappers or genome browsers. Blanks in a name become `_`, because a name is one word
    /// there. Patterns of the same name get a number, because a name stands for one read, and so do texts.
    fn mapped(&self, format: FindingsFormat, to: &mut dyn Write, cpu: &Cpu, run: &Run) -> Result<(), WriteError> {
        let failed = |halt: Halt| WriteError::Answer(halt.failure());
        let named = |(pattern, name): (usize, String)| if name.trim().is_empty() { pattern.to_string() } else { name };
        let patterns: Vec<String> = self.patterns().into_iter().enumerate().map(named).collect();
        let names = HitFileNames::new(format, &patterns, self.collection.searched());
        // The hits of a pattern are in the order of the files.
        let runs = self.hits.iter().enumerate().flat_map(|(pattern, found)| {
            let source = |hit: &Hit| self.collection.source_of(place(hit).0);
            let runs: Vec<&[Hit]> = match found.hits.is_empty() {
                // The header of a file without hits names its text.
                true => vec![&[]],
                false => found.hits.chunk_by(|one, next| source(one) == source(next)).collect(),
            };
            runs.into_iter().map(move |hits| (pattern, hits)).collect::<Vec<_>>()
        });
        let strands = self.collection.options().strands;
        let files = runs.map(|(pattern, hits)| {
            let text = hits.first().map_or(0, |hit| place(hit).0);
            let (pair, source) = (self.collection.pair_of(pattern, text), self.collection.source_of(text));
            Ok((pattern, HitFile::of_many(format, pair, strands, &names, (pattern, source))?, hits))
        });
        let files = files.collect::<Result<Vec<_>, JobFailure>>()?;
        // SAM lists all texts, also those without hits.
        let without_hits = (0..self.collection.sources()).filter(|_| format == FindingsFormat::Sam && !self.hits.is_empty());
        let of_sources =
            without_hits.map(|source| HitFile::of_many(format, self.collection.pair_of_source(source), strands, &names, (0, source)));
        let of_sources = of_sources.collect::<Result<Vec<_>, JobFailure>>()?;
        let headers =
            of_sources.iter().map(|file| file.header(0)).chain(files.iter().map(|(_, file, hits)| file.header(hits.len() as u64)));
        let mut written = HashSet::new();
        for header in headers {
            for line in header.lines() {
                // The lines about the text are the same for each pattern.
                if written.insert(line.to_owned()) {
                    writeln!(to, "{line}")?;
                }
            }
        }
        let mut has_lines = HashMap::new();
        for (pattern, file, hits) in &files {
            let len = file.max_hits_per_page() as usize;
            for page in hits.chunks(len.max(1)) {
                let has_line = has_lines.entry(*pattern).or_insert(false);
                let lines = file.page(has_line, page, &|hit| self.collection.align(*pattern, hit, cpu, run)).map_err(failed)?;
                to.write_all(lines.as_bytes())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kernels::collection::{MemberSource, MemberSplit, SideSources};
    use kernels::job::{JobOptions, SearchStrands, Task};
    use kernels::run::NoObserver;

    use super::*;

    const PATTERNS: &str = ">primer one\nGATTACA\n>other\nCCGT\n>primer\nTTGA\n";
    const TEXT: &str = ">chr1\nTTGATTACATT\n>chr2\nTGTAATCAA\n";

    fn written(format: CollectionFormat) -> Result<String, String> {
        let side =
            |text: &str, split| SideSources { sources: vec![MemberSource { name: "file".into(), bytes: text.as_bytes().into() }], split };
        let options = JobOptions { strands: SearchStrands::Both, ..JobOptions::default() };
        let (patterns, text) = (side(PATTERNS, MemberSplit::Records), side(TEXT, MemberSplit::Files));
        let collection = PatternCollection::parse(patterns, text, Task::ExactSearch, &options).unwrap();
        let run = Run::new(&NoObserver);
        let hits = collection.solve(100, &Cpu::SINGLE, &run).unwrap();
        let mut file = Vec::new();
        let found = FoundPatterns { collection: &collection, hits: &hits };
        found.write(format, &mut file, &Cpu::SINGLE, &run).map(|()| String::from_utf8(file).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_hit_has_its_pattern_text_and_strand() {
        assert_eq!(
            written(CollectionFormat::Hits).unwrap(),
            "pattern,text,start,end,distance,strand,pattern_name,text_name\n0,0,2,9,0,+,primer,chr1\n0,1,0,7,0,-,primer,chr2\n\
             2,0,0,4,0,+,primer,chr1\n2,1,5,9,0,-,primer,chr2\n"
        );
        assert_eq!(
            written(CollectionFormat::Json).unwrap(),
            r#"{"task":"exact-search","patterns":["primer","other","primer"],"lengths":[7,4,4],"texts":["chr1","chr2"],"totals":[2,0,2],"hits":[{"pattern":0,"text":0,"start":2,"end":9,"distance":0,"strand":"+"},{"pattern":0,"text":1,"start":0,"end":7,"distance":0,"strand":"-"},{"pattern":2,"text":0,"start":0,"end":4,"distance":0,"strand":"+"},{"pattern":2,"text":1,"start":5,"end":9,"distance":0,"strand":"-"}]}"#
        );
        assert_eq!(written(CollectionFormat::Counts).unwrap(), "pattern,pattern_name,hits\n0,primer,2\n1,other,0\n2,primer,2\n");
    }

    #[test]
    fn formats_of_other_programs_have_one_header_and_distinct_names() {
        assert_eq!(
            written(CollectionFormat::Bed).unwrap(),
            "# name: primer_2 was primer\nchr1\t2\t9\tprimer\t1000\t+\nchr2\t0\t7\tprimer\t1000\t-\nchr1\t0\t4\tprimer_2\t1000\t+\n\
             chr2\t5\t9\tprimer_2\t1000\t-\n"
        );
        let sam = written(CollectionFormat::Sam).unwrap();
        let flags: Vec<&str> = sam.lines().filter(|line| !line.starts_with('@')).map(|line| line.split('\t').nth(1).unwrap()).collect();
        assert_eq!(flags, ["0", "272", "0", "272"]);
        assert_eq!(sam.lines().filter(|line| line.starts_with("@HD") || line.starts_with("@SQ")).count(), 3);
        assert_eq!(written(CollectionFormat::Paf).unwrap().lines().count(), 4);
        assert_eq!(
            written(CollectionFormat::Matrix).unwrap_err(),
            "The format matrix has scores of pairs, and exact-search has none. Choose json, hits, counts, bed, paf or sam."
        );
    }

    #[test]
    fn names_of_several_words_stay_distinct() {
        let member = |name: &str, text: &str| MemberSource { name: name.into(), bytes: text.as_bytes().into() };
        let [patterns, texts] = [[("primer 1", "AC"), ("primer 2", "GT")], [("text 1", "ACGT"), ("text 2", "GTAC")]]
            .map(|texts| SideSources { sources: texts.map(|(name, text)| member(name, text)).into(), split: MemberSplit::Plain });
        let collection = PatternCollection::parse(patterns, texts, Task::ExactSearch, &JobOptions::default()).unwrap();
        let run = Run::new(&NoObserver);
        let hits = collection.solve(100, &Cpu::SINGLE, &run).unwrap();
        let mut file = Vec::new();
        FoundPatterns { collection: &collection, hits: &hits }.write(CollectionFormat::Bed, &mut file, &Cpu::SINGLE, &run).unwrap();
        assert_eq!(
            String::from_utf8(file).unwrap(),
            "# name: primer_1 was primer 1\n# name: text_1 was text 1\n# name: text_2 was text 2\n# name: primer_2 was primer 2\n\
             text_1\t0\t2\tprimer_1\t1000\t+\ntext_2\t2\t4\tprimer_1\t1000\t+\n\
             text_1\t2\t4\tprimer_2\t1000\t+\ntext_2\t0\t2\tprimer_2\t1000\t+\n"
        );
    }

    #[test]
    fn names_that_become_the_same_word_get_numbers() {
        let member = |name: &str, text: &str| MemberSource { name: name.into(), bytes: text.as_bytes().into() };
        let [patterns, texts] = [[("p 1", "AC"), ("p_1", "GT"), ("p@1", "CG")], [("text 1", "ACGT"), ("text_1", "GTAC"), ("text(1", "CG")]]
            .map(|texts| SideSources { sources: texts.map(|(name, text)| member(name, text)).into(), split: MemberSplit::Plain });
        let collection = PatternCollection::parse(patterns, texts, Task::ExactSearch, &JobOptions::default()).unwrap();
        let run = Run::new(&NoObserver);
        let hits = collection.solve(100, &Cpu::SINGLE, &run).unwrap();
        let columns = |format, columns: [usize; 2]| {
            let mut file = Vec::new();
            FoundPatterns { collection: &collection, hits: &hits }.write(format, &mut file, &Cpu::SINGLE, &run).unwrap();
            let file = String::from_utf8(file).unwrap();
            let lines = file.lines().filter(|line| !line.starts_with(['@', '#']));
            lines.map(|line| columns.map(|column| line.split('\t').nth(column).unwrap()).join(" in ")).collect::<Vec<_>>()
        };
        assert_eq!(
            columns(CollectionFormat::Sam, [0, 2]),
            ["p_1_2 in text_1_2", "p_1_2 in text_1", "p_1 in text_1_2", "p_1 in text_1", "p_1_3 in text_1_2", "p_1_3 in text_1_3"]
        );
        let words = ["p_1_2 in text_1_2", "p_1_2 in text_1", "p_1 in text_1_2", "p_1 in text_1", "p@1 in text_1_2", "p@1 in text(1"];
        assert_eq!(columns(CollectionFormat::Paf, [0, 5]), words);
        assert_eq!(columns(CollectionFormat::Bed, [3, 0]), words);
    }

    #[test]
    fn hits_in_many_files_name_their_file() {
        let source = |name: &str, text: &str| MemberSource { name: name.into(), bytes: text.as_bytes().into() };
        let patterns = SideSources { sources: vec![source("p", ">one\nGATT\n>none\nCCCC\n")], split: MemberSplit::Records };
        let texts = vec![source("x.fasta", ">x\nTGATT\n"), source("y.fasta", ">y\nAATC\n>z\nGATTC\n")];
        let options = JobOptions { strands: SearchStrands::Both, ..JobOptions::default() };
        let text = SideSources { sources: texts, split: MemberSplit::Files };
        let collection = PatternCollection::parse(patterns, text, Task::ExactSearch, &options).unwrap();
        let run = Run::new(&NoObserver);
        let hits = collection.solve(100, &Cpu::SINGLE, &run).unwrap();
        let found = FoundPatterns { collection: &collection, hits: &hits };
        let write = |format| {
            let mut file = Vec::new();
            found.write(format, &mut file, &Cpu::SINGLE, &run).unwrap();
            String::from_utf8(file).unwrap()
        };
        assert_eq!(write(CollectionFormat::Bed), "x\t1\t5\tone\t1000\t+\ny\t0\t4\tone\t1000\t-\nz\t0\t4\tone\t1000\t+\n");
        let list = write(CollectionFormat::Hits);
        assert!(list.ends_with("0,0,1,5,0,+,one,x\n0,1,0,4,0,-,one,y\n0,2,0,4,0,+,one,z\n"), "{list}");
        let sam = write(CollectionFormat::Sam);
        let flags: Vec<&str> = sam.lines().filter(|line| !line.starts_with('@')).map(|line| line.split('\t').nth(1).unwrap()).collect();
        assert_eq!(flags, ["0", "272", "256"]);
        for name in ["x", "y", "z"] {
            assert_eq!(sam.matches(&format!("@SQ\tSN:{name}\t")).count(), 1, "{sam}");
        }
        assert_eq!(write(CollectionFormat::Paf).lines().count(), 3);
    }

    /// Other programs need all references of a file, and files about the same references have the same ones.
    #[test]
    fn sam_lists_texts_without_hits() {
        let source = |name: &str, text: &str| MemberSource { name: name.into(), bytes: text.as_bytes().into() };
        let patterns = SideSources { sources: vec![source("p", "GGGGG"), source("q", "CA")], split: MemberSplit::Plain };
        let text = SideSources { sources: vec![source("t0", ""), source("t1", "ACGT"), source("t2", "CATG")], split: MemberSplit::Plain };
        let collection = PatternCollection::parse(patterns, text, Task::ExactSearch, &JobOptions::default()).unwrap();
        let run = Run::new(&NoObserver);
        let hits = collection.solve(100, &Cpu::SINGLE, &run).unwrap();
        let mut file = Vec::new();
        FoundPatterns { collection: &collection, hits: &hits }.write(CollectionFormat::Sam, &mut file, &Cpu::SINGLE, &run).unwrap();
        let file = String::from_utf8(file).unwrap();
        let references: Vec<&str> = file.lines().filter(|line| line.starts_with("@SQ")).collect();
        assert_eq!(references, ["@SQ\tSN:t1\tLN:4", "@SQ\tSN:t2\tLN:4"], "{file}");
        assert_eq!(file.lines().filter(|line| !line.starts_with('@')).count(), 1, "{file}");
    }
}
