//! Parses exported files: PAF, SAM, the table of edits and the unified diff contain enough to convert `a` to `b`.

use explain::export::{diff, edits, fasta, mapping, vcf};
use kernels::alignment::Alignment;
use kernels::text::{Pair, ReadingOptions, Unit};
use oracle::{mutated, random, serial};

/// Returns pairs of DNA: similar, different and empty ones.
fn reads() -> impl Iterator<Item = (String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (0..40).map(move |seed| {
        let a = random(b"ACGT", (seed * 7 % 90) as usize, seed);
        let b = if seed % 5 == 0 { random(b"ACGT", 40, seed + 100) } else { mutated(&a, b"ACGT", 0.3, seed) };
        (text(a), text(b))
    })
}

fn pair(a: &str, b: &str, unit: Unit) -> (Pair, Alignment) {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
    let alignment = serial::edit_distance::align(&pair).1;
    (pair, alignment)
}

fn written(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}

/// Walks a CIGAR by the rules of read mappers: `I` takes a symbol of the query, `D` one of the target.
fn walk(cigar: &str, query: &str, target: &str) -> (usize, usize, u64) {
    let (mut i, mut j, mut edits, mut len) = (0, 0, 0, 0);
    for char in cigar.chars() {
        match char.to_digit(10) {
            Some(digit) => len = 10 * len + digit as usize,
            None => {
                let (di, dj) = match char {
                    '=' => {
                        assert_eq!(query[i..i + len], target[j..j + len]);
                        (len, len)
                    }
                    'X' => {
                        assert!((0..len).all(|at| query.as_bytes()[i + at] != target.as_bytes()[j + at]));
                        (len, len)
                    }
                    'I' => (len, 0),
                    'D' => (0, len),
                    other => panic!("{other} in {cigar}"),
                };
                edits += if char == '=' { 0 } else { len as u64 };
                (i, j, len) = (i + di, j + dj, 0);
            }
        }
    }
    (i, j, edits)
}

#[test]
fn paf_and_sam_contain_the_whole_alignment() {
    for (a, b) in reads() {
        let (pair, alignment) = pair(&format!(">read one\n{a}\n"), &format!(">chr two\n{b}\n"), Unit::Bytes);
        let distance = alignment.summary().distance();
        let paf = written(|out| mapping::write_paf(out, &pair, &alignment, None, &[]).unwrap());
        let fields: Vec<&str> = paf.trim_end().split('\t').collect();
        assert_eq!(fields[..6], ["read", &a.len().to_string(), "0", &a.len().to_string(), "+", "chr"]);
        let cigar = fields.iter().find_map(|field| field.strip_prefix("cg:Z:")).unwrap();
        assert_eq!(walk(cigar, &a, &b), (a.len(), b.len(), distance), "{paf}");

        let sam = written(|out| mapping::write_sam(out, &pair, &alignment, None, &[]).unwrap());
        let (heads, records): (Vec<&str>, Vec<&str>) = sam.lines().partition(|line| line.starts_with('@'));
        assert!(heads.iter().all(|head| head.split('\t').skip(1).all(|field| field.as_bytes().get(2) == Some(&b':'))), "{sam}");
        let fields: Vec<&str> = records[0].split('\t').collect();
        assert!(records.len() == 1 && fields.len() >= 11, "{sam}");
        assert_eq!(fields[9], if a.is_empty() { "*" } else { &a });
        if fields[1] == "0" {
            assert_eq!((fields[2], fields[3]), ("chr", "1"));
            assert_eq!(walk(fields[5], &a, &b), (a.len(), b.len(), distance), "{sam}");
            assert_eq!(fields[11], format!("NM:i:{distance}"));
        }
    }
}

/// Splits one line of comma-separated values into fields.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for char in line.chars() {
        match char {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            char => fields.last_mut().unwrap().push(char),
        }
    }
    fields
}

#[test]
fn table_of_edits_turns_a_into_b() {
    for (a, b) in reads() {
        let (a, b) = (a.replace('A', ","), b.replace('A', ","));
        let (pair, alignment) = pair(&a, &b, Unit::Chars);
        let table = written(|out| edits::csv(out, &pair, &alignment).unwrap());
        let mut turned = a.clone();
        for line in table.lines().skip(1).collect::<Vec<_>>().into_iter().rev() {
            let fields = fields(line);
            let at = |field: usize| fields[field].parse::<usize>().unwrap();
            assert_eq!((&a[at(2)..at(3)], &b[at(4)..at(5)]), (fields[6].as_str(), fields[7].as_str()));
            turned.replace_range(at(2)..at(3), &fields[7]);
        }
        assert_eq!(turned, b);
    }
}

