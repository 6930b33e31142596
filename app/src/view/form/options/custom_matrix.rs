//! The text of a matrix that a visitor writes ([`CustomMatrixText`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use kernels::job::{CustomMatrix, MatrixFault, MatrixFaultKind, Points, ScoringMatrix, ScoringNumbers};
use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlTextAreaElement;

use super::costs_host::CostsHost;
use crate::model::form::{FormSide, FormState};
use crate::model::points::{set_scoring, with_matrix};
use crate::model::problem::Problem;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::prose;

/// Maximum number of letters of the texts that get rows in a new matrix.
const MAX_NEW_LETTERS: usize = 30;

/// Maximum number of lines that the field shows at once.
const MAX_LINES: usize = 12;

/// Returns a matrix with the points of the form, as a start for a visitor's own one. Without a matrix, it has the letters
/// of both texts, or those of DNA.
pub(super) fn copied(form: &FormState) -> CustomMatrix {
    let scoring = form.options.scoring();
    let (letters, points): (String, Vec<Points>) = match &scoring.matrix {
        Some(matrix) => {
            let letters = matrix.letters();
            (letters.to_owned(), letters.chars().flat_map(|x| letters.chars().map(move |y| matrix.points(x, y))).collect())
        }
        None => {
            let letters = letters_of_texts(form).unwrap_or_else(|| "ACGT".to_owned());
            let ScoringNumbers { equal, different, .. } = scoring.numbers();
            let points = |x: char, y: char| if x == y { equal } else { different };
            let all = letters.chars().flat_map(|x| letters.chars().map(move |y| points(x, y))).collect();
            (letters, all)
        }
    };
    CustomMatrix::new(letters, points).expect("letters of matrices and of texts are valid")
}

/// Returns the letters of both texts, and `*` for all others if there are others. Returns `None` if the texts have no letters or
/// too many, or if a text is a file.
fn letters_of_texts(form: &FormState) -> Option<String> {
    let mut letters = BTreeSet::new();
    for side in FormSide::BOTH {
        let text = form.side(side).text().filter(|text| !text.starts_with('>'))?;
        letters.extend(text.chars().map(|letter| if CustomMatrix::is_letter(letter) { letter } else { '*' }));
        if letters.len() > MAX_NEW_LETTERS {
            return None;
        }
    }
    (!letters.is_empty()).then(|| letters.into_iter().collect())
}

/// Returns the problem of a text that is no matrix.
fn problem(fault: &MatrixFault) -> Problem {
    let said = match &fault.kind {
        MatrixFaultKind::TooLong => tr!("The text is longer than {most} bytes.", most = grouped(CustomMatrix::MAX_BYTES as u64)),
        MatrixFaultKind::Empty => t("A line with the letters is missing.").to_owned(),
        MatrixFaultKind::NoLetter(text) => tr!("“{text}” is not a single ASCII letter, digit or sign other than #.", text = text),
        MatrixFaultKind::Twice(letter) => tr!("The letter {letter} occurs twice.", letter = letter),
        MatrixFaultKind::UnknownLetter(letter) => tr!("The first line does not have the letter {letter}.", letter = letter),
        MatrixFaultKind::NoRow(letter) => tr!("The letter {letter} has no row.", letter = letter),
        MatrixFaultKind::WrongLength { letter, numbers, letters } => {
            tr!("Numbers in the row of {letter}: {numbers} instead of {letters}.", letter = letter, numbers = numbers, letters = letters)
        }
        MatrixFaultKind::NoPoints(text) => tr!("“{text}” is not a number from −1,000 to 1,000 with at most one decimal.", text = text),
    };
    let detail = tr!("Line {line}, column {column}: {fault}", line = fault.line, column = fault.column, fault = said);
    Problem::new("bad-input", t("The matrix cannot be read"), detail)
}

/// Returns the problem of points above 100 beside points with a decimal.
pub(super) fn too_large_beside_decimals() -> Problem {
    let detail = t("If any number has a decimal, all numbers and those of the matrix must be from −100 to 100.");
    Problem::new("bad-input", t("Points are too large beside decimals"), detail)
}

