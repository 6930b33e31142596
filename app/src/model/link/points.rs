//! Points of sequence alignment in an address: `costs=gotoh` for the scoring of a [`PointsPreset`], and the parts that
//! differ from the preset, as in `costs=gotoh&open=-3&mode=local`. Numbers have the signs of the sum of points.

use kernels::job::{AlignmentMode, FreeEnds, PublishedMatrix, Scoring};

use crate::model::points::{PointsNumber, PointsPreset, with_matrix};

/// Names of the points in addresses.
pub const NAMES: [&str; 8] = ["costs", "equal", "different", "open", "gap", "matrix", "mode", "free"];

/// Value of `matrix` for points of equal and of different symbols.
const NO_MATRIX: &str = "none";

/// Names of the modes.
const MODES: [(&str, AlignmentMode); 3] =
    [("global", AlignmentMode::Global), ("local", AlignmentMode::Local), ("semi-global", AlignmentMode::SemiGlobal)];

/// Access to one of the free ends.
pub type FreeEndField = fn(&mut FreeEnds) -> &mut bool;

/// Names of the free ends.
pub const ENDS: [(&str, FreeEndField); 4] = [
    ("a-start", |ends| &mut ends.a_start),
    ("a-end", |ends| &mut ends.a_end),
    ("b-start", |ends| &mut ends.b_start),
    ("b-end", |ends| &mut ends.b_end),
];

/// Returns the name of a matrix in addresses, for example `blosum62` or `nuc44`.
pub fn name_of_matrix(matrix: PublishedMatrix) -> String {
    matrix.name().to_ascii_lowercase().replace('.', "")
}

/// Returns the matrix called `name`, or `None` if no matrix has that name.
pub fn matrix_of_name(name: &str) -> Option<PublishedMatrix> {
    PublishedMatrix::all().find(|matrix| name_of_matrix(*matrix) == name)
}

/// Lists `name=value` for `scoring`. Empty for Needleman–Wunsch.
pub fn write(scoring: Scoring) -> Vec<String> {
    let preset = PointsPreset::nearest(scoring);
    let base = preset.scoring();
    let mut parts = Vec::new();
    if preset != PointsPreset::ALL[0] {
        parts.push(format!("costs={}", preset.name()));
    }
    if scoring.matrix != base.matrix {
        parts.push(format!("matrix={}", scoring.matrix.map_or_else(|| NO_MATRIX.to_owned(), name_of_matrix)));
    }
    let numbers = with_matrix(base, scoring.matrix);
    let differing = PointsNumber::ALL.into_iter().filter(|number| number.of(scoring) != number.of(numbers));
    parts.extend(differing.map(|number| format!("{}={}", number.name(), number.of(scoring))));
    if scoring.mode != base.mode {
        parts.extend(MODES.iter().filter(|(_, mode)| *mode == scoring.mode).map(|(name, _)| format!("mode={name}")));
    }
    if scoring.free_ends != base.free_ends {
        let mut ends = scoring.free_ends;
        let names: Vec<&str> = ENDS.into_iter().filter(|(_, end)| *end(&mut ends)).map(|(name, _)| name).collect();
        parts.push(format!("free={}", names.join(",")));
    }
    parts
}

