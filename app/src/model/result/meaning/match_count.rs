//! The meaning of an answer of match count: the best score, and the number of offsets with that score.

use kernels::job::Unit;

use super::AnswerMeaning;
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Returns the sentences about the best score, for a pattern of `a` symbols and a text of `b` symbols. `best` is `None`
/// if the pattern is longer than the text.
///
/// The score occurs at `total` offsets. If there is only one such offset, it is `only`. `within` is the requested
/// maximum of unequal symbols, and the number of offsets that do not exceed it.
pub fn meaning(
    best: Option<u64>,
    (total, only): (u64, Option<u64>),
    within: Option<(u64, u64)>,
    (a, b): (u64, u64),
    unit: Unit,
) -> AnswerMeaning {
    if a == 0 {
        return AnswerMeaning { says: t("Type a pattern to search for.").into(), ..AnswerMeaning::default() };
    }
    let Some(best) = best else {
        return AnswerMeaning { says: t("The pattern is longer than the text, so there is no offset.").into(), ..AnswerMeaning::default() };
    };
    let (all, of) = (humanize::count(b + 1 - a.min(b), "offset", "offsets"), humanize::symbols(a, unit));
    let says = match (best, only) {
        (0, _) => tr!("of {of} match at any offset.", of = of),
        (1, Some(offset)) => tr!("of {of} matches at best, at offset {n}.", of = of, n = grouped(offset)),
        (1, None) => tr!("of {of} matches at best, at {n} of {all}.", of = of, n = grouped(total), all = all),
        (_, Some(offset)) => tr!("of {of} match at best, at offset {n}.", of = of, n = grouped(offset)),
        (_, None) => tr!("of {of} match at best, at {n} of {all}.", of = of, n = grouped(total), all = all),
    };
    let within = within.map_or(String::new(), |(most, offsets)| {
        let have = if humanize::is_one(offsets) {
            tr!("{n} offset has at most {k} unequal.", n = grouped(offsets), k = grouped(most))
        } else {
            tr!("{n} offsets have at most {k} unequal.", n = grouped(offsets), k = grouped(most))
        };
        format!(" {have}")
    });
    let slides = tr!("*a* slides along *b*: {all} in all.", all = all);
    AnswerMeaning { number: grouped(best), says, aside: format!("{slides}{within}"), ..AnswerMeaning::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_score_is_stated_with_its_offset() {
        let text = |best, total, within, symbols| {
            let said = meaning(best, total, within, symbols, Unit::Graphemes);
            format!("{} {} {}", said.number, said.says, said.aside).replace('*', "")
        };
        let abba = "3 of 4 letters match at best, at offset 2. a slides along b: 6 offsets in all.";
        assert_eq!(text(Some(3), (1, Some(2)), None, (4, 9)), abba);
        let said = text(Some(3), (2, None), Some((3, 5)), (4, 9));
        assert_eq!(
            said,
            "3 of 4 letters match at best, at 2 of 6 offsets. a slides along b: 6 offsets in all. 5 offsets have at most 3 unequal."
        );
        assert!(text(Some(0), (6, None), None, (4, 9)).starts_with("0 of 4 letters match at any offset."));
        assert!(text(Some(1), (1, Some(0)), None, (1, 1)).starts_with("1 of 1 letter matches at best, at offset 0."));
        assert_eq!(text(None, (0, None), None, (4, 3)), " The pattern is longer than the text, so there is no offset. ");
        assert_eq!(text(Some(0), (1, Some(0)), None, (0, 0)), " Type a pattern to search for. ");
    }
}
