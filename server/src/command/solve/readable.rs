//! Readable: the answer of a job for people, namely its score and numbers, and the alignment in colored rows or the
//! found hits.
//!
//! - [`alignment`]: an alignment as rows of columns with signs, or as lines marked as removed and added
//! - [`places`]: the hits of a search with the text around them

use std::io::{self, Write};

use anyhow::Context as _;
use console::Style;
use kernels::alignment::{AlignmentSummary, EditKind, PairSide, ScoredColumns, SymbolRange};
use kernels::cpu::Cpu;
use kernels::event::{LocalPiece, TaskAnswer};
use kernels::humanize::grouped;
use kernels::job::{AlignmentMode, EditCosts, JobOptions, Points, Scoring, ScoringNumbers, Task, Unit};
use kernels::reading::ReadFormat;
use kernels::task::Solution;
use kernels::text::{Pair, Text};

use crate::command::terminal::{cell, cut, visible, width};

mod alignment;
mod places;
#[cfg(test)]
mod tests;

/// Maximum number of printed lines of an answer, unless the option `--all` is given.
pub(super) const MAX_PRINTED_LINES: usize = 20;

/// Assumed width of the output, in columns, if the terminal does not report its width.
pub(super) const DEFAULT_WIDTH: usize = 80;

/// Minimum width of the output, in columns, even if the terminal is narrower.
const MIN_TERMINAL_WIDTH: usize = 30;

/// Maximum number of characters of a text that is printed instead of its name. A longer text is called by its file
/// name.
const MAX_PRINTED_TEXT_LETTERS: usize = 16;

/// Maximum number of columns of an alignment whose common subsequence is printed in the first line of the answer.
const MAX_COMMON_COLUMNS: u64 = 60;

/// The form of a printed answer: its width in columns of the terminal, its colors and its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct TerminalFormat {
    pub(super) width: usize,
    pub(super) is_coloured: bool,
    /// Whether all differences or hits are printed, instead of at most [`MAX_PRINTED_LINES`] lines.
    pub(super) shows_all: bool,
}

/// A solved job with everything that its printed answer needs.
pub(super) struct SolvedJob<'s> {
    pub(super) task: Task,
    pub(super) options: &'s JobOptions,
    pub(super) pair: &'s Pair,
    pub(super) solution: &'s Solution,
    /// Names of the two texts: their file names, or `a` and `b`.
    pub(super) names: [&'s str; 2],
    pub(super) cpu: &'s Cpu,
    /// Duration and hardware of the run, such as "0.1 ms on 8 threads".
    pub(super) took: String,
}

/// Writes the answer of the job `solved` to `out`, in the form `screen`.
///
/// # Errors
/// Returns an error if `out` cannot be written or a hit cannot be aligned.
pub(super) fn write(out: &mut dyn Write, solved: &SolvedJob, screen: TerminalFormat) -> anyhow::Result<()> {
    let mut page = AnswerWriter { out, screen: TerminalFormat { width: screen.width.max(MIN_TERMINAL_WIDTH), ..screen }, lines: 0 };
    let names = [0, 1].map(|at| page.bold(&name(solved.pair, at, solved.names[at])));
    for sentence in headline(solved, &names, &page) {
        page.line(&sentence)?;
    }
    match (&solved.solution.alignment, &solved.solution.found) {
        (Some(aligned), _) if aligned.summary().differences > 0 => alignment::write(&mut page, aligned, solved)?,
        (None, Some(found)) if !found.positions.is_empty() => places::write(&mut page, found, solved)?,
        _ => {}
    }
    page.line(&page.dim(&format!("Computed in {}.", solved.took)))
}

/// A writer of a printed answer, which counts the lines that it writes.
struct AnswerWriter<'o> {
    out: &'o mut dyn Write,
    screen: TerminalFormat,
    lines: usize,
}

impl AnswerWriter<'_> {
    fn line(&mut self, line: &str) -> anyhow::Result<()> {
        self.lines += 1;
        writeln!(self.out, "{line}").context("The answer could not be printed")
    }

    /// Returns the number of lines that may still be written now if `kept` lines are reserved for the end of the
    /// answer.
    fn remaining_lines(&self, kept: usize) -> usize {
        if self.screen.shows_all { usize::MAX } else { MAX_PRINTED_LINES.saturating_sub(self.lines + kept) }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        style.force_styling(self.screen.is_coloured).apply_to(text).to_string()
    }

    fn bold(&self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    fn dim(&self, text: &str) -> String {
        self.styled(Style::new().dim(), text)
    }

    /// Returns `text` in the color of the kind of edit `edit`. Returns it unchanged if the output has no colors.
    fn edited(&self, edit: EditKind, text: &str) -> String {
        match edit {
            EditKind::Equal => text.to_owned(),
            EditKind::Substitute | EditKind::Transpose => self.styled(Style::new().black().on_yellow(), text),
            EditKind::Insert => self.styled(Style::new().black().on_cyan(), text),
            EditKind::Delete => self.styled(Style::new().white().on_red(), text),
        }
    }
}

