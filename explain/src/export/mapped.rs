//! An alignment as read mappers write one: a line of PAF (minimap2's manual page, section "Output format") or of SAM (SAMv1,
//! sections 1.3 to 1.5).
//!
//! `a` is the query and `b` the target. Both formats see edits from the target, so that their `I` is a symbol of the query only
//! (`D` in [`Alignment`]) and their `D` one of the target only. Positions are in units of the texts. On the reverse strand the letters
//! and the CIGAR are those of the reverse complement of the query, as both formats ask for: the pair is the one that was aligned
//! ([`Pair::on`]).

use std::collections::HashMap;
use std::fmt::{self, Write};

use kernels::alignment::Alignment;
use kernels::strand::Strand;
use kernels::text::{Pair, Text};

/// Mapping quality where none is known, in both formats.
const NO_QUALITY: u8 = 255;

/// Flags of SAM: the query maps to nothing; its letters are those of its reverse complement; it has a line before this one.
const UNMAPPED: u16 = 4;
const REVERSE: u16 = 16;
const FURTHER: u16 = 256;

/// Longest name that SAM takes.
const LONGEST_NAME: usize = 254;

/// One line of PAF, with the edits in `NM` and the CIGAR in `cg`. Time O(stretches).
///
/// # Errors
/// When `out` takes no more.
///
/// ```
/// use explain::export::mapped::paf;
/// use kernels::alignment::Alignment;
/// use kernels::text::{Pair, Reading};
///
/// let pair = Pair::parse(&b"ACGT"[..], &b"TTACTTT"[..], &Reading::default()).unwrap();
/// let mut out = String::new();
/// paf(&mut out, &pair, &"2=1D1=".parse::<Alignment>().unwrap().starting_at(2)).unwrap();
/// assert_eq!(out, "a\t4\t0\t4\t+\tb\t7\t2\t5\t3\t4\t255\tNM:i:1\tcg:Z:2=1I1=\n");
/// ```
pub fn paf(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    Line { query: &query(pair), target: &target(pair, alignment), pair, alignment }.paf(out)
}

/// A SAM file of one read. A query whose symbols are not all letters has no sequence there, and one whose alignment takes nothing
/// of the target is unmapped: SAM has no other way to say so. Of several records each has a name of its own, which readers demand:
/// what is named like an earlier one gets a number. Time O(stretches + |a| + records).
///
/// # Errors
/// When `out` takes no more.
pub fn sam(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let targets = Target::all(&pair.b);
    head_of_sam(out, &targets)?;
    let target = &targets[pair.b.part_at(alignment.b_start() as usize)];
    Line { query: &query(pair), target, pair, alignment }.sam(out, false)
}

/// What stands before the lines of a SAM file.
pub(super) fn head_of_sam(out: &mut dyn Write, targets: &[Target]) -> fmt::Result {
    writeln!(out, "@HD\tVN:1.6")?;
    for target in targets.iter().filter(|target| target.len > 0) {
        writeln!(out, "@SQ\tSN:{}\tLN:{}", target.name, target.len)?;
    }
    writeln!(out, "@PG\tID:editscope\tPN:editscope\tVN:{}", env!("CARGO_PKG_VERSION"))
}

/// What the query is called.
pub(super) fn query(pair: &Pair) -> String {
    name(pair.a.name(), "a")
}

/// What an alignment maps to.
pub(super) fn target(pair: &Pair, alignment: &Alignment) -> Target {
    Target::at(&pair.b, alignment.b_start())
}

/// A line about one alignment.
pub(super) struct Line<'l> {
    /// Name of the query.
    pub(super) query: &'l str,
    /// What it maps to.
    pub(super) target: &'l Target,
    /// The texts as they are aligned.
    pub(super) pair: &'l Pair,
    /// How.
    pub(super) alignment: &'l Alignment,
}

