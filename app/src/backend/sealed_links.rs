//! Private links. [`store`] encrypts a comparison in this browser by AES-GCM, and only the link contains the key.
//! [`open`] fetches and decrypts it. [`store_bytes`] and [`open_bytes`] do so with any bytes. The server stores this:
//!
//! ```text
//! 1 | twelve random bytes | AES-GCM ciphertext of the comparison, with its tag
//! ```

use explain::wire::{CreatedLink, LinkLifetime};
use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Crypto, CryptoKey, SubtleCrypto};

use super::files;
use super::http::{self, HttpRequest, RequestBody};
use crate::model::form::{FormSide, FormState};
use crate::model::link::base64url;
use crate::model::link::seal::{self, SealedHead};
use crate::model::problem::Problem;
use crate::tr::t;

/// Version of the format, which is the first byte of an encrypted comparison.
const VERSION: u8 = 1;

/// Length of a key, in bytes.
const KEY: usize = 32;
/// Length of the random nonce, in bytes. The nonce makes two encryptions with the same key differ.
const NONCE: usize = 12;

/// Associated data of the encryption. With it, the decryption of a ciphertext that was made for another purpose fails.
const PURPOSE: &[u8] = b"editscope private link 1";

/// Returns whether this page can encrypt. Browsers allow encryption only on pages that came over a secure connection.
pub fn is_able() -> bool {
    crypto().is_some()
}

fn crypto() -> Option<(Crypto, SubtleCrypto)> {
    let crypto = web_sys::window()?.crypto().ok()?;
    let subtle = Reflect::get(&crypto, &"subtle".into()).ok().filter(JsValue::is_object)?;
    Some((crypto, subtle.unchecked_into()))
}

/// Encrypts the comparison in `form`, stores it on the server for `lifetime`, and returns the link to it. The address
/// of the link ends with the key.
pub async fn store(form: &FormState, lifetime: LinkLifetime) -> Result<CreatedLink, Problem> {
    let mut texts = [Vec::new(), Vec::new()];
    for (text, which) in texts.iter_mut().zip(FormSide::BOTH) {
        *text = files::bytes(form.side(which)).await?.to_vec();
    }
    let (stored, key) = store_bytes(&seal::write(form, &texts), lifetime).await?;
    let url = format!("{}#{key}", stored.url);
    Ok(CreatedLink { url, ..stored })
}

/// Encrypts `bytes`, and stores them on the server for `lifetime`. Returns the link to them without the key, and the key.
///
/// # Errors
/// Returns a problem if this browser cannot encrypt, if the server refuses the bytes, or if it cannot be reached.
pub async fn store_bytes(bytes: &[u8], lifetime: LinkLifetime) -> Result<(CreatedLink, String), Problem> {
    let key = random::<KEY>()?;
    let nonce = random::<NONCE>()?;
    let ciphertext = LinkCipher::new(&key, &nonce).await?.encrypt(bytes).await?;
    let mut sealed = vec![VERSION];
    sealed.extend(nonce);
    sealed.extend(ciphertext);
    let path = format!("/api/v1/sealed?lifetime={}", lifetime.name());
    let body = RequestBody::Raw(Uint8Array::from(&sealed[..]).into());
    let stored: CreatedLink =
        http::send_json(HttpRequest { method: "POST", path: &path, body, bearer: None, on_progress: None, upload: None }).await?;
    Ok((stored, base64url::encode(&key)))
}

/// Fetches and decrypts the comparison of the private link with this `id` and `key`. Returns the [`SealedHead`] (task,
/// options and names), and the contents of the texts `[a, b]`.
pub async fn open(id: &str, key: &str) -> Result<(SealedHead, [Vec<u8>; 2]), Problem> {
    seal::read(&open_bytes(id, key).await?).ok_or_else(Problem::newer_link)
}

/// Fetches and decrypts the bytes of the private link with this `id` and `key`.
///
/// # Errors
/// Returns a problem if the link does not exist or cannot be fetched, or if the key does not fit.
pub async fn open_bytes(id: &str, key: &str) -> Result<Vec<u8>, Problem> {
    // A link that does not exist is no fault of its key.
    let sealed = http::get_bytes(&format!("/api/v1/sealed/{id}")).await?.to_vec();
    let key = base64url::decode(key).filter(|key| key.len() == KEY).ok_or_else(wrong_key)?;
    let Some((&[VERSION], rest)) = sealed.split_first_chunk::<1>() else { return Err(Problem::newer_link()) };
    let (nonce, ciphertext) = rest.split_first_chunk::<NONCE>().ok_or_else(Problem::newer_link)?;
    LinkCipher::new(&key, nonce).await?.decrypt(ciphertext).await.map_err(|_| wrong_key())
}

fn random<const BYTES: usize>() -> Result<[u8; BYTES], Problem> {
    let mut bytes = [0; BYTES];
    let (crypto, _) = crypto().ok_or_else(unable)?;
    crypto.get_random_values_with_u8_array(&mut bytes).map_err(|_| unable())?;
    Ok(bytes)
}

/// The key, nonce and other parameters of one encryption.
struct LinkCipher {
    subtle: SubtleCrypto,
    key: CryptoKey,
    algorithm: Object,
}

impl LinkCipher {
    async fn new(key: &[u8], nonce: &[u8]) -> Result<Self, Problem> {
        let (_, subtle) = crypto().ok_or_else(unable)?;
        let uses = Array::of2(&"encrypt".into(), &"decrypt".into());
        let raw = Uint8Array::from(key);
        let imported = subtle.import_key_with_str("raw", &raw, "AES-GCM", false, &uses).map_err(|_| unable())?;
        let key = JsFuture::from(imported).await.map_err(|_| unable())?.unchecked_into();
        let how = Object::new();
        let fields: [(&str, JsValue); 3] =
            [("name", "AES-GCM".into()), ("iv", Uint8Array::from(nonce).into()), ("additionalData", Uint8Array::from(PURPOSE).into())];
        for (name, value) in fields {
            Reflect::set(&how, &name.into(), &value).map_err(|_| unable())?;
        }
        Ok(Self { subtle, key, algorithm: how })
    }

    async fn encrypt(&self, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        let promise = self.subtle.encrypt_with_object_and_u8_array(&self.algorithm, &self.key, bytes).map_err(|_| unable())?;
        Ok(to_vec(&JsFuture::from(promise).await.map_err(|_| unable())?))
    }

    async fn decrypt(&self, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        let promise = self.subtle.decrypt_with_object_and_u8_array(&self.algorithm, &self.key, bytes).map_err(|_| wrong_key())?;
        Ok(to_vec(&JsFuture::from(promise).await.map_err(|_| wrong_key())?))
    }
}

fn to_vec(buffer: &JsValue) -> Vec<u8> {
    Uint8Array::new(buffer).to_vec()
}

fn unable() -> Problem {
    Problem::new(
        "no-encryption",
        t("This browser does not encrypt here"),
        t("Private links need an https page. Ask the operator of this server."),
    )
}

fn wrong_key() -> Problem {
    Problem::new(
        "wrong-key",
        t("This key does not open it"),
        t("The part of the link after the # is missing or was changed. Ask the sender for the whole link."),
    )
}
