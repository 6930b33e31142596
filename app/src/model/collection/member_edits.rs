//! Edits of the texts into which a typed text is divided: names, and texts that are left out ([`MemberEdits`]).

use std::sync::Arc;

use kernels::collection::Collection;

use crate::model::link::percent::{decode, encode};

/// An edit of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberEdit {
    /// Number of the text, from 0, among all into which its source is divided.
    pub number: usize,
    /// Name in place of the first characters. Empty if the text has no other name.
    pub name: Arc<str>,
    /// Whether the text takes no part in the comparison.
    pub is_left_out: bool,
}

/// The edits of the texts of a source, in the order of their numbers. Each edit has an effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberEdits(Arc<[MemberEdit]>);

/// Edits of texts that were removed. A text that returns gets its edit back, for example if the visitor undoes a slip.
#[derive(Clone, Debug)]
pub struct DroppedEdits<T>(Vec<DroppedEdit<T>>);

#[derive(Clone, Debug)]
struct DroppedEdit<T> {
    text: T,
    /// Number of equal texts before this one.
    equal_before: usize,
    edit: MemberEdit,
}

impl<T> Default for DroppedEdits<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> DroppedEdits<T> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Dropped edits have no effect on an answer, so that forms are equal without them.
impl<T> PartialEq for DroppedEdits<T> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<T> Eq for DroppedEdits<T> {}

impl MemberEdits {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the edit of a text, if it has one. Takes O(log n) time.
    pub fn get(&self, number: usize) -> Option<&MemberEdit> {
        self.0.binary_search_by_key(&number, |edit| edit.number).ok().map(|at| &self.0[at])
    }

    /// Returns whether a text takes no part in the comparison.
    pub fn is_left_out(&self, number: usize) -> bool {
        self.get(number).is_some_and(|edit| edit.is_left_out)
    }

    /// Returns the number of texts that take no part.
    pub fn left_out(&self) -> u64 {
        self.0.iter().filter(|edit| edit.is_left_out).count() as u64
    }

    /// Renames a text. An empty name brings back the first characters of the text.
    pub fn rename(&mut self, number: usize, name: &str) {
        self.change(number, |edit| edit.name = name.trim().into());
    }

    /// Leaves a text out, or takes it back.
    pub fn leave_out(&mut self, number: usize, is_left_out: bool) {
        self.change(number, |edit| edit.is_left_out = is_left_out);
    }

    fn change(&mut self, number: usize, change: impl FnOnce(&mut MemberEdit)) {
        let mut edit = self.get(number).cloned().unwrap_or(MemberEdit { number, ..MemberEdit::default() });
        change(&mut edit);
        let others = self.0.iter().filter(|other| other.number != number).cloned();
        *self = Self::new(others.chain([edit]).collect());
    }

    fn new(mut edits: Vec<MemberEdit>) -> Self {
        edits.retain(|edit| edit.is_left_out || !edit.name.is_empty());
        edits.sort_by_key(|edit| edit.number);
        Self(edits.into())
    }

    /// Returns the edits of the same texts after the source was changed. The n-th of several equal texts stays the n-th one.
    /// Adds the edits of texts that are no longer there to `dropped`, and takes those of new texts from it. If there are too
    /// many texts, no text has an edit. Takes O(n²) time if many edited texts were changed together.
    pub fn followed<T: Clone + PartialEq>(&self, before: &[T], after: &[T], dropped: &mut DroppedEdits<T>) -> Self {
        let begin = before.iter().zip(after).take_while(|(x, y)| x == y).count();
        let end = before[begin..].iter().rev().zip(after[begin..].iter().rev()).take_while(|(x, y)| x == y).count();
        let (changed, new) = (begin..before.len() - end, begin..after.len() - end);
        let fits = after.len() <= Collection::MAX_SOURCES;
        let (mut edits, mut searched) = (Vec::new(), Vec::new());
        let mut has_edit = vec![false; after.len()];
        for edit in self.0.iter().filter(|edit| edit.number < before.len()) {
            let number = match edit.number {
                number if number < changed.start => Some(number),
                number if number >= changed.end => Some(after.len() - (before.len() - number)),
                // The visitor types in this text.
                number if changed.len() == 1 && new.len() == 1 => Some(number),
                _ => None,
            };
            match number.filter(|_| fits) {
                Some(number) => {
                    has_edit[number] = true;
                    edits.push(MemberEdit { number, ..edit.clone() });
                }
                None => {
                    let text = before[edit.number].clone();
                    let equal_before = before[..edit.number].iter().filter(|other| **other == text).count();
                    searched.push(DroppedEdit { text, equal_before, edit: edit.clone() });
                }
            }
        }
        searched.append(&mut dropped.0);
        for lost in searched {
            let is_free = |number: &usize| !has_edit[*number] && after[*number] == lost.text;
            let Some(first) = new.clone().find(is_free).filter(|_| fits) else {
                dropped.0.push(lost);
                continue;
            };
            let equal = (0..after.len()).filter(|number| after[*number] == lost.text).nth(lost.equal_before);
            let number = equal.filter(|number| new.contains(number) && is_free(number)).unwrap_or(first);
            has_edit[number] = true;
            edits.push(MemberEdit { number, ..lost.edit });
        }
        Self::new(edits)
    }

