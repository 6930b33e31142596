//! Files that one page of this site hands over to another ([`leave`], [`find`]). They stay in a database of this browser until
//! the other page has read them ([`remove`]).
//!
//! The database is called by names, because bindings of its types would be part of the first download.

use js_sys::{Array, Date, Function, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::files::archive::PathFile;

const DATABASE: &str = "editscope-files";

const STORE: &str = "files";

/// Time after which files that no page has read are removed, in milliseconds.
const MAX_AGE_MS: f64 = 3_600_000.0;

/// Stores files for another page. Returns the key with which that page finds them, or `None` if this browser cannot store
/// them.
pub async fn leave(files: &[PathFile]) -> Option<String> {
    let value: Array = files.iter().flat_map(|file| [JsValue::from(&file.path), file.content.clone().into()]).collect();
    let key = Date::now();
    store(value.into(), key).await.ok().map(|()| key.to_string())
}

/// Returns the files that were stored with `key`. Returns none if they were removed before.
pub async fn find(key: &str) -> Vec<PathFile> {
    let Ok(key) = key.parse() else { return Vec::new() };
    let parts: Vec<JsValue> = load(key).await.map(|value| Array::from(&value).to_vec()).unwrap_or_default();
    let (pairs, _) = parts.as_chunks::<2>();
    let file =
        |[path, content]: &[JsValue; 2]| Some(PathFile { path: path.as_string()?, content: content.clone().dyn_into::<Blob>().ok()? });
    pairs.iter().filter_map(file).collect()
}

/// Removes the files that were stored with `key`.
pub async fn remove(key: &str) {
    let Ok(key) = key.parse::<f64>() else { return };
    // Files that cannot be removed now are removed later, because they are too old.
    let _ = delete(&key.into()).await;
}

async fn store(value: JsValue, key: f64) -> Result<(), JsValue> {
    let [transaction, store] = open().await?;
    call(&store, "put", &[&value, &key.into()])?;
    end_of(&transaction).await
}

async fn load(key: f64) -> Result<JsValue, JsValue> {
    let [transaction, store] = open().await?;
    let request = call(&store, "get", &[&key.into()])?;
    end_of(&transaction).await?;
    let value = Reflect::get(&request, &"result".into())?;
    if value.is_undefined() { Err(value) } else { Ok(value) }
}

async fn delete(keys: &JsValue) -> Result<(), JsValue> {
    let [transaction, store] = open().await?;
    call(&store, "delete", &[keys])?;
    end_of(&transaction).await
}

/// Returns a new transaction of the database, and its store without files that are too old.
async fn open() -> Result<[JsValue; 2], JsValue> {
    let factory = Reflect::get(&js_sys::global(), &"indexedDB".into())?;
    let request = call(&factory, "open", &[&DATABASE.into()])?;
    let event = event_of(&request, &["onupgradeneeded", "onsuccess"]).await?;
    let database = Reflect::get(&request, &"result".into())?;
    // The first use of the database creates the store, before the event of success.
    if Reflect::get(&event, &"type".into())? == "upgradeneeded" {
        call(&database, "createObjectStore", &[&STORE.into()])?;
        event_of(&request, &["onsuccess"]).await?;
    }
    let transaction = call(&database, "transaction", &[&STORE.into(), &"readwrite".into()])?;
    let store = call(&transaction, "objectStore", &[&STORE.into()])?;
    let range = Reflect::get(&js_sys::global(), &"IDBKeyRange".into())?;
    call(&store, "delete", &[&call(&range, "upperBound", &[&(Date::now() - MAX_AGE_MS).into()])?])?;
    Ok([transaction, store])
}

async fn end_of(transaction: &JsValue) -> Result<(), JsValue> {
    event_of(transaction, &["oncomplete"]).await.map(drop)
}

/// Waits for the first of some events.
///
/// # Errors
/// Returns the event of an error or of an abort if it comes before.
async fn event_of(target: &JsValue, names: &[&str]) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        for name in names {
            let _ = Reflect::set(target, &(*name).into(), &resolve);
        }
        for name in ["onerror", "onabort"] {
            let _ = Reflect::set(target, &name.into(), &reject);
        }
    });
    JsFuture::from(promise).await
}

/// Calls a method with one argument or two.
fn call(object: &JsValue, method: &str, arguments: &[&JsValue]) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(object, &method.into())?.dyn_into()?;
    match arguments {
        [first, second] => method.call2(object, first, second),
        arguments => method.call1(object, arguments.first().unwrap_or(&&JsValue::UNDEFINED)),
    }
}
