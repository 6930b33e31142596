//! The meaning of an answer of approximate search: the distance of the closest match, or the number of matches within
//! the maximum distance.

use kernels::found::Hit;
use kernels::job::JobOptions;

use super::AnswerMeaning;
use crate::model::search::hit_groups::{HitGrouping, groups};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Number of positions at which matches end, and number of places (groups of matches with adjacent ends).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchEnds {
    /// Number of positions at which a match ends.
    pub ends: u64,
    /// Number of places (groups of matches with adjacent ends), or `None` if not all ends are known.
    pub places: Option<u64>,
}

impl MatchEnds {
    /// Counts the places that matches with `total` ends form. `hits` are the first of the matches, or all of them. If
    /// the option `local_minima` is set, every end is a place of its own.
    pub fn new(total: u64, hits: &[Hit], options: &JobOptions) -> Self {
        let places = match options.local_minima {
            true => Some(total),
            false => (hits.len() as u64 == total && total > 0).then(|| groups(0, hits, HitGrouping::Neighbours).len() as u64),
        };
        Self { ends: total, places }
    }

    /// Formats the number of places, for example "3 places", or else of end positions, "11 end positions".
    pub fn in_words(self) -> String {
        match self.places {
            Some(places) => humanize::count(places, "place", "places"),
            None => humanize::count(self.ends, "end position", "end positions"),
        }
    }
}

/// Returns the sentences about the matches in `found`. `a` is the length of the pattern.
///
/// `distance` is the distance of the closest match, or `None` if there is no match. The options say whether a maximum
/// number of edits was given, or only the closest matches were wanted.
pub fn meaning(distance: Option<u64>, found: MatchEnds, (a, _): (u64, u64), options: &JobOptions) -> AnswerMeaning {
    if a == 0 {
        return AnswerMeaning { says: t("Type a pattern to search for.").into(), ..AnswerMeaning::default() };
    }
    let edits = |number| humanize::count(number, "edit", "edits");
    let MatchEnds { ends, places } = found;
    match (distance, options.max_distance) {
        (None, within) => AnswerMeaning {
            number: t("No").into(),
            says: tr!("match for *a* within {edits}.", edits = edits(within.unwrap_or_default())),
            aside: t("Allow more edits, or leave the field empty to see the closest match.").into(),
            ..AnswerMeaning::default()
        },
        (Some(distance), None) => {
            let says = match distance {
                0 if options.ambiguity => t("edits: all letters of *a* match."),
                0 => t("edits: *a* occurs exactly."),
                _ if humanize::is_one(distance) => t("edit separates *a* from its closest match."),
                _ => t("edits separate *a* from its closest match."),
            };
            let aside = match (places, ends) {
                (Some(1), _) | (None, 1) => t("This is the only best match.").into(),
                (Some(places), _) => tr!("{n} places are equally close.", n = grouped(places)),
                (None, ends) => tr!("{n} end positions are equally close.", n = grouped(ends)),
            };
            AnswerMeaning { number: grouped(distance), says: says.into(), aside, ..AnswerMeaning::default() }
        }
        (Some(distance), Some(within)) => {
            let best = match distance {
                0 if !options.ambiguity => t("The best match is exact.").into(),
                distance => tr!("The best match has {edits}.", edits = edits(distance)),
            };
            let within = edits(within);
            let says = match places {
                Some(places) if humanize::is_one(places) => tr!("place matches *a* within {edits}.", edits = within),
                Some(_) => tr!("places match *a* within {edits}.", edits = within),
                None if humanize::is_one(ends) => tr!("match for *a* within {edits}.", edits = within),
                None => tr!("end positions match *a* within {edits}.", edits = within),
            };
            let in_all = places.filter(|places| *places != ends).map(|_| {
                let ends = humanize::count(ends, "end position", "end positions");
                format!(" {}", tr!("{ends} in all.", ends = ends))
            });
            AnswerMeaning {
                number: grouped(places.unwrap_or(ends)),
                says,
                aside: best + &in_all.unwrap_or_default(),
                ..AnswerMeaning::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(distance: Option<u64>, total: u64, max_distance: Option<u64>, local_minima: bool) -> String {
        let options = JobOptions { max_distance, local_minima, ..JobOptions::default() };
        let said = meaning(distance, MatchEnds::new(total, &[], &options), (6, 60), &options);
        format!("{} {} {}", said.number, said.says, said.aside).replace('*', "")
    }

    #[test]
    fn adjacent_ends_are_counted_as_one_place() {
        let options = JobOptions { max_distance: Some(2), ..JobOptions::default() };
        let hits: Vec<Hit> = [31, 32, 33, 137, 138].into_iter().map(|end| Hit::new(end - 6, end, 1)).collect();
        let found = MatchEnds::new(5, &hits, &options);
        let said = meaning(Some(0), found, (6, 60), &options).plain();
        assert_eq!(said, "2 places match a within 2 edits. The best match is exact. 5 end positions in all.");
        assert_eq!((found.in_words().as_str(), MatchEnds::new(6, &hits, &options).places), ("2 places", None));
    }

    #[test]
    fn ends_without_grouping_are_counted_as_end_positions() {
        assert_eq!(of(Some(1), 22, Some(8), false), "22 end positions match a within 8 edits. The best match has 1 edit.");
        assert!(of(Some(2), 4, None, false).ends_with("4 end positions are equally close."));
        assert_eq!(of(Some(1), 1, Some(8), false), "1 match for a within 8 edits. The best match has 1 edit.");
    }

    #[test]
    fn sentence_names_the_closest_match_all_matches_or_none() {
        assert_eq!(of(Some(1), 1, None, true), "1 edit separates a from its closest match. This is the only best match.");
        assert_eq!(of(Some(263), 1_200, None, true), "263 edits separate a from its closest match. 1,200 places are equally close.");
        assert_eq!(of(Some(0), 2, None, true), "0 edits: a occurs exactly. 2 places are equally close.");
        assert_eq!(of(Some(1), 5, Some(3), true), "5 places match a within 3 edits. The best match has 1 edit.");
        assert_eq!(of(Some(0), 1, Some(0), true), "1 place matches a within 0 edits. The best match is exact.");
        let codes = |max_distance| {
            let options = JobOptions { max_distance, local_minima: true, ambiguity: true, ..JobOptions::default() };
            meaning(Some(0), MatchEnds::new(1, &[], &options), (6, 60), &options).plain()
        };
        assert_eq!(codes(None), "0 edits: all letters of a match. This is the only best match.");
        assert_eq!(codes(Some(1)), "1 place matches a within 1 edit. The best match has 0 edits.");
        assert!(of(None, 0, Some(1), true).starts_with("No match for a within 1 edit."));
        let nothing = meaning(Some(0), MatchEnds { ends: 7, places: None }, (0, 6), &JobOptions::default());
        assert_eq!(nothing.plain(), "Type a pattern to search for.");
    }
}
