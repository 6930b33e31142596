//! Undo of replaced texts: keeps the texts that a button, a sample or a file has replaced.
//!
//! Texts and files are shared with the form, so that nothing is copied.

use kernels::job::Options;
use kernels::reading::Encoding;

use crate::model::form::{Form, Side, Which};
use crate::tr;
use crate::tr::t;

/// The way in which texts were replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The visitor cleared this text.
    Clear(Which),
    /// The visitor cleared both texts.
    ClearBoth,
    /// The visitor chose a sample.
    Sample,
    /// The visitor opened or dropped a file for this text.
    File {
        /// The text that the file replaced.
        which: Which,
        /// Whether another file of the same gesture is still being read.
        more: bool,
    },
    /// The visitor swapped both texts.
    Swap,
    /// The visitor split a text of two lines into the two texts.
    Lines,
    /// The visitor converted the file of this text to editable text.
    Convert(Which, Charset),
}

/// The encoding that a file was converted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// UTF-16 of either byte order.
    Utf16(Encoding),
    /// Windows-1252, the encoding of older Windows programs in Western Europe, in which every byte is a character.
    Windows1252,
}

impl Charset {
    /// Detects the encoding of `bytes`: by a byte order mark, as valid UTF-8, by the places of NUL bytes, else
    /// Windows-1252.
    pub fn of(bytes: &[u8]) -> Self {
        match Encoding::marked(bytes) {
            Some(encoding) => Self::Utf16(encoding),
            None if bytes.contains(&0) => Encoding::unmarked(bytes).map_or(Self::Windows1252, Self::Utf16),
            None if str::from_utf8(bytes).is_ok() => Self::Utf8,
            None => Self::Windows1252,
        }
    }

    /// Returns the label of the encoding for the browser's decoder.
    pub fn label(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16(Encoding::Utf16Le) => "utf-16le",
            Self::Utf16(Encoding::Utf16Be) => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }
}

/// Converts all line ends to line feeds, because a text area has no others.
pub fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The form before a replacement, with related state of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    pub form: Form,
    /// Whether the texts came from a private link.
    pub is_private: bool,
    /// Whether the visitor chose the unit, instead of [`suited`](super::nature::suited).
    pub has_own_unit: bool,
}

/// A replacement of texts, with the form before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The way in which the texts were replaced.
    pub way: Way,
    /// State of the page before the replacement.
    pub before: Before,
    after: Form,
    /// Whether two files of one gesture replaced both texts.
    pub is_pair: bool,
}

impl Replacement {
    /// Records the replacement of `before` by `after`. A second file of one gesture is joined with the first.
    pub fn new(way: Way, before: Before, after: Form, last: Option<Self>) -> Self {
        let first =
            last.filter(|last| matches!((last.way, way), (Way::File { more: true, .. }, Way::File { .. })) && last.is_of(&before.form));
        let is_pair = first.is_some();
        Self { way, before: first.map_or(before, |first| first.before), after, is_pair }
    }

    /// Returns whether the texts of `form` are still those after the replacement.
    pub fn is_of(&self, form: &Form) -> bool {
        form.a == self.after.a && form.b == self.after.b
    }

    /// Returns whether the replacement removed a text that a visitor may want back.
    pub fn has_taken(&self) -> bool {
        let taken = |which| {
            let (before, after) = (self.before.form.side(which), self.after.side(which));
            !before.is_blank() && before.content != after.content
        };
        Which::BOTH.into_iter().any(taken)
    }

    /// Returns `form` with the texts from before the replacement.
    ///
    /// Options that the visitor changed since then stay. Options that a sample or the kind of a text set are reverted.
    pub fn undone(&self, form: &Form, has_own_unit: bool) -> Form {
        let Form { options: brought, .. } = self.after;
        let Form { options: before, a, b, .. } = &self.before.form;
        let is_as_brought = Options { unit: brought.unit, ..form.options } == brought;
        let unit = if has_own_unit { form.options.unit } else { before.unit };
        let options = Options { unit, ..if is_as_brought { *before } else { form.options } };
        Form { task: form.task, options, a: a.clone(), b: b.clone() }
    }

