//! The browser's own compression, `CompressionStream` and `DecompressionStream`. What comes out is counted as it comes, so that little that
//! is large inside fills no memory.

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader, ReadableWritablePair};

/// Why nothing came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// This browser has no such stream.
    Unable,
    /// What went in is not what the stream takes.
    Damaged,
    /// More came out than there is room for.
    TooLarge,
}

/// What came out of streams, and room for more.
pub struct Room {
    parts: Array,
    left: u64,
}

impl Room {
    /// Room for so many bytes.
    pub fn new(most: u64) -> Self {
        Self { parts: Array::new(), left: most }
    }

    /// Takes what a stream of this class, `CompressionStream` or `DecompressionStream`, makes of the bytes.
    ///
    /// # Errors
    /// Where the browser has none of this format, the bytes are none of it, or there is no room.
    pub async fn take(&mut self, bytes: &Blob, class: &str, format: &str) -> Result<(), Broken> {
        let stream = bytes.stream().pipe_through(&made(class, format).ok_or(Broken::Unable)?);
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        loop {
            let got = JsFuture::from(reader.read()).await.map_err(|_| Broken::Damaged)?;
            let Some(piece) = property(&got, "value").and_then(|value| value.dyn_into::<Uint8Array>().ok()) else { return Ok(()) };
            if let Err(broken) = self.put(&piece) {
                // Nobody waits for what is left.
                drop(reader.cancel());
                return Err(broken);
            }
        }
    }

    /// Takes some bytes.
    ///
    /// # Errors
    /// Where there is no room for them.
    pub fn put(&mut self, piece: &Uint8Array) -> Result<(), Broken> {
        self.left = self.left.checked_sub(piece.length().into()).ok_or(Broken::TooLarge)?;
        self.parts.push(piece);
        Ok(())
    }

    /// All of it.
    pub fn blob(self) -> Result<Blob, JsValue> {
        Blob::new_with_u8_array_sequence(&self.parts)
    }
}

/// A new stream of this class and format, where the browser has it.
fn made(class: &str, format: &str) -> Option<ReadableWritablePair> {
    let class: Function = property(&js_sys::global(), class)?.dyn_into().ok()?;
    Reflect::construct(&class, &Array::of1(&format.into())).ok().map(JsValue::unchecked_into)
}

fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &name.into()).ok()
}
