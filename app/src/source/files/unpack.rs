//! Files that are compressed: gzip is unpacked by the browser, bgzip member by member, since a browser takes one at a time.

use js_sys::Array;
use web_sys::Blob;

use super::{read, unreadable};
use crate::model::problem::Problem;
use crate::model::text::words;
use crate::source::streams::{Broken, Room};
use crate::tr;
use crate::tr::t;

/// Bytes that a file may have when it is unpacked.
const MOST: u64 = 512 << 20;

/// Bytes of a member's header that say how long it is.
const HEADER: usize = 18;

/// What a file is, by its begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// gzip, of one member as far as one can see.
    Gzip,
    /// The members of bgzip, which say how long they are.
    Bgzip,
    /// Zstandard.
    Zstd,
}

impl Kind {
    fn of(begin: &[u8]) -> Option<Self> {
        match begin {
            [0x1f, 0x8b, 8, ..] if member(begin).is_some() => Some(Self::Bgzip),
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Bytes of the member of bgzip that begins like this.
fn member(begin: &[u8]) -> Option<usize> {
    match begin {
        [0x1f, 0x8b, 8, 4, _, _, _, _, _, _, 6, 0, b'B', b'C', 2, 0, low, high, ..] => {
            Some(usize::from(u16::from_le_bytes([*low, *high])) + 1)
        }
        _ => None,
    }
}

/// A file's name without the ending that says how it was compressed.
pub(super) fn name_inside(name: String) -> String {
    [".gz", ".bgz"].iter().find_map(|ending| name.strip_suffix(ending)).map_or(name.clone(), ToOwned::to_owned)
}

/// What is in a compressed file; `None` where it is none.
///
/// # Errors
/// When it is damaged, larger than what is unpacked here, or compressed in a way that browsers do not know.
pub(super) async fn unpacked(file: &Blob) -> Result<Option<Blob>, Problem> {
    let begin = read(&file.slice_with_f64_and_f64(0.0, HEADER as f64).map_err(unreadable)?).await?.to_vec();
    let mut room = Room::new(MOST);
    match Kind::of(&begin) {
        None => return Ok(None),
        Some(Kind::Zstd) => return Err(zstd()),
        Some(Kind::Gzip) => gunzip(&mut room, file).await?,
        Some(Kind::Bgzip) => {
            let bytes = read(file).await?;
            let mut at = 0;
            while at < bytes.length() {
                let begin = bytes.subarray(at, bytes.length().min(at + HEADER as u32)).to_vec();
                let end = member(&begin).map(|len| at + len as u32).filter(|end| *end <= bytes.length()).ok_or_else(damaged)?;
                let member = Array::of1(&bytes.subarray(at, end));
                gunzip(&mut room, &Blob::new_with_u8_array_sequence(&member).map_err(unreadable)?).await?;
                at = end;
            }
        }
    }
    room.blob().map(Some).map_err(unreadable)
}

async fn gunzip(room: &mut Room, packed: &Blob) -> Result<(), Problem> {
    room.take(packed, "DecompressionStream", "gzip").await.map_err(|broken| match broken {
        Broken::Unable => old_browser(),
        Broken::Damaged => damaged(),
        Broken::TooLarge => too_large(),
    })
}

fn damaged() -> Problem {
    Problem::new(
        "bad-input",
        t("The file cannot be unpacked"),
        t("It is gzip that is damaged, cut off, or made of several files. Unpack it on your device and open what is inside."),
    )
}

fn old_browser() -> Problem {
    Problem::new(
        "bad-input",
        t("The file cannot be unpacked"),
        t("This browser cannot unpack gzip. Unpack the file on your device and open what is inside."),
    )
}

fn zstd() -> Problem {
    Problem::new(
        "bad-input",
        t("The file cannot be unpacked"),
        t("It is Zstandard, which browsers do not unpack. Unpack it on your device and open what is inside, or use gzip."),
    )
}

fn too_large() -> Problem {
    let most = words::bytes(MOST);
    Problem::new("bad-input", t("The file cannot be unpacked"), tr!("Unpacked it has more than {most}. Open a shorter file.", most = most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_begin() {
        let bgzip = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
        assert_eq!((Kind::of(bgzip), member(bgzip)), (Some(Kind::Bgzip), Some(bgzip.len())));
        assert_eq!(Kind::of(&bgzip[..17]), Some(Kind::Gzip), "it is damaged, which unpacking will say");
        assert_eq!(Kind::of(b"\x1f\x8b\x08\0\0\0\0\0\0\x03"), Some(Kind::Gzip));
        assert_eq!(Kind::of(b"\x28\xb5\x2f\xfd\x04"), Some(Kind::Zstd));
        for text in [&b""[..], b"\x1f\x8b", b"\x1f\x8b\x07", b">chr1\nACGT", b"\x28\xb5\x2f"] {
            assert_eq!(Kind::of(text), None, "{text:?}");
        }
        assert_eq!((name_inside("a.fasta.gz".into()), name_inside("a.fasta".into())), ("a.fasta".into(), "a.fasta".into()));
    }
}
