//! Texts: `PUT /api/v1/texts` ([`upload`]) and the deletion of uploads ([`remove`]). An upload is decompressed and
//! written to disk while it arrives, so that it is never in memory as a whole.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State as In;
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use explain::wire::StoredUpload;
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;
use tokio_util::io::StreamReader;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::unpack::{self, OpenedText, UnpackMode, UploadReader, UploadRefusal};
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::clients::tokens;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::storage::ports::files::{BoxedFileWriter, ContentHash};
use crate::storage::ports::rows::DeleteOutcome;
use crate::store::UploadContent;
use crate::store::row_quota::ROW_OVERHEAD_BYTES;

/// Number of bytes of a text that are collected before they are written to disk.
const UPLOAD_PIECE_BYTES: usize = 1 << 20;

/// Maximum time between two parts of an upload, after which the upload is aborted.
const UPLOAD_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Query of an upload: `?unpack=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// `never`: store a compressed file as it is. Default: `auto`, which decompresses gzip and Zstandard files.
    #[param(value_type = Option<String>, pattern = "^(auto|never)$")]
    #[serde(default)]
    unpack: UnpackMode,
}

/// Handles `PUT /api/v1/texts`: stores the body as an uploaded text. An empty body is an empty text.
pub async fn upload(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    QueryParams(asked): QueryParams<UploadQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<StoredUpload>), ApiProblem> {
    if headers.contains_key(header::CONTENT_RANGE) {
        let detail = "Content-Range is not supported: an upload is a whole text. Send all of it in one request.";
        return Err(ApiProblem::new(ProblemKind::Malformed, detail));
    }
    let limit = state.config.max_upload_bytes;
    let coding = unpack::of_request(&headers)?;
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > limit) {
        return Err(too_large(limit, announced));
    }
    // Refuses a client that has used up its budget before the transfer, and not in the middle of it.
    [BudgetCost::Bytes, BudgetCost::Stored].into_iter().try_for_each(|cost| state.budgets.check(client, cost(announced.unwrap_or(1))))?;
    let received = async {
        let OpenedText { reader, unpacked_from, ignored } =
            unpack::open(incoming(body, limit), coding, asked.unpack, &state.windows, client).await?;
        let (hash, bytes) = receive(&state, client, reader, limit).await?;
        Ok::<_, UploadError>((hash, bytes, unpacked_from, ignored.load(Ordering::Relaxed)))
    };
    state.store.check_row_quota()?;
    state.budgets.charge(client, BudgetCost::Stored(ROW_OVERHEAD_BYTES))?;
    let (hash, bytes, unpacked_from, ignored_bytes) = received.await.map_err(|stopped| stopped.problem(limit))?;
    let id = Id::random();
    let expires_at = state.store.clock.seconds() + state.config.upload_keep_seconds;
    let delete_token = tokens::random();
    state.store.add_text(id, UploadContent { hash, bytes }, expires_at, Some(tokens::hash(&delete_token))).get().await?;
    Ok((StatusCode::CREATED, Json(StoredUpload { id: id.to_string(), delete_token, expires_at, bytes, unpacked_from, ignored_bytes })))
}

/// Handles `DELETE /api/v1/texts/{id}`: deletes an upload if the request has its token. The text itself stays as long
/// as jobs and links use it.
pub async fn remove(In(state): In<ServerState>, PathParams(id): PathParams<Id>, headers: HeaderMap) -> Result<StatusCode, ApiProblem> {
    let owner = tokens::bearer_hash(&headers).ok_or_else(|| tokens::forbidden("An upload"))?;
    match state.store.delete_upload(id, owner).get().await? {
        DeleteOutcome::Gone => Ok(StatusCode::NO_CONTENT),
        DeleteOutcome::NotOwner => Err(tokens::forbidden("An upload")),
        DeleteOutcome::Never => Err(ApiProblem::new(ProblemKind::NotFound, "This upload does not exist or has expired.")),
    }
}

/// The reason why an upload was not stored.
enum UploadError {
    /// The transfer broke off or is larger than the limit, or its bytes cannot be decompressed or are no plain text.
    Reading(io::Error),
    /// The decompressed text is larger than the limit.
    TooLarge,
    /// The text could not be stored, or the client has used up a budget.
    Keeping(ApiProblem),
}

impl From<io::Error> for UploadError {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

impl UploadError {
    fn problem(self, limit: u64) -> ApiProblem {
        match self {
            Self::Keeping(problem) => problem,
            Self::TooLarge => too_large(limit, None),
            Self::Reading(error) if error.kind() == io::ErrorKind::FileTooLarge => too_large(limit, None),
            Self::Reading(error) => UploadRefusal::from_io_error(&error).map_or_else(broken_off, UploadRefusal::problem),
        }
    }
}

/// Returns a reader of `body`. Reading fails with `ConnectionAborted` if the body ends too early or stalls, and with
/// `FileTooLarge` after `limit` bytes. The limit is for the transferred bytes, which may be compressed.
fn incoming(body: Body, limit: u64) -> UploadReader {
    let pieces = stream::unfold((body.into_data_stream(), 0), move |(mut body, mut bytes)| async move {
        let piece = match timeout(UPLOAD_IDLE_TIMEOUT, body.next()).await {
            Ok(None) => return None,
            Ok(Some(Ok(piece))) => {
                bytes += piece.len() as u64;
                if bytes > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(piece) }
            }
            Ok(Some(Err(_))) | Err(_) => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
        };
        Some((piece, (body, bytes)))
    });
    Box::new(StreamReader::new(Box::pin(pieces)))
}

async fn receive(
    state: &ServerState,
    client: ClientIdentity,
    mut text: UploadReader,
    limit: u64,
) -> Result<(ContentHash, u64), UploadError> {
    let files = state.store.files.clone();
    let mut file = on_disk(move || files.create()).await?;
    let mut bytes = 0u64;
    loop {
        let mut piece = Vec::new();
        let read = (&mut text).take(UPLOAD_PIECE_BYTES as u64).read_to_end(&mut piece).await?;
        bytes += read as u64;
        if bytes > limit {
            return Err(UploadError::TooLarge);
        }
        for cost in [BudgetCost::Bytes(read as u64), BudgetCost::Stored(read as u64)] {
            state.budgets.charge(client, cost).map_err(UploadError::Keeping)?;
        }
        if read == 0 {
            return Ok((on_disk(move || file.finish()).await?, bytes));
        }
        file = append(file, piece).await?;
    }
}

async fn append(mut file: BoxedFileWriter, piece: Vec<u8>) -> Result<BoxedFileWriter, UploadError> {
    on_disk(move || file.write(&piece).map(|()| file)).await
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, UploadError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|panic| UploadError::Keeping(ApiProblem::internal(panic)))?;
    done.map_err(|error| UploadError::Keeping(ApiProblem::disk_failure(error)))
}

fn broken_off() -> ApiProblem {
    ApiProblem::new(ProblemKind::Malformed, "The upload ended too early. Send it again.")
}

fn too_large(limit: u64, got: Option<u64>) -> ApiProblem {
    let limit_in_words = kernels::humanize::grouped(limit);
    ApiProblem::new(
        ProblemKind::UploadTooLarge,
        format!("An upload may have at most {limit_in_words} bytes here, counted after it is unpacked. Send a shorter text."),
    )
    .limit(limit, got)
}
