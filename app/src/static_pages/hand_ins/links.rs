//! The links in a text that a teacher pasted ([`PastedLinks`]), and the pages that they lead to ([`LinkTarget`]).

use kernels::job::Task;

use crate::model::form::FormState;
use crate::model::link::fragment;
use crate::model::link::link_view::LinkView;
use crate::model::visit::PageRoute;
use crate::static_pages::learn::{self, Lesson};

/// Maximum number of links of one pasted text that are scored.
pub const MAX_LINKS: usize = 300;

/// Maximum length of a student's name, in characters.
const MAX_NAME: usize = 80;

/// A link in the pasted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedLink {
    /// Number of the line that contains the link, from 1.
    pub line: usize,
    /// The student's name: the text before the link on its line or, if there is none, the last earlier line without a
    /// link. Empty if both are missing.
    pub name: String,
    /// The address as it was pasted.
    pub address: String,
    pub target: LinkTarget,
}

/// The page that a handed-in link leads to, with the answers in the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The lesson of five questions.
    Lesson(Lesson),
    /// A view of two texts that the link contains.
    Texts {
        /// The texts and the options, as the form has them.
        form: Box<FormState>,
        /// The state of the view, with the student's answers.
        link_view: LinkView,
    },
    /// A view of a result that is stored on the server.
    Stored {
        id: String,
        /// The state of the view, with the student's answers.
        link_view: LinkView,
    },
    /// A page for which the link cannot have a score. The value is the reason.
    Refused(HandInRefusal),
}

/// The reason why a link has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandInRefusal {
    /// The link leads to no page with questions.
    NoQuestions,
    /// The link has no answers.
    NoAnswers,
    /// The link is private. Only the key in the link opens it, and the server must not get this key.
    Private,
    /// The stored result no longer exists.
    Gone,
    /// The texts are too long for questions.
    TooLong,
    /// The link is truncated or was changed.
    Damaged,
}

/// The links found in a pasted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastedLinks {
    /// The links, at most [`MAX_LINKS`].
    pub links: Vec<PastedLink>,
    /// Number of lines that have neither a link nor the name of the student whose link follows.
    pub ignored_lines: usize,
    /// Number of links beyond [`MAX_LINKS`], which are left out.
    pub further_links: usize,
}

impl PastedLinks {
    /// Finds the links of `text`, at most one per line, in linear time.
    pub fn read(text: &str) -> Self {
        let mut pasted = Self::default();
        let mut above = None;
        for (at, line) in text.lines().enumerate() {
            let Some((before, address)) = link_of(line) else {
                let name = named(line);
                if !name.is_empty() {
                    pasted.ignored_lines += usize::from(above.replace(name).is_some());
                }
                continue;
            };
            let own = named(before);
            let above = above.take();
            pasted.ignored_lines += usize::from(above.is_some() && !own.is_empty());
            if pasted.links.len() == MAX_LINKS {
                pasted.further_links += 1;
                continue;
            }
            let name = if own.is_empty() { above.unwrap_or_default() } else { own };
            pasted.links.push(PastedLink { line: at + 1, name, target: target(&address), address });
        }
        pasted.ignored_lines += usize::from(above.is_some());
        pasted
    }
}

/// Returns the text before the link of a line, and the link. Returns `None` for a line without a link.
fn link_of(line: &str) -> Option<(&str, String)> {
    let from = ["https://", "http://"].iter().filter_map(|scheme| line.find(scheme)).min();
    // Some programs copy an address without its scheme.
    let from = from.or_else(|| {
        let inside = line.find("/learn?").or_else(|| line.find('#').filter(|at| line[*at..].contains("answers=")))?;
        Some(line[..inside].rfind(char::is_whitespace).map_or(0, |at| at + 1))
    })?;
    let end = line[from..].find([' ', '\t', '<', '>', '"']).map_or(line.len(), |at| from + at);
    let address = line[from..end].trim_end_matches([',', ';', ')', ']']).replace("&amp;", "&");
    Some((&line[..from], address))
}

/// Returns the name in `part`, the text before a link, without white space and punctuation around the name.
fn named(part: &str) -> String {
    let signs =
        |letter: char| letter.is_whitespace() || [':', ',', ';', '-', '–', '<', '>', '"', '|', '*', '•', '(', '['].contains(&letter);
    part.trim_matches(signs).chars().take(MAX_NAME).collect()
}