impl Line<'_> {
    pub(super) fn paf(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { query, target, pair, alignment } = *self;
        let (summary, (a_end, start, end)) = (alignment.summary(), place(alignment));
        let (start, end) = (start - target.from, end - target.from);
        write!(out, "{query}\t{}\t0\t{a_end}\t{}\t", pair.a.len(), alignment.strand().map_or('+', Strand::sign))?;
        write!(out, "{}\t{}\t{start}\t{end}\t", target.name, target.len)?;
        write!(out, "{}\t{}\t{NO_QUALITY}\t", summary.matches, summary.columns)?;
        writeln!(out, "NM:i:{}\tcg:Z:{}", summary.distance(), alignment.clone().swapped())
    }

    /// `is_further` where the read had a line before: only one of them may be its first.
    pub(super) fn sam(&self, out: &mut dyn Write, is_further: bool) -> fmt::Result {
        let Self { query, target, pair, alignment } = *self;
        let (_, start, end) = place(alignment);
        if start == end {
            write!(out, "{query}\t{UNMAPPED}\t*\t0\t0\t*\t*\t0\t0\t")?;
            sequence(out, &pair.a)?;
            return writeln!(out, "\t*");
        }
        let reverse = if alignment.strand() == Some(Strand::Reverse) { REVERSE } else { 0 };
        let flags = reverse | if is_further { FURTHER } else { 0 };
        let position = start - target.from + 1;
        write!(out, "{query}\t{flags}\t{}\t{position}\t{NO_QUALITY}\t{}\t*\t0\t0\t", target.name, alignment.clone().swapped())?;
        sequence(out, &pair.a)?;
        writeln!(out, "\t*\tNM:i:{}", alignment.summary().distance())
    }
}

/// Symbols of `a` that the alignment takes, and where it begins and ends in `b`.
fn place(alignment: &Alignment) -> (u64, u64, u64) {
    let summary = alignment.summary();
    let both = summary.matches + summary.mismatches;
    (both + summary.deletions, alignment.b_start(), alignment.b_start() + both + summary.insertions)
}

/// The letters of a text that consists of nothing else, or `*`.
fn sequence(out: &mut dyn Write, text: &Text) -> fmt::Result {
    let letter = |at: usize| match text.bytes()[text.range(at)] {
        [byte] if byte.is_ascii_alphabetic() => Some(if text.is_upper() { byte.to_ascii_uppercase() } else { byte }),
        _ => None,
    };
    if text.is_empty() || (0..text.len()).any(|at| letter(at).is_none()) {
        return out.write_char('*');
    }
    (0..text.len()).filter_map(letter).try_for_each(|byte| out.write_char(byte.into()))
}

/// What an alignment maps to: `b`, or one of its records where it has several.
#[derive(Debug)]
pub(super) struct Target {
    /// What it is called.
    pub(super) name: String,
    /// Its symbols.
    pub(super) len: u64,
    /// Symbols of `b` before it.
    pub(super) from: u64,
}

impl Target {
    /// The one that a position of `b` lies in.
    fn at(b: &Text, position: u64) -> Self {
        Self::of(b, b.part_at(position as usize))
    }

    /// All, no two of one name.
    pub(super) fn all(b: &Text) -> Vec<Self> {
        // Every name that is taken, with the last number that was put behind it.
        let mut taken: HashMap<String, u64> = HashMap::new();
        let own_name = |part| {
            let mut target = Self::of(b, part);
            if let Some(&last) = taken.get(&target.name) {
                let same = std::mem::take(&mut target.name);
                let free = (last + 1..).map(|number| (numbered(&same, number), number)).find(|(name, _)| !taken.contains_key(name));
                let (name, number) = free.unwrap_or_default();
                taken.insert(same, number);
                target.name = name;
            }
            taken.insert(target.name.clone(), 1);
            target
        };
        (0..b.parts()).map(own_name).collect()
    }

    fn of(b: &Text, part: usize) -> Self {
        let units = b.part(part);
        let own = if b.is_apart() { b.record_name(part as u64) } else { None };
        Self { name: name(own.as_deref().or(b.name()), "b"), len: units.len() as u64, from: units.start as u64 }
    }
}

/// The first word of a FASTA header with the characters that a name in SAM may have, or `other`.
fn name(header: Option<&str>, other: &str) -> String {
    let word = header.and_then(|name| name.split_whitespace().next()).unwrap_or(other);
    let plain = |char: char| if char.is_ascii_alphanumeric() || "!#$%&+./:;?^_|~-".contains(char) { char } else { '_' };
    word.chars().take(LONGEST_NAME).map(plain).collect()
}

