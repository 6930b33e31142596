//! Pages of hits: [`HitPage`] has some hits of a search, the text around them and, if the pattern is short, the
//! alignment of each hit.

use kernels::alignment::GapPlacement;
use kernels::cbor_struct;
use kernels::cpu::Cpu;
use kernels::found::Hit;
use kernels::run::{Halt, Run};
use kernels::strand::Strand;
use kernels::task::{FinishedSearch, SearchTask};
use kernels::text::{Pair, Text};
use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;

/// Maximum number of symbols of a pattern for which the hits of a page are aligned.
const MAX_ALIGNED_PATTERN: usize = 64;

/// Maximum number of symbols of a hit, without its context, that is shown whole. A longer hit is shown only around its
/// start and its end.
const MAX_WHOLE_HIT: u64 = 240;

/// Maximum number of symbols in all passages of a page together. From the first symbol that would exceed this number,
/// all symbols are left out.
const MAX_PASSAGE_LETTERS: usize = 200_000;
/// Maximum size of all passages of a page together, in bytes.
const MAX_PASSAGE_BYTES: usize = 2 << 20;

/// A passage: a range of the searched text `b` around one hit or several neighbouring hits, as a list of displayed
/// symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Passage))]
pub struct TextPassage {
    /// Position in `b` of the first symbol of the passage.
    pub from: u64,
    /// Number of line feeds in `b` before the passage.
    pub line: u64,
    /// The displayed symbols, each with the text between it and the next symbol.
    pub letters: Vec<String>,
}

cbor_struct!(TextPassage { from, line, letters });

/// A page of hits: some hits of a search, the text around them and, if the pattern is short, their alignments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HitPage {
    /// The hits of this page.
    pub hits: Vec<Hit>,
    /// The text at and around the hits, in text order. Neighbouring hits share a passage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<TextPassage>,
    /// The displayed symbols of `a`, the pattern; empty if the pattern is long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<String>,
    /// The displayed symbols of the reverse complement of `a`; empty if `a` is long or no hit of the page is on the
    /// reverse strand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reverse_pattern: Vec<String>,
    /// The CIGAR of each hit; empty if the pattern is long. For a hit on the reverse strand, the CIGAR aligns the
    /// reverse complement of `a`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cigars: Vec<String>,
}

cbor_struct!(HitPage { hits, passages, pattern, reverse_pattern, cigars });

impl HitPage {
    /// Creates the page of `hits`, which `searcher` found in `pair`, with `context` symbols of text before and after
    /// each hit. Takes the time to read `b` up to the last hit (for line numbers) and, if the pattern is short, to
    /// align all `hits`, with their gaps at the places `gaps`.
    ///
    /// # Errors
    /// Returns an error if the run is cancelled, or if the hits do not belong to these texts.
    pub fn new(searcher: &dyn SearchTask, pair: &Pair, hits: Vec<Hit>, gaps: GapPlacement, context: u64, run: &Run) -> Result<Self, Halt> {
        let passages = passages(&pair.b, &hits, context);
        let (mut pattern, mut reverse_pattern, mut cigars) = (Vec::new(), Vec::new(), Vec::new());
        if pair.a.len() <= MAX_ALIGNED_PATTERN {
            let letters = |text: &Text| -> Vec<String> { (0..text.len()).map(|at| excerpt(text.display_unit(at))).collect() };
            pattern = letters(&pair.a);
            if hits.iter().any(|hit| hit.strand == Some(Strand::Reverse)) {
                reverse_pattern = letters(&pair.reversed()?.a);
            }
            let cigar = |hit: &Hit| searcher.align(pair, *hit, gaps, &Cpu::SINGLE, run).map(|alignment| alignment.to_string());
            cigars = hits.iter().map(cigar).collect::<Result<_, Halt>>()?;
        }
        Ok(Self { hits, passages, pattern, reverse_pattern, cigars })
    }

    /// Creates the page of the hits whose numbers are in `page`, among the hits of the finished search `searched`. The
    /// page has `context` symbols of text before and after each hit.
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    pub fn page(
        searcher: &dyn SearchTask,
        searched: &FinishedSearch,
        page: std::ops::Range<u64>,
        context: u64,
        cpu: &Cpu,
        run: &Run,
    ) -> Result<Self, Halt> {
        let hits = searcher.hits(searched, page, cpu, run)?;
        Self::new(searcher, searched.pair, hits, searched.options.gaps, context, run)
    }

