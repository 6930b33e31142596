//! The matrix of a job: a published or a custom one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::custom_matrix::MatrixFault;
use super::{CustomMatrix, Points, PublishedMatrix};
use crate::cbor::Cbor;

/// The points of pairs of letters. In JSON, the name of a published matrix such as `BLOSUM62`, or the text of a matrix of
/// several lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ScoringMatrix {
    /// A matrix that NCBI distributes.
    Published(PublishedMatrix),
    /// A custom matrix.
    Custom(Arc<CustomMatrix>),
}

/// Error for a text that is neither the name of a matrix nor a matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoringMatrixError {
    /// The text is empty, or has comments only.
    #[error("the matrix is empty. It has a line of letters, then a line for each letter")]
    Empty,
    /// The text has one line and is no name.
    #[error(
        "there is no matrix of this name. Names: BLOSUM30 to BLOSUM100, PAM10 to PAM500, NUC.4.4. \
         A custom matrix has a line of letters, then a line for each letter"
    )]
    UnknownName,
    /// The text has several lines with a fault.
    #[error(transparent)]
    Text(#[from] MatrixFault),
}

impl ScoringMatrix {
    /// BLOSUM62, the default of protein BLAST.
    pub const BLOSUM62: Self = Self::Published(PublishedMatrix::BLOSUM62);

    /// NUC.4.4, for bases.
    pub const NUC_4_4: Self = Self::Published(PublishedMatrix::NUC_4_4);

    /// Parses the name of a published matrix in upper or lower case, or the text of a custom one.
    ///
    /// # Errors
    /// Returns an error if there is no published matrix of this name, or the fault of the text.
    pub fn parse(text: &str) -> Result<Self, ScoringMatrixError> {
        match PublishedMatrix::from_name(&text.trim().to_ascii_uppercase()) {
            Some(matrix) => Ok(matrix.into()),
            None if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) => Err(ScoringMatrixError::Empty),
            None if text.trim().contains('\n') => Ok(CustomMatrix::parse(text)?.into()),
            None => Err(ScoringMatrixError::UnknownName),
        }
    }

    /// Returns the name of a published matrix, and `None` for a custom one.
    pub fn name(&self) -> Option<String> {
        self.published().map(PublishedMatrix::name)
    }

    /// Returns the published matrix, or `None` for a custom one.
    pub fn published(&self) -> Option<PublishedMatrix> {
        match self {
            Self::Published(matrix) => Some(*matrix),
            Self::Custom(_) => None,
        }
    }
}

impl From<PublishedMatrix> for ScoringMatrix {
    fn from(matrix: PublishedMatrix) -> Self {
        Self::Published(matrix)
    }
}

impl From<CustomMatrix> for ScoringMatrix {
    fn from(matrix: CustomMatrix) -> Self {
        Self::Custom(Arc::new(matrix))
    }
}

impl From<ScoringMatrix> for String {
    fn from(matrix: ScoringMatrix) -> Self {
        match matrix {
            ScoringMatrix::Published(matrix) => matrix.name(),
            ScoringMatrix::Custom(matrix) => matrix.to_string(),
        }
    }
}

impl TryFrom<String> for ScoringMatrix {
    type Error = ScoringMatrixError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl Cbor for ScoringMatrix {
    /// Writes the letters and the points. A published matrix has no letters, and its number in place of the points.
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Published(matrix) => (String::new(), vec![Points::from(matrix.index() as u32)]).write(out),
            Self::Custom(matrix) => {
                (matrix.letters().to_owned(), matrix.points().to_vec()).write(out);
            }
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (letters, points) = <(String, Vec<Points>)>::read(from)?;
        if letters.is_empty() {
            let index = usize::try_from(points.first()?.rounded_down()).ok()?;
            return PublishedMatrix::all().nth(index).map(Self::from);
        }
        CustomMatrix::new(letters, points).map(Self::from)
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
    use utoipa::openapi::{RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::{PublishedMatrix, ScoringMatrix};

    impl PartialSchema for ScoringMatrix {
        fn schema() -> RefOr<Schema> {
            let names: Vec<String> = PublishedMatrix::all().map(PublishedMatrix::name).collect();
            let published = ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(names))
                .description(Some("Name of a published matrix, which has the points of the file that NCBI distributes."));
            let custom = ObjectBuilder::new().schema_type(Type::String).pattern(Some("\\n")).description(Some(
                "Text of a custom matrix, in NCBI's format: a line of letters, then a line for each letter with its points. Points may have one decimal.",
            ));
            let about = "Points for pairs of letters: a published matrix of amino acids or bases, or a custom one.";
            OneOfBuilder::new().item(published).item(custom).description(Some(about)).into()
        }
    }

    impl ToSchema for ScoringMatrix {
        fn name() -> Cow<'static, str> {
            "ScoringMatrix".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbor::{from_bytes, to_bytes};

    #[test]
    fn names_and_texts_are_read_without_loss() {
        let custom = CustomMatrix::parse("A C\nA 1 -1.5\nC -2 1").unwrap();
        for matrix in [ScoringMatrix::BLOSUM62, ScoringMatrix::NUC_4_4, custom.into()] {
            assert_eq!(ScoringMatrix::parse(&String::from(matrix.clone())), Ok(matrix.clone()));
            assert_eq!(from_bytes(&to_bytes(&matrix)), Some(matrix.clone()));
            assert_eq!(from_bytes(&to_bytes(&Some(matrix.clone()))), Some(Some(matrix)));
        }
        assert_eq!(from_bytes(&to_bytes(&None::<ScoringMatrix>)), Some(None::<ScoringMatrix>));
        let read = |letters: &str, points: &[i32]| {
            from_bytes::<ScoringMatrix>(&to_bytes(&(letters.to_owned(), points.iter().copied().map(Points::whole).collect::<Vec<_>>())))
        };
        assert!(read("A", &[7]).is_some() && read("", &[65]).is_some());
        for (letters, points) in
            [("A", [7, 7].as_slice()), ("é", &[7]), ("A", &[1_001]), ("A", &[70_000]), ("", &[66]), ("", &[-1]), ("", &[])]
        {
            assert_eq!(read(letters, points), None, "{letters} {points:?}");
        }
    }

    #[test]
    fn unknown_names_are_no_matrices_of_clients() {
        assert!(ScoringMatrix::parse("blosum61\n").unwrap_err().to_string().starts_with("there is no matrix of this name."));
        for name in [" BLOSUM62\n", "blosum62", "Blosum62"] {
            assert_eq!(ScoringMatrix::parse(name), Ok(ScoringMatrix::BLOSUM62));
        }
        for empty in ["", " \n", "# a comment\n", "# one\n\n# two"] {
            assert_eq!(ScoringMatrix::parse(empty), Err(ScoringMatrixError::Empty));
        }
        assert!(ScoringMatrix::parse("A C\nA 1").unwrap_err().to_string().starts_with("line 2, column 3 of the matrix"));
    }
}