/// A name with a number behind it, not longer than names may be.
fn numbered(name: &str, number: u64) -> String {
    let number = format!("_{number}");
    let room = LONGEST_NAME - number.len();
    format!("{}{number}", name.get(..room).unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use kernels::reading::{Choices, Reading};

    use super::*;

    fn line(a: &[u8], b: &[u8], cigar: &str, b_start: u64) -> String {
        let pair = Pair::parse(a, b, &Reading::default()).unwrap();
        let mut out = String::new();
        sam(&mut out, &pair, &cigar.parse::<Alignment>().unwrap().starting_at(b_start)).unwrap();
        out.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
    }

    #[test]
    fn a_read_has_its_place_and_its_letters() {
        let read = b">read/1 of, two\nac\ngt\n";
        assert_eq!(line(read, b">chr,1\nTTACTTT\n", "2=1D1=", 2), "read/1\t0\tchr_1\t3\t255\t2=1I1=\t*\t0\t0\tACGT\t*\tNM:i:1");
        assert_eq!(line(b"a1", b"xa1x", "2=", 1), "a\t0\tb\t2\t255\t2=\t*\t0\t0\t*\t*\tNM:i:0", "digits are no sequence");
    }

    #[test]
    fn a_hit_maps_to_its_record() {
        let choices = Choices { many: true, ..Choices::default() };
        let (a, b) = (&b"GATTACA"[..], &b">chr1 one\nACGT\n>chr2\n\n>chr3 x\nTTGATTACATT\n"[..]);
        let pair = Pair::of_records(a, b, &Reading::default(), &choices).unwrap();
        let alignment = "7=".parse::<Alignment>().unwrap().starting_at(8);
        let (mut as_sam, mut as_paf) = (String::new(), String::new());
        sam(&mut as_sam, &pair, &alignment).unwrap();
        paf(&mut as_paf, &pair, &alignment).unwrap();
        let targets: Vec<&str> = as_sam.lines().filter(|line| line.starts_with("@SQ")).collect();
        assert_eq!(targets, ["@SQ\tSN:chr1\tLN:4", "@SQ\tSN:chr3\tLN:11"]);
        assert!(as_sam.ends_with("a\t0\tchr3\t3\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0\n"), "{as_sam}");
        assert_eq!(as_paf, "a\t7\t0\t7\t+\tchr3\t11\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n");
    }

    #[test]
    fn no_two_targets_have_one_name() {
        let long = "x".repeat(300);
        let headers = ["same", "same", "same_2", "same", "a,b", "a_b", &long, &long];
        let b: String = headers.iter().map(|header| format!(">{header}\nTTGATTACATT\n")).collect();
        let pair =
            Pair::of_records(&b"GATTACA"[..], b.as_bytes(), &Reading::default(), &Choices { many: true, ..Choices::default() }).unwrap();
        let mut out = String::new();
        let in_the_fourth = 3 * 12 + 2;
        sam(&mut out, &pair, &"7=".parse::<Alignment>().unwrap().starting_at(in_the_fourth)).unwrap();
        let names: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("@SQ\tSN:")?.split('\t').next()).collect();
        assert_eq!(names[..6], ["same", "same_2", "same_2_2", "same_3", "a_b", "a_b_2"]);
        assert_eq!((names[6].len(), &names[7][250..]), (LONGEST_NAME, "xx_2"));
        assert!(out.contains("\na\t0\tsame_3\t3\t255\t7=\t"), "{out}");
    }

    #[test]
    fn a_read_that_covers_nothing_is_unmapped() {
        assert_eq!(line(b"ACG", b"", "3D", 0), "a\t4\t*\t0\t0\t*\t*\t0\t0\tACG\t*");
        assert_eq!(line(b"ACG", b"TTT", "3D", 3), "a\t4\t*\t0\t0\t*\t*\t0\t0\tACG\t*");
        assert_eq!(line(b"", b"TT", "2I", 0), "a\t0\tb\t1\t255\t2D\t*\t0\t0\t*\t*\tNM:i:2");
    }
}