/// Returns a name for the first (`at` = 0) or second (`at` = 1) text of `pair`: the text itself if it is short, and
/// otherwise `file`, the name of its file.
fn name(pair: &Pair, at: usize, file: &str) -> String {
    let text = if at == 0 { &pair.a } else { &pair.b };
    match std::str::from_utf8(text.bytes()) {
        Ok(typed) if !typed.is_empty() && typed.chars().count() <= MAX_PRINTED_TEXT_LETTERS && text.read_as().records == 0 => {
            visible(typed.trim_end_matches('\n')).into_owned()
        }
        _ => visible(file).into_owned(),
    }
}

/// Formats `number` with a noun, such as "1 edit" or "3 edits". `one` is the noun in singular, and `many` in plural.
fn format_count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Returns a noun for the symbols of `text`, such as "letter" and "letters": first the singular, then the plural.
fn nouns(text: &Text) -> (&'static str, &'static str) {
    match text.unit() {
        _ if text.is_upper() => ("letter", "letters"),
        Unit::Bytes => ("byte", "bytes"),
        Unit::Chars | Unit::Graphemes => ("character", "characters"),
        Unit::Words => ("word", "words"),
        Unit::Lines => ("line", "lines"),
    }
}

fn units(text: &Text, number: u64) -> String {
    let (one, many) = nouns(text);
    format_count(number, one, many)
}

