//! Points of sequence alignment in words.

use kernels::job::{Scoring, ScoringMatrix};

use super::{AlignedParts, PointsNumber};
use crate::model::text::humanize::plus;
use crate::tr;
use crate::tr::t;

/// Returns the points in one sentence, with numbers between asterisks in bold.
pub fn said(scoring: &Scoring) -> String {
    let [equal, different, open, each] = PointsNumber::ALL.map(|number| plus(number.of(scoring)));
    match (scoring.matrix.as_ref().map(name_of_matrix), scoring.gap.open) {
        (None, 0) => tr!(
            "Equal *{equal}*, different *{different}*, *{each}* for each symbol of a gap. The largest sum wins.",
            equal = equal,
            different = different,
            each = each
        ),
        (None, _) => tr!(
            "Equal *{equal}*, different *{different}*. A gap: *{open}* to open, *{each}* for each symbol. The largest sum wins.",
            equal = equal,
            different = different,
            open = open,
            each = each
        ),
        (Some(matrix), 0) => {
            tr!("Symbols score by *{matrix}*, *{each}* for each symbol of a gap. The largest sum wins.", matrix = matrix, each = each)
        }
        (Some(matrix), _) => tr!(
            "Symbols score by *{matrix}*. A gap: *{open}* to open, *{each}* for each symbol. The largest sum wins.",
            matrix = matrix,
            open = open,
            each = each
        ),
    }
}

/// Returns the name of a matrix, as it stands after "by".
pub fn name_of_matrix(matrix: &ScoringMatrix) -> String {
    matrix.name().unwrap_or_else(|| t("a custom matrix").to_owned())
}

/// Returns the name of a choice of aligned parts, and the name by which the field knows it. Names of the texts stand
/// between asterisks.
pub fn name_of_parts(parts: AlignedParts) -> (&'static str, &'static str) {
    match parts {
        AlignedParts::Whole => (t("Whole with whole"), t("global")),
        AlignedParts::BestPieces => (t("Best piece of each"), t("local")),
        AlignedParts::WithinB => (t("All of *a* in *b*"), t("fit, semi-global")),
        AlignedParts::EndOnStart => (t("End on start"), t("overlap, semi-global")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::PointsPreset;
    use super::*;

    #[test]
    fn points_are_said_with_their_signs() {
        let said = |preset: PointsPreset| said(&preset.scoring()).replace('*', "");
        assert_eq!(said(PointsPreset::NeedlemanWunsch), "Equal +1, different −1, −1 for each symbol of a gap. The largest sum wins.");
        assert_eq!(said(PointsPreset::Blastn), "Equal +2, different −3. A gap: −5 to open, −2 for each symbol. The largest sum wins.");
        assert!(said(PointsPreset::Blosum62).starts_with("Symbols score by BLOSUM62. A gap: −11 to open, −1 for"));
    }
}
