//! Prints the hits of a search. Each hit has a line with its position, its score, and the text around it.

use console::Style;
use kernels::found::{Hit, SearchResult};
use kernels::humanize::grouped;
use kernels::job::{Task, Unit};
use kernels::run::{Halt, NoObserver, Run};
use kernels::strand::Strand;
use kernels::task::{FinishedSearch, searcher};
use kernels::text::Text;

use super::{AnswerWriter, SolvedJob, format_count, padded};
use crate::command::terminal::{cut, visible, width};

/// Number of hits that are computed at a time.
const HITS_PER_READ: u64 = 1000;

/// Minimum width of the text of a hit together with the text around it, in columns of the terminal.
const MIN_EXCERPT_WIDTH: usize = 16;

pub(super) fn write(page: &mut AnswerWriter, found: &SearchResult, solved: &SolvedJob) -> anyhow::Result<()> {
    let SolvedJob { task, options, pair, solution, cpu, .. } = *solved;
    let searched = FinishedSearch { pair, options, answer: &solution.answer, found };
    let (searcher, run) = (searcher(task)?, Run::new(&NoObserver));
    let total = found.positions.len();
    page.line("")?;
    // Two lines are reserved: for the number of further hits, and for the duration.
    let most = (page.remaining_lines(2) as u64).min(total);
    let mut lines = LineCounter::default();
    let mut from = 0;
    while from < most {
        let hits = searcher.hits(&searched, from..(from + HITS_PER_READ).min(most), cpu, &run).map_err(Halt::failure)?;
        let places: Vec<String> = hits.iter().map(|hit| place(&pair.b, hit, &mut lines)).collect();
        let scores: Vec<String> = hits.iter().map(|hit| score(task, hit, pair.a.len() as u64)).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| width(text)).max().unwrap_or(0);
        let (wide, scored) = (widest(&places), widest(&scores));
        for ((hit, place), score) in hits.iter().zip(&places).zip(&scores) {
            let begin = format!("{}  {}", padded(place, wide), padded(score, scored));
            let begin = format!("  {}{}", begin.trim_end(), if scored == 0 { "  " } else { "   " });
            let room = page.screen.width.saturating_sub(width(&begin)).max(MIN_EXCERPT_WIDTH);
            page.line(&format!("{begin}{}", excerpt(page, &pair.b, hit, room)))?;
        }
        if hits.is_empty() {
            break;
        }
        from += hits.len() as u64;
    }
    if from < total {
        let left = format_count(total - from, "more place", "more places");
        page.line(&page.dim(&format!("⋯ {left}. --all prints them; --hits FILE saves them.")))?;
    }
    Ok(())
}

/// Returns the position of a hit for people, such as "line 4, 121–127". It has the name of the hit's record or the
/// number of the hit's line (counted from 1), and the range of positions (counted from 0).
fn place(text: &Text, hit: &Hit, lines: &mut LineCounter) -> String {
    let range = |start: u64, end: u64| if end > start + 1 { format!("{}–{}", grouped(start), grouped(end)) } else { grouped(start) };
    let strand = if hit.strand == Some(Strand::Reverse) { " (other strand)" } else { "" };
    match &hit.record {
        Some(record) => format!("{} {}{strand}", visible(&text.record_word(record.number)), range(record.start, record.end)),
        None => {
            let line = if text.unit() == Unit::Lines || text.is_upper() { None } else { lines.line_of(text, hit.start) };
            let line = line.map_or_else(String::new, |line| format!("line {}, ", grouped(line)));
            format!("{line}{}{strand}", range(hit.start, hit.end))
        }
    }
}

fn score(task: Task, hit: &Hit, pattern: u64) -> String {
    match task {
        Task::ApproximateSearch => format_count(hit.distance, "edit", "edits"),
        Task::MatchCount => format!("{} of {} match", grouped(pattern - hit.distance.min(pattern)), grouped(pattern)),
        Task::ExactSearch | Task::EditDistance | Task::Lcs | Task::SequenceAlignment => String::new(),
    }
}

/// A counter of line feeds before a position. It is fast for ascending positions, and begins anew for an earlier one.
#[derive(Default)]
struct LineCounter {
    byte: usize,
    feeds: u64,
}

impl LineCounter {
    /// Returns the number of the line that contains the symbol at position `at` of `text`, counted from 1. Returns
    /// `None` if the text has a single line.
    fn line_of(&mut self, text: &Text, at: u64) -> Option<u64> {
        let bytes = text.bytes();
        if !bytes.strip_suffix(b"\n").unwrap_or(bytes).contains(&b'\n') {
            return None;
        }
        let byte = if (at as usize) < text.len() { text.range(at as usize).start } else { bytes.len() };
        if byte < self.byte {
            *self = Self::default();
        }
        self.feeds += bytes[self.byte..byte].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.byte = byte;
        Some(self.feeds + 1)
    }
}

/// Returns the text of a hit, marked, with the text before and after it in the same record and line. The result has a
/// width of at most `room` columns of the terminal.
fn excerpt(page: &AnswerWriter, text: &Text, hit: &Hit, room: usize) -> String {
    let record = text.record_range(text.record_at(hit.start as usize));
    let shown = |at: usize| visible(&text.display_with_ignored(at)).into_owned();
    // Limits the number of symbols that are read of a long hit. A symbol takes at least one column, unless it is a
    // combining mark.
    let inside = (hit.start as usize..hit.end as usize).take(4 * room).map(shown).collect::<String>();
    let inside = cut(inside.trim_end(), room / 2).into_owned();
    let marks = if page.screen.is_coloured { 0 } else { 2 };
    let around = room.saturating_sub(width(&inside) + marks);
    let is_end_of_line = |at: usize| text.unit() != Unit::Lines && text.display_with_ignored(at).contains('\n');
    let side = |places: &mut dyn Iterator<Item = usize>, room: usize, is_before: bool| {
        let (mut parts, mut taken, mut is_cut) = (Vec::new(), 0, false);
        for at in places {
            let ends = is_end_of_line(at);
            if ends && is_before {
                break;
            }
            let part = shown(at);
            if taken + width(&part) + 1 > room {
                is_cut = true;
                break;
            }
            if ends {
                parts.push(part.trim_end_matches(['↵', '␍']).to_owned());
                break;
            }
            taken += width(&part);
            parts.push(part);
        }
        if is_before {
            parts.reverse();
        }
        match (is_cut, is_before) {
            (false, _) => parts.concat(),
            (true, true) => format!("…{}", parts.concat()),
            (true, false) => format!("{}…", parts.concat()),
        }
    };
    let before = side(&mut (record.start..hit.start as usize).rev(), around / 2, true);
    // The written form of a word includes the separators after the word.
    let ends_line = hit.end > hit.start && is_end_of_line(hit.end as usize - 1);
    let after_room = around.saturating_sub(width(&before));
    let after = if ends_line { String::new() } else { side(&mut (hit.end as usize..record.end), after_room, false) };
    let gap = if text.unit() == Unit::Words && !after.is_empty() { " " } else { "" };
    let hit = if page.screen.is_coloured { page.styled(Style::new().black().on_yellow(), &inside) } else { format!("[{inside}]") };
    format!("{before}{hit}{gap}{after}")
}
