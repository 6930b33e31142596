//! Pairing of the lines (or sentences) of both texts, so that each pair is a row: [`rows_of_lines`] and
//! [`rows_of_words`].

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kernels::alignment::{Alignment, EditKind};
use kernels::text::{Pair, Text};
use unicode_segmentation::UnicodeSegmentation;

use super::{RowLines, SentenceSpan};

/// Maximum number of pairs of lines that are compared in one run of changed lines. In a run with more possible pairs,
/// lines are paired in their order.
const MAX_COMPARED_PAIRS: u64 = 900;

/// Number of bytes at the beginning of each line that are compared to find the line's partner.
const MAX_COMPARED_BYTES: usize = 400;

/// Returns the rows of a layout if symbols are lines. Equal lines are paired. The lines of each run of changed lines
/// are paired so that as many words as possible agree, unless there are more than [`MAX_COMPARED_PAIRS`] possible
/// pairs.
pub(super) fn rows_of_lines(pair: &Pair, alignment: &Alignment) -> Vec<RowLines> {
    let (mut rows, mut i, mut j) = (Vec::new(), 0u32, 0u32);
    let (mut p, mut q) = (0u32, 0u32);
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        if stretch.edit == EditKind::Equal {
            push_changed_run(&mut rows, pair, [(i, p), (j, q)]);
            (i, j, p, q) = (i + p, j + q, 0, 0);
            rows.extend((0..stretch.len).map(|at| RowLines { a: Some(i + at), b: Some(j + at) }));
            (i, j) = (i + stretch.len, j + stretch.len);
        } else {
            (p, q) = (p + di as u32 * stretch.len, q + dj as u32 * stretch.len);
        }
    }
    push_changed_run(&mut rows, pair, [(i, p), (j, q)]);
    rows
}

/// Appends the rows of a run of changed lines: `p` lines of `a` from line `i` on, and `q` lines of `b` from line `j`
/// on. Every line of the text that has fewer lines in the run gets a partner; partners are in the order of both texts.
fn push_changed_run(rows: &mut Vec<RowLines>, pair: &Pair, [(i, p), (j, q)]: [(u32, u32); 2]) {
    let partners = if p == q || p == 0 || q == 0 || u64::from(p) * u64::from(q) > MAX_COMPARED_PAIRS {
        (0..p.min(q)).map(|at| (at, at)).collect()
    } else {
        best_pairs(&words(&pair.a, (i, p)), &words(&pair.b, (j, q)))
    };
    let (mut x, mut y) = (0, 0);
    for (to_x, to_y) in partners.into_iter().chain([(p, q)]) {
        rows.extend((x..to_x).map(|at| RowLines { a: Some(i + at), b: None }));
        rows.extend((y..to_y).map(|at| RowLines { a: None, b: Some(j + at) }));
        if to_x < p && to_y < q {
            rows.push(RowLines { a: Some(i + to_x), b: Some(j + to_y) });
        }
        (x, y) = (to_x + 1, to_y + 1);
    }
}

/// Returns, for each of `lines` lines from number `from` on, the hashes of its words in ascending order.
fn words(text: &Text, (from, lines): (u32, u32)) -> Vec<Vec<u64>> {
    let hash = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        hasher.finish()
    };
    let line = |at: u32| {
        let bytes = &text.bytes()[text.range(at as usize)];
        let line = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_COMPARED_BYTES)]);
        let mut words: Vec<u64> = line.unicode_words().map(hash).collect();
        words.sort_unstable();
        words
    };
    (from..from + lines).map(line).collect()
}

/// Returns the number of values that two ascending lists have in common.
pub(super) fn in_common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    common
}

/// Returns the similarity of two lines, from 0 to 1000, given the ascending hashes of the words of each.
fn line_similarity(a: &[u64], b: &[u64]) -> u32 {
    match a.len() + b.len() {
        0 => 1000,
        all => (2000 * in_common(a, b) / all) as u32,
    }
}

/// Returns the pairs of lines with the greatest total similarity, as indices in `a` and `b`. A line is given by the
/// ascending hashes of its words. Pairs ascend in both lists and include every line of the shorter list. In the code,
/// `best[x][y]` is the greatest total for the first `x` and `y` lines.
fn best_pairs(a: &[Vec<u64>], b: &[Vec<u64>]) -> Vec<(u32, u32)> {
    let (p, q) = (a.len(), b.len());
    let flat = |x: usize, y: usize| x * (q + 1) + y;
    // A line of the longer list may have no partner at no cost. For a line of the shorter list, the cost exceeds any
    // similarity.
    let (leave_a, leave_b) = if p <= q { (1_000_000i64, 0) } else { (0, 1_000_000i64) };
    let mut best = vec![0i64; (p + 1) * (q + 1)];
    for x in 0..=p {
        for y in 0..=q {
            let mut most = i64::MIN;
            if x > 0 && y > 0 {
                most = best[flat(x - 1, y - 1)] + i64::from(line_similarity(&a[x - 1], &b[y - 1]));
            }
            if x > 0 {
                most = most.max(best[flat(x - 1, y)] - leave_a);
            }
            if y > 0 {
                most = most.max(best[flat(x, y - 1)] - leave_b);
            }
            if x + y > 0 {
                best[flat(x, y)] = most;
            }
        }
    }
    let (mut x, mut y) = (p, q);
    let mut pairs = Vec::new();
    while x > 0 && y > 0 {
        if best[flat(x, y)] == best[flat(x - 1, y - 1)] + i64::from(line_similarity(&a[x - 1], &b[y - 1])) {
            (x, y) = (x - 1, y - 1);
            pairs.push((x as u32, y as u32));
        } else if best[flat(x, y)] == best[flat(x - 1, y)] - leave_a {
            x -= 1;
        } else {
            y -= 1;
        }
    }
    pairs.reverse();
    pairs
}