fn headline(solved: &SolvedJob, [a, b]: &[String; 2], page: &AnswerWriter) -> Vec<String> {
    let SolvedJob { options, pair, solution, .. } = solved;
    let large = |number: u64| page.bold(&grouped(number));
    let longer = pair.a.len().max(pair.b.len()) as u64;
    let mut below: Vec<String> = Vec::new();
    let first = match &solution.answer {
        TaskAnswer::EditDistance { distance: None, more_than, .. } => {
            let most = large(more_than.unwrap_or_default());
            below.push("The exact number was not computed.".to_owned());
            if options.costs.is_levenshtein() {
                format!(
                    "More than {most} {}{} {a} into {b}.",
                    of_unit(pair),
                    if *more_than == Some(1) { "edit turns" } else { "edits turn" }
                )
            } else {
                below.push(costs_in_words(options.costs));
                format!("More than {most} is the least sum of costs of edits that turn {a} into {b}.")
            }
        }
        TaskAnswer::EditDistance { distance: Some(distance), alignment, .. }
            if !options.costs.is_levenshtein() && (*distance > 0 || has_free_edits(pair, options, alignment.as_ref())) =>
        {
            below.extend(alignment.as_ref().map(|summary| {
                let verb = if summary.distance() == 1 { "costs" } else { "cost" };
                let edits = format_count(summary.distance(), "edit", "edits");
                format!("{edits} {verb} {} in sum: {}", grouped(*distance), kinds(summary, pair))
            }));
            below.push(costs_in_words(options.costs));
            format!("{} is the least sum of costs of edits that turn {a} into {b}.", large(*distance))
        }
        TaskAnswer::EditDistance { distance: Some(0), .. } if !pair.symbol_match.is_equality() => {
            format!("{} edits: all letters of {a} and {b} match.", large(0))
        }
        TaskAnswer::EditDistance { distance: Some(0), .. } => {
            below.extend(equal_in_part(pair, options));
            format!("{} edits: {a} and {b} are equal.", large(0))
        }
        TaskAnswer::EditDistance { distance: Some(distance), alignment, .. } => {
            let of = of_unit(pair);
            below.push(format!("{} similar (1 − {}/{}).", percent(longer - distance, longer), grouped(*distance), grouped(longer)));
            below.extend(alignment.as_ref().map(|summary| kinds(summary, pair)));
            format!("{} {of}{} {a} into {b}.", large(*distance), if *distance == 1 { "edit turns" } else { "edits turn" })
        }
        TaskAnswer::Lcs { length, .. } => {
            let (one, many) = nouns(&pair.a);
            if longer > 0 {
                below.push(format!("{} of the longer text.", percent(*length, longer)));
            }
            let noun = if *length == 1 { one } else { many };
            let common = common(solved).map_or_else(|| ".".to_owned(), |common| format!(": {}.", page.bold(&common)));
            format!("{} {noun} in common, in the same order{common}", large(*length))
        }
        TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, alignment, scored, .. } => {
            let pieces = [(a, in_a, &pair.a), (b, in_b, &pair.b)]
                .into_iter()
                .filter(|(_, range, text)| range.len() < text.len() as u64)
                .map(|(name, range, _)| format!("{}–{} of {name}", grouped(range.start), grouped(range.end)));
            let pieces: Vec<String> = pieces.collect();
            if !pieces.is_empty() {
                below.push(format!("Aligned: {}.", pieces.join(", ")));
            }
            below.extend(alignment.as_ref().zip(scored.as_ref()).map(|(summary, scored)| columns_in_words(summary, scored, pair)));
            below.push(scoring_in_words(&options.scoring()));
            let mode = match options.mode {
                AlignmentMode::Global => "global",
                AlignmentMode::Local => "local",
                AlignmentMode::SemiGlobal => "semi-global",
            };
            format!("{} is the highest score of a {mode} alignment of {a} and {b}.", page.bold(&signed(*score)))
        }
        TaskAnswer::ApproximateSearch { distance, total, reverse, .. } => {
            let best = match distance {
                None => None,
                Some(0) => Some("The best match is exact.".to_owned()),
                Some(distance) => Some(format!("The best match has {}.", format_count(*distance, "edit", "edits"))),
            };
            below.extend(best);
            below.extend(reverse.filter(|reverse| *reverse > 0).map(|reverse| format!("{} on the other strand.", grouped(reverse))));
            let places = if *total == 1 { "place matches" } else { "places match" };
            match (total, options.max_distance) {
                (0, Some(most)) => format!("{} match for {a} within {}.", page.bold("No"), format_count(most, "edit", "edits")),
                (0, None) => format!("{} match for {a}.", page.bold("No")),
                (_, Some(most)) => format!("{} {places} {a} within {}.", large(*total), format_count(most, "edit", "edits")),
                (1, None) => format!("{} place in {b} is closest to {a}.", large(1)),
                (_, None) => format!("{} places in {b} are equally close to {a}.", large(*total)),
            }
        }
        TaskAnswer::MatchCount { best: None, .. } => "The pattern is longer than the text, so there is no offset.".to_owned(),
        TaskAnswer::MatchCount { best: Some(best), total_best, within, .. } => {
            let offsets = (pair.b.len() - pair.a.len()) as u64 + 1;
            if let (Some(within), Some(most)) = (within, options.max_mismatches) {
                let have = if *within == 1 { "has" } else { "have" };
                below.push(format!(
                    "{} {have} at most {}.",
                    format_count(*within, "offset", "offsets"),
                    format_count(most, "mismatch", "mismatches")
                ));
            }
            let matching = if *best == 1 { "matches" } else { "match" };
            let of = units(&pair.a, pair.a.len() as u64);
            format!(
                "{} of {of} {matching} at best, at {} of {}.",
                large(*best),
                grouped(*total_best),
                format_count(offsets, "offset", "offsets")
            )
        }
        TaskAnswer::ExactSearch { total, reverse, .. } => {
            below.extend(reverse.filter(|reverse| *reverse > 0).map(|reverse| format!("{} on the other strand.", grouped(reverse))));
            match total {
                0 => format!("{} occurrence of {a} in {b}.", page.bold("No")),
                1 => format!("{} occurrence of {a} in {b}.", large(1)),
                _ => format!("{} occurrences of {a} in {b}; overlaps count.", large(*total)),
            }
        }
    };
    if options.count_only && solution.answer.hits().is_some_and(|hits| hits > 0) {
        below.push("Only counted: places were not kept.".to_owned());
    }
    below.push(compared(pair));
    let next = solution.answer.next_pieces();
    let printed = if page.screen.shows_all { next.len() } else { next.len().min(MAX_PRINTED_LINES) };
    let pieces = next[..printed].iter().zip(2..).map(|(piece, number)| piece_in_words(piece, number, [a, b], pair));
    let more = (printed < next.len())
        .then(|| format!("and {} more; --all prints them.", format_count((next.len() - printed) as u64, "piece", "pieces")));
    [first, page.dim(&below.join(" "))].into_iter().chain(pieces).chain(more).collect()
}

