//! All hits of a search as a file, written page by page by a [`HitFile`], so that a large file needs little memory.
//!
//! - comma-separated values: one line per hit, written by [`csv`]
//! - PAF and SAM: one line per hit with its CIGAR, written by [`mapping`]
//! - positions: the start of one hit per line, or "Not found"
//! - BED: one line of six columns per hit: target, start, end, name, score and strand

use std::fmt::{self, Write};
use std::sync::Arc;

use kernels::alignment::Alignment;
use kernels::failure::JobFailure;
use kernels::found::Hit;
use kernels::run::Halt;
use kernels::strand::{SearchStrands, Strand};
use kernels::text::{Pair, Text};

use super::csv;
use super::mapping::{self, MappedLine, MappedPiece, MappingTarget};
use super::names::{ExportedName, NameRule};
use crate::format::FindingsFormat;

/// Maximum number of hits that are written in one call of [`HitFile::page`].
const MAX_FILE_PAGE_HITS: u64 = 10_000;
/// Approximate size in bytes of the lines that one call of [`HitFile::page`] writes, if the lines have a CIGAR.
const PAGE_BYTES: u64 = 4 << 20;

/// BED score of a hit without edits, which is the greatest score.
const MAX_BED_SCORE: u64 = 1000;

/// A writer of a file with all hits of a search, in one of the formats for findings.
#[derive(Debug)]
pub struct HitFile<'p> {
    format: FindingsFormat,
    strands: SearchStrands,
    /// The texts, with the pattern as given.
    pair: &'p Pair,
    /// The texts with the reverse complement of the pattern, if both strands were searched.
    reverse_pair: Option<Pair>,
    query: ExportedName,
    targets: Arc<[MappingTarget]>,
    records: csv::RecordNames,
}

/// The names of many patterns and of the texts in many files, as one file in a format has them. No two patterns have the same name,
/// and no two texts.
#[derive(Debug)]
pub struct HitFileNames {
    queries: Vec<ExportedName>,
    /// The texts of each file.
    targets: Vec<Arc<[MappingTarget]>>,
}

impl HitFileNames {
    /// Names the patterns and all texts of `files` for the format `form`. Takes O(patterns + texts) time.
    pub fn new<'t>(form: FindingsFormat, patterns: &[String], files: impl Iterator<Item = &'t Text>) -> Self {
        let (of_query, of_target) = rules(form);
        let mut queries: Vec<ExportedName> = patterns.iter().map(|name| of_query.of_word(name.trim())).collect();
        of_query.make_distinct(&mut queries);
        let files: Vec<&Text> = files.collect();
        let mut names: Vec<ExportedName> = files.iter().flat_map(|text| of_target.of_each_record(text, "b")).collect();
        of_target.make_distinct(&mut names);
        let mut names = names.into_iter();
        let targets = files.iter().map(|text| MappingTarget::named(text, names.by_ref().take(text.record_count())).into());
        Self { queries, targets: targets.collect() }
    }
}

/// Returns the rules for names of patterns and of texts in a format.
fn rules(form: FindingsFormat) -> (NameRule, NameRule) {
    match form {
        FindingsFormat::Sam => (NameRule::Read, NameRule::Sequence),
        FindingsFormat::Bed => (NameRule::Interval, NameRule::Interval),
        FindingsFormat::Paf | FindingsFormat::Hits | FindingsFormat::Positions | FindingsFormat::Scores => (NameRule::Word, NameRule::Word),
    }
}

impl<'p> HitFile<'p> {
    /// Creates the writer of a file in the format `form`, for the hits of a search in `pair` on `strands`. Takes
    /// O(records) time.
    ///
    /// # Errors
    /// Returns an error if both strands were searched, but `pair` was parsed for one strand.
    pub fn new(form: FindingsFormat, pair: &'p Pair, strands: SearchStrands) -> Result<Self, JobFailure> {
        let (of_query, of_target) = rules(form);
        Self::with_names(form, pair, strands, (of_query.of_text(&pair.a, "a"), MappingTarget::all(&pair.b, of_target).into()))
    }

    /// Creates the writer like [`new`](Self::new) for the pattern with the number `pattern` and the file with the number `file` of
    /// `names`.
    ///
    /// # Errors
    /// Returns the error of [`new`](Self::new).
    ///
    /// # Panics
    /// Panics if `names` has no such pattern or file.
    pub fn of_many(
        form: FindingsFormat,
        pair: &'p Pair,
        strands: SearchStrands,
        names: &HitFileNames,
        (pattern, file): (usize, usize),
    ) -> Result<Self, JobFailure> {
        Self::with_names(form, pair, strands, (names.queries[pattern].clone(), names.targets[file].clone()))
    }

