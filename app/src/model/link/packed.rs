//! Both texts of a form as letters of an address, for texts that are too long to stand there as they are: deflated, and base64url of that.
//! The browser deflates and inflates them ([`source::deflate`](crate::source::deflate)); here is what it is given.
//!
//! ```text
//! letters:  base64url of: 1 | zlib of the frame
//! frame:    bytes of a, 4 | bytes of b, 4 | 8,192 bytes of a | 8,192 bytes of b | the next 8,192 bytes of a | …
//! ```
//!
//! Numbers are little-endian, texts UTF-8. The texts take turns since whoever deflates looks back over 32 KiB: where long texts are alike
//! the second one costs little. zlib ends with a checksum of the frame, so that a letter that was changed on its way is noticed.

use std::sync::Arc;

use crate::model::form::{Form, TYPED_BYTES};
use crate::model::link::base64url;
use crate::model::problem::Problem;
use crate::model::text::words;
use crate::tr;
use crate::tr::t;

/// First byte: how the rest is to be read.
const VERSION: u8 = 1;

/// Last number that a later version may have. A greater one is no version, but a damaged link.
const LATER_VERSION: u8 = 15;

/// Bytes of a text before it is the other's turn.
const TURN: usize = 8_192;

/// Bytes of the two lengths.
const HEAD: usize = 8;

/// Bytes of both texts that are deflated: of more an address holds what is no text of a reader, and deflating would be felt while typing.
pub const MOST_DEFLATED: usize = 256_000;

/// Bytes of a frame: where more comes nobody reads on, as a link of a few thousand letters may hold gigabytes of zeros.
pub const MOST_INFLATED: u64 = 2 * TYPED_BYTES + HEAD as u64;

/// Letters that are read: more would be as much to inflate as a small bomb.
const MOST_LETTERS: usize = 64_000;

/// `a` and `b`.
pub type Texts = [Arc<str>; 2];

/// Two texts and the letters that hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    texts: Texts,
    /// `None` where the browser does not deflate.
    letters: Option<Arc<str>>,
}

impl Packed {
    /// The texts with what the browser made of their [`frame`]; `None` where it does not deflate.
    pub fn new(texts: Texts, deflated: Option<&[u8]>) -> Self {
        let letters = deflated.map(|deflated| base64url::encode(&[&[VERSION], deflated].concat()).into());
        Self { texts, letters }
    }

    /// The texts with the letters that they came from.
    pub fn opened(texts: Texts, letters: &str) -> Self {
        Self { texts, letters: Some(letters.into()) }
    }

    /// Whether it is of the texts of this form.
    pub fn is_of(&self, form: &Form) -> bool {
        texts_of(form).is_some_and(|texts| texts == self.texts)
    }

    /// The letters, where the browser deflates.
    pub fn letters(&self) -> Option<&str> {
        self.letters.as_deref()
    }
}

/// Both texts of a form, where they are typed.
pub fn texts_of(form: &Form) -> Option<Texts> {
    Some([form.a.shared_text()?, form.b.shared_text()?])
}

/// What is deflated of two texts.
pub fn frame(texts: &Texts) -> Vec<u8> {
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.as_bytes());
    let mut frame = Vec::with_capacity(HEAD + a.len() + b.len());
    for text in [a, b] {
        frame.extend((text.len() as u32).to_le_bytes());
    }
    let (mut a, mut b) = (a.chunks(TURN), b.chunks(TURN));
    loop {
        let turn = [a.next(), b.next()];
        if turn == [None, None] {
            return frame;
        }
        turn.into_iter().flatten().for_each(|bytes| frame.extend(bytes));
    }
}

/// The texts of a [`frame`].
///
/// # Errors
/// When it is none, or a text is longer than a field takes.
pub fn unframe(frame: &[u8]) -> Result<Texts, Unreadable> {
    let (head, mut rest) = frame.split_first_chunk::<HEAD>().ok_or(Unreadable::Damaged)?;
    let [a, b] = [[head[0], head[1], head[2], head[3]], [head[4], head[5], head[6], head[7]]].map(u32::from_le_bytes);
    if u64::from(a.max(b)) > TYPED_BYTES {
        return Err(Unreadable::TooLong);
    }
    let lens = [a as usize, b as usize];
    if rest.len() != lens[0] + lens[1] {
        return Err(Unreadable::Damaged);
    }
    let mut texts = lens.map(Vec::with_capacity);
    while !rest.is_empty() {
        for (text, len) in texts.iter_mut().zip(lens) {
            let (turn, left) = rest.split_at(TURN.min(len - text.len()));
            text.extend(turn);
            rest = left;
        }
    }
    let [a, b] = texts.map(|text| String::from_utf8(text).map(Arc::from).map_err(|_| Unreadable::Damaged));
    Ok([a?, b?])
}

/// What is to be inflated of letters of an address.
///
/// # Errors
/// When they are none, of a later version, or more than are read.
pub fn deflated(letters: &str) -> Result<Vec<u8>, Unreadable> {
    if letters.len() > MOST_LETTERS {
        return Err(Unreadable::TooLong);
    }
    let mut bytes = base64url::decode(letters).ok_or(Unreadable::Damaged)?;
    match bytes.first() {
        Some(&VERSION) => Ok(bytes.split_off(1)),
        Some(2..=LATER_VERSION) => Err(Unreadable::Newer),
        Some(_) | None => Err(Unreadable::Damaged),
    }
}