/// Returns the common subsequence of the two texts for the first line of the answer. Returns `None` if it is empty, if
/// the alignment is long, or if the texts are compared by lines.
fn common(solved: &SolvedJob) -> Option<String> {
    let alignment = solved.solution.alignment.as_ref().filter(|alignment| alignment.summary().columns <= MAX_COMMON_COLUMNS)?;
    let gap = match solved.pair.a.unit() {
        Unit::Lines => return None,
        Unit::Words => " ",
        Unit::Bytes | Unit::Chars | Unit::Graphemes => "",
    };
    let equal = alignment
        .op_at_column(0)
        .into_iter()
        .flat_map(|first| alignment.walk(first))
        .filter(|placed| placed.cigar_op.edit == EditKind::Equal);
    let units: Vec<String> = equal
        .flat_map(|placed| placed.symbols(PairSide::A))
        .map(|at| cell(&solved.pair.a.display_unit(at as usize)).into_owned())
        .collect();
    (!units.is_empty()).then(|| units.join(gap))
}

/// Returns the unit in front of "edits", if edits are not of letters.
fn of_unit(pair: &Pair) -> &'static str {
    match pair.a.unit() {
        Unit::Words => "word ",
        Unit::Lines => "line ",
        Unit::Bytes | Unit::Chars | Unit::Graphemes => "",
    }
}

/// Returns the word for symbols in a column `=` of an alignment. Letters of ambiguity codes match without being equal.
fn equal_word(pair: &Pair) -> &'static str {
    if pair.symbol_match.is_equality() { "equal" } else { "matching" }
}

/// Formats the numbers of edits of each kind, such as "1 substituted, 2 inserted, 4 equal.".
fn kinds(summary: &AlignmentSummary, pair: &Pair) -> String {
    let kinds = [
        (summary.mismatches, "substituted"),
        (summary.insertions, "inserted"),
        (summary.deletions, "deleted"),
        (summary.transpositions, "transposed"),
        (summary.matches, equal_word(pair)),
    ];
    let counted: Vec<String> =
        kinds.iter().filter(|(number, _)| *number > 0).map(|(number, kind)| format!("{} {kind}", grouped(*number))).collect();
    format!("{}.", counted.join(", "))
}

/// Formats the counts of columns of a scored alignment, such as "5 equal, 6 of 7 columns positive, 1 gap of 2 symbols.".
fn columns_in_words(summary: &AlignmentSummary, scored: &ScoredColumns, pair: &Pair) -> String {
    let gaps = format_count(scored.gap_openings, "gap", "gaps");
    let [equal, positive] = [summary.matches, scored.positives].map(grouped);
    let columns = format_count(summary.columns, "column", "columns");
    let symbols = if scored.gaps == 0 { String::new() } else { format!(" with {}", format_count(scored.gaps, "symbol", "symbols")) };
    format!("{columns}: {equal} {}, {positive} with points above 0, {gaps}{symbols}.", equal_word(pair))
}

/// Formats a further piece of a local alignment of texts with these names.
fn piece_in_words(piece: &LocalPiece, number: usize, [a, b]: [&str; 2], pair: &Pair) -> String {
    let LocalPiece { score, a: in_a, b: in_b, alignment, scored, .. } = piece;
    let range = |range: &SymbolRange| format!("{}–{}", grouped(range.start), grouped(range.end));
    let columns = columns_in_words(alignment, scored, pair);
    format!("Piece {number}: score {}, {} of {a}, {} of {b}; {columns}", signed(*score), range(in_a), range(in_b))
}

/// Formats the points of columns and the costs of gaps.
fn scoring_in_words(scoring: &Scoring) -> String {
    let ScoringNumbers { equal, different, gap } = scoring.numbers();
    let points = match &scoring.matrix {
        Some(matrix) => matrix
            .name()
            .unwrap_or_else(|| format!("custom matrix of {}", format_count(matrix.letters().len() as u64, "letter", "letters"))),
        None => format!("match {}, mismatch {}", signed(equal), signed(different)),
    };
    format!("Points: {points}, gap of n symbols −({} + {} · n).", signed(gap.open), signed(gap.extend))
}

/// Formats a number with a minus sign if it is negative, and with a decimal if it has one.
fn signed(number: Points) -> String {
    let tenths = number.tenths().unsigned_abs();
    let sign = if number < Points::ZERO { "−" } else { "" };
    let decimal = if number.is_whole() { String::new() } else { format!(".{}", tenths % 10) };
    format!("{sign}{}{decimal}", grouped(tenths / 10))
}