/// Parses the points in `fragment`. The preset applies before its changes, and the matrix and the mode before the parts
/// that depend on them, wherever they stand.
///
/// # Errors
/// Returns the name and the value of a part that is unknown or out of range, of a number of equal or different symbols
/// beside a matrix, or of free ends in another mode than semi-global.
pub fn read(fragment: &str) -> Result<Scoring, (&str, &str)> {
    let parts = || fragment.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
    let of = |wanted: &'static str| parts().filter(move |(name, _)| *name == wanted);
    let mut scoring = Scoring::DEFAULT;
    for part in of("costs") {
        scoring = PointsPreset::of_name(part.1).ok_or(part)?.scoring();
    }
    for part in of("matrix") {
        let matrix = if part.1 == NO_MATRIX { None } else { Some(matrix_of_name(part.1).ok_or(part)?) };
        scoring = with_matrix(scoring, matrix);
    }
    for number in PointsNumber::ALL {
        for part in of(number.name()) {
            let is_free = number.is_of_gaps() || scoring.matrix.is_none();
            let points = part.1.parse().ok().filter(|_| is_free).ok_or(part)?;
            scoring = number.replace(scoring, points).ok_or(part)?;
        }
    }
    for part in of("mode") {
        scoring.mode = MODES.iter().find(|(name, _)| *name == part.1).map(|(_, mode)| *mode).ok_or(part)?;
    }
    for part in of("free") {
        scoring.free_ends = FreeEnds::NONE;
        for name in part.1.split(',').filter(|name| !name.is_empty()) {
            let (_, end) = ENDS.iter().find(|(known, _)| *known == name).ok_or(part)?;
            *end(&mut scoring.free_ends) = true;
        }
        if scoring.mode != AlignmentMode::SemiGlobal && scoring.free_ends != FreeEnds::NONE {
            return Err(part);
        }
    }
    Ok(scoring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::points::AlignedParts;

    #[test]
    fn points_in_addresses_are_read_without_loss() {
        let blosum62 = PointsPreset::Blosum62.scoring();
        let semi = |free_ends| Scoring { mode: AlignmentMode::SemiGlobal, free_ends, ..Scoring::DEFAULT };
        for (scoring, expected) in [
            (Scoring::DEFAULT, ""),
            (PointsPreset::Gotoh.scoring(), "costs=gotoh"),
            (PointsPreset::Blastn.scoring(), "costs=blastn"),
            (Scoring { different: -2, ..Scoring::DEFAULT }, "different=-2"),
            (with_matrix(blosum62, Some(PublishedMatrix::PAM250)), "costs=blosum62&matrix=pam250"),
            (PointsNumber::Open.replace(blosum62, 0).unwrap(), "matrix=blosum62"),
            (with_matrix(Scoring::DEFAULT, Some(PublishedMatrix::NUC_4_4)), "matrix=nuc44"),
            (AlignedParts::BestPieces.apply(blosum62), "costs=blosum62&mode=local"),
            (AlignedParts::Whole.apply(PointsPreset::SmithWaterman.scoring()), "costs=smith-waterman&mode=global"),
            (semi(FreeEnds::FIT), "mode=semi-global&free=b-start,b-end"),
            (semi(FreeEnds::OVERLAP), "mode=semi-global&free=a-start,b-end"),
            (semi(FreeEnds::NONE), "mode=semi-global"),
        ] {
            assert_eq!((write(scoring).join("&").as_str(), read(expected)), (expected, Ok(scoring)));
        }
    }

    #[test]
    fn every_scoring_near_a_preset_is_read_without_loss() {
        for preset in PointsPreset::ALL {
            for parts in AlignedParts::ALL {
                for matrix in [None, Some(PublishedMatrix::BLOSUM62), Some(PublishedMatrix::PAM30)] {
                    for (open, each) in [(0, 0), (-5, -2), (-1_000, -1)] {
                        let scoring = with_matrix(parts.apply(preset.scoring()), matrix);
                        let scoring = PointsNumber::Open.replace(scoring, open).and_then(|s| PointsNumber::Each.replace(s, each)).unwrap();
                        let written = write(scoring).join("&");
                        assert_eq!(read(&written), Ok(scoring), "{written}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_may_stand_in_any_order() {
        let read = |fragment| read(fragment).map(|scoring| write(scoring).join("&"));
        assert_eq!(read("free=b-end&open=-3&mode=semi-global&costs=gotoh").unwrap(), "costs=gotoh&open=-3&mode=semi-global&free=b-end");
        assert_eq!(read("equal=5&matrix=none&costs=blosum62").unwrap(), "equal=5&open=-11");
    }

    #[test]
    fn invalid_points_are_reported() {
        for fragment in [
            "costs=osa",
            "costs=",
            "equal=1001",
            "different=-1001",
            "open=1",
            "gap=two",
            "gap=1.5",
            "matrix=blosum63",
            "mode=all",
            "free=b-start",
            "mode=semi-global&free=c-start",
            "costs=blosum62&equal=3",
        ] {
            let last = fragment.rsplit('&').next().and_then(|part| part.split_once('=')).unwrap();
            assert_eq!(read(fragment), Err(last), "{fragment}");
        }
    }
}