    fn with_names(
        form: FindingsFormat,
        pair: &'p Pair,
        strands: SearchStrands,
        (query, targets): (ExportedName, Arc<[MappingTarget]>),
    ) -> Result<Self, JobFailure> {
        let other = if strands.is_forward() { None } else { Some(pair.reversed()?) };
        Ok(Self { format: form, strands, pair, reverse_pair: other, query, targets, records: csv::RecordNames::from_text(&pair.b) })
    }

    /// Returns the maximum number of hits to write in one call of [`page`](Self::page).
    pub fn max_hits_per_page(&self) -> u64 {
        match self.format {
            FindingsFormat::Hits | FindingsFormat::Bed | FindingsFormat::Positions | FindingsFormat::Scores => MAX_FILE_PAGE_HITS,
            FindingsFormat::Paf | FindingsFormat::Sam => (PAGE_BYTES / (self.pair.a.len() as u64 + 100)).clamp(1, MAX_FILE_PAGE_HITS),
        }
    }

    /// Returns the text of the file before its first hit. `hits` is the number of hits of the whole file.
    pub fn header(&self, hits: u64) -> String {
        let mut head = String::new();
        match self.format {
            FindingsFormat::Hits | FindingsFormat::Scores => head = csv::hits_header(&self.pair.b, self.strands),
            // Writing to a string cannot fail.
            FindingsFormat::Sam => {
                let _ = mapping::write_sam_header(&mut head, &self.query, &self.targets);
            }
            FindingsFormat::Positions if hits == 0 => head.push_str("Not found\n"),
            FindingsFormat::Bed => {
                let names = [&self.query].into_iter().chain(self.targets.iter().map(|target| &target.name));
                names.filter_map(ExportedName::change).for_each(|change| head.push_str(&format!("# name: {change}\n")));
            }
            FindingsFormat::Paf | FindingsFormat::Positions => {}
        }
        head
    }

    /// Returns the lines of the file for `hits`, a page of hits. `align` computes the alignment of a hit. `has_line` tells
    /// whether an earlier page has a line of SAM for the pattern, and is set if this page has one.
    ///
    /// In SAM, exactly one line of a read is a primary line. A hit without symbols has no line in SAM, which cannot express its
    /// place.
    ///
    /// # Errors
    /// Returns an error if `align` fails.
    pub fn page(&self, has_line: &mut bool, hits: &[Hit], align: &dyn Fn(Hit) -> Result<Alignment, Halt>) -> Result<String, Halt> {
        let mut out = String::new();
        let not_written = |_: fmt::Error| JobFailure::engine("The hits could not be written.");
        match self.format {
            FindingsFormat::Hits | FindingsFormat::Scores => csv::hits(&mut out, &self.pair.b, &self.records, hits).map_err(not_written)?,
            FindingsFormat::Positions => hits.iter().try_for_each(|hit| writeln!(out, "{}", hit.start)).map_err(not_written)?,
            FindingsFormat::Bed => hits.iter().try_for_each(|hit| self.bed(&mut out, hit)).map_err(not_written)?,
            FindingsFormat::Paf | FindingsFormat::Sam => {
                let is_sam = self.format == FindingsFormat::Sam;
                for hit in hits.iter().filter(|hit| !is_sam || hit.start < hit.end) {
                    let alignment = align(*hit)?;
                    let reverse = self.reverse_pair.as_ref().filter(|_| hit.strand == Some(Strand::Reverse));
                    let pair = reverse.unwrap_or(self.pair);
                    let line = MappedLine {
                        query: &self.query.name,
                        target: &self.targets[pair.b.record_at(hit.start as usize)],
                        pair,
                        piece: MappedPiece::of_alignment(&alignment),
                        score: None,
                    };
                    let is_further = std::mem::replace(has_line, true);
                    let written = if is_sam { line.write_sam_line(&mut out, is_further) } else { line.write_paf_line(&mut out) };
                    written.map_err(not_written)?;
                }
            }
        }
        Ok(out)
    }

    /// Writes a hit as a line of BED: target, start, end, name of the pattern, score, and strand. The score is 1,000
    /// for a hit without edits, and 0 if there are as many edits as symbols in the pattern.
    fn bed(&self, out: &mut dyn Write, hit: &Hit) -> fmt::Result {
        let (target, m) = (&self.targets[self.pair.b.record_at(hit.start as usize)], self.pair.a.len().max(1) as u64);
        let (start, end) = (hit.start - target.from, hit.end - target.from);
        let score = MAX_BED_SCORE.saturating_sub((MAX_BED_SCORE * hit.distance).div_ceil(m));
        let strand = hit.strand.map_or('+', Strand::sign);
        writeln!(out, "{}\t{start}\t{end}\t{}\t{score}\t{strand}", target.name.name, self.query.name)
    }
}

#[cfg(test)]
mod tests {
    use kernels::alignment::GapPlacement;
    use kernels::cpu::Cpu;
    use kernels::job::{JobOptions, Task};
    use kernels::reading::PairRecordChoices;
    use kernels::run::{NoObserver, Run};
    use kernels::task::{FinishedSearch, searcher};

