//! The list of the texts of a side: [`member_rows`].

use super::answer::ComparedTexts;
use crate::model::form::FormSide;

/// A text in the list of its side.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberRow {
    /// Name of the text, or its first characters.
    pub name: String,
    /// Number of symbols.
    pub symbols: u64,
    /// Number of symbols, as a share of those of the longest text.
    pub share: f64,
    /// Number of the first text of the side with the same symbols, from 0, if this text is a later one.
    pub same_as: Option<usize>,
}

/// Lists the texts of a side in the order given. Takes O(n) time.
pub fn member_rows(texts: &ComparedTexts, side: FormSide) -> Vec<MemberRow> {
    let members = texts.report.members.get(texts.side(side)).unwrap_or_default();
    let longest = members.iter().map(|member| member.symbols).max().unwrap_or(0).max(1) as f64;
    let mut first = vec![None; members.iter().map(|member| member.text as usize + 1).max().unwrap_or(0)];
    let row = |(number, member): (usize, &explain::worker_protocol::collection::MemberInfo)| {
        let first = &mut first[member.text as usize];
        let same_as = *first;
        first.get_or_insert(number);
        MemberRow { name: member.name.clone(), symbols: member.symbols, share: member.symbols as f64 / longest, same_as }
    };
    members.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::{compared, compared_two};
    use super::super::measure::Measure;
    use super::*;

    #[test]
    fn rows_have_lengths_to_scale_and_name_equal_texts() {
        let rows = member_rows(&compared(&["abcd", "ab", "", "abcd"], Measure::Edits), FormSide::A);
        let shown: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.symbols, row.share, row.same_as)).collect();
        assert_eq!(shown, [("abcd", 4, 1.0, None), ("ab", 2, 0.5, None), ("", 0, 0.0, None), ("abcd", 4, 1.0, Some(0))]);
        let two = compared_two(&["abcd"], &["a", "a"], Measure::Edits);
        assert_eq!(
            member_rows(&two, FormSide::B).iter().map(|row| (row.share, row.same_as)).collect::<Vec<_>>(),
            [(1.0, None), (1.0, Some(0))]
        );
        assert_eq!(member_rows(&compared(&["a"], Measure::Edits), FormSide::B), []);
    }
}
