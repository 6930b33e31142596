//! The latest class code of the page: a short code that students of a class type to open a copy of a result.

use crate::model::form::{FormState, TextContent};

/// A class code (a short code to type), and the texts of the result that it opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCode {
    pub code: String,
    /// Time at which the result expires, in seconds since 1970, or `None` if it does not expire.
    pub expires_at: Option<u64>,
    /// Path of the stored result, by which this browser finds the result's deletion token.
    pub result_path: String,
    texts: [TextContent; 2],
}

impl ClassCode {
    /// Creates the class code `code` of a result with the texts of `form`. `place` is the path of the stored result.
    pub fn new(code: String, expires_at: Option<u64>, place: String, form: &FormState) -> Self {
        Self { code, expires_at, result_path: place, texts: [form.a.content.clone(), form.b.content.clone()] }
    }

    /// Returns whether `form` still has the texts of this code.
    pub fn matches_form(&self, form: &FormState) -> bool {
        self.texts[0] == form.a.content && self.texts[1] == form.b.content
    }

    /// Returns the path that students type after the host name.
    pub fn path(&self) -> String {
        format!("/c/{}", self.code)
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn class_code_belongs_to_its_texts_for_every_task() {
        let form = |b: &str| FormState { a: FormText::typed("kitten"), b: FormText::typed(b), ..FormState::new(Task::EditDistance) };
        let code = ClassCode::new("tofe".into(), None, "/r/1".into(), &form("sitting"));
        assert_eq!(code.path(), "/c/tofe");
        assert!(code.matches_form(&form("sitting")) && code.matches_form(&FormState { task: Task::Lcs, ..form("sitting") }));
        assert!(!code.matches_form(&form("sittin")));
    }
}