/// Applies a patch to a text, as `patch` does: a line ends with a line feed, and a carriage return is part of its line.
fn patched(a: &str, patch: &str) -> String {
    let lines: Vec<&str> = a.split_inclusive('\n').collect();
    let (mut out, mut at): (Vec<String>, _) = (Vec::new(), 0);
    let mut patch = patch.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = patch.next() {
        let (mark, rest) = line.split_at(1);
        if mark == "@" {
            let (start, len) = line[4..].split_once(' ').unwrap().0.split_once(',').unwrap();
            let start = start.parse::<usize>().unwrap() - usize::from(len != "0");
            out.extend(lines[at..start].iter().map(|line| (*line).to_owned()));
            at = start;
            continue;
        }
        let is_cut = patch.next_if(|next| next.starts_with('\\')).is_some();
        let written = if is_cut { &rest[..rest.len() - 1] } else { rest };
        if mark != "+" {
            assert_eq!(lines[at], written);
            at += 1;
        }
        if mark != "-" {
            out.push(written.to_owned());
        }
    }
    out.extend(lines[at..].iter().map(|line| (*line).to_owned()));
    out.concat()
}

#[test]
fn unified_diff_is_a_valid_patch() {
    for (a, b) in reads() {
        let lines = |text: &str| text.chars().map(|char| format!("line {char}\n")).collect::<String>();
        let (a, b) = (lines(&a), lines(&b));
        let (pair, alignment) = pair(&a, &b, Unit::Lines);
        assert_eq!(patched(&a, &written(|out| diff::write_unified_diff(out, &pair, &alignment).unwrap())), b);
    }
}

/// Tests all line ends, ignored differences, and alignments.
#[test]
fn patch_recreates_b_byte_for_byte() {
    let pieces = [
        "x\n",
        "X\n",
        "x\r\n",
        "y\n",
        "y\r",
        "\n",
        "\r\n",
        " x\n",
        "e\u{301}\n",
        "é\n",
        "\u{301}z\n",
        "+x\n",
        "\\ y\n",
        "x",
        "y",
        "\u{feff}",
    ];
    for seed in 0..400 {
        let text = |len, seed| random(&pieces, len, seed).concat();
        let (a, b) = (text(seed as usize % 7, seed), text(seed as usize % 9, seed + 1000));
        for [case_insensitive, normalize] in [[false, false], [true, false], [false, true]] {
            let reading = ReadingOptions { unit: Unit::Lines, case_insensitive, normalize, ..ReadingOptions::default() };
            let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
            for alignment in [serial::edit_distance::align(&pair).1, serial::lcs::align(&pair).1] {
                let diff = written(|out| diff::write_unified_diff(out, &pair, &alignment).unwrap());
                assert_eq!(patched(&a, &diff), b, "{a:?} {b:?} by {diff:?}");
                assert_eq!(diff.is_empty(), a == b);
            }
        }
    }
}

#[test]
fn changes_of_vcf_turn_a_into_b() {
    for (a, b) in reads().filter(|(a, b)| !a.is_empty() && !b.is_empty()) {
        let (pair, alignment) = pair(&a, &b, Unit::Bytes);
        vcf::check(&pair, &alignment).unwrap();
        let file = written(|out| vcf::write(out, &pair, &alignment).unwrap());
        assert!(file.starts_with("##fileformat=VCFv4.3\n") && file.contains(&format!("##contig=<ID=a,length={}>\n", a.len())));
        let mut turned = a.clone();
        let mut after = usize::MAX;
        for line in file.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().into_iter().rev() {
            let [name, position, _, reference, other, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let at = position.parse::<usize>().unwrap() - 1;
            assert_eq!((name, &a[at..at + reference.len()]), ("a", reference));
            assert!(!other.is_empty() && at + reference.len() <= after, "{file}");
            turned.replace_range(at..at + reference.len(), other);
            after = at;
        }
        assert_eq!(turned, b, "{file}");
    }
}

#[test]
fn rows_of_aligned_fasta_are_both_texts_with_gaps() {
    for (a, b) in reads() {
        let (pair, alignment) = pair(&a, &b, Unit::Chars);
        fasta::check(&pair, &alignment).unwrap();
        let file = written(|out| fasta::write(out, &pair, &alignment).unwrap());
        let rows: Vec<String> = file.split('>').skip(1).map(|record| record.split_once('\n').unwrap().1.replace('\n', "")).collect();
        assert_eq!([rows[0].replace('-', ""), rows[1].replace('-', "")], [a, b]);
        assert!(file.lines().all(|line| line.len() <= 60));
        let columns: Vec<(u8, u8)> = rows[0].bytes().zip(rows[1].bytes()).collect();
        assert_eq!((rows[0].len(), rows[1].len()), (columns.len(), columns.len()));
        let edits = columns.iter().filter(|(one, other)| one != other).count() as u64;
        assert_eq!((edits, columns.len() as u64), (alignment.summary().distance(), alignment.summary().columns));
        assert!(!columns.contains(&(b'-', b'-')));
    }
}
