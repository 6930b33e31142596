//! Problems of files that do not contain plain text: [`not_text`].

use explain::file_kind::{FileKind, FileNature};

use super::{NOT_TEXT, Problem};
use crate::tr;
use crate::tr::t;

/// Creates the problem that the file called `name` contains no text, with advice that depends on its kind.
pub fn not_text(name: &str, kind: FileKind) -> Problem {
    let format = kind.format;
    let (title, detail) = match kind.nature {
        FileNature::Archive(command) => {
            let title = if kind.takes_an() {
                tr!("{file} is an {format} archive", file = name, format = format)
            } else {
                tr!("{file} is a {format} archive", file = name, format = format)
            };
            (title, tr!("Unpack it first: {command} {file}", command = command, file = name))
        }
        FileNature::Document => (
            tr!("{file} is not a text file", file = name),
            tr!("It is a document ({format}). Open it in its program, copy the text and paste it here.", format = format),
        ),
        FileNature::Image => {
            (tr!("{file} is an image", file = name), t("Only texts can be compared, or the bytes of both files.").to_owned())
        }
        FileNature::Recording | FileNature::Data => (
            tr!("{file} is not a text file", file = name),
            tr!("Its format is {format}. Only texts can be compared, or the bytes of both files.", format = format),
        ),
    };
    let kind = if kind.has_comparable_bytes() { NOT_TEXT } else { "archive" };
    Problem::new(kind, &title, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::ProblemRemedy;

    fn said(begin: &[u8]) -> (String, Vec<ProblemRemedy>) {
        let problem = not_text("x", FileKind::detect(begin).unwrap());
        (format!("{}. {}", problem.title, problem.detail), problem.remedies())
    }

    #[test]
    fn foreign_file_is_explained_with_a_remedy() {
        let rows: [(&[u8], &str, &[ProblemRemedy]); 4] = [
            (b"\xfd7zXZ\0", "x is an xz archive. Unpack it first: xz -d x", &[]),
            (b"PK\x05\x06", "x is a ZIP archive. Unpack it first: unzip x", &[]),
            (
                b"%PDF-1.7",
                "x is not a text file. It is a document (PDF). Open it in its program, copy the text and paste it here.",
                &[ProblemRemedy::CountBytes],
            ),
            (b"GIF89a", "x is an image. Only texts can be compared, or the bytes of both files.", &[ProblemRemedy::CountBytes]),
        ];
        for (begin, words, remedies) in rows {
            assert_eq!(said(begin), (words.to_owned(), remedies.to_vec()));
        }
    }
}
