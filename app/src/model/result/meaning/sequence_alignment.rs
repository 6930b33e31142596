//! The meaning of the highest score of an alignment.

use kernels::alignment::SymbolRange;

use super::AnswerMeaning;
use crate::model::text::humanize::{grouped, signed};
use crate::tr;
use crate::tr::t;

/// Returns the sentences about the highest `score`, for texts of `symbols` symbols, of which `pieces` are aligned.
pub fn meaning(score: i64, pieces: [SymbolRange; 2], (a, b): (u64, u64)) -> AnswerMeaning {
    let number = signed(score);
    if pieces[0].len() == a && pieces[1].len() == b {
        let says = t("is the highest score of an alignment of *a* and *b*.").into();
        return AnswerMeaning { number, says, aside: String::new(), ..AnswerMeaning::default() };
    }
    if pieces.iter().all(|piece| piece.is_empty()) {
        let says = t("is the highest score: no pieces of *a* and *b* have points above 0.").into();
        return AnswerMeaning { number, says, aside: String::new(), ..AnswerMeaning::default() };
    }
    let range = |piece: SymbolRange| format!("{}–{}", grouped(piece.start), grouped(piece.end));
    let says = t("is the highest score of an alignment of pieces of *a* and *b*.").into();
    let aside = tr!("{xs} of *a*, {ys} of *b*", xs = range(pieces[0]), ys = range(pieces[1]));
    AnswerMeaning { number, says, aside, ..AnswerMeaning::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_named() {
        let said = |score, a: [u64; 2], b: [u64; 2]| {
            let piece = |[start, end]: [u64; 2]| SymbolRange { start, end };
            let meaning = meaning(score, [piece(a), piece(b)], (6, 7));
            format!("{} {} {}", meaning.number, meaning.says.replace('*', ""), meaning.aside.replace('*', ""))
        };
        assert_eq!(said(-3, [0, 6], [0, 7]), "−3 is the highest score of an alignment of a and b. ");
        assert_eq!(said(3, [1, 4], [1, 4]), "3 is the highest score of an alignment of pieces of a and b. 1–4 of a, 1–4 of b");
        assert_eq!(said(0, [0, 0], [0, 0]), "0 is the highest score: no pieces of a and b have points above 0. ");
    }
}