/// Returns whether edits that cost nothing turn the first text into the second one, so that texts with distance 0
/// differ. `alignment` describes their alignment, if there is one.
pub(super) fn has_free_edits(pair: &Pair, options: &JobOptions, alignment: Option<&AlignmentSummary>) -> bool {
    options.costs.has_free_edit()
        && alignment.map_or_else(
            || {
                let (a, b) = (pair.a_symbols(), pair.b_symbols());
                a.len() != b.len() || (0..a.len()).any(|at| !pair.symbol_match.matches(a.symbol_at(at), b.symbol_at(at)))
            },
            |summary| summary.distance() > 0,
        )
}

/// Formats the cost of each kind of edit.
fn costs_in_words(EditCosts { substitute, insert, delete, transpose }: EditCosts) -> String {
    let transpose = transpose.map(|cost| format!(", transpose {}", grouped(cost.into()))).unwrap_or_default();
    let [substitute, insert, delete] = [substitute, insert, delete].map(|cost| grouped(cost.into()));
    format!("Costs: substitute {substitute}, insert {insert}, delete {delete}{transpose}.")
}

/// Returns a sentence about the ignored differences between two texts that compare as equal. Returns `None` if their
/// bytes are equal too.
fn equal_in_part(pair: &Pair, options: &JobOptions) -> Option<String> {
    if pair.a.bytes() == pair.b.bytes() {
        return None;
    }
    let ignored = [
        (options.case_insensitive, "upper and lower case"),
        (options.ignore_whitespace, "white space"),
        (options.ignore_line_ends, "line ends and blank lines"),
        (options.ignore_punctuation, "punctuation"),
        (options.ignore_accents, "accents"),
        (options.ignore_digits, "digits"),
        (options.normalize, "how accents are stored"),
    ];
    let ignored: Vec<&str> = ignored.iter().filter(|(is_on, _)| *is_on).map(|(_, what)| *what).collect();
    Some(match ignored.as_slice() {
        [] => "Their bytes differ, in what is not compared.".to_owned(),
        ignored => format!("Their bytes differ; ignored: {}.", ignored.join(", ")),
    })
}

/// Returns a sentence about the way in which the texts were compared: the unit, as in "Compared by bytes.", or the
/// format of their records.
fn compared(pair: &Pair) -> String {
    let formats = [&pair.a, &pair.b].map(|text| text.read_as().format);
    if formats.iter().any(|format| matches!(format, ReadFormat::Fasta | ReadFormat::Fastq)) {
        let format = if formats.contains(&ReadFormat::Fastq) { "FASTQ" } else { "FASTA" };
        return format!("Read as {format}: headers and line breaks are skipped; upper and lower case are the same.");
    }
    let is_beyond_ascii = pair.a.unit() == Unit::Bytes && [&pair.a, &pair.b].iter().any(|text| !text.bytes().is_ascii());
    let hint = if is_beyond_ascii { " To compare letters: --set unit=graphemes." } else { "" };
    format!("Compared by {}.{hint}", nouns(&pair.a).1)
}

/// Formats the share of `part` in `whole` as a percentage, such as "57.1%". A share below 100% is not rounded to 100%,
/// but gets up to four digits after the point.
fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    let exact = (1..=4).find(|digits| part >= whole || format!("{share:.digits$}") != format!("{:.digits$}", 100.0));
    match exact {
        _ if part >= whole => "100%".to_owned(),
        Some(digits) => format!("{share:.digits$}%"),
        None => "nearly 100%".to_owned(),
    }
}

/// Appends spaces to `text`, up to a width of `to` columns of the terminal.
fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// Formats the line for one offset of the text on standard input, where `matches` of the `pattern` symbols of the
/// pattern match.
pub(super) fn offset_line(offset: u64, matches: u32, pattern: u64) -> String {
    format!("offset {}: {} of {} match\n", grouped(offset), grouped(matches.into()), grouped(pattern))
}

/// Returns one line of a text without its line end, with invisible characters escaped, and cut to `room` columns of the
/// terminal.
fn shown_line(line: &str, room: usize) -> String {
    cut(&visible(line.trim_end_matches(['\n', '\r'])), room).into_owned()
}

/// Returns the form of an answer on standard output: the terminal's width, with the given choices of colors and length.
pub(super) fn of_terminal(is_coloured: bool, shows_all: bool) -> TerminalFormat {
    let width = console::Term::stdout().size_checked().map_or(DEFAULT_WIDTH, |(_, columns)| usize::from(columns));
    TerminalFormat { width, is_coloured, shows_all }
}

/// Prints the answer of the job `solved` to standard output, in the form `screen`.
pub(super) fn print(solved: &SolvedJob, screen: TerminalFormat) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out, solved, screen)?;
    out.flush().context("The answer could not be printed")
}
