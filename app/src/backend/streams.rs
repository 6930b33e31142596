//! The browser's own compression, `CompressionStream` and `DecompressionStream`. [`LimitedOutput`] checks the size of
//! the output as it arrives, so that a small file with large content does not fill the memory.

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader, ReadableWritablePair};

/// The reason why a stream failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// This browser does not support the stream or its format.
    Unable,
    /// The input is not in the format of the stream.
    Damaged,
    /// The output exceeds the limit.
    TooLarge,
}

/// The output of browser streams, collected up to a maximum size.
pub struct LimitedOutput {
    parts: Array,
    remaining_bytes: u64,
}

impl LimitedOutput {
    /// Creates an empty collector that accepts at most `most` bytes.
    pub fn new(most: u64) -> Self {
        Self { parts: Array::new(), remaining_bytes: most }
    }

    /// Sends `bytes` through a browser stream of this `class` (`CompressionStream` or `DecompressionStream`) and
    /// `format`, and appends the stream's output.
    ///
    /// # Errors
    /// Returns an error if the browser does not support the format, if `bytes` is damaged, or if the output exceeds the
    /// limit.
    pub async fn take(&mut self, bytes: &Blob, class: &str, format: &str) -> Result<(), StreamError> {
        let stream = bytes.stream().pipe_through(&new_stream(class, format).ok_or(StreamError::Unable)?);
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        loop {
            let got = JsFuture::from(reader.read()).await.map_err(|_| StreamError::Damaged)?;
            let Some(piece) = property(&got, "value").and_then(|value| value.dyn_into::<Uint8Array>().ok()) else { return Ok(()) };
            if let Err(broken) = self.put(&piece) {
                // The rest of the stream is not needed.
                drop(reader.cancel());
                return Err(broken);
            }
        }
    }

    /// Appends the bytes `piece` to the output.
    ///
    /// # Errors
    /// Returns an error if the output would exceed the limit.
    pub fn put(&mut self, piece: &Uint8Array) -> Result<(), StreamError> {
        self.remaining_bytes = self.remaining_bytes.checked_sub(piece.length().into()).ok_or(StreamError::TooLarge)?;
        self.parts.push(piece);
        Ok(())
    }

    /// Returns all output as a blob.
    pub fn blob(self) -> Result<Blob, JsValue> {
        Blob::new_with_u8_array_sequence(&self.parts)
    }
}

/// Creates a browser stream of this `class` and `format`. Returns `None` if the browser does not support it.
fn new_stream(class: &str, format: &str) -> Option<ReadableWritablePair> {
    let class: Function = property(&js_sys::global(), class)?.dyn_into().ok()?;
    Reflect::construct(&class, &Array::of1(&format.into())).ok().map(JsValue::unchecked_into)
}

fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &name.into()).ok()
}
