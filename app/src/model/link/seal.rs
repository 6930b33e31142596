//! The contents of a private link before encryption: a comparison with both texts, as bytes. [`write()`] makes them
//! from a form, and [`read`] parses them.
//!
//! ```text
//! length of the head, 4 bytes, little-endian | head, JSON | a | b | zeros up to a multiple of 1,024 bytes
//! ```
//!
//! Many texts are deflated, and have no head:
//!
//! ```text
//! "many" | length of the deflated texts, 4 bytes, little-endian | deflated texts | zeros up to a multiple of 1,024 bytes
//! ```
//!
//! The zeros hide the exact length of the texts. The key is encoded as [base64url](crate::model::link::base64url).

use kernels::job::{JobOptions, RecordChoice, Task};
use serde::{Deserialize, Serialize};

use crate::model::form::FormState;

/// The total size is padded to a multiple of this number of bytes.
const SEAL_PADDING_BYTES: usize = 1_024;

/// The head of a private link: everything about a comparison except its texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SealedHead {
    pub task: Task,
    pub options: JobOptions,
    /// File names of the texts, or `None` for a text without one.
    pub names: [Option<String>; 2],
    /// Sizes of the texts, in bytes.
    pub sizes: [usize; 2],
    /// The records that were chosen in each text.
    #[serde(default)]
    pub choices: [RecordChoice; 2],
}

/// Writes the comparison of `form` as bytes to encrypt. `texts` are the contents of the texts `a` and `b`.
pub fn write(form: &FormState, texts: &[Vec<u8>; 2]) -> Vec<u8> {
    let [a, b] = texts;
    let names = [form.a.name.clone(), form.b.name.clone()];
    let head = SealedHead { task: form.task, options: form.job_options(), names, sizes: [a.len(), b.len()], choices: form.choices() };
    let head = serde_json::to_vec(&head).unwrap_or_default();
    padded(&[&(head.len() as u32).to_le_bytes(), &head, a, b])
}

fn padded(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = parts.concat();
    bytes.resize(bytes.len().next_multiple_of(SEAL_PADDING_BYTES), 0);
    bytes
}

/// First bytes of many texts. As the length of a head they are too large, so that the page of two texts refuses them.
const MANY: &[u8; 4] = b"many";

/// Writes the deflated texts of a page with many texts as bytes to encrypt.
pub fn write_many(deflated: &[u8]) -> Vec<u8> {
    padded(&[MANY, &(deflated.len() as u32).to_le_bytes(), deflated])
}

/// Parses bytes that [`write_many`] wrote into the deflated texts. Returns `None` if they are malformed.
pub fn read_many(bytes: &[u8]) -> Option<Vec<u8>> {
    let (len, rest) = bytes.strip_prefix(MANY)?.split_first_chunk::<4>()?;
    rest.get(..u32::from_le_bytes(*len) as usize).map(<[u8]>::to_vec)
}

/// Parses bytes that [`write()`] wrote into the head and the contents of the texts `a` and `b`. Returns `None` if they
/// are malformed.
pub fn read(bytes: &[u8]) -> Option<(SealedHead, [Vec<u8>; 2])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (head, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    let head: SealedHead = serde_json::from_slice(head).ok()?;
    let (a, rest) = rest.split_at_checked(head.sizes[0])?;
    let (b, _) = rest.split_at_checked(head.sizes[1])?;
    let texts = [a.to_vec(), b.to_vec()];
    Some((head, texts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn sealed_content_is_read_without_loss() {
        let mut form = FormState::new(Task::Lcs);
        form.a = FormText { name: Some("1807".into()), ..FormText::typed("") };
        form.options.case_insensitive = true;
        form.b.choice.joined = true;
        for texts in [[b"kitten".to_vec(), b"sitting".to_vec()], [vec![], vec![0, 255, 0]], [vec![7; 5_000], vec![]]] {
            let bytes = write(&form, &texts);
            assert!(bytes.len().is_multiple_of(SEAL_PADDING_BYTES));
            let (head, read) = read(&bytes).unwrap();
            assert_eq!((head.task, head.options, head.names), (Task::Lcs, form.job_options(), [Some("1807".into()), None]));
            assert_eq!(head.choices, form.choices());
            assert_eq!(read, texts);
        }
    }

    #[test]
    fn texts_of_similar_length_have_equal_sealed_size() {
        let size = |len: usize| write(&FormState::new(Task::EditDistance), &[vec![1; len], vec![2; len]]).len();
        assert_eq!(size(10), size(90));
    }

    #[test]
    fn many_texts_are_read_without_loss_and_refused_by_the_page_of_two() {
        for deflated in [vec![], vec![7; 5_000]] {
            let bytes = write_many(&deflated);
            assert!(bytes.len().is_multiple_of(SEAL_PADDING_BYTES));
            assert_eq!((read_many(&bytes), read(&bytes)), (Some(deflated), None));
        }
        let two = write(&FormState::new(Task::EditDistance), &[b"kitten".to_vec(), vec![3; 3_000]]);
        for bad in [&two[..], b"", b"many", b"many\xff\xff\xff\xffx"] {
            assert_eq!(read_many(bad), None);
        }
    }

    #[test]
    fn invalid_sealed_bytes_are_refused() {
        let bytes = write(&FormState::new(Task::EditDistance), &[b"kitten".to_vec(), vec![3; 3_000]]);
        for bad in [&b""[..], b"abc", &[255; 40], &[0; 1_024], &bytes[..200]] {
            assert_eq!(read(bad), None);
        }
    }
}
