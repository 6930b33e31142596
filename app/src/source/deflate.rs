//! Deflates and inflates the texts of an address with the browser's own streams.
//! [`packed`](mod@crate::model::link::packed) defines the format.

use js_sys::{Array, Uint8Array};
use web_sys::Blob;

use super::files;
use super::streams::{Broken, Room};
use crate::model::link::packed::{self, MOST_INFLATED, Packed, Texts, Unreadable};

/// zlib (RFC 1950): deflate with a checksum.
const FORMAT: &str = "deflate";

/// Compresses both texts, or marks them as impossible to compress in this browser.
pub async fn pack(texts: Texts) -> Packed {
    let deflated = through("CompressionStream", &packed::frame(&texts), u64::MAX).await;
    Packed::new(texts, deflated.ok().as_deref())
}

/// Decompresses the texts that an address holds.
///
/// # Errors
/// Returns an error if this version or this browser cannot read them, or as soon as they exceed the limit of the text
/// fields.
pub async fn unpack(letters: &str) -> Result<Texts, Unreadable> {
    let frame = through("DecompressionStream", &packed::deflated(letters)?, MOST_INFLATED).await;
    packed::unframe(&frame.map_err(|broken| match broken {
        Broken::Unable => Unreadable::Unable,
        Broken::Damaged => Unreadable::Damaged,
        Broken::TooLarge => Unreadable::TooLong,
    })?)
}

async fn through(class: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>, Broken> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).map_err(|_| Broken::Unable)?;
    let mut room = Room::new(most);
    room.take(&blob, class, FORMAT).await?;
    let made = room.blob().map_err(|_| Broken::Unable)?;
    Ok(files::read(&made).await.map_err(|_| Broken::Damaged)?.to_vec())
}
