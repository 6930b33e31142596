//! Uploads that are compressed, by their transfer (`Content-Encoding`) or by what they are (a file `.gz` or `.zst`): unpacked as they
//! come in. What is unpacked is read piece by piece, so that whoever reads can stop at a limit, and a small upload that is large when
//! it is unpacked fills neither the disk nor the memory.

use std::io::{self, Cursor};

use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use axum::http::{HeaderMap, header};
use explain::wire::Packed;
use serde::Deserialize;
use tokio::io::{AsyncBufRead, AsyncReadExt as _, BufReader};

use crate::error::Problem;

/// The codings of an upload, as in the header `Accept-Encoding`.
const CODINGS: &str = "gzip, zstd";

/// Bytes at the begin of a file that say what it is.
const MAGIC: usize = 4;

/// Logarithm of the memory that unpacking zstd may take: 8 MiB, what RFC 9659 lets a sender ask for.
const WINDOW_LOG: u32 = 23;

/// Whether the content of an upload is unpacked where it is gzip or zstd. A `Content-Encoding` always is: it is no part of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpack {
    /// Where it is gzip or zstd.
    #[default]
    Auto,
    /// Never: the bytes are compared as they are.
    Never,
}

/// What an upload is read from.
pub(super) type Reader = Box<dyn AsyncBufRead + Send + Unpin>;

/// The coding that a request names.
///
/// # Errors
/// `UnsupportedCoding` when it is none of those known here, or several.
pub(super) fn of_request(headers: &HeaderMap) -> Result<Option<Packed>, Problem> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let coding = codings.next().map_or(Ok("identity"), |coding| coding.to_str().map(str::trim));
    match (coding, codings.next()) {
        (Ok(coding), None) if is_identity(coding) => Ok(None),
        (Ok(coding), None) if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") => Ok(Some(Packed::Gzip)),
        (Ok(coding), None) if coding.eq_ignore_ascii_case("zstd") => Ok(Some(Packed::Zstd)),
        _ => Err(Problem::coding(CODINGS)),
    }
}

/// What a file is that begins like this.
fn of_content(begin: &[u8]) -> Option<Packed> {
    match begin {
        // The third byte is the only method that there is.
        [0x1f, 0x8b, 8, ..] => Some(Packed::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd] => Some(Packed::Zstd),
        _ => None,
    }
}

fn unpack_all(packed: Packed, reader: Reader) -> Reader {
    match packed {
        Packed::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::new(BufReader::new(decoder))
        }
        Packed::Zstd => {
            let mut decoder = ZstdDecoder::with_params(reader, &[DParameter::window_log_max(WINDOW_LOG)]);
            decoder.multiple_members(true);
            Box::new(BufReader::new(decoder))
        }
    }
}

/// Whether a coding is none.
pub(crate) fn is_identity(coding: &str) -> bool {
    coding.is_empty() || coding.eq_ignore_ascii_case("identity")
}

/// The text that a body has, and what it was unpacked from. Reading it fails when the body is damaged or ends before it is whole.
///
/// # Errors
/// As reading the body does.
pub(super) async fn unpacked(body: Reader, coding: Option<Packed>, unpack: Unpack) -> io::Result<(Reader, Option<Packed>)> {
    let mut reader = match coding {
        Some(coding) => unpack_all(coding, body),
        None => body,
    };
    if unpack == Unpack::Never {
        return Ok((reader, coding));
    }
    let mut begin = Vec::with_capacity(MAGIC);
    (&mut reader).take(MAGIC as u64).read_to_end(&mut begin).await?;
    let content = of_content(&begin);
    let whole: Reader = Box::new(Cursor::new(begin).chain(reader));
    Ok(match content {
        Some(packed) => (unpack_all(packed, whole), Some(packed)),
        None => (whole, coding),
    })
}
