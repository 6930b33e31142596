//! The meaning of the length of a longest common subsequence.

use kernels::job::JobOptions;

use super::{AnswerMeaning, symbols_noun};
use crate::model::text::humanize::{self, grouped};
use crate::tr;

/// Returns the sentences about a common subsequence of `length` symbols, for texts of `a` and `b` symbols.
pub fn meaning(length: u64, (a, b): (u64, u64), options: &JobOptions) -> AnswerMeaning {
    let name = symbols_noun(length, options.unit);
    let says = match length {
        0 if a == 0 && b == 0 => tr!("{symbols} in common: *a* and *b* are both empty.", symbols = name),
        0 if a == 0 => tr!("{symbols} in common, because *a* is empty.", symbols = name),
        0 if b == 0 => tr!("{symbols} in common, because *b* is empty.", symbols = name),
        0 => tr!("{symbols} in common.", symbols = name),
        _ if length == a && a == b && options.ambiguity => tr!("{symbols} in common: all of *a* and *b* match.", symbols = name),
        _ if length == a && a == b => tr!("{symbols} in common: *a* and *b* are equal.", symbols = name),
        _ if length == a => tr!("{symbols} in common: all of *a* is in *b*, in the same order.", symbols = name),
        _ if length == b => tr!("{symbols} in common: all of *b* is in *a*, in the same order.", symbols = name),
        1 => tr!("{symbols} in common.", symbols = name),
        _ => tr!("{symbols} in common, in the same order.", symbols = name),
    };
    let aside = match a.max(b) {
        longer if longer == 0 || length == 0 || length == a.min(b) && a == b => String::new(),
        longer => tr!("{share} of the longer text", share = humanize::percent(length as f64 / longer as f64)),
    };
    AnswerMeaning { number: grouped(length), says, aside, ..AnswerMeaning::default() }
}

#[cfg(test)]
mod tests {
    use kernels::job::Unit;

    use super::*;

    fn text(length: u64, symbols: (u64, u64)) -> String {
        let said = meaning(length, symbols, &JobOptions { unit: Unit::Graphemes, ..JobOptions::default() });
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn length_is_stated_with_its_share() {
        assert_eq!(text(4, (6, 7)), "4 letters in common, in the same order. 57.1% of the longer text");
        assert_eq!(text(1, (3, 4)), "1 letter in common. 25% of the longer text");
        assert_eq!(text(3, (3, 9)), "3 letters in common: all of a is in b, in the same order. 33.3% of the longer text");
        assert_eq!(text(0, (3, 9)), "0 letters in common. ");
        assert_eq!(text(0, (3, 0)), "0 letters in common, because b is empty. ");
        assert_eq!(text(0, (0, 0)), "0 letters in common: a and b are both empty. ");
        assert_eq!(text(5, (5, 5)), "5 letters in common: a and b are equal. ");
    }
}