    /// Appends `part`, the page of hits of a later part of the text. Positions in `part` are relative to the beginning
    /// of this later part, which follows `symbols` symbols and `lines` line feeds of the text. The passages of `part`
    /// must not touch the passages of this page.
    pub fn append(&mut self, part: Self, symbols: u64, lines: u64) {
        let mut left = PassageBudget::after(&self.passages);
        self.hits.extend(part.hits.into_iter().map(|hit| Hit { start: hit.start + symbols, end: hit.end + symbols, ..hit }));
        for mut passage in part.passages {
            passage.letters.truncate(passage.letters.iter().take_while(|letter| left.try_take(letter)).count());
            self.passages.push(TextPassage { from: passage.from + symbols, line: passage.line + lines, ..passage });
        }
        self.pattern = part.pattern;
        if !part.reverse_pattern.is_empty() {
            self.reverse_pattern = part.reverse_pattern;
        }
        self.cigars.extend(part.cigars);
    }
}

/// Returns the passages of `text` with `context` symbols before and after each of the `hits`, but not beyond the record
/// of the hit. A long hit is included only around its start and its end. Leaves out all symbols that follow when the
/// limits of a page are reached.
fn passages(text: &Text, hits: &[Hit], context: u64) -> Vec<TextPassage> {
    let all = text.len() as u64;
    // The context does not extend beyond the record of the hit.
    let around = |from: u64, end: u64| {
        let record = text.record_range(text.record_at(from as usize));
        (from.saturating_sub(context).max(record.start as u64), end.saturating_add(context).min(record.end as u64))
    };
    let parts = |hit: &Hit| match *hit {
        Hit { start, end, .. } if end - start <= MAX_WHOLE_HIT.saturating_add(2 * context) => [Some(around(start, end)), None],
        Hit { start, end, .. } => [Some(around(start, start)), Some(around(end, end))],
    };
    let mut ranges: Vec<(u64, u64)> = hits.iter().flat_map(parts).flatten().collect();
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, end) in ranges {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((from, end)),
        }
    }
    let mut lines = LineFeedCounter { text: text.bytes(), at: 0, line: 0 };
    let mut left = PassageBudget::full();
    let mut passages = Vec::with_capacity(joined.len());
    for (from, end) in joined {
        let byte = if from < all { text.range(from as usize).start } else { text.bytes().len() };
        passages.push(TextPassage {
            from,
            line: lines.before(byte),
            letters: (from..end)
                .map(|at| excerpt(text.display_with_ignored(at as usize)))
                .take_while(|letter| left.try_take(letter))
                .collect(),
        });
    }
    passages
}

/// The numbers of symbols and bytes that may still be added to the passages of a page.
struct PassageBudget {
    letters: usize,
    bytes: usize,
}

impl PassageBudget {
    fn full() -> Self {
        Self { letters: MAX_PASSAGE_LETTERS, bytes: MAX_PASSAGE_BYTES }
    }

    /// Returns the budget that remains after `passages` were added.
    fn after(passages: &[TextPassage]) -> Self {
        let mut left = Self::full();
        passages.iter().flat_map(|passage| &passage.letters).for_each(|letter| {
            left.try_take(letter);
        });
        left
    }

    /// Takes the symbol `letter` from the budget and returns whether it fits. After the first symbol that does not fit,
    /// the budget is empty, so that no later symbol fits.
    fn try_take(&mut self, letter: &str) -> bool {
        if self.letters == 0 || letter.len() > self.bytes {
            *self = Self { letters: 0, bytes: 0 };
            return false;
        }
        self.letters -= 1;
        self.bytes -= letter.len();
        true
    }
}

