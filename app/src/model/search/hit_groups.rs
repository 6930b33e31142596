//! Hits of a search. [`groups`] groups hits with adjacent ends into one place, and [`lines`] splits the surrounding
//! text into lines in which the places are marked.

use explain::hit_page::TextPassage;
use explain::invisible::{visible_line, visible_unit};
use kernels::alignment::EditKind;
use kernels::found::Hit;
use kernels::job::Unit;
use kernels::strand::Strand;

use crate::model::alignment::rows::visible_text;
use crate::model::text::invisible;

/// A place in the text: a group of hits whose ends are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitGroup {
    /// Index of the best hit in the list of all hits. The best hit is the first one with the smallest distance in the
    /// group.
    pub number: u64,
    /// The best hit of the group.
    pub best: Hit,
    /// Number of hits in the group. Each has a different end.
    pub ends: u64,
}

/// The rule that decides which hits form one place ([`HitGroup`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitGrouping {
    /// Hits with adjacent ends form one place, because a pattern that nearly matches up to one symbol usually also
    /// nearly matches up to the next.
    Neighbours,
    /// Every hit is a separate place.
    Each,
}

/// Groups `hits` into places by the rule `together`, in the order of the best hits. Hits on different strands or in
/// different records are in different places. `from` is the index of the first of `hits` in the list of all hits.
pub fn groups(from: u64, hits: &[Hit], together: HitGrouping) -> Vec<HitGroup> {
    let mut groups: Vec<HitGroup> = Vec::new();
    let record = |hit: &Hit| hit.record.map(|record| record.number);
    // The last hit on each strand, and the index of its group. Strands are separate, because ends of both may
    // alternate.
    let mut last: [Option<(Hit, usize)>; 2] = [None; 2];
    for (number, &hit) in (from..).zip(hits) {
        let before = &mut last[usize::from(hit.strand == Some(Strand::Reverse))];
        let beside = |before: Hit| before.end + 1 == hit.end && record(&before) == record(&hit);
        let near = before.filter(|(before, _)| together == HitGrouping::Neighbours && beside(*before)).map(|(_, group)| group);
        let group = near.unwrap_or(groups.len());
        *before = Some((hit, group));
        match groups.get_mut(group) {
            Some(group) => {
                group.ends += 1;
                if hit.distance < group.best.distance {
                    (group.number, group.best) = (number, hit);
                }
            }
            None => groups.push(HitGroup { number, best: hit, ends: 1 }),
        }
    }
    // A group that began earlier may have its best end later.
    groups.sort_by_key(|group| group.number);
    groups
}

/// A line of the text, or a part of a line, with marked hits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerseLine {
    /// Number of the line, from 1, or `None` if the line continues the text above.
    pub number: Option<u64>,
    pub runs: Vec<VerseRun>,
}

/// Consecutive symbols of a line that are in the same places ([`HitGroup`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerseRun {
    pub text: String,
    /// Number of places ([`HitGroup`]) that contain the symbols of this run: 0, 1, or 2 (two or more).
    pub deep: u8,
    /// The [`HitGroup::number`] of the place that begins with this run, if any.
    pub starting_group: Option<u64>,
    /// The [`HitGroup::number`] of the place that began last among those that contain the symbols of this run.
    pub innermost_group: Option<u64>,
    /// The distance of a hit that ends with this run, if any. The run then is a single symbol.
    pub end: Option<u64>,
}

/// Splits a passage into lines, and marks the places `groups` in them. Adds the distances of the hits `ends`, whose
/// ends must be in ascending order.
pub fn lines(passage: &TextPassage, groups: &[HitGroup], ends: &[Hit]) -> Vec<VerseLine> {
    let mut groups = groups.to_vec();
    groups.sort_by_key(|group| group.best.start);
    let mut lines = vec![VerseLine { number: Some(passage.line + 1), runs: Vec::new() }];
    let mut by_end: Vec<u64> = groups.iter().map(|group| group.best.end).collect();
    by_end.sort_unstable();
    let (mut opened, mut closed) = (0, 0);
    let mut end = ends.iter().peekable();
    let mut number = passage.line + 1;
    for (at, letter) in (passage.from..).zip(&passage.letters) {
        let mut begins = None;
        while let Some(group) = groups.get(opened).filter(|group| group.best.start <= at) {
            if group.best.start == at && group.best.end > at {
                begins = Some(group.number);
            }
            opened += 1;
        }
        while by_end.get(closed).is_some_and(|end| *end <= at) {
            closed += 1;
        }
        // A place without symbols begins and ends at the same position.
        let deep = opened.saturating_sub(closed).min(2) as u8;
        while end.next_if(|hit| hit.end <= at).is_some() {}
        let distance = end.next_if(|hit| hit.end == at + 1).map(|hit| hit.distance);
        let of = (deep > 0).then(|| groups[opened - 1].number);
        let marked = deep > 0 || distance.is_some();
        let feeds = letter.matches('\n').count() as u64;
        let mut shown = visible_line(letter.split('\n').next().unwrap_or_default());
        if shown.is_empty() && feeds > 0 && marked {
            shown = visible_text("\n");
        }
        if let Some(line) = lines.last_mut() {
            let next = VerseRun { text: shown.clone(), deep, starting_group: begins, innermost_group: of, end: distance };
            match line.runs.last_mut() {
                Some(run)
                    if begins.is_none() && distance.is_none() && run.end.is_none() && (run.deep, run.innermost_group) == (deep, of) =>
                {
                    run.text.push_str(&shown);
                }
                _ if shown.is_empty() => {}
                _ => line.runs.push(next),
            }
        }
        for rest in letter.split('\n').skip(1) {
            number += 1;
            let runs = if rest.is_empty() { Vec::new() } else { vec![VerseRun { text: visible_line(rest), ..VerseRun::default() }] };
            lines.push(VerseLine { number: Some(number), runs });
        }
    }
    if lines.len() > 1 {
        lines.pop_if(|line| line.runs.is_empty());
    }
    lines
}

