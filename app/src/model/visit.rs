//! Facts at the beginning of a visit, such as address and theme: [`PageVisit`]. The server knows them when it renders
//! the page; the browser reads them from the document. [`PageRoute`] is the destination of an address.

use kernels::job::Task;

use crate::model::preferences::cookie;
use crate::tr::{Language, t};

/// Path of the page that compares many texts.
pub const COLLECTIONS: &str = "/collections";

/// Path of the page with the scores of a class.
pub const CLASS_SCORES: &str = "/hand-ins";

/// The facts that the server knows about a visit when it renders the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageVisit {
    /// Path of the address.
    pub path: String,
    /// Language of the page.
    pub language: Language,
    /// Theme stored in a cookie, `light` or `dark`, or `None` if there is none.
    pub theme: Option<String>,
    /// Whether the palette stored in a cookie is black and white.
    pub print: bool,
    /// Title and description of the stored result at the address, if there is one.
    pub preview: Option<LinkPreview>,
    /// The stored result at the address as HTML, for readers without scripts, if there is one.
    pub article: Option<String>,
    /// Scheme and host of the request, such as `https://example.org`, if known.
    pub origin: Option<String>,
}

/// The title and description that other programs show for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPreview {
    pub title: String,
    /// Description in one sentence.
    pub description: String,
}

impl LinkPreview {
    /// Returns the preview of a page without a result.
    pub fn of_page() -> Self {
        let description = t("Compare two texts and see how they differ");
        Self { title: "Editscope".into(), description: description.into() }
    }

    /// Returns the preview of the page that compares many texts.
    pub fn of_collections() -> Self {
        let description = t("Compare many texts: which are alike, how much, and where");
        Self { title: format!("{} · Editscope", t("Many texts")), description: description.into() }
    }

    /// Returns the preview of an encrypted result.
    pub fn of_sealed() -> Self {
        let description = t("Encrypted in a browser. The key is in the link; the server cannot read the texts.");
        Self { title: format!("{} · Editscope", t("A private result")), description: description.into() }
    }
}

/// The destination of a path of the page, as [`PageRoute::of`] parses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageRoute {
    /// The form for a task.
    Form(Task),
    /// The page of a job on the server, by the job's id.
    Job(String),
    /// The page of a stored result, by the result's id.
    Link(String),
    /// The page of an encrypted result, by the result's id.
    Sealed(String),
    /// The print sheet.
    Print,
    /// The page that compares many texts.
    Collections,
    /// An unknown path.
    Nowhere,
}

impl PageRoute {
    /// Parses a path.
    pub fn of(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[usize::from(is_embed(path))..] {
            [] => Self::Form(Task::ALL[0]),
            ["print"] => Self::Print,
            ["collections"] => Self::Collections,
            [name] => Task::ALL.into_iter().find(|task| task.name() == name).map_or(Self::Nowhere, Self::Form),
            ["j", id] => Self::Job(id.into()),
            ["r", id] => Self::Link(id.into()),
            ["s", id] => Self::Sealed(id.into()),
            _ => Self::Nowhere,
        }
    }
}

/// Returns whether `path` is that of a page in a frame of another site: whether it begins with `/embed`.
pub fn is_embed(path: &str) -> bool {
    path.split('/').find(|part| !part.is_empty()) == Some("embed")
}

impl PageVisit {
    /// Returns the task of the form at the address, or the first task if the address has no form.
    pub fn task(&self) -> Task {
        match PageRoute::of(&self.path) {
            PageRoute::Form(task) => task,
            PageRoute::Job(_)
            | PageRoute::Link(_)
            | PageRoute::Sealed(_)
            | PageRoute::Print
            | PageRoute::Collections
            | PageRoute::Nowhere => Task::ALL[0],
        }
    }

    /// Returns the theme that a `Cookie` header names, `light` or `dark`, or `None` if it names none.
    pub fn theme_of_cookies(cookies: &str) -> Option<String> {
        let value = cookie(cookies, "theme")?;
        ["light", "dark"].into_iter().find(|theme| *theme == value).map(Into::into)
    }

    /// Returns the language in `cookies`, or else the first supported language of the `Accept-Language` header
    /// `accepted`, or else the default.
    pub fn language_of(cookies: &str, accepted: &str) -> Language {
        cookie(cookies, "language").and_then(Language::of_tag).or_else(|| Language::of_header(accepted)).unwrap_or_default()
    }
}

/// Returns whether a `Cookie` header selects the black and white palette.
pub fn print_of_cookies(cookies: &str) -> bool {
    cookies.split(';').any(|cookie| cookie.trim() == "palette=print")
}

/// Returns the path of the form for a task.
pub fn task_path(task: Task) -> String {
    if task == Task::ALL[0] { "/".into() } else { format!("/{}", task.name()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_parsed_and_unknown_paths_are_not_found() {
        assert_eq!(PageRoute::of("/"), PageRoute::Form(Task::EditDistance));
        for task in Task::ALL {
            assert_eq!(PageRoute::of(&task_path(task)), PageRoute::Form(task));
        }
        assert_eq!(PageRoute::of("/edit-distance/"), PageRoute::Form(Task::EditDistance));
        assert_eq!(PageRoute::of("/j/abc"), PageRoute::Job("abc".into()));
        assert_eq!(PageRoute::of("/r/abc/"), PageRoute::Link("abc".into()));
        assert_eq!(PageRoute::of("/print"), PageRoute::Print);
        assert_eq!(PageRoute::of(COLLECTIONS), PageRoute::Collections);
        assert_eq!(PageRoute::of("/s/abc"), PageRoute::Sealed("abc".into()));
        assert_eq!(PageRoute::of("/embed/lcs"), PageRoute::Form(Task::Lcs));
        assert_eq!(PageRoute::of("/embed/r/abc"), PageRoute::Link("abc".into()));
        assert!(is_embed("/embed/r/abc") && is_embed("/embed") && !is_embed("/r/embed"));
        assert_eq!(PageRoute::of("/j"), PageRoute::Nowhere);
        assert_eq!(PageRoute::of("/etc/passwd"), PageRoute::Nowhere);
    }

    #[test]
    fn chosen_language_overrides_the_language_of_the_browser() {
        assert_eq!(PageVisit::language_of("theme=dark; language=ja", "de"), Language::Japanese);
        assert_eq!(PageVisit::language_of("language=xx", "pt, de;q=0.5"), Language::German);
        assert_eq!(PageVisit::language_of("", "fr"), Language::French);
        assert_eq!(PageVisit::language_of("", "pt"), Language::English);
    }

    #[test]
    fn only_known_themes_are_read_from_cookies() {
        assert_eq!(PageVisit::theme_of_cookies("a=b; theme=dark"), Some("dark".into()));
        assert_eq!(PageVisit::theme_of_cookies("theme=\"><script>"), None);
        assert_eq!(PageVisit::theme_of_cookies(""), None);
        assert!(print_of_cookies("theme=dark; palette=print") && !print_of_cookies("palette=printed") && !print_of_cookies(""));
    }
}
