//! Moves of gaps to the borders of sentences in an alignment of words, by [`gaps_at_sentences`]. A gap is a run of
//! insertions or of deletions.

use kernels::alignment::{Alignment, CigarOp, EditKind};
use kernels::text::Pair;

use super::SentenceSpan;

/// Maximum number of words by which a gap moves to the right. The words that a gap passes are the marks that end a
/// sentence.
const MAX_WORDS: u64 = 8;

/// Returns `alignment` with gaps moved to the beginnings of sentences where this does not change the cost. `lines` has
/// the sentences of both texts. In `alignment`, each gap must be at its leftmost position, where it may begin with the
/// full stop of the previous sentence: `time[. The moon rose].` becomes `time. [The moon rose.]`.
///
/// For s runs of equal edits, takes O(s · log sentences) time.
pub(super) fn gaps_at_sentences(pair: &Pair, alignment: &Alignment, lines: &[Vec<SentenceSpan>; 2]) -> Alignment {
    let begins = |side: usize, word: u64| lines[side].binary_search_by_key(&word, |line| line.word.into()).is_ok();
    let stretches = alignment.cigar_ops();
    let mut moved = Alignment::default().starting_at(alignment.a_start(), alignment.b_start());
    let (mut i, mut j, mut taken) = (alignment.a_start(), alignment.b_start(), 0u64);
    for (at, &CigarOp { edit, len }) in stretches.iter().enumerate() {
        // The previous gap may have moved behind the first words of this run.
        let len = u64::from(len) - std::mem::take(&mut taken);
        let (di, dj) = edit.consumed_symbols();
        let next = stretches.get(at + 1).filter(|next| next.edit == EditKind::Equal).map_or(0, |next| u64::from(next.len));
        if di + dj == 1 {
            let (side, from) = if edit == EditKind::Delete { (0, i) } else { (1, j) };
            let symbol = |word: u64| match side {
                0 => pair.a_symbols().symbol_at(word as usize),
                _ => pair.b_symbols().symbol_at(word as usize),
            };
            let slides = (0..next.min(MAX_WORDS)).take_while(|by| symbol(from + by) == symbol(from + len + by)).count() as u64;
            taken = (0..=slides).find(|by| begins(side, from + by)).unwrap_or(0);
            moved.push(EditKind::Equal, taken);
            (i, j) = (i + taken, j + taken);
        }
        moved.push(edit, len);
        (i, j) = (i + di * len, j + dj * len);
    }
    moved.on_strand(alignment.strand())
}