/// A counter of the line feeds before a byte of `text`. The byte's position must not decrease from one call to the
/// next.
struct LineFeedCounter<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl LineFeedCounter<'_> {
    /// Returns the number of line feeds before byte `byte` of the text, which must not be less than in the last call.
    fn before(&mut self, byte: usize) -> u64 {
        // Counts in chunks whose sums fit a byte, so that compilers vectorize the loop.
        let feeds = |part: &[u8]| u64::from(part.iter().fold(0u8, |sum, byte| sum + u8::from(*byte == b'\n')));
        self.line += self.text[self.at..byte].chunks(255).map(feeds).sum::<u64>();
        self.at = byte;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::run::NoObserver;
    use kernels::task::searcher;
    use kernels::text::{ReadingOptions, Unit};

    use super::*;

    fn pair(a: &str, b: &str, unit: Unit) -> Pair {
        Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap()
    }

    fn seen(task: Task, pair: &Pair, hits: &[Hit], context: u64) -> HitPage {
        HitPage::new(searcher(task).unwrap(), pair, hits.to_vec(), GapPlacement::Leftmost, context, &Run::new(&NoObserver)).unwrap()
    }

    fn hit(start: u64, end: u64, distance: u64) -> Hit {
        Hit::new(start, end, distance)
    }

    #[test]
    fn neighbouring_hits_share_a_passage_with_its_line_number() {
        let text = "one two\nthree two\n\nfour\nfive two";
        let pair = pair("two", text, Unit::Bytes);
        let seen = seen(Task::ExactSearch, &pair, &[hit(4, 7, 0), hit(14, 17, 0), hit(29, 32, 0)], 4);
        let passages: Vec<_> = seen.passages.iter().map(|passage| (passage.from, passage.line, passage.letters.concat())).collect();
        assert_eq!(passages, [(0, 0, text[..21].into()), (25, 4, text[25..].into())]);
        assert_eq!((seen.pattern.concat().as_str(), &seen.cigars[..]), ("two", &["3=", "3=", "3="].map(str::to_owned)[..]));
    }

    #[test]
    fn every_hit_has_its_own_alignment() {
        let pair = pair("summer", "a sommer day", Unit::Graphemes);
        let seen = seen(Task::ApproximateSearch, &pair, &[hit(2, 8, 1), hit(2, 9, 2)], 2);
        assert_eq!(seen.cigars, ["1=1X4=", "1=1X4=1I"]);
        assert_eq!((seen.passages.len(), seen.passages[0].letters.concat().as_str()), (1, "a sommer da"));
    }

    #[test]
    fn words_keep_their_separators_and_long_hits_are_cut_in_the_middle() {
        let of_words = pair("quick brown", "the  quick\nbrown fox", Unit::Words);
        let seen_words = seen(Task::ExactSearch, &of_words, &[hit(1, 3, 0)], 1);
        assert_eq!(seen_words.passages[0].letters, ["the  ", "quick\n", "brown ", "fox"]);
        let long = "x".repeat(1_000);
        let pair = pair(&long[..900], &long, Unit::Bytes);
        let seen = seen(Task::MatchCount, &pair, &[hit(50, 950, 0)], 20);
        let ranges: Vec<_> = seen.passages.iter().map(|passage| (passage.from, passage.letters.len())).collect();
        assert_eq!(ranges, [(30, 40), (930, 40)]);
        assert!(seen.pattern.is_empty() && seen.cigars.is_empty());
    }

    #[test]
    fn page_of_text_parts_equals_the_page_of_the_whole_text() {
        let mut text = "x".repeat(300_000);
        text.replace_range(10..14, "two\n");
        text.replace_range(150_010..150_013, "two");
        let (whole, context) = (pair("two", &text, Unit::Bytes), 120_000);
        let hits = [hit(10, 13, 0), hit(270_012, 270_015, 0)];
        let parts = [(0, pair("two", &text[..130_020], Unit::Bytes)), (150_005, pair("two", &text[150_005..], Unit::Bytes))];
        let mut joined = HitPage::default();
        for ((from, part), at) in parts.iter().zip(hits) {
            let part = seen(Task::MatchCount, part, &[hit(at.start - from, at.end - from, 0)], context);
            joined.append(part, *from, u64::from(*from > 0));
        }
        let whole = seen(Task::MatchCount, &whole, &hits, context);
        assert_eq!(joined, whole);
        assert_eq!(
            whole.passages.iter().map(|passage| passage.letters.len()).sum::<usize>(),
            MAX_PASSAGE_LETTERS,
            "the number of shown letters is limited"
        );
    }

    #[test]
    fn passages_of_long_lines_are_bounded() {
        let mut text = format!("{}\n", "x".repeat(900)).repeat(10_000);
        text.insert_str(901 * 5_000, "two\n");
        let pair = pair("two\n", &text, Unit::Lines);
        let seen = seen(Task::ExactSearch, &pair, &[hit(5_000, 5_001, 0)], 4_000);
        let letters = &seen.passages[0].letters;
        assert_eq!((seen.passages.len(), letters.len()), (1, MAX_PASSAGE_BYTES / 901));
        assert!(letters.concat().len() <= MAX_PASSAGE_BYTES);
    }

    #[test]
    fn empty_hit_at_the_end_has_a_passage() {
        let pair = pair("", "ab", Unit::Bytes);
        let seen = seen(Task::ExactSearch, &pair, &[hit(2, 2, 0)], 0);
        assert_eq!(seen.passages, [TextPassage { from: 2, line: 0, letters: Vec::new() }]);
    }
}
