//! Compresses the two texts of a form for an address ([`pack`]) and decompresses them ([`unpack`]), with the browser's
//! own streams. [`deflated`] and [`inflated`] do so with any bytes. [`packed`](mod@crate::model::link::packed_texts) defines the format.

use js_sys::{Array, Uint8Array};
use web_sys::Blob;

use super::files;
use super::streams::{LimitedOutput, StreamError};
use crate::model::link::packed_texts::{self, MAX_INFLATED_BYTES, PackedTexts, PackedTextsError, TextPair};

/// Name of the browser's format: zlib (RFC 1950), which is deflate with a checksum.
const FORMAT: &str = "deflate";

/// Compresses both texts for an address. If this browser cannot compress, the result lacks the encoded form of the
/// texts.
pub async fn pack(texts: TextPair) -> PackedTexts {
    let deflated = deflated(&packed_texts::frame(&texts)).await;
    PackedTexts::new(texts, deflated.ok().as_deref())
}

/// Decompresses the texts from `letters`, their encoded form in an address.
///
/// # Errors
/// Returns an error if the letters are damaged or of a later version, if this browser cannot decompress, or as soon as
/// a text exceeds the limit of the text fields.
pub async fn unpack(letters: &str) -> Result<TextPair, PackedTextsError> {
    packed_texts::unframe(&inflated(&packed_texts::deflated(letters)?, MAX_INFLATED_BYTES).await?)
}

/// Compresses bytes.
///
/// # Errors
/// Returns an error if this browser cannot compress.
pub async fn deflated(bytes: &[u8]) -> Result<Vec<u8>, PackedTextsError> {
    run_stream("CompressionStream", bytes, u64::MAX).await
}

/// Decompresses bytes.
///
/// # Errors
/// Returns an error if the bytes are damaged, if this browser cannot decompress, or if there are more than `most` bytes.
pub async fn inflated(bytes: &[u8], most: u64) -> Result<Vec<u8>, PackedTextsError> {
    run_stream("DecompressionStream", bytes, most).await
}

async fn run_stream(class: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>, PackedTextsError> {
    stream_output(class, bytes, most).await.map_err(|broken| match broken {
        StreamError::Unable => PackedTextsError::Unable,
        StreamError::Damaged => PackedTextsError::Damaged,
        StreamError::TooLarge => PackedTextsError::TooLong,
    })
}

async fn stream_output(class: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>, StreamError> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).map_err(|_| StreamError::Unable)?;
    let mut room = LimitedOutput::new(most);
    room.take(&blob, class, FORMAT).await?;
    let made = room.blob().map_err(|_| StreamError::Unable)?;
    Ok(files::read(&made).await.map_err(|_| StreamError::Damaged)?.to_vec())
}