    /// Writes the numbers of the texts that are left out, for an address: `2,5-7`. Returns `None` if there are none.
    pub fn written_left_out(&self) -> Option<String> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for edit in self.0.iter().filter(|edit| edit.is_left_out) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == edit.number => *last = edit.number,
                _ => ranges.push((edit.number, edit.number)),
            }
        }
        let range = |(first, last): &(usize, usize)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        (!ranges.is_empty()).then(|| ranges.iter().map(range).collect::<Vec<_>>().join(","))
    }

    /// Writes the names for an address: `,Mia;,Tom;5,Saga`. A text without a number follows the one before it. Returns `None`
    /// if there are none.
    pub fn written_names(&self) -> Option<String> {
        let mut next = 0;
        let name = |edit: &MemberEdit| {
            let number = if edit.number == next { String::new() } else { edit.number.to_string() };
            next = edit.number + 1;
            format!("{number},{}", encode(&edit.name))
        };
        let names: Vec<String> = self.0.iter().filter(|edit| !edit.name.is_empty()).map(name).collect();
        (!names.is_empty()).then(|| names.join(";"))
    }

    /// Parses what [`Self::written_left_out`] and [`Self::written_names`] return. Empty texts have no edits. Returns `None` if
    /// they are malformed.
    pub fn parse(left_out: &str, names: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse::<usize>().ok().filter(|number| *number < Collection::MAX_SOURCES);
        let mut edits = Self::default();
        let mut all = Vec::new();
        for range in left_out.split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            all.extend((number(first)?..=number(last)?).map(|number| MemberEdit { number, is_left_out: true, ..MemberEdit::default() }));
            // Overlapping ranges would repeat texts without limit.
            if all.len() > Collection::MAX_SOURCES || !all.is_sorted_by(|x, y| x.number < y.number) {
                return None;
            }
        }
        edits.0 = all.into();
        let mut next = 0;
        let mut named = Vec::new();
        for part in names.split(';').filter(|part| !part.is_empty()) {
            let (digits, name) = part.split_once(',')?;
            let number = if digits.is_empty() { next } else { number(digits)? };
            next = number + 1;
            named.push(MemberEdit { number, name: decode(name).trim().into(), is_left_out: edits.is_left_out(number) });
        }
        if !named.is_sorted_by(|x, y| x.number < y.number) {
            return None;
        }
        let is_named = |number: usize| named.binary_search_by_key(&number, |edit| edit.number).is_ok();
        let others: Vec<MemberEdit> = edits.0.iter().filter(|edit| !is_named(edit.number)).cloned().collect();
        Some(Self::new(others.into_iter().chain(named).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(left_out: &[usize], names: &[(usize, &str)]) -> MemberEdits {
        let mut edits = MemberEdits::default();
        left_out.iter().for_each(|number| edits.leave_out(*number, true));
        names.iter().for_each(|(number, name)| edits.rename(*number, name));
        edits
    }

    #[test]
    fn edits_without_effect_are_removed() {
        let mut edits = edits(&[2], &[(0, " Mia "), (2, "Tom")]);
        assert_eq!((edits.get(0).map(|edit| &*edit.name), edits.get(1), edits.left_out()), (Some("Mia"), None, 1));
        edits.rename(0, " ");
        edits.leave_out(2, false);
        edits.rename(2, "");
        assert_eq!(edits, MemberEdits::default());
    }

    #[test]
    fn edits_follow_their_texts() {
        let before = ["a", "b", "c", "d"];
        let own = edits(&[1], &[(3, "Mia")]);
        for (after, expected) in [
            (vec!["a", "b", "c", "d"], edits(&[1], &[(3, "Mia")])),
            (vec!["x", "a", "b", "c", "d"], edits(&[2], &[(4, "Mia")])),
            (vec!["a", "b", "c", "x", "d"], edits(&[1], &[(4, "Mia")])),
            (vec!["a", "c", "d"], edits(&[], &[(2, "Mia")])),
            (vec!["a", "bb", "c", "d"], edits(&[1], &[(3, "Mia")])),
            (vec!["a", "b", "c", "dd"], edits(&[1], &[(3, "Mia")])),
            (vec!["d", "b"], edits(&[1], &[(0, "Mia")])),
            (vec!["x", "y", "z", "w"], MemberEdits::default()),
            (vec![], MemberEdits::default()),
        ] {
            assert_eq!(own.followed(&before, &after, &mut DroppedEdits::default()), expected, "{after:?}");
        }
        // Edits beyond the texts come from a changed address.
        assert_eq!(edits(&[7], &[]).followed(&before, &["a"], &mut DroppedEdits::default()), MemberEdits::default());
    }

    #[test]
    fn edits_of_equal_texts_keep_their_order() {
        let own = edits(&[], &[(2, "Mia"), (3, "Tom")]);
        let after = own.followed(&["x", "a", "a", "b", "y"], &["z", "a", "q", "a", "b", "w"], &mut DroppedEdits::default());
        assert_eq!(after, edits(&[], &[(3, "Mia"), (4, "Tom")]));
    }

    #[test]
    fn texts_that_return_get_their_edits_back() {
        let before = ["a", "b", "a", "c"];
        let own = edits(&[1], &[(2, "Mia")]);
        for slip in [vec!["ab", "a", "c"], vec!["aba", "c"], vec!["a", "b", "ac"], vec!["ab", "ac"], vec![]] {
            let mut dropped = DroppedEdits::default();
            let between = own.followed(&before, &slip, &mut dropped);
            assert_eq!(between.followed(&slip, &before, &mut dropped), own, "{slip:?}");
            assert!(dropped.is_empty());
        }
        // An equal text that was there all the time gets none.
        let mut dropped = DroppedEdits::default();
        let between = edits(&[], &[(1, "Mia")]).followed(&["x", "a", "y", "a"], &["x", "y", "a"], &mut dropped);
        assert_eq!(between.followed(&["x", "y", "a"], &["x", "y", "a", "z"], &mut dropped), MemberEdits::default());
    }

    #[test]
    fn too_many_texts_have_no_edits_until_some_are_removed() {
        let own = edits(&[1], &[]);
        let many: Vec<usize> = (0..=Collection::MAX_SOURCES).collect();
        let mut dropped = DroppedEdits::default();
        assert!(own.followed(&many[1..], &many, &mut dropped).is_empty());
        assert_eq!(MemberEdits::default().followed(&many, &[2], &mut dropped), edits(&[0], &[]));
    }

    #[test]
    fn edits_are_written_briefly_and_restored() {
        for (own, left_out, names) in [
            (edits(&[], &[]), None, None),
            (edits(&[2, 5, 6, 7, 9], &[]), Some("2,5-7,9"), None),
            (edits(&[], &[(0, "Mia"), (1, "Tom"), (5, "Saga, S.; x")]), None, Some(",Mia;,Tom;5,Saga,+S.%3B+x")),
            (edits(&[0, 1], &[(1, "a")]), Some("0-1"), Some("1,a")),
        ] {
            let written = (own.written_left_out(), own.written_names());
            assert_eq!((written.0.as_deref(), written.1.as_deref()), (left_out, names));
            assert_eq!(MemberEdits::parse(left_out.unwrap_or_default(), names.unwrap_or_default()), Some(own));
        }
        for (left_out, names) in
            [("x", ""), ("3-", ""), ("3,2", ""), ("0-9999999", ""), ("1,1", ""), ("0-5,3-7", ""), ("", "x"), ("", "2,a;1,b"), ("", "x,a")]
        {
            assert_eq!(MemberEdits::parse(left_out, names), None, "{left_out} {names}");
        }
    }
}