/// Returns the rows of a layout if symbols are words. `lines` are the lines (or sentences) of `a` and of `b`. Lines
/// that share columns of the alignment are paired, each line at most once, so that all pairs together have the greatest
/// weight ([`shared`]).
pub(super) fn rows_of_words(alignment: &Alignment, lines: &[Vec<SentenceSpan>; 2]) -> Vec<RowLines> {
    let mut rows = Vec::new();
    let (mut x, mut y) = (0u32, 0u32);
    let ends = (lines[0].len() as u32, lines[1].len() as u32);
    for (to_x, to_y) in chain(&shared(alignment, lines)).into_iter().chain([ends]) {
        push_rows_between(&mut rows, lines, [(x, to_x), (y, to_y)]);
        if (to_x, to_y) != ends {
            rows.push(RowLines { a: Some(to_x), b: Some(to_y) });
        }
        (x, y) = (to_x + 1, to_y + 1);
    }
    rows
}

/// Appends rows for the lines between two paired rows: lines `x..to_x` of `a` and `y..to_y` of `b`. These lines share
/// no columns of the alignment, so only blank lines are paired. `lines` are the lines (or sentences) of `a` and of `b`.
fn push_rows_between(rows: &mut Vec<RowLines>, lines: &[Vec<SentenceSpan>; 2], [(mut x, to_x), (mut y, to_y)]: [(u32, u32); 2]) {
    let blank = |side: usize, at: u32| {
        let lines = &lines[side];
        lines.get(at as usize + 1).is_none_or(|next| next.word == lines[at as usize].word)
    };
    while x < to_x || y < to_y {
        match (x < to_x, y < to_y) {
            (true, true) if blank(0, x) && blank(1, y) => {
                rows.push(RowLines { a: Some(x), b: Some(y) });
                (x, y) = (x + 1, y + 1);
            }
            (true, more) if !more || !blank(0, x) => {
                rows.push(RowLines { a: Some(x), b: None });
                x += 1;
            }
            _ => {
                rows.push(RowLines { a: None, b: Some(y) });
                y += 1;
            }
        }
    }
}

/// Returns the pairs of lines that share columns of the alignment, in the order of the columns. `lines` are the lines
/// (or sentences) of `a` and of `b`. Each pair has the number of a line of `a`, the number of a line of `b`, and a
/// weight: two for each equal word, one for each substituted word.
fn shared(alignment: &Alignment, lines: &[Vec<SentenceSpan>; 2]) -> Vec<(u32, u32, u64)> {
    let line = |side: usize, word: u64| lines[side].partition_point(|line| u64::from(line.word) <= word).saturating_sub(1) as u32;
    let end = |side: usize, at: u32| lines[side].get(at as usize + 1).map_or(u64::MAX, |next| next.word.into());
    let mut pairs: Vec<(u32, u32, u64)> = Vec::new();
    let (mut i, mut j) = (0u64, 0u64);
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        let len = u64::from(stretch.len);
        let mut at = 0;
        while di + dj == 2 && at < len {
            let (x, y) = (line(0, i + at), line(1, j + at));
            let part = (len - at).min(end(0, x) - i - at).min(end(1, y) - j - at);
            let weight = part * if stretch.edit == EditKind::Equal { 2 } else { 1 };
            match pairs.last_mut().filter(|last| (last.0, last.1) == (x, y)) {
                Some(last) => last.2 += weight,
                None => pairs.push((x, y, weight)),
            }
            at += part;
        }
        (i, j) = (i + di * len, j + dj * len);
    }
    pairs
}

/// Returns the pairs of line numbers with the greatest total weight among `pairs`, so that no line occurs twice.
/// `pairs` come from [`shared`] and ascend in both line numbers. Therefore all pairs that precede a pair in both texts
/// are a prefix of the list.
fn chain(pairs: &[(u32, u32, u64)]) -> Vec<(u32, u32)> {
    // For the first 0, 1, 2 … pairs, the best chain of them: its weight, and the index of its last pair.
    let mut best: Vec<(u64, Option<usize>)> = vec![(0, None)];
    let mut before: Vec<Option<usize>> = Vec::new();
    for (at, &(x, y, weight)) in pairs.iter().enumerate() {
        let compatible = pairs[..at].partition_point(|pair| pair.0 < x && pair.1 < y);
        let (sum, last) = best[compatible];
        before.push(last);
        let with = (sum + weight, Some(at));
        best.push(if with.0 > best[at].0 { with } else { best[at] });
    }
    let mut chain = Vec::new();
    let mut next = best.last().and_then(|best| best.1);
    while let Some(at) = next {
        chain.push((pairs[at].0, pairs[at].1));
        next = before[at];
    }
    chain.reverse();
    chain
}
