//! Undo of replaced texts: [`TextReplacement`] keeps the texts that a button, a sample or a file has replaced.
//!
//! Texts and files are shared with the form, so that nothing is copied.

use kernels::job::JobOptions;
use kernels::reading::TextEncoding;

use crate::model::form::{FormSide, FormState, FormText};
use crate::tr;
use crate::tr::t;

/// The way in which texts were replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementKind {
    /// The visitor cleared this text.
    Clear(FormSide),
    /// The visitor cleared both texts.
    ClearBoth,
    /// The visitor chose a sample.
    Sample,
    /// The visitor opened or dropped a file for this text.
    File {
        /// The one of the two texts that the file replaced.
        which: FormSide,
        /// Whether a second file, dropped or opened together with this one, is still being read.
        more: bool,
    },
    /// The visitor swapped both texts.
    Swap,
    /// The visitor split a text of two lines into the two texts.
    Lines,
    /// The visitor converted the file of this text to editable text.
    Convert(FormSide, Charset),
}

/// An encoding of a file, from which its text was converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// UTF-16 of either byte order.
    Utf16(TextEncoding),
    /// Windows-1252, the encoding of older Windows programs in Western Europe, in which every byte is a character.
    Windows1252,
}

impl Charset {
    /// Detects the encoding of `bytes`: UTF-16 by its byte order mark or by the places of NUL bytes, UTF-8 if the bytes
    /// are valid and none is NUL, else Windows-1252.
    pub fn detect(bytes: &[u8]) -> Self {
        match TextEncoding::marked(bytes) {
            Some(encoding) => Self::Utf16(encoding),
            None if bytes.contains(&0) => TextEncoding::unmarked(bytes).map_or(Self::Windows1252, Self::Utf16),
            None if str::from_utf8(bytes).is_ok() => Self::Utf8,
            None => Self::Windows1252,
        }
    }

    /// Formats the sentence about the text `name`, which was read in this encoding. The name stands between asterisks.
    pub fn read_says(self, name: &str) -> String {
        match self {
            Self::Utf8 => tr!("*{text}* can be edited now. Its lines end with LF.", text = name),
            Self::Utf16(_) => tr!("*{text}* was read as UTF-16.", text = name),
            Self::Windows1252 => tr!("*{text}* was read as Western European (Windows-1252).", text = name),
        }
    }

    /// Returns the label of the encoding for the browser's decoder.
    pub fn label(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16(TextEncoding::Utf16Le) => "utf-16le",
            Self::Utf16(TextEncoding::Utf16Be) => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }
}

/// Converts all line ends to line feeds, because a text area has no others.
pub fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The form before a replacement, with the state of the page that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedForm {
    pub form: FormState,
    /// Whether the texts came from a private link.
    pub is_private: bool,
    /// Whether the visitor chose the unit. Otherwise [`suited`](super::text_genre::suited) chose it.
    pub has_own_unit: bool,
}

/// A replacement of texts, with the form before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextReplacement {
    /// The way in which the texts were replaced.
    pub way: ReplacementKind,
    /// State of the page before the replacement.
    pub before: ReplacedForm,
    after: FormState,
    /// Whether two files, dropped or opened together, replaced both texts.
    pub is_pair: bool,
}

impl TextReplacement {
    /// Records the replacement of `before` by `after` in the way `way`. If `last` replaced a text by the first of two
    /// files opened together, and `way` is the second of these files, returns one replacement for both files, which has
    /// the form before `last`.
    pub fn new(way: ReplacementKind, before: ReplacedForm, after: FormState, last: Option<Self>) -> Self {
        let first = last.filter(|last| {
            matches!((last.way, way), (ReplacementKind::File { more: true, .. }, ReplacementKind::File { .. }))
                && last.matches_form(&before.form)
        });
        let is_pair = first.is_some();
        Self { way, before: first.map_or(before, |first| first.before), after, is_pair }
    }

    /// Returns whether `form` still has the texts that the replacement put in.
    pub fn matches_form(&self, form: &FormState) -> bool {
        form.a == self.after.a && form.b == self.after.b
    }

    /// Returns whether the replacement removed or changed a text that was not empty, so that the visitor may want it
    /// back.
    pub fn has_taken(&self) -> bool {
        let taken = |which| {
            let (before, after) = (self.before.form.side(which), self.after.side(which));
            !before.is_blank() && before.content != after.content
        };
        FormSide::BOTH.into_iter().any(taken)
    }

    /// Returns `form` with the texts from before the replacement.
    ///
    /// Options that the visitor changed since then stay. Options that were set by a sample or by the recognized kind of
    /// text are reverted. `has_own_unit` tells whether the visitor has chosen the unit.
    pub fn undone(&self, form: &FormState, has_own_unit: bool) -> FormState {
        let FormState { options: brought, .. } = &self.after;
        let FormState { options: before, a, b, .. } = &self.before.form;
        let is_as_brought = JobOptions { unit: brought.unit, ..form.options.clone() } == *brought;
        let unit = if has_own_unit { form.options.unit } else { before.unit };
        let options = JobOptions { unit, ..if is_as_brought { before.clone() } else { form.options.clone() } };
        FormState { task: form.task, options, a: a.clone(), b: b.clone() }
    }

