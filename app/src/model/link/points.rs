//! Points of sequence alignment in an address: `costs=gotoh` for the scoring of a [`PointsPreset`], and the parts that
//! differ from the preset, as in `costs=gotoh&open=-3&mode=local`. Numbers have the signs of the sum of points.

use std::str::FromStr;

use kernels::job::{AlignmentMode, CustomMatrix, FreeEnds, Points, PublishedMatrix, Scoring, ScoringMatrix};

use crate::model::link::percent::{decode, encode};
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

/// First part of the value of `matrix` for a custom matrix. Its letters and its points follow.
const CUSTOM: &str = "custom";

/// Writes the value of `matrix`: the name of a published one, or `custom:letters:points` for a custom one. If the points do not
/// depend on the order of the letters, the points of each letter are those with the letters before it and with itself.
fn write_matrix(matrix: &ScoringMatrix) -> String {
    let matrix = match matrix {
        ScoringMatrix::Published(matrix) => return name_of_matrix(*matrix),
        ScoringMatrix::Custom(matrix) => matrix,
    };
    let (size, points) = (matrix.letters().len(), matrix.points());
    let is_symmetric = (0..size * size).all(|at| points[at] == points[at % size * size + at / size]);
    let row = |x: usize| &points[x * size..x * size + if is_symmetric { x + 1 } else { size }];
    let numbers: Vec<String> = (0..size).flat_map(row).map(Points::to_string).collect();
    format!("{CUSTOM}:{}:{}", encode(matrix.letters()), numbers.join(","))
}

/// Parses the value of `matrix`, or returns `None` if it has another form.
fn read_matrix(value: &str) -> Option<ScoringMatrix> {
    let mut parts = value.splitn(3, ':');
    let (name, own) = (parts.next()?, parts.next().zip(parts.next()));
    let Some((letters, numbers)) = own.filter(|_| name == CUSTOM) else { return matrix_of_name(value).map(ScoringMatrix::from) };
    let letters = decode(letters);
    let numbers: Vec<Points> = numbers.split(',').map(FromStr::from_str).collect::<Result<_, _>>().ok()?;
    let size = letters.len();
    let points = if numbers.len() == size * (size + 1) / 2 {
        let of_rows = |x: usize, y: usize| numbers[x.max(y) * (x.max(y) + 1) / 2 + x.min(y)];
        (0..size * size).map(|at| of_rows(at / size, at % size)).collect()
    } else {
        numbers
    };
    CustomMatrix::new(letters, points).map(ScoringMatrix::from)
}

/// Lists `name=value` for `scoring`. Empty for Needleman–Wunsch.
pub fn write(scoring: &Scoring) -> Vec<String> {
    let preset = PointsPreset::nearest(scoring);
    let base = preset.scoring();
    let mut parts = Vec::new();
    if preset != PointsPreset::ALL[0] {
        parts.push(format!("costs={}", preset.name()));
    }
    if scoring.matrix != base.matrix {
        parts.push(format!("matrix={}", scoring.matrix.as_ref().map_or_else(|| NO_MATRIX.to_owned(), write_matrix)));
    }
    let numbers = with_matrix(base, scoring.matrix.clone());
    let differing = PointsNumber::ALL.into_iter().filter(|number| number.of(scoring) != number.of(&numbers));
    parts.extend(differing.map(|number| format!("{}={}", number.name(), number.of(scoring))));
    if scoring.mode != numbers.mode {
        parts.extend(MODES.iter().filter(|(_, mode)| *mode == scoring.mode).map(|(name, _)| format!("mode={name}")));
    }
    if scoring.free_ends != numbers.free_ends {
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
        let matrix = if part.1 == NO_MATRIX { None } else { Some(read_matrix(part.1).ok_or(part)?) };
        scoring = with_matrix(scoring, matrix);
        scoring.check().map_err(|_| part)?;
    }
    for number in PointsNumber::ALL {
        for part in of(number.name()) {
            let is_free = number.is_of_gaps() || scoring.matrix.is_none();
            let points = part.1.parse().ok().filter(|_| is_free).ok_or(part)?;
            scoring = number.replace(&scoring, points).ok_or(part)?;
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
            (with_matrix(blosum62.clone(), Some(PublishedMatrix::PAM250.into())), "costs=blosum62&matrix=pam250"),
            (PointsNumber::Open.replace(&blosum62, Points::ZERO).unwrap(), "matrix=blosum62"),
            (with_matrix(Scoring::DEFAULT, Some(ScoringMatrix::NUC_4_4)), "matrix=nuc44"),
            (AlignedParts::BestPieces.apply(blosum62), "costs=blosum62&mode=local"),
            (AlignedParts::Whole.apply(PointsPreset::SmithWaterman.scoring()), "costs=smith-waterman&mode=global"),
            (PointsNumber::Each.replace(&PointsPreset::Gotoh.scoring(), Points::from_tenths(-5)).unwrap(), "costs=gotoh&gap=-0.5"),
            (semi(FreeEnds::FIT), "mode=semi-global&free=b-start,b-end"),
            (semi(FreeEnds::OVERLAP), "mode=semi-global&free=a-start,b-end"),
            (semi(FreeEnds::NONE), "mode=semi-global"),
        ] {
            assert_eq!((write(&scoring).join("&").as_str(), read(expected)), (expected, Ok(scoring)));
        }
    }

    #[test]
    fn every_scoring_near_a_preset_is_read_without_loss() {
        for preset in PointsPreset::ALL {
            for parts in AlignedParts::ALL {
                for matrix in [None, Some(ScoringMatrix::BLOSUM62), Some(PublishedMatrix::PAM30.into())] {
                    for [open, each] in
                        [[0, 0], [-50, -20], [-10_000, -10], [-95, -5], [-4, -1]].map(|numbers| numbers.map(Points::from_tenths))
                    {
                        let scoring = with_matrix(parts.apply(preset.scoring()), matrix.clone());
                        let scoring =
                            PointsNumber::Open.replace(&scoring, open).and_then(|s| PointsNumber::Each.replace(&s, each)).unwrap();
                        let written = write(&scoring).join("&");
                        assert_eq!(read(&written), Ok(scoring), "{written}");
                    }
                }
            }
        }
    }

    #[test]
    fn custom_matrices_in_addresses_are_read_without_loss() {
        let own = |text: &str| with_matrix(Scoring::DEFAULT, Some(CustomMatrix::parse(text).unwrap().into()));
        for (scoring, expected) in [
            (own("A C\nA 5 -4\nC -4 5"), "matrix=custom:AC:5,-4,5"),
            (own("A *\nA 5 -4\n* -3 1"), "matrix=custom:A%2A:5,-4,-3,1"),
            (own(":\n: 7"), "matrix=custom:%3A:7"),
            (own("A C\nA 2.4 -.5\nC -.5 3"), "matrix=custom:AC:2.4,-0.5,3"),
            (own("# &\n& =\n& 1 0\n= 0 1"), "matrix=custom:%26%3D:1,0,1"),
        ] {
            assert_eq!((write(&scoring).join("&").as_str(), read(expected)), (expected, Ok(scoring)));
        }
    }

    #[test]
    fn parts_may_stand_in_any_order() {
        let read = |fragment| read(fragment).map(|scoring| write(&scoring).join("&"));
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
            "gap=-0.25",
            "equal=101&gap=-0.5",
            "matrix=blosum63",
            "matrix=custom:AC:1,2",
            "matrix=custom:AA:1,2,3",
            "matrix=custom:A:1001",
            "matrix=custom:A:0.25",
            "matrix=custom:A:100.5",
            "matrix=other:A:1",
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