    /// Formats a sentence about the replacement. Names of texts stand between asterisks.
    pub fn in_words(&self) -> String {
        let named = |which: Which, side: &Side| match &side.name {
            // An asterisk in the file's name would end the italics.
            Some(name) => tr!("*{text}* replaced by {name}.", text = which.name(), name = name.replace('*', "∗")),
            None => tr!("*{text}* replaced.", text = which.name()),
        };
        match self.way {
            Way::ClearBoth => t("Both texts cleared.").into(),
            Way::Clear(which) => tr!("*{text}* cleared.", text = which.name()),
            Way::Sample => t("Sample loaded.").into(),
            Way::Lines => t("Both texts replaced.").into(),
            Way::File { .. } if self.is_pair => t("Both texts replaced.").into(),
            Way::File { which, .. } => named(which, self.after.side(which)),
            Way::Swap => t("Texts swapped.").into(),
            Way::Convert(which, Charset::Utf8) => tr!("*{text}* can be edited now. Its lines end with LF.", text = which.name()),
            Way::Convert(which, Charset::Utf16(_)) => tr!("*{text}* was read as UTF-16.", text = which.name()),
            Way::Convert(which, Charset::Windows1252) => {
                tr!("*{text}* was read as Western European (Windows-1252).", text = which.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{Task, Unit};

    use super::*;
    use crate::model::form::Content;
    use crate::model::form::local_file::LocalFile;
    use crate::model::task::samples;

    fn form(a: &str, b: &str) -> Form {
        Form { a: Side::typed(a), b: Side::typed(b), ..Form::new(Task::EditDistance) }
    }

    fn file(name: &str) -> Side {
        let content = Content::File { file: LocalFile::default(), bytes: 5_000_000_000, head: String::new() };
        Side { name: Some(name.into()), content, ..Side::default() }
    }

    fn before(form: &Form) -> Before {
        Before { form: form.clone(), is_private: false, has_own_unit: false }
    }

    #[test]
    fn replacement_brings_back_texts_and_files_and_says_what_it_was() {
        let typed = form("kitten", "sitting");
        let old = Form { b: file("old.c"), ..typed.clone() };
        let sample = Form::of_sample(Task::EditDistance, &samples(Task::EditDistance)[3]);
        for (way, last, next, says) in [
            (Way::ClearBoth, &typed, form("", ""), "Both texts cleared."),
            (Way::Clear(Which::B), &old, form("kitten", ""), "*b* cleared."),
            (Way::Sample, &typed, sample, "Sample loaded."),
            (Way::File { which: Which::B, more: false }, &typed, old.clone(), "*b* replaced by old.c."),
            (Way::Swap, &typed, form("sitting", "kitten"), "Texts swapped."),
            (Way::Convert(Which::B, Charset::Utf8), &old, typed.clone(), "*b* can be edited now. Its lines end with LF."),
        ] {
            let kept = Replacement::new(way, before(last), next.clone(), None);
            assert!(kept.has_taken() && kept.is_of(&next) && !kept.is_of(last), "{way:?}");
            assert_eq!((kept.undone(&next, false), kept.in_words().as_str()), (last.clone(), says));
        }
    }

    #[test]
    fn files_tell_their_encoding_and_lines_end_with_line_feeds() {
        let cases: [(&[u8], Charset); 5] = [
            ("é\r\n".as_bytes(), Charset::Utf8),
            (b"caf\xe9", Charset::Windows1252),
            (b"\xff\xfea\0", Charset::Utf16(Encoding::Utf16Le)),
            (b"\xfe\xff\0a", Charset::Utf16(Encoding::Utf16Be)),
            (b"a\0b\0c\0", Charset::Utf16(Encoding::Utf16Le)),
        ];
        for (bytes, charset) in cases {
            assert_eq!(Charset::of(bytes), charset, "{bytes:?}");
        }
        assert_eq!(with_line_feeds("a\r\nb\rc\n\r\n"), "a\nb\nc\n\n");
    }

    #[test]
    fn replacement_of_nothing_takes_nothing() {
        let opened = Form { a: file("old.c"), ..form("", "sitting") };
        let taken = |way, last: Form, next| Replacement::new(way, before(&last), next, None).has_taken();
        assert!(!taken(Way::File { which: Which::A, more: false }, form("", "sitting"), opened));
        assert!(!taken(Way::Sample, form("", ""), form("a", "b")));
        assert!(!taken(Way::Sample, form("a", "b"), form("a", "b")));
    }

    #[test]
    fn two_dropped_files_are_undone_together() {
        let typed = form("kitten", "sitting");
        let first = Form { a: file("1"), ..typed.clone() };
        let second = Form { b: file("2"), ..first.clone() };
        let (a, b) = (Way::File { which: Which::A, more: true }, Way::File { which: Which::B, more: false });
        let one = Replacement::new(a, before(&typed), first.clone(), None);
        let both = Replacement::new(b, before(&first), second.clone(), Some(one.clone()));
        assert_eq!((both.undone(&second, false), both.in_words().as_str()), (typed, "Both texts replaced."));
        // A text that is typed in between does not belong to the gesture.
        let typed = Form { b: Side::typed("typed"), ..first };
        let alone = Replacement::new(b, before(&typed), second.clone(), Some(one));
        assert_eq!(alone.undone(&second, false), typed);
    }

    #[test]
    fn undo_keeps_options_that_were_chosen_since_and_takes_back_those_of_a_sample() {
        let mut last = form("kitten", "sitting");
        last.options.case_insensitive = true;
        let sample = Form::of_sample(Task::EditDistance, &samples(Task::EditDistance)[3]);
        let kept = Replacement::new(Way::Sample, before(&last), sample.clone(), None);
        assert_eq!(kept.undone(&sample, false), last);
        let mut chosen = sample.clone();
        chosen.options.unit = Unit::Lines;
        assert_eq!(kept.undone(&chosen, true).options.unit, Unit::Lines);
        let mut chosen = Form { task: Task::Lcs, ..sample };
        chosen.options.ignore_whitespace = true;
        let undone = kept.undone(&chosen, false);
        assert_eq!((undone.task, undone.options.ignore_whitespace, undone.options.unit), (Task::Lcs, true, Unit::Graphemes));
        assert_eq!(undone.a, last.a);
    }
}
