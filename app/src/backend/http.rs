//! HTTP requests to the server. [`send`] makes any request and reports its progress while it sends; [`get`] and
//! [`delete`] are shorthands.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;
use js_sys::{ArrayBuffer, Uint8Array};
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ProgressEvent, XmlHttpRequest, XmlHttpRequestResponseType};

use super::wire;
use crate::model::problem::Problem;

/// A request to the server.
pub struct HttpRequest<'a> {
    /// `GET`, `PUT`, `POST` or `DELETE`.
    pub method: &'a str,
    /// Path on this server.
    pub path: &'a str,
    pub body: RequestBody,
    /// Token that authorizes the request.
    pub bearer: Option<&'a str>,
    /// Callback that is called with the number of bytes sent so far.
    pub on_progress: Option<Rc<dyn Fn(u64)>>,
    /// Handle that can abort the request.
    pub upload: Option<UploadHandle>,
}

/// A handle that aborts the one request registered with it, such as an upload.
///
/// A handle without a request may be dropped by any thread. The server creates a handle with every page that it
/// renders, and drops it on whichever thread finishes the page.
#[derive(Clone, Default)]
pub struct UploadHandle(Arc<Mutex<UploadState>>);

#[derive(Default)]
struct UploadState {
    request: Option<SendWrapper<XmlHttpRequest>>,
    is_aborted: bool,
}

impl UploadHandle {
    /// Aborts the request that is under way. Requests registered with this handle afterwards are not sent.
    pub fn abort(&self) {
        let request = {
            let mut sending = self.sending();
            sending.is_aborted = true;
            sending.request.take()
        };
        if let Some(request) = request {
            let _ = request.abort();
        }
    }

    /// Registers a request that is about to be sent. Returns `false` if the handle was aborted already. The request
    /// must then not be sent.
    fn begin(&self, request: &XmlHttpRequest) -> bool {
        let mut sending = self.sending();
        sending.request = Some(SendWrapper::new(request.clone()));
        !sending.is_aborted
    }

    fn end(&self) {
        self.sending().request = None;
    }

    fn sending(&self) -> MutexGuard<'_, UploadState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a request.
pub enum RequestBody {
    Empty,
    /// JSON text.
    Json(String),
    /// Bytes, as a blob or a typed array.
    Raw(JsValue),
}

/// Sends a request and returns the body of the response. Returns a problem if the status of the response is not a
/// success.
pub async fn send(request: HttpRequest<'_>) -> Result<Vec<u8>, Problem> {
    let unreachable = |_: JsValue| Problem::unreachable();
    let xhr = XmlHttpRequest::new().map_err(unreachable)?;
    xhr.open(request.method, request.path).map_err(unreachable)?;
    xhr.set_response_type(XmlHttpRequestResponseType::Arraybuffer);
    if let Some(token) = request.bearer {
        xhr.set_request_header("Authorization", &format!("Bearer {token}")).map_err(unreachable)?;
    }
    let (done, ended) = oneshot::channel::<()>();
    let done = RefCell::new(Some(done));
    let on_end = Closure::<dyn Fn()>::new(move || {
        if let Some(done) = done.take() {
            let _ = done.send(());
        }
    });
    xhr.set_onloadend(Some(on_end.as_ref().unchecked_ref()));
    let on_progress =
        request.on_progress.map(|sent| Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| sent(event.loaded() as u64)));
    if let (Some(on_progress), Ok(upload)) = (&on_progress, xhr.upload()) {
        upload.set_onprogress(Some(on_progress.as_ref().unchecked_ref()));
    }
    if request.upload.as_ref().is_some_and(|upload| !upload.begin(&xhr)) {
        return Err(Problem::unreachable());
    }
    match &request.body {
        RequestBody::Empty => xhr.send(),
        RequestBody::Json(text) => {
            xhr.set_request_header("Content-Type", "application/json").and_then(|()| xhr.send_with_opt_str(Some(text)))
        }
        RequestBody::Raw(raw) => {
            xhr.set_request_header("Content-Type", "application/octet-stream").and_then(|()| match raw.dyn_ref::<web_sys::Blob>() {
                Some(blob) => xhr.send_with_opt_blob(Some(blob)),
                None => xhr.send_with_opt_js_u8_array(raw.dyn_ref::<Uint8Array>()),
            })
        }
    }
    .map_err(unreachable)?;
    let _ = ended.await;
    if let Some(upload) = &request.upload {
        upload.end();
    }
    let status = xhr.status().unwrap_or(0);
    let body = xhr.response().ok().and_then(|body| body.dyn_into::<ArrayBuffer>().ok()).map(|body| Uint8Array::new(&body).to_vec());
    let body = body.unwrap_or_default();
    match status {
        200..300 => Ok(body),
        _ if body.is_empty() => Err(Problem::of_status(status)),
        _ => Err(wire::refusal(status, body).await.unwrap_or_else(|_| Problem::of_status(status))),
    }
}

/// Sends a request and parses the body of the response as JSON.
pub async fn send_json<T: DeserializeOwned>(request: HttpRequest<'_>) -> Result<T, Problem> {
    parse(&send(request).await?)
}

/// Parses the body of a response as JSON.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|_| Problem::not_understood())
}

/// Fetches `path` from this server and parses the response as JSON.
pub async fn get<T: DeserializeOwned>(path: &str) -> Result<T, Problem> {
    send_json(HttpRequest { method: "GET", path, body: RequestBody::Empty, bearer: None, on_progress: None, upload: None }).await
}

/// Fetches `path` from this server and returns the body of the response.
pub async fn get_bytes(path: &str) -> Result<Uint8Array, Problem> {
    let bytes = send(HttpRequest { method: "GET", path, body: RequestBody::Empty, bearer: None, on_progress: None, upload: None }).await?;
    Ok(Uint8Array::from(&bytes[..]))
}

/// Deletes the resource at `path` on this server. `bearer` is the deletion token that the creator of the resource
/// received.
pub async fn delete(path: &str, bearer: Option<&str>) -> Result<(), Problem> {
    send(HttpRequest { method: "DELETE", path, body: RequestBody::Empty, bearer, on_progress: None, upload: None }).await.map(|_| ())
}