/// Returns the page that `address` leads to. Ignores the host of the address, because a site may have several names.
fn target(address: &str) -> LinkTarget {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let from = rest.find(['/', '#', '?']).unwrap_or(rest.len());
    let (place, fragment) = rest[from..].split_once('#').unwrap_or((&rest[from..], ""));
    let (path, query) = place.split_once('?').unwrap_or((place, ""));
    if path.trim_end_matches('/') == learn::PATH {
        let lesson = Lesson::read(query);
        let has_answers = lesson.answers.iter().any(Option::is_some);
        return if has_answers { LinkTarget::Lesson(lesson) } else { LinkTarget::Refused(HandInRefusal::NoAnswers) };
    }
    let look = LinkView::read(fragment);
    let answers = |target: LinkTarget| match (look.detail("ask"), look.detail("answers")) {
        (Some(_), Some(_)) => target,
        _ => LinkTarget::Refused(HandInRefusal::NoAnswers),
    };
    match PageRoute::of(path) {
        PageRoute::Form(task) => match texts(task, fragment) {
            Ok(form) => answers(LinkTarget::Texts { form: Box::new(form), link_view: look.clone() }),
            Err(refusal) => LinkTarget::Refused(refusal),
        },
        PageRoute::Link(id) => answers(LinkTarget::Stored { id, link_view: look.clone() }),
        PageRoute::Sealed(_) => LinkTarget::Refused(HandInRefusal::Private),
        PageRoute::Job(_) | PageRoute::Print | PageRoute::Collections | PageRoute::Nowhere => {
            LinkTarget::Refused(HandInRefusal::NoQuestions)
        }
    }
}

/// Parses the form for `task` (texts and options) in the `fragment` of an address.
///
/// # Errors
/// Returns a refusal if the fragment is damaged, has no texts, or has texts that are too long for questions.
fn texts(task: Task, fragment: &str) -> Result<FormState, HandInRefusal> {
    let opened = fragment::read(task, fragment).map_err(|_| HandInRefusal::Damaged)?;
    match opened.form {
        // An address contains compressed texts only if the texts are too long for questions.
        Some(_) if opened.packed.is_some() => Err(HandInRefusal::TooLong),
        Some(form) => Ok(form),
        None => Err(HandInRefusal::NoQuestions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "https://e.example/#a=ab&b=b&view=matrix&ask=on&answers=AB";

    fn names(text: &str) -> Vec<(usize, String)> {
        PastedLinks::read(text).links.into_iter().map(|link| (link.line, link.name)).collect()
    }

    #[test]
    fn name_is_before_the_link_or_in_the_line_above() {
        let text = format!("Ada: {LINK}\n\nBob Ray\n{LINK}\n{LINK}\n“Cy”\t<{LINK}>,\nHi\nDee -\n{LINK}\nbye");
        let expected = [(1, "Ada"), (4, "Bob Ray"), (5, ""), (6, "“Cy”"), (9, "Dee")];
        assert_eq!(names(&text), expected.map(|(line, name)| (line, name.to_owned())));
        assert_eq!(PastedLinks::read(&text).ignored_lines, 2);
    }

    #[test]
    fn links_are_read_as_mail_programs_and_people_copy_them() {
        let texts = |address: &str| match PastedLinks::read(address).links.remove(0).target {
            LinkTarget::Texts { form, link_view: look } => (form.task, look.detail("answers").map(str::to_owned)),
            other => panic!("{address}: {other:?}"),
        };
        let answers = Some("AB".to_owned());
        assert_eq!(texts(LINK), (Task::EditDistance, answers.clone()));
        assert_eq!(texts(&LINK.replace('&', "&amp;")), (Task::EditDistance, answers.clone()));
        assert_eq!(texts(&LINK.replace("https://", "")), (Task::EditDistance, answers.clone()));
        assert_eq!(texts(&format!("({LINK})")), (Task::EditDistance, answers.clone()));
        assert_eq!(texts(&LINK.replace("/#", "/lcs#")), (Task::Lcs, answers));
    }

    #[test]
    fn links_without_a_score_have_their_reason() {
        let rows = [
            ("https://e.example/#a=ab&b=b&view=matrix", HandInRefusal::NoAnswers),
            ("https://e.example/#a=ab&b=b&view=matrix&ask=on", HandInRefusal::NoAnswers),
            ("https://e.example/learn?seed=7", HandInRefusal::NoAnswers),
            ("https://e.example/learn?seed=7&q1=", HandInRefusal::NoAnswers),
            ("https://e.example/s/abc#KEY&view=matrix&ask=on&answers=AB", HandInRefusal::Private),
            ("https://e.example/papers", HandInRefusal::NoQuestions),
            ("https://e.example/", HandInRefusal::NoQuestions),
            ("https://e.example/#v=2&a=b", HandInRefusal::Damaged),
            ("https://e.example/#z=abc&view=matrix&ask=on&answers=AB", HandInRefusal::TooLong),
        ];
        for (address, refusal) in rows {
            assert_eq!(PastedLinks::read(address).links[0].target, LinkTarget::Refused(refusal), "{address}");
        }
    }

    #[test]
    fn lessons_and_stored_results_are_recognized_by_their_paths() {
        let LinkTarget::Lesson(lesson) = &PastedLinks::read("http://x/learn?seed=7&q1=3&q5=x").links[0].target else { panic!() };
        assert_eq!((lesson.seed, lesson.answers), (7, [Some(3), None, None, None, None]));
        let target = &PastedLinks::read("http://x/r/abc#view=matrix&ask=on&answers=AB").links[0].target;
        assert!(matches!(target, LinkTarget::Stored { id, .. } if id == "abc"), "{target:?}");
    }

    #[test]
    fn links_beyond_the_limit_are_counted() {
        let pasted = PastedLinks::read(&format!("{LINK}\n").repeat(MAX_LINKS + 3));
        assert_eq!((pasted.links.len(), pasted.further_links), (MAX_LINKS, 3));
    }
}
