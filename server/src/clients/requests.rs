//! Requests that a client repeats ([`RequestMemory`]): two requests with the same idempotency key start only one job,
//! and a job that was answered recently is not solved again.
//!
//! Requests are remembered per client. Otherwise a fast answer would reveal that another client has compared the same
//! texts. They are remembered as long as a result is stored, in rows that are written together with the job. The rows
//! hold keyed hashes that only this server can compute ([`SecretKey`](crate::store::secret::SecretKey)), so that no row
//! reveals a client or its question.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kernels::job::{JobOptions, RecordChoice, Task};
use tokio::sync::OnceCell;

use crate::cache::SyncCache;
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::RequestRow;
use crate::store::Store;

/// Maximum number of cached requests with idempotency keys. They take about 20 MB.
const MAX_CACHED_REQUESTS: u64 = 1 << 16;

/// Maximum length of an idempotency key that a client chooses, in bytes.
const MAX_KEY_BYTES: usize = 255;

/// The memory of earlier requests. All of them are in the store, and recent ones with idempotency keys also in a cache.
#[derive(Clone, Debug)]
pub struct RequestMemory {
    store: Store,
    config: Arc<Config>,
    /// Recent requests with idempotency keys, by keyed hashes of client and key. A request with the same key waits for
    /// the first one.
    keyed: SyncCache<ContentHash, IdempotentRequest>,
}

/// A request with an idempotency key: a client may send the request again with this key to get the same job.
#[derive(Debug)]
pub struct IdempotentRequest {
    /// Token that permits the deletion of the job. A repeated request gets the same token, because the client may not
    /// have received the first answer.
    pub delete_token: String,
    name: ContentHash,
    body_hash: ContentHash,
    job: OnceCell<Id>,
}

/// The part of a request that determines the answer of its job. The engine is not included, because all engines give
/// exact answers.
#[derive(Clone, Debug)]
pub struct RequestFingerprint {
    pub task: Task,
    pub options: JobOptions,
    /// Hashes of the files with the two texts.
    pub texts: [ContentHash; 2],
    /// The selected record of each text, if the text is a file of records.
    pub choices: [RecordChoice; 2],
}

impl RequestMemory {
    /// Creates the memory of requests with its rows in `store`. `config` has the time for which results and requests
    /// are kept.
    pub fn new(store: Store, config: Arc<Config>) -> Self {
        let kept = Duration::from_secs(config.job_keep_seconds);
        Self { store, config, keyed: SyncCache::of_count(MAX_CACHED_REQUESTS, kept) }
    }

    /// Returns the request of `client` with the idempotency key `key` from the cache, or adds it to the cache. `body`
    /// is the body of the request.
    ///
    /// # Errors
    /// Returns `Malformed` if the key is invalid, and `KeyReused` if the client recently used the key with another
    /// body.
    pub fn find_or_add_keyed(&self, client: ClientIdentity, key: &[u8], body: &[u8]) -> Result<Arc<IdempotentRequest>, ApiProblem> {
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(ApiProblem::new(ProblemKind::Malformed, format!("An Idempotency-Key must have 1 to {MAX_KEY_BYTES} bytes.")));
        }
        let (secret, client) = (&self.store.secret, client.identity(&self.config));
        let (name, said) = (secret.hash(&[b"key", &client, key]), secret.hash(&[b"body", body]));
        let delete_token = secret.hash(&[b"delete", &client, key, body]).to_string();
        let keyed = self.keyed.get_or_make::<ApiProblem>(&name, || {
            Ok(Arc::new(IdempotentRequest { delete_token, name, body_hash: said, job: OnceCell::new() }))
        })?;
        if keyed.body_hash == said { Ok(keyed) } else { Err(reused()) }
    }

    /// Returns the id of the job of the request `keyed`. If there is no job yet, the first caller starts it with
    /// `start`, and concurrent callers with the same key wait. If `start` fails, the next caller tries.
    ///
    /// # Errors
    /// Returns the error of `start` or of the store, or `KeyReused` if the client used the key with another body.
    pub async fn job(&self, keyed: &IdempotentRequest, start: impl Future<Output = Result<Id, ApiProblem>>) -> Result<Id, ApiProblem> {
        let job = keyed.job.get_or_try_init(|| async move {
            match self.store.request(keyed.name).get().await? {
                Some((before, _)) if before.body_hash != Some(keyed.body_hash) => Err(reused()),
                Some((_, job)) => Ok(job),
                None => start.await,
            }
        });
        job.await.copied()
    }

    /// Returns the id of the job that recently answered the request `question` of `client`, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn answered_job(&self, client: ClientIdentity, question: &RequestFingerprint) -> Result<Option<Id>, ApiProblem> {
        let found = self.store.request(self.name(client, question)?).get().await?;
        Ok(found.map(|(_, job)| job))
    }

    /// Creates the database row with which a later identical request of `client` finds the job. `question` is the
    /// request.
    ///
    /// # Errors
    /// Returns an error if the request cannot be serialized, which no client can cause.
    pub fn row(&self, client: ClientIdentity, question: &RequestFingerprint) -> Result<RequestRow, ApiProblem> {
        Ok(RequestRow { name: self.name(client, question)?, body_hash: None, expires_at: self.expires_at() })
    }

    /// Creates the database row with which a later request with the same idempotency key finds the job. `keyed` is the
    /// request.
    pub fn row_of_key(&self, keyed: &IdempotentRequest) -> RequestRow {
        RequestRow { name: keyed.name, body_hash: Some(keyed.body_hash), expires_at: self.expires_at() }
    }

    fn expires_at(&self) -> u64 {
        self.store.clock.seconds() + self.config.job_keep_seconds
    }

    /// Returns the keyed hash of `client` and its request `question`, which is the name of the request's row.
    fn name(&self, client: ClientIdentity, question: &RequestFingerprint) -> Result<ContentHash, ApiProblem> {
        let RequestFingerprint { task, options, texts, choices: [a, b] } = question;
        let asked = serde_json::to_vec(&(task, options, texts, a, b)).map_err(ApiProblem::internal)?;
        Ok(self.store.secret.hash(&[b"question", &client.identity(&self.config), &asked]))
    }
}

