//! Makes the page work without network: [`register_soon`] registers a service worker (`public/offline.js`) that caches
//! the files and documents of this build.
//!
//! The service worker is registered once the visitor uses the page, after everything that the visitor waits for.
//! Browsers have no service workers on pages that came by plain http from another machine.

use std::sync::Once;
use std::time::Duration;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::model::visit;

/// Delay before the service worker is registered, so that the solver and the views of a result are downloaded first.
const REGISTRATION_DELAY: Duration = Duration::from_secs(3);

/// Message that tells the service worker that its cached documents are outdated.
const DOCUMENTS: &str = "documents";

/// Registers the service worker once, after a delay. If this fails, the page does not work without network.
pub fn register_soon() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| set_timeout(|| drop(register()), REGISTRATION_DELAY));
}

/// Makes the service worker fetch its documents again, because the visitor changed a setting that they depend on.
pub fn refresh_documents() {
    let controller = container().and_then(|container| Reflect::get(&container, &"controller".into()).ok());
    let Some(controller) = controller.filter(JsValue::is_object) else { return };
    let post = Reflect::get(&controller, &"postMessage".into()).and_then(|post| post.dyn_into::<Function>());
    if let Ok(post) = post {
        let _ = post.call1(&controller, &DOCUMENTS.into());
    }
}

/// Returns the browser's container of service workers, or `None` if this page has none.
fn container() -> Option<JsValue> {
    let navigator = web_sys::window()?.navigator();
    Reflect::get(&navigator, &"serviceWorker".into()).ok().filter(JsValue::is_object)
}

/// Registers the service worker. Its address contains the id of the build, so that another build gets another service
/// worker. Does nothing in embedded frames.
fn register() -> Result<(), JsValue> {
    let path = window().location().pathname()?;
    let Some((container, pkg)) = container().zip(super::pkg()).filter(|_| !visit::is_embed(&path)) else { return Ok(()) };
    let address = format!("/offline.js?build={}", pkg.trim_start_matches('/'));
    let register: Function = Reflect::get(&container, &"register".into())?.dyn_into()?;
    let registering: Promise = register.call1(&container, &address.into())?.dyn_into()?;
    spawn_local(async move {
        JsFuture::from(registering).await.ok();
    });
    Ok(())
}
