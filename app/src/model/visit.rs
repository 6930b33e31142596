//! What a visit begins with: the address and the theme. The server tells it to the page that it renders; the browser finds it in
//! the document.

use kernels::job::Task;

use crate::model::preferences::cookie;
use crate::tr::{Language, t};

/// Address of the page with the scores of a class.
pub const CLASS_SCORES: &str = "/hand-ins";

/// What the server knows of a visit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Path of the address.
    pub path: String,
    /// Language of the page.
    pub language: Language,
    /// Theme that the visitor chose before, `light` or `dark`.
    pub theme: Option<String>,
    /// Whether the visitor chose black and white before.
    pub print: bool,
    /// What a stored result is about.
    pub preview: Option<Preview>,
    /// A stored result as HTML, for readers without scripts.
    pub article: Option<String>,
    /// Scheme and host under which the server was asked, as far as they are known.
    pub origin: Option<String>,
}

/// What other programs show of an address before anybody opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// A title.
    pub title: String,
    /// One sentence.
    pub description: String,
}

impl Preview {
    /// Of the page itself.
    pub fn of_page() -> Self {
        let description = t("Compare two texts and see how they differ");
        Self { title: "Editscope".into(), description: description.into() }
    }

    /// Of a result that only its key opens.
    pub fn of_sealed() -> Self {
        let description = t("Encrypted in a browser. The key is in the link; the server cannot read the texts.");
        Self { title: format!("{} · Editscope", t("A private result")), description: description.into() }
    }
}

/// The places of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The form, for this task.
    Form(Task),
    /// A job of the server.
    Job(String),
    /// A stored result.
    Link(String),
    /// A result that only its key opens.
    Sealed(String),
    /// The sheet to be printed.
    Print,
    /// No such place.
    Nowhere,
}

impl Route {
    /// The place that a path leads to.
    pub fn of(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[usize::from(is_embed(path))..] {
            [] => Self::Form(Task::ALL[0]),
            ["print"] => Self::Print,
            [name] => Task::ALL.into_iter().find(|task| task.name() == name).map_or(Self::Nowhere, Self::Form),
            ["j", id] => Self::Job(id.into()),
            ["r", id] => Self::Link(id.into()),
            ["s", id] => Self::Sealed(id.into()),
            _ => Self::Nowhere,
        }
    }
}

/// Whether the page at this path stands in a frame of somebody's page: the same places, under `/embed`.
pub fn is_embed(path: &str) -> bool {
    path.split('/').find(|part| !part.is_empty()) == Some("embed")
}

impl Visit {
    /// The task of the form that this visit begins with.
    pub fn task(&self) -> Task {
        match Route::of(&self.path) {
            Route::Form(task) => task,
            Route::Job(_) | Route::Link(_) | Route::Sealed(_) | Route::Print | Route::Nowhere => Task::ALL[0],
        }
    }

    /// The theme named by a `Cookie` header.
    pub fn theme_of_cookies(cookies: &str) -> Option<String> {
        let value = cookie(cookies, "theme")?;
        ["light", "dark"].into_iter().find(|theme| *theme == value).map(Into::into)
    }

    /// The language that was chosen before, or the first that the browser asks for and the page has.
    pub fn language_of(cookies: &str, accepted: &str) -> Language {
        cookie(cookies, "language").and_then(Language::of_tag).or_else(|| Language::of_header(accepted)).unwrap_or_default()
    }
}

/// Whether a `Cookie` header says that black and white was chosen.
pub fn print_of_cookies(cookies: &str) -> bool {
    cookies.split(';').any(|cookie| cookie.trim() == "palette=print")
}

/// Path of the form for a task.
pub fn task_path(task: Task) -> String {
    if task == Task::ALL[0] { "/".into() } else { format!("/{}", task.name()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_and_nowhere() {
        assert_eq!(Route::of("/"), Route::Form(Task::EditDistance));
        for task in Task::ALL {
            assert_eq!(Route::of(&task_path(task)), Route::Form(task));
        }
        assert_eq!(Route::of("/edit-distance/"), Route::Form(Task::EditDistance));
        assert_eq!(Route::of("/j/abc"), Route::Job("abc".into()));
        assert_eq!(Route::of("/r/abc/"), Route::Link("abc".into()));
        assert_eq!(Route::of("/print"), Route::Print);
        assert_eq!(Route::of("/s/abc"), Route::Sealed("abc".into()));
        assert_eq!(Route::of("/embed/lcs"), Route::Form(Task::Lcs));
        assert_eq!(Route::of("/embed/r/abc"), Route::Link("abc".into()));
        assert!(is_embed("/embed/r/abc") && is_embed("/embed") && !is_embed("/r/embed"));
        assert_eq!(Route::of("/j"), Route::Nowhere);
        assert_eq!(Route::of("/etc/passwd"), Route::Nowhere);
    }

    #[test]
    fn a_chosen_language_counts_more_than_the_browsers() {
        assert_eq!(Visit::language_of("theme=dark; language=ja", "de"), Language::Japanese);
        assert_eq!(Visit::language_of("language=xx", "pt, de;q=0.5"), Language::German);
        assert_eq!(Visit::language_of("", "fr"), Language::French);
        assert_eq!(Visit::language_of("", "pt"), Language::English);
    }

    #[test]
    fn only_known_themes_are_taken_from_cookies() {
        assert_eq!(Visit::theme_of_cookies("a=b; theme=dark"), Some("dark".into()));
        assert_eq!(Visit::theme_of_cookies("theme=\"><script>"), None);
        assert_eq!(Visit::theme_of_cookies(""), None);
        assert!(print_of_cookies("theme=dark; palette=print") && !print_of_cookies("palette=printed") && !print_of_cookies(""));
    }
}