fn reused() -> ApiProblem {
    ApiProblem::new(ProblemKind::KeyReused, "This Idempotency-Key was already used for another request. Use a new key.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::class::ClassTokens;
    use crate::storage::ports::rows::JobRow;

    const ONE: ClientIdentity = ClientIdentity::Class(0);
    const OTHER: ClientIdentity = ClientIdentity::Class(1);

    async fn requests(folder: &std::path::Path, classes: &[&str]) -> RequestMemory {
        let config = Config { data: folder.to_owned(), class_tokens: ClassTokens::from_tokens(classes), ..Config::read(|_| None).unwrap() };
        RequestMemory::new(Store::open(&config).await.unwrap(), Arc::new(config))
    }

    async fn put(requests: &RequestMemory, job: Id, row: RequestRow) {
        let row = JobRow { body: "{}".into(), files: vec![], attempt: 0, ended_until: None, owner: None, requests: vec![row] };
        requests.store.put_job(job, row).get().await.unwrap();
    }

    #[tokio::test]
    async fn idempotency_key_starts_one_job_per_client() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, third] = [(); 3].map(|()| Id::random());
        let start = async |requests: &RequestMemory, client, job| {
            let keyed = requests.find_or_add_keyed(client, b"key", b"body").unwrap();
            let started = async {
                put(requests, job, requests.row_of_key(&keyed)).await;
                Ok(job)
            };
            (requests.job(&keyed, started).await.unwrap(), keyed.delete_token.clone())
        };
        let before = requests(folder.path(), &["one class", "other class"]).await;
        let (job, token) = start(&before, ONE, first).await;
        assert_eq!((job, start(&before, ONE, second).await), (first, (first, token.clone())));
        let (job, others) = start(&before, OTHER, third).await;
        assert!(job == third && others != token);
        assert_eq!(before.find_or_add_keyed(ONE, b"key", b"another body").unwrap_err().kind, ProblemKind::KeyReused);
        for key in [&b""[..], &[b'x'; 256]] {
            assert_eq!(before.find_or_add_keyed(ONE, key, b"body").unwrap_err().kind, ProblemKind::Malformed);
        }
        let failed = before.find_or_add_keyed(ONE, b"another", b"body").unwrap();
        assert!(before.job(&failed, async { Err(ApiProblem::not_found("text")) }).await.is_err());
        assert_eq!(before.job(&failed, async { Ok(second) }).await.unwrap(), second, "a request may be repeated after a refusal");

        // In the next process the same class has another number.
        drop(before);
        let after = requests(folder.path(), &["new class", "one class"]).await;
        assert_eq!(start(&after, ClientIdentity::Class(1), second).await, (first, token));
        assert_eq!(start(&after, ONE, second).await.0, second, "requests of other clients stay hidden");
    }

    #[tokio::test]
    async fn key_with_another_body_is_refused_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let before = requests(folder.path(), &[]).await;
        let keyed = before.find_or_add_keyed(ClientIdentity::Local, b"key", b"body").unwrap();
        put(&before, Id::random(), before.row_of_key(&keyed)).await;
        drop(before);
        let after = requests(folder.path(), &[]).await;
        let other = after.find_or_add_keyed(ClientIdentity::Local, b"key", b"another body").unwrap();
        assert_eq!(after.job(&other, async { Ok(Id::random()) }).await.unwrap_err().kind, ProblemKind::KeyReused);
    }

    #[tokio::test]
    async fn stored_answer_is_reused_only_for_the_same_request() {
        let folder = tempfile::tempdir().unwrap();
        let requests = requests(folder.path(), &["one class", "other class"]).await;
        let [a, b] = [ContentHash::from_content(b"a"), ContentHash::from_content(b"b")];
        let asked = RequestFingerprint { task: Task::Lcs, options: JobOptions::DEFAULT, texts: [a, b], choices: Default::default() };
        let job = Id::random();
        put(&requests, job, requests.row(ONE, &asked).unwrap()).await;
        assert_eq!(requests.answered_job(ONE, &asked).await.unwrap(), Some(job));
        assert_eq!(requests.answered_job(OTHER, &asked).await.unwrap(), None, "requests of other clients stay hidden");
        let others = [
            RequestFingerprint { task: Task::EditDistance, ..asked.clone() },
            RequestFingerprint { options: JobOptions { alignment: false, ..asked.options.clone() }, ..asked.clone() },
            RequestFingerprint { texts: [b, a], ..asked.clone() },
            RequestFingerprint {
                choices: [RecordChoice { joined: true, ..RecordChoice::default() }, RecordChoice::default()],
                ..asked.clone()
            },
        ];
        for other in others {
            assert_eq!(requests.answered_job(ONE, &other).await.unwrap(), None, "{other:?}");
        }
    }
}
