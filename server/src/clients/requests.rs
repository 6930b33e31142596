//! Requests that came before: one that is sent twice with the same key starts one job, and a job that was answered lately is not solved again.
//!
//! Both are remembered of each client for itself. Whether somebody else has compared the same texts is nobody's business, and an answer that
//! comes too soon would tell it. They are remembered as long as a result is kept, and not beyond the process, which costs a job solved twice.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kernels::job::{Choice, Options, Task};
use moka::sync::Cache;
use tokio::sync::OnceCell;

use super::Client;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::ports::files::Hash;

/// Requests that are remembered, of either kind: some 20 MB.
const MOST: u64 = 1 << 16;

/// Bytes of a key.
const LONGEST_KEY: usize = 255;

/// Requests that came before.
#[derive(Clone, Debug)]
pub struct Requests {
    keys: Cache<(Client, Hash), Arc<Keyed>>,
    answers: Cache<(Client, Hash), Id>,
}

/// A request that was sent with a key.
#[derive(Debug)]
pub struct Keyed {
    body: Hash,
    job: OnceCell<Started>,
}

/// A job that a request has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// Which.
    pub id: Id,
    /// What deletes it: whoever sends the request again has not seen it yet.
    pub delete_token: String,
}

/// What a job asks, with everything that its answer depends on. Which engine solves it is not among that: answers are exact.
#[derive(Clone, Debug)]
pub struct Question {
    /// What to compute.
    pub task: Task,
    /// How.
    pub options: Options,
    /// The texts,
    pub texts: [Hash; 2],
    /// and which records of them.
    pub choices: [Choice; 2],
}

impl Question {
    /// The same for the same question.
    fn hash(&self) -> Result<Hash, Problem> {
        let [a, b] = &self.choices;
        let text = serde_json::to_vec(&(self.task, self.options, self.texts, a, b)).map_err(Problem::internal)?;
        Ok(Hash::of(&text))
    }
}

impl Requests {
    /// None yet; they are remembered for so many seconds.
    pub fn new(seconds: u64) -> Self {
        let kept = Duration::from_secs(seconds);
        Self {
            keys: Cache::builder().max_capacity(MOST).time_to_live(kept).build(),
            answers: Cache::builder().max_capacity(MOST).time_to_live(kept).build(),
        }
    }

    /// The request of this client with this key, of which this is the body.
    ///
    /// # Errors
    /// `Malformed` for a key that is none; `KeyReused` when another body came with it.
    pub fn keyed(&self, client: Client, key: &[u8], body: &[u8]) -> Result<Arc<Keyed>, Problem> {
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Err(Problem::new(Kind::Malformed, format!("An Idempotency-Key has between 1 and {LONGEST_KEY} bytes.")));
        }
        let body = Hash::of(body);
        let keyed = self.keys.get_with((client, Hash::of(key)), || Arc::new(Keyed { body, job: OnceCell::new() }));
        if keyed.body == body {
            return Ok(keyed);
        }
        Err(Problem::new(Kind::KeyReused, "Another job was sent with this Idempotency-Key. Send this one with a key of its own."))
    }

    /// The job that answered this question of this client lately.
    ///
    /// # Errors
    /// None that is a client's.
    pub fn answered(&self, client: Client, question: &Question) -> Result<Option<Id>, Problem> {
        Ok(self.answers.get(&(client, question.hash()?)))
    }

    /// Remembers which job answers it.
    ///
    /// # Errors
    /// None that is a client's.
    pub fn remember(&self, client: Client, question: &Question, job: Id) -> Result<(), Problem> {
        self.answers.insert((client, question.hash()?), job);
        Ok(())
    }
}

impl Keyed {
    /// The job of this request: started by the first one that comes, while others wait; by the next one where that fails.
    ///
    /// # Errors
    /// Those of `start`.
    pub async fn job(&self, start: impl Future<Output = Result<Started, Problem>>) -> Result<Started, Problem> {
        self.job.get_or_try_init(|| start).await.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Client = Client::Class(0);
    const OTHER: Client = Client::Class(1);

    #[tokio::test]
    async fn a_key_starts_one_job_for_one_client() {
        let requests = Requests::new(3600);
        let [first, second, third] = [(); 3].map(|()| Started { id: Id::random(), delete_token: String::new() });
        let start =
            async |client, job: &Started| requests.keyed(client, b"key", b"body").unwrap().job(async { Ok(job.clone()) }).await.unwrap();
        assert_eq!((start(ONE, &first).await, start(ONE, &second).await, start(OTHER, &third).await), (first.clone(), first, third));
        assert_eq!(requests.keyed(ONE, b"key", b"another body").unwrap_err().kind, Kind::KeyReused);
        for key in [&b""[..], &[b'x'; 256]] {
            assert_eq!(requests.keyed(ONE, key, b"body").unwrap_err().kind, Kind::Malformed);
        }
        let failed = requests.keyed(ONE, b"another", b"body").unwrap();
        assert!(failed.job(async { Err(Problem::not_found("text")) }).await.is_err());
        assert_eq!(failed.job(async { Ok(second.clone()) }).await.unwrap(), second, "who comes again after a refusal is heard");
    }

    #[test]
    fn an_answer_is_one_to_the_same_question() {
        let requests = Requests::new(3600);
        let [a, b] = [Hash::of(b"a"), Hash::of(b"b")];
        let asked = Question { task: Task::Lcs, options: Options::DEFAULT, texts: [a, b], choices: Default::default() };
        let job = Id::random();
        requests.remember(ONE, &asked, job).unwrap();
        assert_eq!(requests.answered(ONE, &asked).unwrap(), Some(job));
        assert_eq!(requests.answered(OTHER, &asked).unwrap(), None, "what others ask is not told");
        let others = [
            Question { task: Task::EditDistance, ..asked.clone() },
            Question { options: Options { alignment: false, ..asked.options }, ..asked.clone() },
            Question { texts: [b, a], ..asked.clone() },
            Question { choices: [Choice { joined: true, ..Choice::default() }, Choice::default()], ..asked.clone() },
        ];
        for other in others {
            assert_eq!(requests.answered(ONE, &other).unwrap(), None, "{other:?}");
        }
    }
}