/// Renders the field with the text of the matrix, if the form has a matrix that is not published.
///
/// A text with a fault stays in the field until the visitor changes it or chooses another matrix. Until then the last matrix
/// counts. A text without faults stays as the visitor wrote it.
#[component]
pub(super) fn CustomMatrixText() -> impl IntoView {
    let host = expect_context::<CostsHost>();
    let matrix = Memo::new(move |_| {
        host.form.with(|form| match &form.options.matrix {
            Some(ScoringMatrix::Custom(matrix)) => Some(Arc::clone(matrix)),
            Some(ScoringMatrix::Published(_)) | None => None,
        })
    });
    let typed = RwSignal::new(None::<String>);
    let is_bad = RwSignal::new(false);
    Effect::new(move |_| {
        let matrix = matrix.get();
        let is_current = |text: &String| CustomMatrix::parse(text).ok().as_ref() == matrix.as_deref();
        if !typed.with_untracked(|typed| typed.as_ref().is_some_and(is_current)) {
            typed.set(None);
            is_bad.set(false);
        }
    });
    let text = move || typed.get().or_else(|| matrix.get().map(|matrix| matrix.to_string())).unwrap_or_default();
    let set = move |event: ev::Targeted<ev::Event, HtmlTextAreaElement>| {
        let text = event.target().value();
        let before = host.form.with_untracked(|form| form.options.scoring());
        let scoring = CustomMatrix::parse(&text).map_err(|fault| problem(&fault)).and_then(|matrix| {
            let scoring = with_matrix(before, Some(matrix.into()));
            scoring.check().map(|()| scoring).map_err(|_| too_large_beside_decimals())
        });
        typed.set(Some(text));
        is_bad.set(scoring.is_err());
        match scoring {
            Ok(scoring) => host.set_options(|options| set_scoring(options, scoring)),
            Err(problem) => host.refuse.run(problem),
        }
    };
    view! {
        <div class="field custom-matrix" hidden=move || matrix.with(Option::is_none)>
            <label for="custom-matrix">{prose(t("Custom matrix (rows: *a*, columns: *b*)"))}</label>
            <textarea
                id="custom-matrix"
                class="text"
                spellcheck="false"
                autocapitalize="off"
                wrap="off"
                rows=move || matrix.with(|matrix| matrix.as_ref().map_or(0, |matrix| matrix.letters().len() + 1).min(MAX_LINES))
                prop:value=text
                aria-invalid=move || is_bad.get().then_some("true")
                on:input:target=set
            ></textarea>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::TextContent;

    #[test]
    fn new_matrix_has_the_points_of_the_form() {
        let mut form = FormState::new(Task::SequenceAlignment);
        for (side, text) in [(FormSide::A, "gagt"), (FormSide::B, "cat")] {
            form.side_mut(side).content = TextContent::Typed(text.into());
        }
        let of_texts = copied(&form);
        assert_eq!((of_texts.letters(), &of_texts.points()[..5]), ("acgt", [1, -1, -1, -1, -1].map(Points::whole).as_slice()));
        form.side_mut(FormSide::B).content = TextContent::Typed("at c#é".into());
        assert_eq!(copied(&form).letters(), "*acgt");
        form.side_mut(FormSide::B).content = TextContent::Typed(">cat\nac".into());
        assert_eq!(copied(&form).letters(), "ACGT");
        form.side_mut(FormSide::B).content = TextContent::Typed(('!'..='~').collect::<String>().into());
        assert_eq!(copied(&form).letters(), "ACGT");
        form.options.matrix = Some(ScoringMatrix::BLOSUM62);
        assert_eq!((copied(&form).letters().len(), copied(&form).points()[..2].to_vec()), (24, vec![Points::whole(4), Points::whole(-1)]));
    }

    #[test]
    fn problems_name_the_place_and_the_fault() {
        for (text, detail) in [
            ("", "Line 1, column 1: A line with the letters is missing."),
            ("A Cys", "Line 1, column 3: “Cys” is not a single ASCII letter, digit or sign other than #."),
            ("A A", "Line 1, column 3: The letter A occurs twice."),
            ("A\nC 1", "Line 2, column 1: The first line does not have the letter C."),
            ("A", "Line 1, column 1: The letter A has no row."),
            ("A\nA 1 2", "Line 2, column 5: Numbers in the row of A: 2 instead of 1."),
            ("A\nA x", "Line 2, column 3: “x” is not a number from −1,000 to 1,000 with at most one decimal."),
        ] {
            assert_eq!(problem(&CustomMatrix::parse(text).unwrap_err()).detail, detail);
        }
    }
}