/// Why the texts of an address cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// They were packed in a way that came later.
    Newer,
    /// They were changed or cut off.
    Damaged,
    /// They are longer than a field takes.
    TooLong,
    /// This browser does not inflate.
    Unable,
}

impl From<Unreadable> for Problem {
    fn from(unreadable: Unreadable) -> Self {
        let unread = |detail: String| Self::new("unreadable-link", t("This link cannot be read"), detail);
        match unreadable {
            Unreadable::Newer => Self::newer_link(),
            Unreadable::Damaged => {
                Self::new("unreadable-link", t("This link is incomplete"), t("Part of it was cut off. Ask for the whole link."))
            }
            Unreadable::TooLong => unread(tr!(
                "It has more text than a field takes: at most {most}. Ask for a stored result, or for the files.",
                most = words::bytes(TYPED_BYTES)
            )),
            Unreadable::Unable => unread(
                t("Its texts are compressed, and this browser cannot unpack them. Open it in a newer browser, or ask for a stored result.")
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::local_file::LocalFile;
    use crate::model::form::{Content, Side};

    fn texts(a: &str, b: &str) -> Texts {
        [a.into(), b.into()]
    }

    #[test]
    fn both_texts_come_back_from_their_frame_wherever_the_turns_end() {
        let long = "naïve 字 👩‍🚀\r\n".repeat(3_000);
        let lens = [0, 1, TURN - 1, TURN, TURN + 1, 3 * TURN];
        for (a, b) in lens.into_iter().flat_map(|a| lens.map(|b| (a, b))) {
            let texts = texts(&"x".repeat(a), &"y".repeat(b));
            assert_eq!(unframe(&frame(&texts)), Ok(texts), "{a}, {b}");
        }
        for (a, b) in [(long.as_str(), ""), ("", long.as_str()), (long.as_str(), "kitten"), (long.as_str(), &long[..40_002])] {
            assert_eq!(unframe(&frame(&texts(a, b))), Ok(texts(a, b)));
        }
    }

    #[test]
    fn long_texts_take_turns() {
        let frame = frame(&texts(&"a".repeat(10_000), &"b".repeat(20_000)));
        let runs: Vec<(u8, usize)> = frame[HEAD..].chunk_by(|one, next| one == next).map(|run| (run[0], run.len())).collect();
        assert_eq!(runs, [(b'a', TURN), (b'b', TURN), (b'a', 10_000 - TURN), (b'b', 20_000 - TURN)]);
    }

    #[test]
    fn what_is_no_frame_is_damaged_and_what_no_field_takes_too_long() {
        let whole = frame(&texts("kitten", "sitting"));
        for bad in [&b""[..], b"1234567", &whole[..whole.len() - 1], &[&whole[..], b"x"].concat(), &[1, 0, 0, 0, 0, 0, 0, 0, 0xff]] {
            assert_eq!(unframe(bad), Err(Unreadable::Damaged), "{bad:?}");
        }
        let huge = [&1_000_001_u32.to_le_bytes()[..], &[0; 4], b"x"].concat();
        assert_eq!(unframe(&huge), Err(Unreadable::TooLong));
        assert_eq!(unframe(&[0xff; 40]), Err(Unreadable::TooLong), "lengths whose sum is none");
    }

    #[test]
    fn letters_have_a_version() {
        let packed = Packed::new(texts("a", "b"), Some(&[7, 8, 9]));
        let letters = packed.letters().unwrap();
        assert_eq!((letters, deflated(letters)), ("AQcICQ", Ok(vec![7, 8, 9])));
        assert_eq!(deflated(&base64url::encode(&[2, 7, 8, 9])), Err(Unreadable::Newer));
        for damaged in ["", "A", "AQc*", "AQc=", "字", &base64url::encode(&[0, 7]), "broken"] {
            assert_eq!(deflated(damaged), Err(Unreadable::Damaged), "{damaged}");
        }
        assert_eq!(deflated(&"A".repeat(MOST_LETTERS + 1)), Err(Unreadable::TooLong));
        assert_eq!(Packed::new(texts("a", "b"), None).letters(), None);
    }

    #[test]
    fn what_is_packed_is_of_these_texts_alone() {
        let form = Form { a: Side::typed("a"), b: Side::typed("b"), ..Form::new(Task::Lcs) };
        let packed = Packed::opened(texts("a", "b"), "AQ");
        assert!(packed.is_of(&form) && packed.is_of(&Form { task: Task::MatchCount, ..form.clone() }));
        assert!(!packed.is_of(&Form { b: Side::typed("a"), ..form.clone() }));
        let file = Content::File { file: LocalFile::default(), bytes: 1, head: "b".into() };
        assert!(!packed.is_of(&Form { b: Side { content: file, ..Side::default() }, ..form }));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for unreadable in [Unreadable::Damaged, Unreadable::TooLong, Unreadable::Unable, Unreadable::Newer] {
            let problem = Problem::from(unreadable);
            assert!(problem.title.contains("link") && !problem.detail.is_empty() && problem.remedies().is_empty(), "{problem:?}");
        }
        assert!(Problem::from(Unreadable::TooLong).detail.contains("1\u{a0}MB"));
    }
}