/// Joins the symbols `from..end` of the text, or as many of them as the passage with symbol `from` has. Returns an
/// empty string if none of the `passages` has the symbol `from`. Leaves out white space at the end, and replaces
/// invisible characters by glyphs.
pub fn piece(passages: &[TextPassage], from: u64, end: u64) -> String {
    let holds = |passage: &&TextPassage| passage.from <= from && from < passage.from + passage.letters.len() as u64;
    let Some(passage) = passages.iter().find(holds) else { return String::new() };
    let letters = passage.letters.iter().skip((from - passage.from) as usize).take((end - from) as usize);
    visible_text(letters.cloned().collect::<String>().trim_end())
}

/// A column of the small alignment of a hit: a symbol of the pattern `a` above a symbol of the text `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitColumn {
    pub edit: EditKind,
    /// The symbol of `a`, or `None` for a gap.
    pub a: Option<String>,
    /// The symbol of `b`, or `None` for a gap.
    pub b: Option<String>,
    /// Names of the symbols of `a` and `b`, if they are invisible.
    pub names: [Option<String>; 2],
}

/// Returns the columns of the alignment that the CIGAR string `cigar` describes. It aligns the symbols `pattern` with
/// the symbols of the text from position `start` on, which are taken from `passages`.
pub fn columns(cigar: &str, pattern: &[String], passages: &[TextPassage], start: u64) -> Vec<HitColumn> {
    let mut a = pattern.iter();
    let within = passages.iter().rfind(|passage| passage.from <= start);
    let mut b = within.into_iter().flat_map(|passage| passage.letters.iter().skip((start - passage.from) as usize));
    let show = |letter: &String| match visible_unit(letter) {
        Some(picture) => picture.into_owned(),
        None => visible_text(if letter.trim().is_empty() { letter } else { letter.trim_end() }),
    };
    let mut columns = Vec::new();
    let mut len = 0;
    for char in cigar.chars() {
        if let Some(digit) = char.to_digit(10) {
            len = 10 * len + digit;
            continue;
        }
        let edit = match char {
            '=' => EditKind::Equal,
            'X' => EditKind::Substitute,
            'I' => EditKind::Insert,
            _ => EditKind::Delete,
        };
        let (in_a, in_b) = edit.consumed_symbols();
        for _ in 0..std::mem::take(&mut len) {
            let a = if in_a > 0 { a.next() } else { None };
            let b = if in_b > 0 { b.next() } else { None };
            let names =
                [a, b].map(|letter| letter.filter(|letter| visible_unit(letter).is_some()).and_then(|letter| invisible::name(letter)));
            columns.push(HitColumn { edit, a: a.map(show), b: b.map(show), names });
        }
    }
    columns
}

/// Returns the number of the line, from 1, that contains the symbol at position `at`. Returns `None` if `at` is before
/// all `passages`.
pub fn line_of(passages: &[TextPassage], at: u64) -> Option<u64> {
    let passage = passages.iter().rfind(|passage| passage.from <= at)?;
    let before = passage.letters.iter().take((at - passage.from) as usize);
    Some(passage.line + 1 + before.map(|letter| letter.matches('\n').count() as u64).sum::<u64>())
}

/// Returns the line number, from 1, that a sentence gives for the symbol at position `at`. Returns `None` in the first
/// line, where no number is necessary, and if symbols are lines (`unit`), because a position then is a line number.
pub fn named_line(passages: &[TextPassage], at: u64, unit: Unit) -> Option<u64> {
    line_of(passages, at).filter(|line| *line > 1 && unit != Unit::Lines)
}

#[cfg(test)]
mod tests {
    use kernels::found::RecordRange;

    use super::*;

    fn hit(start: u64, end: u64, distance: u64) -> Hit {
        Hit::new(start, end, distance)
    }

    fn passage(from: u64, line: u64, text: &str) -> TextPassage {
        TextPassage { from, line, letters: text.chars().map(String::from).collect() }
    }

    /// Formats runs as text for tests: `[…]` is in one place, `{…}` in several, and distances follow their symbol.
    fn drawn(line: &VerseLine) -> String {
        let run = |run: &VerseRun| {
            let text = match run.deep {
                0 => run.text.clone(),
                1 => format!("[{}]", run.text),
                _ => format!("{{{}}}", run.text),
            };
            text + &run.end.map_or(String::new(), |end| end.to_string())
        };
        line.runs.iter().map(run).collect()
    }

