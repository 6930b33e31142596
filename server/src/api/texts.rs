//! `PUT /api/v1/texts`: a text goes to disk as it comes in, never whole into memory.

use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State as In;
use axum::http::{HeaderMap, StatusCode, header};
use futures::StreamExt as _;
use serde::Serialize;
use tokio::time::timeout;

use crate::State;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::store::Upload;
use crate::store::blobs::{Hash, Unfinished};
use crate::time::now;

/// Bytes that are collected before they go to disk.
const PIECE: usize = 1 << 20;

/// An upload that sends nothing for so long has broken off.
const SILENCE: Duration = Duration::from_secs(60);

/// An upload that was stored.
#[derive(Debug, Serialize)]
pub struct Uploaded {
    id: Id,
    bytes: u64,
}

/// Stores the body; an empty one is an empty text.
pub async fn upload(In(state): In<State>, headers: HeaderMap, body: Body) -> Result<(StatusCode, Json<Uploaded>), Problem> {
    let limit = state.config.max_upload_bytes;
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > limit) {
        return Err(too_large(limit, announced));
    }
    let (hash, bytes) = receive(&state, body, limit).await?;
    let id = Id::random();
    let expires_at = now() + state.config.upload_keep_seconds;
    state.store.add_text(id, Upload { hash, bytes }, expires_at).get().await.map_err(Problem::internal)?;
    Ok((StatusCode::CREATED, Json(Uploaded { id, bytes })))
}

async fn receive(state: &State, body: Body, limit: u64) -> Result<(Hash, u64), Problem> {
    let blobs = state.store.blobs.clone();
    let mut file = on_disk(move || blobs.create()).await?;
    let mut stream = body.into_data_stream();
    let (mut bytes, mut piece) = (0u64, Vec::new());
    while let Some(chunk) = timeout(SILENCE, stream.next()).await.map_err(|_| broken_off())? {
        let chunk: Bytes = chunk.map_err(|_| broken_off())?;
        bytes += chunk.len() as u64;
        if bytes > limit {
            return Err(too_large(limit, None));
        }
        piece.extend_from_slice(&chunk);
        if piece.len() >= PIECE {
            file = append(file, std::mem::take(&mut piece)).await?;
        }
    }
    file = append(file, piece).await?;
    Ok((on_disk(move || file.finish()).await?, bytes))
}

async fn append(mut file: Unfinished, piece: Vec<u8>) -> Result<Unfinished, Problem> {
    on_disk(move || file.write(&piece).map(|()| file)).await
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?.map_err(Problem::disk)
}

fn broken_off() -> Problem {
    Problem::new(Kind::Malformed, "The upload broke off before its end. Send it again.")
}

fn too_large(limit: u64, got: Option<u64>) -> Problem {
    let limit_in_words = kernels::words::grouped(limit);
    Problem::new(Kind::UploadTooLarge, format!("An upload may have at most {limit_in_words} bytes here. Send a shorter text."))
        .limit(limit, got)
}