    /// Formats a sentence about the replacement. Names of texts stand between asterisks.
    pub fn in_words(&self) -> String {
        let named = |which: FormSide, side: &FormText| match &side.name {
            // An asterisk in the file's name would end the italics.
            Some(name) => tr!("*{text}* replaced by {name}.", text = which.name(), name = name.replace('*', "∗")),
            None => tr!("*{text}* replaced.", text = which.name()),
        };
        match self.way {
            ReplacementKind::ClearBoth => t("Both texts cleared.").into(),
            ReplacementKind::Clear(which) => tr!("*{text}* cleared.", text = which.name()),
            ReplacementKind::Sample => t("Sample loaded.").into(),
            ReplacementKind::Lines => t("Both texts replaced.").into(),
            ReplacementKind::File { .. } if self.is_pair => t("Both texts replaced.").into(),
            ReplacementKind::File { which, .. } => named(which, self.after.side(which)),
            ReplacementKind::Swap => t("Texts swapped.").into(),
            ReplacementKind::Convert(which, charset) => charset.read_says(which.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{Task, Unit};

    use super::*;
    use crate::model::form::TextContent;
    use crate::model::form::local_file::LocalFile;
    use crate::model::task::samples;

    fn form(a: &str, b: &str) -> FormState {
        FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(Task::EditDistance) }
    }

    fn file(name: &str) -> FormText {
        let content = TextContent::File { file: LocalFile::default(), bytes: 5_000_000_000, head: String::new() };
        FormText { name: Some(name.into()), content, ..FormText::default() }
    }

    fn before(form: &FormState) -> ReplacedForm {
        ReplacedForm { form: form.clone(), is_private: false, has_own_unit: false }
    }

    #[test]
    fn undo_restores_texts_and_files_and_names_the_replacement() {
        let typed = form("kitten", "sitting");
        let old = FormState { b: file("old.c"), ..typed.clone() };
        let sample = FormState::of_sample(Task::EditDistance, &samples(Task::EditDistance)[3]);
        for (way, last, next, says) in [
            (ReplacementKind::ClearBoth, &typed, form("", ""), "Both texts cleared."),
            (ReplacementKind::Clear(FormSide::B), &old, form("kitten", ""), "*b* cleared."),
            (ReplacementKind::Sample, &typed, sample, "Sample loaded."),
            (ReplacementKind::File { which: FormSide::B, more: false }, &typed, old.clone(), "*b* replaced by old.c."),
            (ReplacementKind::Swap, &typed, form("sitting", "kitten"), "Texts swapped."),
            (ReplacementKind::Convert(FormSide::B, Charset::Utf8), &old, typed.clone(), "*b* can be edited now. Its lines end with LF."),
        ] {
            let kept = TextReplacement::new(way, before(last), next.clone(), None);
            assert!(kept.has_taken() && kept.matches_form(&next) && !kept.matches_form(last), "{way:?}");
            assert_eq!((kept.undone(&next, false), kept.in_words().as_str()), (last.clone(), says));
        }
    }

    #[test]
    fn encoding_is_detected_and_line_ends_become_line_feeds() {
        let cases: [(&[u8], Charset); 5] = [
            ("é\r\n".as_bytes(), Charset::Utf8),
            (b"caf\xe9", Charset::Windows1252),
            (b"\xff\xfea\0", Charset::Utf16(TextEncoding::Utf16Le)),
            (b"\xfe\xff\0a", Charset::Utf16(TextEncoding::Utf16Be)),
            (b"a\0b\0c\0", Charset::Utf16(TextEncoding::Utf16Le)),
        ];
        for (bytes, charset) in cases {
            assert_eq!(Charset::detect(bytes), charset, "{bytes:?}");
        }
        assert_eq!(with_line_feeds("a\r\nb\rc\n\r\n"), "a\nb\nc\n\n");
    }

    #[test]
    fn replacing_empty_or_equal_texts_offers_no_undo() {
        let opened = FormState { a: file("old.c"), ..form("", "sitting") };
        let taken = |way, last: FormState, next| TextReplacement::new(way, before(&last), next, None).has_taken();
        assert!(!taken(ReplacementKind::File { which: FormSide::A, more: false }, form("", "sitting"), opened));
        assert!(!taken(ReplacementKind::Sample, form("", ""), form("a", "b")));
        assert!(!taken(ReplacementKind::Sample, form("a", "b"), form("a", "b")));
    }

    #[test]
    fn two_dropped_files_are_undone_together() {
        let typed = form("kitten", "sitting");
        let first = FormState { a: file("1"), ..typed.clone() };
        let second = FormState { b: file("2"), ..first.clone() };
        let (a, b) = (ReplacementKind::File { which: FormSide::A, more: true }, ReplacementKind::File { which: FormSide::B, more: false });
        let one = TextReplacement::new(a, before(&typed), first.clone(), None);
        let both = TextReplacement::new(b, before(&first), second.clone(), Some(one.clone()));
        assert_eq!((both.undone(&second, false), both.in_words().as_str()), (typed, "Both texts replaced."));
        // A text that is typed in between does not belong to the gesture.
        let typed = FormState { b: FormText::typed("typed"), ..first };
        let alone = TextReplacement::new(b, before(&typed), second.clone(), Some(one));
        assert_eq!(alone.undone(&second, false), typed);
    }

    #[test]
    fn undo_keeps_later_options_and_reverts_those_of_the_sample() {
        let mut last = form("kitten", "sitting");
        last.options.case_insensitive = true;
        let sample = FormState::of_sample(Task::EditDistance, &samples(Task::EditDistance)[3]);
        let kept = TextReplacement::new(ReplacementKind::Sample, before(&last), sample.clone(), None);
        assert_eq!(kept.undone(&sample, false), last);
        let mut chosen = sample.clone();
        chosen.options.unit = Unit::Lines;
        assert_eq!(kept.undone(&chosen, true).options.unit, Unit::Lines);
        let mut chosen = FormState { task: Task::Lcs, ..sample };
        chosen.options.ignore_whitespace = true;
        let undone = kept.undone(&chosen, false);
        assert_eq!((undone.task, undone.options.ignore_whitespace, undone.options.unit), (Task::Lcs, true, Unit::Graphemes));
        assert_eq!(undone.a, last.a);
    }
}
