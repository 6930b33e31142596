//! What an answer of approximate search means: how close the closest match is, or how many are close enough.

use kernels::job::Options;

use super::Meaning;
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// What so many ends mean, of which the closest is at `distance`, for texts of these lengths; a most number of edits was asked for, or only
/// the closest. Ends next to each other are mostly those of one match, unless overlapping ones are merged.
pub fn meaning(distance: Option<u64>, total: u64, (a, _): (u64, u64), options: &Options) -> Meaning {
    let Options { max_distance: within, local_minima, .. } = options;
    if a == 0 {
        return Meaning { says: t("Type a pattern to search for.").into(), ..Meaning::default() };
    }
    let edits = |number| words::count(number, "edit", "edits");
    match (distance, *within) {
        (None, within) => Meaning {
            number: t("No").into(),
            says: tr!("match for *a* within {edits}.", edits = edits(within.unwrap_or_default())),
            aside: t("Allow more edits, or leave the field empty to see the closest match.").into(),
        },
        (Some(distance), None) => {
            let says = match distance {
                0 => t("edits: *a* occurs exactly."),
                _ if words::is_one(distance) => t("edit separates *a* from its closest match."),
                _ => t("edits separate *a* from its closest match."),
            };
            let aside = match total {
                1 => t("This is the only best match.").into(),
                total if *local_minima => tr!("{n} places are equally close.", n = grouped(total)),
                total => tr!("{n} end positions are equally close.", n = grouped(total)),
            };
            Meaning { number: grouped(distance), says: says.into(), aside }
        }
        (Some(distance), Some(within)) => {
            let aside = match distance {
                0 => t("The best match is exact.").into(),
                distance => tr!("The best match has {edits}.", edits = edits(distance)),
            };
            let says = match (words::is_one(total), local_minima) {
                (true, true) => tr!("place matches *a* within {edits}.", edits = edits(within)),
                (false, true) => tr!("places match *a* within {edits}.", edits = edits(within)),
                (true, false) => tr!("match for *a* within {edits}.", edits = edits(within)),
                (false, false) => tr!("end positions match *a* within {edits}.", edits = edits(within)),
            };
            Meaning { number: grouped(total), says, aside }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(distance: Option<u64>, total: u64, max_distance: Option<u64>, local_minima: bool) -> String {
        let said = meaning(distance, total, (6, 60), &Options { max_distance, local_minima, ..Options::default() });
        format!("{} {} {}", said.number, said.says, said.aside).replace('*', "")
    }

    #[test]
    fn ends_are_counted_as_ends() {
        assert_eq!(of(Some(1), 22, Some(8), false), "22 end positions match a within 8 edits. The best match has 1 edit.");
        assert!(of(Some(2), 4, None, false).ends_with("4 end positions are equally close."));
        assert_eq!(of(Some(1), 1, Some(8), false), "1 match for a within 8 edits. The best match has 1 edit.");
    }

    #[test]
    fn close_closest_and_none() {
        assert_eq!(of(Some(1), 1, None, true), "1 edit separates a from its closest match. This is the only best match.");
        assert_eq!(of(Some(263), 1_200, None, true), "263 edits separate a from its closest match. 1,200 places are equally close.");
        assert_eq!(of(Some(0), 2, None, true), "0 edits: a occurs exactly. 2 places are equally close.");
        assert_eq!(of(Some(1), 5, Some(3), true), "5 places match a within 3 edits. The best match has 1 edit.");
        assert_eq!(of(Some(0), 1, Some(0), true), "1 place matches a within 0 edits. The best match is exact.");
        assert!(of(None, 0, Some(1), true).starts_with("No match for a within 1 edit."));
        let nothing = meaning(Some(0), 7, (0, 6), &Options::default());
        assert_eq!(nothing.plain(), "Type a pattern to search for.");
    }
}