    #[test]
    fn neighbouring_ends_are_one_group() {
        let hits = [hit(26, 30, 2), hit(26, 31, 1), hit(26, 32, 0), hit(26, 33, 1), hit(50, 56, 1)];
        let best = |number: u64, ends| HitGroup { number, best: hits[number as usize - 100], ends };
        assert_eq!(groups(100, &hits, HitGrouping::Neighbours), [best(102, 4), best(104, 1)]);
        assert_eq!(groups(100, &hits, HitGrouping::Each).len(), 5);
        // The end of one record is not adjacent to the beginning of the next.
        let in_record = |hit: Hit, number| Hit { record: Some(RecordRange { number, start: 0, end: 1 }), ..hit };
        let apart = [in_record(hits[0], 0), in_record(hits[1], 1)];
        assert_eq!(groups(0, &apart, HitGrouping::Neighbours).len(), 2);
        // An end on one strand is not adjacent to one on the other.
        let on = |hit: Hit, strand| Hit { strand: Some(strand), ..hit };
        let both = [
            on(hits[0], Strand::Forward),
            on(hits[0], Strand::Reverse),
            on(hits[1], Strand::Forward),
            on(hits[1], Strand::Reverse),
            on(hits[2], Strand::Forward),
        ];
        let made = groups(0, &both, HitGrouping::Neighbours);
        assert_eq!(made.iter().map(|group| (group.number, group.ends)).collect::<Vec<_>>(), [(3, 2), (4, 3)]);
    }

    #[test]
    fn distances_are_under_the_ends_and_the_best_is_marked() {
        let text = passage(0, 3, "a summer\nday");
        let ends = [hit(2, 7, 1), hit(2, 8, 0), hit(2, 9, 1)];
        let lines = lines(&text, &groups(0, &ends, HitGrouping::Neighbours), &ends);
        assert_eq!(lines.iter().map(drawn).collect::<Vec<_>>(), ["a [summ][e]1[r]0↵1", "day"]);
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [Some(4), Some(5)]);
    }

    #[test]
    fn overlaps_are_marked_and_each_hit_begins_once() {
        let hits = [hit(10, 13, 0), hit(12, 15, 0)];
        let lines = lines(&passage(9, 0, "xababax"), &groups(7, &hits, HitGrouping::Each), &[]);
        assert_eq!(drawn(&lines[0]), "x[ab]{a}[ba]x");
        assert_eq!(lines[0].runs.iter().map(|run| run.starting_group).collect::<Vec<_>>(), [None, Some(7), Some(8), None, None]);
    }

    #[test]
    fn small_alignment_consists_of_columns() {
        let pattern: Vec<String> = "summer".chars().map(String::from).collect();
        let columns = columns("1=1X3=1D", &pattern, &[passage(0, 0, "a "), passage(5, 0, "a somme day")], 7);
        let drawn = |column: &HitColumn| format!("{}{}", column.a.as_deref().unwrap_or("–"), column.b.as_deref().unwrap_or("–"));
        assert_eq!(columns.iter().map(drawn).collect::<Vec<_>>(), ["ss", "uo", "mm", "mm", "ee", "r–"]);
        assert_eq!(columns[1].edit, EditKind::Substitute);
    }

    #[test]
    fn invisible_characters_are_drawn_and_do_not_change_the_direction() {
        let text = passage(0, 0, "a\u{202e}b\tc\u{0}d\r\ne");
        let lines = lines(&text, &[], &[]);
        assert_eq!(lines.iter().map(drawn).collect::<Vec<_>>(), ["a⟨RLO⟩b\tc␀d", "e"]);
        assert_eq!(piece(&[text], 0, 3), "a⟨RLO⟩b");
        let columns = columns("1=1X", &["a".into(), "\t".into()], &[passage(0, 0, "a\u{200d}")], 0);
        assert_eq!((columns[1].a.as_deref(), columns[1].b.as_deref()), (Some("→"), Some("ZWJ")));
        assert_eq!(columns[1].names, [Some("tab".to_owned()), Some("zero-width joiner".to_owned())]);
    }

    #[test]
    fn passages_are_read_by_position() {
        let passages = [passage(0, 0, "one\ntwo"), passage(20, 4, "x\ny")];
        assert_eq!(piece(&passages, 2, 5), "e↵t");
        assert_eq!((line_of(&passages, 3), line_of(&passages, 4), line_of(&passages, 22)), (Some(1), Some(2), Some(6)));
        assert_eq!(piece(&passages, 15, 17), "");
    }

    #[test]
    fn words_keep_their_white_space_and_blank_lines() {
        let letters = ["the ", "quick\n\n", "fox"].map(str::to_owned).to_vec();
        let lines = lines(&TextPassage { from: 0, line: 0, letters }, &groups(0, &[hit(1, 2, 0)], HitGrouping::Each), &[]);
        assert_eq!(lines.iter().map(drawn).collect::<Vec<_>>(), ["the [quick]", "", "fox"]);
    }
}
