//! The list of the texts of a side: [`member_rows`].

use explain::worker_protocol::collection::MemberInfo;

use super::answer::ComparedTexts;
use super::sources::TextSide;
use crate::model::form::FormSide;

/// A text in the list of its side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberRow {
    /// Number among the texts of the side that take part, from 0. `None` if the text is left out.
    pub number: Option<usize>,
    /// Number among all texts of the side, by which the text is edited. `None` if it cannot be edited.
    pub part: Option<usize>,
    /// Name of the text, or its first characters.
    pub name: String,
    /// First characters of the text, if it has another name.
    pub begin: Option<String>,
    /// Number of symbols. `None` if it is not known.
    pub symbols: Option<u64>,
    /// Number of symbols, as a share of those of the longest text.
    pub share: f64,
    /// Number of the first text of the side with the same symbols, from 0, if this text is a later one.
    pub same_as: Option<usize>,
}

impl MemberRow {
    /// Returns the first characters of the text.
    pub fn first_characters(&self) -> &str {
        self.begin.as_deref().unwrap_or(&self.name)
    }
}

/// Lists the texts of `side`, which is the side `which` of the form, in the order given. The lengths are those of the latest
/// answer `texts`, if it is about the same texts. Takes O(bytes) time.
pub fn member_rows(side: &TextSide, which: FormSide, texts: Option<&ComparedTexts>) -> Vec<MemberRow> {
    let members = texts.and_then(|texts| texts.report.members.get(texts.side(which))).unwrap_or_default();
    let mut rows = match side.parts() {
        None => members.iter().map(|member| (MemberRow { name: member.name.clone(), ..MemberRow::default() }, Some(member))).collect(),
        Some(parts) => {
            // Texts that were left out have no member.
            let mut members = members.iter();
            let compared = texts.and_then(|texts| texts.form.side(which)).filter(|compared| has_same_parts(compared, side));
            let mut member_of = |number| {
                let compared = compared?;
                if compared.edits().is_some_and(|edits| edits.is_left_out(number)) { None } else { members.next() }
            };
            let row = |(number, part): (usize, super::sources::TextSource)| {
                let edit = side.edits().and_then(|edits| edits.get(number));
                let name = edit.map(|edit| edit.name.to_string()).filter(|name| !name.is_empty());
                let begin = name.is_some().then(|| part.name.to_string());
                let is_left_out = edit.is_some_and(|edit| edit.is_left_out);
                let row = MemberRow {
                    number: (!is_left_out).then_some(0),
                    part: Some(number),
                    name: name.unwrap_or_else(|| part.name.to_string()),
                    begin,
                    ..MemberRow::default()
                };
                (row, member_of(number))
            };
            parts.into_iter().enumerate().map(row).collect::<Vec<(MemberRow, Option<&MemberInfo>)>>()
        }
    };
    let longest = rows.iter().filter_map(|(_, member)| member.map(|member| member.symbols)).max().unwrap_or(0).max(1) as f64;
    let mut first = vec![None; rows.iter().filter_map(|(_, member)| member.map(|member| member.text as usize + 1)).max().unwrap_or(0)];
    let mut number = 0;
    for (row, member) in &mut rows {
        if row.part.is_none() || row.number.is_some() {
            row.number = Some(number);
            number += 1;
        }
        let Some(member) = member else { continue };
        (row.symbols, row.share) = (Some(member.symbols), member.symbols as f64 / longest);
        if let Some(number) = row.number {
            let first = &mut first[member.text as usize];
            row.same_as = *first;
            first.get_or_insert(number);
        }
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

/// Returns whether two sides are divided into the same texts.
fn has_same_parts(x: &TextSide, y: &TextSide) -> bool {
    (x.split, x.column) == (y.split, y.column)
        && x.sources.iter().map(|source| &source.bytes).eq(y.sources.iter().map(|source| &source.bytes))
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::{compared, compared_two};
    use super::super::measure::Measure;
    use super::*;

    fn rows(texts: &ComparedTexts, which: FormSide) -> Vec<MemberRow> {
        texts.form.side(which).map(|side| member_rows(side, which, Some(texts))).unwrap_or_default()
    }

    #[test]
    fn rows_have_lengths_to_scale_and_name_equal_texts() {
        let rows_of = |texts: &ComparedTexts| {
            let shown = |row: MemberRow| (row.name, row.symbols.unwrap_or(9), row.share, row.same_as);
            rows(texts, FormSide::A).into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(
            rows_of(&compared(&["abcd", "ab", "", "abcd"], Measure::Edits)),
            [("abcd".into(), 4, 1.0, None), ("ab".into(), 2, 0.5, None), (String::new(), 0, 0.0, None), ("abcd".into(), 4, 1.0, Some(0))]
        );
        let two = compared_two(&["abcd"], &["a", "a"], Measure::Edits);
        let shown: Vec<_> = rows(&two, FormSide::B).iter().map(|row| (row.share, row.same_as)).collect();
        assert_eq!(shown, [(1.0, None), (1.0, Some(0))]);
        assert_eq!(rows(&compared(&["a"], Measure::Edits), FormSide::B), []);
    }

    #[test]
    fn left_out_text_stays_in_the_list_without_a_number() {
        let texts = compared(&["abcd", "ab", "abcd"], Measure::Edits);
        let mut side = texts.form.a.clone();
        side.edit_members(|edits| {
            edits.leave_out(0, true);
            edits.rename(1, "Mia");
        });
        let shown: Vec<_> = member_rows(&side, FormSide::A, Some(&texts))
            .into_iter()
            .map(|row| (row.number, row.part, row.name, row.begin, row.symbols, row.same_as))
            .collect();
        assert_eq!(
            shown,
            [
                (None, Some(0), "abcd".into(), None, Some(4), None),
                (Some(0), Some(1), "Mia".into(), Some("ab".into()), Some(2), None),
                (Some(1), Some(2), "abcd".into(), None, Some(4), None),
            ]
        );
        // The answer without the text has no length of it.
        let mut without = compared(&["ab", "abcd"], Measure::Edits);
        without.form.a = side.clone();
        let symbols: Vec<_> = member_rows(&side, FormSide::A, Some(&without)).iter().map(|row| row.symbols).collect();
        assert_eq!(symbols, [None, Some(2), Some(4)]);
        // Other texts than those of the answer have no lengths yet.
        side.retype("x\ny");
        let shown: Vec<_> = member_rows(&side, FormSide::A, Some(&texts)).into_iter().map(|row| (row.name, row.symbols)).collect();
        assert_eq!(shown, [("x".to_owned(), None), ("y".to_owned(), None)]);
        assert_eq!(member_rows(&side, FormSide::A, None).len(), 2);
    }
}
