//! Contents of compressed files, by `unpacked`. The browser's own stream unpacks a gzip file of one member, which is
//! fast. Other files, such as gzip with several members and Zstandard, are unpacked by the server's decoder, which is
//! downloaded as a part of the page.

use explain::unpacker::{STEP_BYTES, UnpackError, Unpacker};
use explain::wire::PackedFormat;
use js_sys::Uint8Array;
use leptos::wasm_split::wasm_split;
use web_sys::Blob;

use super::{read, unreadable};
use crate::backend::streams::{LimitedOutput, StreamError};
use crate::backend::{now, sleep};
use crate::model::problem::Problem;
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;

/// Maximum size of an unpacked file, in bytes.
pub(super) const MAX_CONTENT: u64 = 512 << 20;

/// Number of compressed bytes of one read from the file.
const PIECE: f64 = 256.0 * 1024.0;

/// Time for which the decoder works before it yields to the page, in milliseconds.
const MAX_WORK_MS: f64 = 12.0;

/// The content of a compressed file.
pub(super) struct UnpackedFile {
    pub(super) content: Blob,
    /// Whether bytes after the end of the compressed data were ignored because they are not gzip.
    pub(super) has_ignored: bool,
}

/// A function that decodes a compressed file piece by piece. Its first argument has the next bytes of the file, or is
/// `None` after the last byte. The decoded content is appended to the vector.
///
/// Returns the number of bytes consumed. When all content is decoded, also returns the number of trailing bytes of the
/// file that were ignored.
type DecodeFunction = Box<dyn FnMut(Option<&[u8]>, &mut Vec<u8>) -> Result<(usize, Option<u64>), UnpackError>>;

fn decoder(packed: PackedFormat) -> DecodeFunction {
    let mut unpacker = Unpacker::new(packed, Box::new(|_| true));
    Box::new(move |bytes, content| match bytes {
        Some(bytes) => Ok((unpacker.push(bytes, content)?, None)),
        None => Ok((0, unpacker.finish(content)?)),
    })
}

/// Returns the function that creates a decoder for a format. The function is downloaded together with the decoder.
#[inline(never)]
#[wasm_split(unpack, wasm_split_path = ::leptos::wasm_split, fallible)]
fn decoders() -> Result<fn(PackedFormat) -> DecodeFunction, Problem> {
    Ok(decoder)
}

/// Returns the file name `name` without the extension of a compression, such as `.gz`, or unchanged if it has none.
pub(super) fn name_inside(name: &str) -> &str {
    [".gz", ".bgz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Returns whether the gzip file that starts with the bytes `begin` was written by bgzip, whose files have many
/// members.
fn is_bgzip(begin: &[u8]) -> bool {
    matches!(begin, [0x1f, 0x8b, 8, 4, _, _, _, _, _, _, 6, 0, b'B', b'C', 2, 0, ..])
}

/// Unpacks `file`, which is compressed in the format `packed` and starts with the bytes `begin`.
///
/// # Errors
/// Returns a problem if the file cannot be unpacked, if its content is larger than [`MAX_CONTENT`], or if the decoder
/// cannot be downloaded.
pub(super) async fn unpacked(file: &Blob, packed: PackedFormat, begin: &[u8]) -> Result<UnpackedFile, Problem> {
    if packed == PackedFormat::Gzip && !is_bgzip(begin) {
        let mut room = LimitedOutput::new(MAX_CONTENT);
        match room.take(file, "DecompressionStream", "gzip").await {
            Ok(()) => return Ok(UnpackedFile { content: room.blob().map_err(unreadable)?, has_ignored: false }),
            Err(StreamError::TooLarge) => return Err(too_large()),
            // The browser may not support files of several members. The decoder below reads them, or reports the error.
            Err(StreamError::Damaged | StreamError::Unable) => {}
        }
    }
    let mut decode = decoders().await?(packed);
    let (mut room, mut content, mut at) = (LimitedOutput::new(MAX_CONTENT), Vec::new(), 0.0);
    let (mut rest, mut last_pause) = (Vec::new(), now());
    let failed = |error| of_error(packed, error);
    loop {
        let is_end = at >= file.size();
        if rest.is_empty() && content.len() < STEP_BYTES && !is_end {
            let piece = file.slice_with_f64_and_f64(at, at + PIECE).map_err(unreadable)?;
            rest = read(&piece).await?.to_vec();
            at += PIECE;
        }
        content.clear();
        let (taken, end) = decode((!rest.is_empty() || !is_end).then_some(&rest[..]), &mut content).map_err(failed)?;
        rest.drain(..taken);
        room.put(&Uint8Array::from(&content[..])).map_err(|_| too_large())?;
        if let Some(ignored) = end {
            return Ok(UnpackedFile { content: room.blob().map_err(unreadable)?, has_ignored: ignored > 0 });
        }
        if now() - last_pause > MAX_WORK_MS {
            sleep(0).await;
            last_pause = now();
        }
    }
}

fn of_error(packed: PackedFormat, error: UnpackError) -> Problem {
    let format = match packed {
        PackedFormat::Gzip => "gzip",
        PackedFormat::Zstd => "Zstandard",
    };
    let detail = match error {
        UnpackError::OtherFormat | UnpackError::Damaged => {
            tr!("The {format} data is damaged. Get the file again, or open its text.", format = format)
        }
        UnpackError::CutOff => tr!("The {format} data ends too early. Get the whole file again.", format = format),
        UnpackError::WrongChecksum => {
            tr!("The content does not match the checksum of the {format} data. Get the file again.", format = format)
        }
        UnpackError::LargeWindow { .. } | UnpackError::NoMemory => {
            tr!(
                "It was packed with more than {limit} of memory (zstd --long or --ultra). Unpack it on your device and open its text.",
                limit = humanize::bytes(explain::unpacker::MAX_WINDOW)
            )
        }
        UnpackError::NeedsDictionary => t("It was packed with a dictionary. Unpack it on your device and open its text.").to_owned(),
        UnpackError::TrailingBytes => t("Other bytes follow the Zstandard data. Unpack it on your device and open its text.").to_owned(),
    };
    Problem::new("bad-input", t("The file cannot be unpacked"), detail)
}

fn too_large() -> Problem {
    let most = humanize::bytes(MAX_CONTENT);
    Problem::new("bad-input", t("The file cannot be unpacked"), tr!("Unpacked it has more than {most}. Open a shorter file.", most = most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacked_files_lose_the_extension_of_the_packed_file() {
        let rows = [("a.fasta.gz", "a.fasta"), ("a.bgz", "a"), ("a.txt.zst", "a.txt"), ("a.fasta", "a.fasta")];
        for (name, inside) in rows {
            assert_eq!(name_inside(name), inside);
        }
    }

    #[test]
    fn only_bgzip_files_are_known_to_have_many_members() {
        assert!(is_bgzip(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0"));
        assert!(!is_bgzip(b"\x1f\x8b\x08\0\0\0\0\0\0\x03ABCDEF"));
    }

    #[test]
    fn every_unpack_error_has_its_own_sentence() {
        let errors = [
            UnpackError::Damaged,
            UnpackError::CutOff,
            UnpackError::WrongChecksum,
            UnpackError::LargeWindow { needed: 1 },
            UnpackError::NeedsDictionary,
            UnpackError::TrailingBytes,
        ];
        let mut said: Vec<String> = errors.map(|error| of_error(PackedFormat::Zstd, error).detail).into();
        said.dedup();
        assert_eq!(said.len(), errors.len());
    }
}
