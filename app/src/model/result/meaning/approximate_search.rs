//! What an answer of approximate search: how near the nearest pieces are, or how many are near enough means.

use kernels::job::Options;

use super::Meaning;
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// What so many ends mean, of which the nearest is at `distance`; `within` edits were asked for, or only the nearest. Ends next to each
/// other are mostly those of one piece, unless only the nearest of neighbours count.
pub fn meaning(distance: Option<u64>, total: u64, Options { max_distance: within, local_minima, .. }: &Options) -> Meaning {
    let within = *within;
    let edits = |number| words::count(number, "edit", "edits");
    match (distance, within) {
        (None, _) => {
            let within = edits(within.unwrap_or_default());
            let aside = t("Allow more edits, or leave the field empty to see the nearest pieces.");
            Meaning {
                number: "0".into(),
                says: tr!("pieces: *a* does not occur in *b* within {edits}.", edits = within),
                aside: aside.into(),
            }
        }
        (Some(0), None) => {
            let places = words::count(total, "place", "places");
            Meaning {
                number: "0".into(),
                says: t("edits: *a* occurs in *b* as it is.").into(),
                aside: tr!("It ends at {places}.", places = places),
            }
        }
        (Some(distance), None) => {
            let says = match distance {
                1 => t("edit turns *a* into the nearest piece of *b*."),
                _ => t("edits turn *a* into the nearest piece of *b*."),
            };
            let aside = match total {
                1 => t("One piece is as near as that.").into(),
                total if *local_minima => tr!("{n} pieces are as near as that.", n = grouped(total)),
                total => tr!("Pieces as near as that end at {n} positions.", n = grouped(total)),
            };
            Meaning { number: grouped(distance), says: says.into(), aside }
        }
        (Some(distance), Some(within)) => {
            let aside = match distance {
                0 => t("The nearest is *a* itself.").into(),
                distance => tr!("The nearest is {edits} away.", edits = edits(distance)),
            };
            let says = match total {
                1 => tr!("piece of *b* is within {edits} of *a*.", edits = edits(within)),
                _ if !local_minima => tr!("positions of *b* are ends of a piece within {edits} of *a*.", edits = edits(within)),
                _ => tr!("pieces of *b* are within {edits} of *a*.", edits = edits(within)),
            };
            Meaning { number: grouped(total), says, aside }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(distance: Option<u64>, total: u64, within: Option<u64>) -> String {
        of(distance, total, &Options { max_distance: within, local_minima: true, ..Options::default() })
    }

    fn of(distance: Option<u64>, total: u64, options: &Options) -> String {
        let said = meaning(distance, total, options);
        format!("{} {} {}", said.number, said.says, said.aside).replace('*', "")
    }

    #[test]
    fn ends_are_counted_as_ends() {
        let within = |max_distance| Options { max_distance, ..Options::default() };
        let said = of(Some(1), 22, &within(Some(8)));
        assert_eq!(said, "22 positions of b are ends of a piece within 8 edits of a. The nearest is 1 edit away.");
        assert!(of(Some(2), 4, &within(None)).ends_with("Pieces as near as that end at 4 positions."));
        assert!(of(Some(1), 1, &within(Some(8))).starts_with("1 piece of b is within 8 edits of a."));
    }

    #[test]
    fn near_nearest_and_none() {
        assert_eq!(text(Some(1), 1, None), "1 edit turns a into the nearest piece of b. One piece is as near as that.");
        assert_eq!(text(Some(263), 1_200, None), "263 edits turn a into the nearest piece of b. 1,200 pieces are as near as that.");
        assert_eq!(text(Some(0), 2, None), "0 edits: a occurs in b as it is. It ends at 2 places.");
        assert_eq!(text(Some(1), 5, Some(3)), "5 pieces of b are within 3 edits of a. The nearest is 1 edit away.");
        assert_eq!(text(Some(0), 1, Some(0)), "1 piece of b is within 0 edits of a. The nearest is a itself.");
        assert!(text(None, 0, Some(1)).starts_with("0 pieces: a does not occur in b within 1 edit."));
    }
}
