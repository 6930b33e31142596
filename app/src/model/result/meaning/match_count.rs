//! What an answer of match count: the best score, and how many offsets attain it means.

use kernels::job::Unit;

use super::Meaning;
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// What a best score means, attained at `total` offsets, for texts of these lengths; `within` counts offsets with at most so many
/// unequal symbols.
pub fn meaning(best: Option<u64>, total: u64, within: Option<(u64, u64)>, (a, b): (u64, u64), unit: Unit) -> Meaning {
    let Some(best) = best else {
        let says = t("offsets: *a* is longer than *b*, so that it cannot be laid over it.").into();
        return Meaning { number: "0".into(), says, aside: String::new() };
    };
    let (all, of) = (words::count(b + 1 - a.min(b), "offset", "offsets"), words::symbols(a, unit));
    let attain = if total == 1 {
        tr!("One offset attains it, of {all}.", all = all)
    } else {
        tr!("{n} offsets attain it, of {all}.", n = grouped(total), all = all)
    };
    let within = within.map_or(String::new(), |(most, offsets)| {
        let have = if words::is_one(offsets) {
            tr!("{n} offset has at most {k} unequal.", n = grouped(offsets), k = grouped(most))
        } else {
            tr!("{n} offsets have at most {k} unequal.", n = grouped(offsets), k = grouped(most))
        };
        format!(" {have}")
    });
    Meaning {
        number: grouped(best),
        says: if words::is_one(best) {
            tr!("of {of} agrees where *a* fits *b* best.", of = of)
        } else {
            tr!("of {of} agree where *a* fits *b* best.", of = of)
        },
        aside: format!("{attain}{within}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_score_and_where() {
        let text = |best, total, within, symbols| {
            let said = meaning(best, total, within, symbols, Unit::Graphemes);
            format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
        };
        let abba = "3 of 4 letters agree where a fits b best. One offset attains it, of 6 offsets.";
        assert_eq!(text(Some(3), 1, None, (4, 9)), abba);
        assert!(text(Some(3), 2, Some((3, 5)), (4, 9)).ends_with("2 offsets attain it, of 6 offsets. 5 offsets have at most 3 unequal."));
        assert!(text(None, 0, None, (4, 3)).starts_with("0 offsets: a is longer than b"));
        assert!(text(Some(0), 1, None, (0, 0)).starts_with("0 of 0 letters agree"));
    }
}