    use super::*;

    fn written(form: FindingsFormat, a: &str, b: &str, options: &JobOptions) -> String {
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let pair = Pair::parse_records(a.as_bytes(), b.as_bytes(), &options.reading(), &choices).unwrap();
        let (searcher, run) = (searcher(Task::ApproximateSearch).unwrap(), Run::new(&NoObserver));
        let solution = searcher.cpu(&Cpu::SINGLE, &pair, options, &run).unwrap();
        let (answer, found) = (solution.answer, solution.found.unwrap());
        let searched = FinishedSearch { pair: &pair, options, answer: &answer, found: &found };
        let hits = searcher.hits(&searched, 0..u64::MAX, &Cpu::SINGLE, &run).unwrap();
        let file = HitFile::new(form, &pair, options.strands).unwrap();
        file.header(hits.len() as u64)
            + &file.page(&mut false, &hits, &|hit| searcher.align(&pair, hit, GapPlacement::Leftmost, &Cpu::SINGLE, &run)).unwrap()
    }

    const B: &str = ">one x\nTTGATTACATT\n>two\nTGTATC\n";

    #[test]
    fn every_hit_has_its_line_record_and_strand() {
        let options = JobOptions { max_distance: Some(1), local_minima: true, strands: SearchStrands::Both, ..JobOptions::default() };
        let of = |form| written(form, ">primer p\nGATTACA\n", B, &options);
        assert_eq!(of(FindingsFormat::Hits), "record,start,end,distance,strand,header\none,2,9,0,+,one x\ntwo,0,6,1,-,two\n");
        assert_eq!(of(FindingsFormat::Bed), "one\t2\t9\tprimer\t1000\t+\ntwo\t0\t6\tprimer\t857\t-\n");
        let paf = of(FindingsFormat::Paf);
        let lines: Vec<&str> = paf.lines().collect();
        assert_eq!(lines[0], "primer\t7\t0\t7\t+\tone\t11\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=");
        assert!(lines[1].starts_with("primer\t7\t0\t7\t-\ttwo\t6\t0\t6\t6\t7\t255\tNM:i:1\tcg:Z:"), "{paf}");
        let sam = of(FindingsFormat::Sam);
        let lines: Vec<&str> = sam.lines().skip_while(|line| line.starts_with('@')).collect();
        assert_eq!(lines[0], "primer\t0\tone\t3\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0");
        // The second hit is a secondary line on the reverse strand, with the letters of the reverse complement.
        assert!(lines[1].starts_with("primer\t272\ttwo\t1\t255\t"), "{sam}");
        assert!(lines[1].ends_with("\t*\t0\t0\tTGTAATC\t*\tNM:i:1"), "{sam}");
    }

    /// The SAM specification requires exactly one line with neither of the flags 256 and 2048 for each read.
    #[test]
    fn hits_without_symbols_have_no_line_in_sam() {
        let options = JobOptions { max_distance: Some(2), ..JobOptions::default() };
        let sam = written(FindingsFormat::Sam, "GA", "ACGT", &options);
        let flags: Vec<&str> = sam.lines().filter(|line| !line.starts_with('@')).map(|line| line.split('\t').nth(1).unwrap()).collect();
        assert_eq!((flags.first(), flags.iter().filter(|flag| **flag == "256").count()), (Some(&"0"), flags.len() - 1), "{sam}");
        assert!(flags.len() > 1, "{sam}");
    }

    #[test]
    fn records_with_the_same_first_word_get_different_names() {
        let options = JobOptions { max_distance: Some(0), ..JobOptions::default() };
        let b = ">genome_id #1\nACGTGATTACAGG\n>genome_id #2\nTTGATTACATT\n";
        assert_eq!(
            written(FindingsFormat::Hits, "GATTACA", b, &options),
            "record,start,end,distance,header\ngenome_id,4,11,0,genome_id #1\ngenome_id_2,2,9,0,genome_id #2\n"
        );
        let bed = "# name: genome_id_2 was genome_id\ngenome_id\t4\t11\ta\t1000\t+\ngenome_id_2\t2\t9\ta\t1000\t+\n";
        assert_eq!(written(FindingsFormat::Bed, "GATTACA", b, &options), bed);
        assert!(written(FindingsFormat::Paf, "GATTACA", b, &options).ends_with("\tcg:Z:7=\ton:Z:genome_id\n"));
    }

    #[test]
    fn hits_without_strand_are_written_as_forward() {
        let bed = written(FindingsFormat::Bed, "GATTACA", "GATTACAGATTACA", &JobOptions { max_distance: Some(0), ..JobOptions::default() });
        assert_eq!(bed, "b\t0\t7\ta\t1000\t+\nb\t7\t14\ta\t1000\t+\n");
    }
}
