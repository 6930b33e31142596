//! The page without network: a service worker (`public/offline.js`) that keeps this build's files and documents. It is registered when
//! somebody uses the page, after what they wait for; browsers have none on pages that came by plain http from another machine.

use std::sync::Once;
use std::time::Duration;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::model::visit;

/// How long the solver and the views of a result have the network to themselves.
const LATER: Duration = Duration::from_secs(3);

/// What the worker is told when documents look different from now on.
const DOCUMENTS: &str = "documents";

/// Has the page kept, once, in a while. Where that fails, it needs the network as before.
pub fn keep() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| set_timeout(|| drop(register()), LATER));
}

/// The visitor has chosen something that the server's documents show: those that are kept are fetched again.
pub fn renew() {
    let controller = container().and_then(|container| Reflect::get(&container, &"controller".into()).ok());
    let Some(controller) = controller.filter(JsValue::is_object) else { return };
    let post = Reflect::get(&controller, &"postMessage".into()).and_then(|post| post.dyn_into::<Function>());
    if let Ok(post) = post {
        let _ = post.call1(&controller, &DOCUMENTS.into());
    }
}

/// Where service workers are registered. Not every page has one.
fn container() -> Option<JsValue> {
    let navigator = web_sys::window()?.navigator();
    Reflect::get(&navigator, &"serviceWorker".into()).ok().filter(JsValue::is_object)
}

/// The build is in the address: another build is another worker. A frame of somebody's page is not kept.
fn register() -> Result<(), JsValue> {
    let path = window().location().pathname()?;
    let Some((container, pkg)) = container().zip(super::document::pkg()).filter(|_| !visit::is_embed(&path)) else { return Ok(()) };
    let address = format!("/offline.js?build={}", pkg.trim_start_matches('/'));
    let register: Function = Reflect::get(&container, &"register".into())?.dyn_into()?;
    let registering: Promise = register.call1(&container, &address.into())?.dyn_into()?;
    spawn_local(async move {
        JsFuture::from(registering).await.ok();
    });
    Ok(())
}
