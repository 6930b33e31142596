//! Budgets: hourly and daily limits of each client, as token buckets (amounts that refill at a constant rate).
//! [`ClientBudgets`] has the buckets, and [`RequestPayer`] is the client that pays for a request.
//!
//! There are buckets for the cells of jobs, the cells of queries into results, received bytes, stored bytes and wrong
//! class codes. The number of open event streams is limited too. If a request needs more than the bucket has, the
//! answer says after how many seconds the bucket will have enough.
//!
//! The crate `governor` has 32-bit amounts and never grants more than the capacity of a bucket in one call. Here, one
//! job may fill 10¹⁶ cells, and the cost of a query is known only afterwards. Therefore, amounts are floats and buckets
//! may be overdrawn. A client that has overdrawn a bucket waits until the debt is paid.
//!
//! At most [`MAX_REMEMBERED_CLIENTS`] clients are remembered. If there are more, the half that has used the least is
//! forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::shares::{ClientSlot, ClientSlotTable};
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::ops::metrics;
use crate::store::class_codes::MAX_WRONG_TRIES;

/// Maximum number of remembered clients. Their data takes about 10 MB.
const MAX_REMEMBERED_CLIENTS: usize = 1 << 16;

/// Factor by which a limit of a school class is greater than the same limit of another client.
const CLASS_BUDGET_FACTOR: u64 = 30;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

/// Index of the bucket for wrong class codes.
const WRONG_CODES_BUCKET: usize = 4;

/// Number of seconds after which a client with its maximum number of event streams may try again. It is constant,
/// because the end of a stream cannot be predicted.
const STREAM_RETRY_SECONDS: u64 = 30;

/// An amount that is charged to a client, with its kind. Each kind of cost has a bucket of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetCost {
    /// Number of cells that an engine fills for a job.
    Cells(u64),
    /// Number of cells that are filled for queries into a result. These cells have a bucket of their own, so that a
    /// client that has used up its cells for jobs can still inspect their results.
    Looks(u64),
    /// Number of bytes that the client sends, or that are read from files for its queries.
    Bytes(u64),
    /// Number of bytes that are stored for the client.
    Stored(u64),
    /// Number of class codes that the client has tried and that belong to no link.
    WrongCodes(u64),
}

impl BudgetCost {
    /// Returns the index of the bucket, the amount, the name of the limit in metrics, and its description for users, in
    /// this order.
    fn row(self) -> (usize, u64, &'static str, &'static str) {
        match self {
            Self::Cells(cells) => (0, cells, "cells", "cells for jobs in an hour"),
            Self::Looks(cells) => (1, cells, "looks", "cells for views of results in an hour"),
            Self::Bytes(bytes) => (2, bytes, "bytes", "bytes sent, or read for views of results, in an hour"),
            Self::WrongCodes(codes) => (WRONG_CODES_BUCKET, codes, "wrong_codes", "wrong class codes in an hour"),
            Self::Stored(bytes) => (3, bytes, "stored", "bytes stored in a day"),
        }
    }
}

/// The budgets of all clients: the limits, and the amounts that each client has used.
#[derive(Debug)]
pub struct ClientBudgets {
    /// Capacity of each bucket, and the time in which an empty bucket refills.
    sizes: [(u64, Duration); 5],
    /// Maximum number of open event streams of one client.
    max_streams: u64,
    streams: Arc<ClientSlotTable>,
    /// Lock that is held while a class code is looked up, so that no client can try several codes in parallel.
    code_turn: tokio::sync::Mutex<()>,
    used: Mutex<HashMap<ClientIdentity, BudgetBuckets>>,
}

/// The buckets of one client, one for each kind of cost.
type BudgetBuckets = [BudgetBucket; 5];

/// A bucket of one client, stored as the amount by which it was not full at a point in time. `None` is a full bucket.
#[derive(Clone, Copy, Debug, Default)]
struct BudgetBucket(Option<(f64, Instant)>);

/// The size of a bucket: its capacity `most`, and the amount by which it refills per second.
#[derive(Clone, Copy, Debug)]
struct BucketSize {
    capacity: f64,
    per_second: f64,
}

impl BudgetBucket {
    /// Returns the amount by which the bucket of the given `size` is not full at the time `now`.
    fn missing(self, size: BucketSize, now: Instant) -> f64 {
        self.0.map_or(0.0, |(missing, then)| (missing - size.per_second * now.saturating_duration_since(then).as_secs_f64()).max(0.0))
    }

    /// Returns the time from `now` until the amount `cost` can be taken from the bucket. An amount above the capacity
    /// can be taken when the bucket is full.
    fn wait(self, cost: u64, size: BucketSize, now: Instant) -> Duration {
        let over = self.missing(size, now) + (cost as f64).min(size.capacity) - size.capacity;
        // Returns at most a day, even if the bucket is so far overdrawn that it would take years to refill.
        Duration::try_from_secs_f64((over / size.per_second).max(0.0)).unwrap_or(DAY).min(DAY)
    }

    fn take(&mut self, cost: u64, size: BucketSize, now: Instant) {
        self.0 = Some((self.missing(size, now) + cost as f64, now));
    }
}

impl ClientBudgets {
    /// Creates full budgets with the limits in the settings `config`.
    pub fn new(config: &Config) -> Self {
        let cells = (config.client_cells, HOUR);
        let sizes = [cells, cells, (config.client_bytes, HOUR), (config.client_stored_bytes, DAY), (MAX_WRONG_TRIES, HOUR)];
        let max_streams = config.client_streams;
        Self { sizes, max_streams, streams: Arc::default(), code_turn: tokio::sync::Mutex::default(), used: Mutex::default() }
    }

    /// Takes `cost` from the budget of `client`. A cost above the capacity of its bucket can be taken only from a full
    /// bucket.
    ///
    /// # Errors
    /// Returns `RateLimited` and takes nothing if the budget is too small.
    pub fn charge(&self, client: ClientIdentity, cost: BudgetCost) -> Result<(), ApiProblem> {
        self.charge_at(client, cost, Instant::now())
    }

    fn charge_at(&self, client: ClientIdentity, cost: BudgetCost, now: Instant) -> Result<(), ApiProblem> {
        let mut used = self.used();
        self.judge(&used, client, cost, now)?;
        self.take(&mut used, client, cost, now);
        Ok(())
    }

    /// Checks that `cost` could be taken from the budget of `client`, but takes nothing.
    ///
    /// # Errors
    /// Returns `RateLimited` like [`charge`](Self::charge).
    pub fn check(&self, client: ClientIdentity, cost: BudgetCost) -> Result<(), ApiProblem> {
        self.judge(&self.used(), client, cost, Instant::now())
    }

    /// Takes `cost` from the budget of `client`, even if the budget is too small. In this case, the client has to wait
    /// longer before its next request.
    pub fn settle(&self, client: ClientIdentity, cost: BudgetCost) {
        self.take(&mut self.used(), client, cost, Instant::now());
    }

    /// Returns the result of `find`, which looks up a class code and returns `None` if no link has the code. A code
    /// that no link has is charged to `client`.
    ///
    /// # Errors
    /// Returns `RateLimited` if this client has tried too many wrong codes, or the error of `find`.
    pub async fn look_up_code<T>(
        &self,
        client: ClientIdentity,
        find: impl Future<Output = Result<Option<T>, ApiProblem>>,
    ) -> Result<Option<T>, ApiProblem> {
        let _turn = self.code_turn.lock().await;
        self.check(client, BudgetCost::WrongCodes(1))?;
        let found = find.await?;
        if found.is_none() {
            self.settle(client, BudgetCost::WrongCodes(1));
        }
        Ok(found)
    }

    /// Reserves an event stream for `client`, until the returned value is dropped.
    ///
    /// # Errors
    /// Returns `RateLimited` if the client already has its maximum number of streams open.
    pub fn reserve_stream(&self, client: ClientIdentity) -> Result<ClientSlot, ApiProblem> {
        let most = if client == ClientIdentity::Local { u64::MAX } else { times(client, self.max_streams) };
        self.streams.take(client, usize::try_from(most).unwrap_or(usize::MAX)).ok_or_else(|| {
            metrics::limit_reached("streams");
            let detail = format!("One visitor can have at most {most} event streams open. Close one, or poll the job instead.");
            ApiProblem::new(ProblemKind::RateLimited, detail).limit(most, None).retry_after(STREAM_RETRY_SECONDS)
        })
    }

    fn judge(
        &self,
        used: &HashMap<ClientIdentity, BudgetBuckets>,
        client: ClientIdentity,
        cost: BudgetCost,
        now: Instant,
    ) -> Result<(), ApiProblem> {
        let (bucket, amount, limit, what) = cost.row();
        let (most, size) = self.size(client, bucket);
        let Some(used) = used.get(&client).filter(|_| client != ClientIdentity::Local) else { return Ok(()) };
        let wait = used[bucket].wait(amount, size, now);
        if wait.is_zero() {
            return Ok(());
        }
        metrics::limit_reached(limit);
        let (most_in_words, seconds) = (kernels::humanize::grouped(most), wait.as_secs() + 1);
        let detail = format!("One visitor can have at most {most_in_words} {what}. Try again in {seconds} s.");
        Err(ApiProblem::new(ProblemKind::RateLimited, detail).limit(most, None).retry_after(seconds))
    }

    fn take(&self, used: &mut HashMap<ClientIdentity, BudgetBuckets>, client: ClientIdentity, cost: BudgetCost, now: Instant) {
        if client == ClientIdentity::Local {
            return;
        }
        if used.len() >= MAX_REMEMBERED_CLIENTS && !used.contains_key(&client) {
            self.forget(used, now);
        }
        let (bucket, amount, ..) = cost.row();
        let (_, size) = self.size(client, bucket);
        used.entry(client).or_default()[bucket].take(amount, size, now);
    }

    /// Forgets half of the clients in `used`: the clients that have used the smallest share of a bucket at the time
    /// `now`.
    fn forget(&self, used: &mut HashMap<ClientIdentity, BudgetBuckets>, now: Instant) {
        let part = |client: ClientIdentity, used: &BudgetBuckets| {
            let missing = |at: usize| used[at].missing(self.size(client, at).1, now) / self.size(client, at).1.capacity;
            (0..used.len()).map(missing).fold(0.0, f64::max)
        };
        let mut parts: Vec<f64> = used.iter().map(|(client, used)| part(*client, used)).collect();
        parts.sort_by(f64::total_cmp);
        let middle = parts.get(parts.len() / 2).copied().unwrap_or(0.0);
        used.retain(|client, used| part(*client, used) > middle);
    }

    /// Returns the capacity of the bucket with the index `bucket` of `client`, and the size of this bucket as a
    /// [`BucketSize`].
    fn size(&self, client: ClientIdentity, bucket: usize) -> (u64, BucketSize) {
        let (most, period) = self.sizes[bucket];
        // A class may try no more wrong codes than another client, because a guess succeeds with the same chance
        // whoever makes it.
        let most = if bucket == WRONG_CODES_BUCKET { most } else { times(client, most).max(1) };
        (most, BucketSize { capacity: most as f64, per_second: most as f64 / period.as_secs_f64() })
    }

    /// Returns the number of remembered clients, for metrics.
    pub fn clients(&self) -> usize {
        self.used().len()
    }

    fn used(&self) -> MutexGuard<'_, HashMap<ClientIdentity, BudgetBuckets>> {
        // A lock poisoned by a panic is usable, because every change leaves the numbers consistent.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn times(client: ClientIdentity, most: u64) -> u64 {
    if matches!(client, ClientIdentity::Class(_)) { most.saturating_mul(CLASS_BUDGET_FACTOR) } else { most }
}

tokio::task_local! {
    /// The client that pays for the request that the current task handles.
    static PAYER: RequestPayer;
}

/// The client that pays for the computation of the current request. It is stored in the asynchronous task, because
/// queries into results do not receive the request as an argument.
#[derive(Clone, Debug)]
pub struct RequestPayer {
    budgets: Arc<ClientBudgets>,
    client: ClientIdentity,
}

impl RequestPayer {
    /// Runs the future `request`. During this time, `client` is the payer of the current request, and `budgets` has its
    /// budget.
    pub async fn run_as_payer<T>(budgets: Arc<ClientBudgets>, client: ClientIdentity, request: impl Future<Output = T>) -> T {
        PAYER.scope(Self { budgets, client }, request).await
    }

    /// Returns the payer of the current request, or `None` outside of requests.
    pub fn current() -> Option<Self> {
        PAYER.try_with(Clone::clone).ok()
    }

    /// Returns the client of the current request. Outside of requests, returns the local client, which has no limits.
    pub fn client() -> ClientIdentity {
        Self::current().map_or(ClientIdentity::Local, |payer| payer.client)
    }

    /// Checks that the client has not used up its budget of cells for queries.
    ///
    /// # Errors
    /// Returns `RateLimited` like [`ClientBudgets::check`].
    pub fn check(&self) -> Result<(), ApiProblem> {
        self.budgets.check(self.client, BudgetCost::Looks(1))
    }

    /// Charges the client for `cells` matrix cells that its query has filled.
    pub fn charge_cells(&self, cells: u64) {
        self.budgets.settle(self.client, BudgetCost::Looks(cells));
    }

    /// Checks that the client has not used up its budget of bytes, so that texts may be read for its query.
    ///
    /// # Errors
    /// Returns `RateLimited` like [`ClientBudgets::check`].
    pub fn check_bytes(&self) -> Result<(), ApiProblem> {
        self.budgets.check(self.client, BudgetCost::Bytes(1))
    }

    /// Charges the client for `bytes` bytes of texts that were read for its query, as if the client had sent them.
    pub fn charge_bytes(&self, bytes: u64) {
        self.budgets.settle(self.client, BudgetCost::Bytes(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: ClientIdentity = ClientIdentity::Network(crate::identity::address::ClientNetwork::of_bits(7));

    fn budgets() -> Arc<ClientBudgets> {
        let lookup = |name: &str| {
            let rows = [("EDITSCOPE_CLIENT_CELLS", "3600"), ("EDITSCOPE_CLIENT_BYTES", "7200"), ("EDITSCOPE_CLIENT_STREAMS", "2")];
            rows.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Arc::new(ClientBudgets::new(&Config::read(lookup).unwrap()))
    }

    fn seconds(problem: ApiProblem) -> u64 {
        assert_eq!(problem.kind, ProblemKind::RateLimited, "{}", problem.detail);
        problem.seconds().unwrap()
    }

    #[test]
    fn bucket_refills_over_time() {
        let (budgets, start) = (budgets(), Instant::now());
        let charge = |cells, after| budgets.charge_at(CLIENT, BudgetCost::Cells(cells), start + Duration::from_secs(after));
        charge(3000, 0).unwrap();
        charge(600, 0).unwrap();
        assert_eq!(seconds(charge(100, 0).unwrap_err()), 101, "one cell is refilled per second");
        assert_eq!(seconds(charge(100, 99).unwrap_err()), 2);
        charge(100, 101).unwrap();
        budgets.charge_at(CLIENT, BudgetCost::Bytes(7200), start).unwrap();
        assert_eq!(
            seconds(budgets.charge_at(CLIENT, BudgetCost::Bytes(2), start).unwrap_err()),
            2,
            "bytes refill at two per second in their own bucket"
        );
        budgets.charge_at(CLIENT, BudgetCost::Looks(3600), start).unwrap();
    }

    #[test]
    fn cost_above_the_bucket_size_is_accepted_once_and_paid_off_later() {
        let (budgets, start) = (budgets(), Instant::now());
        let charge = |cells, after| budgets.charge_at(CLIENT, BudgetCost::Cells(cells), start + Duration::from_secs(after));
        charge(10_000_000_000_000_000, 0).unwrap();
        assert_eq!(seconds(charge(1, 0).unwrap_err()), DAY.as_secs() + 1);
        let budgets = self::budgets();
        let charge = |cells, after| budgets.charge_at(CLIENT, BudgetCost::Cells(cells), start + Duration::from_secs(after));
        charge(7200, 0).unwrap();
        assert_eq!(seconds(charge(1, 0).unwrap_err()), 3602);
        assert_eq!(seconds(charge(7200, 3600).unwrap_err()), 3601, "the bucket is full again");
        charge(7200, 7200).unwrap();
    }

    #[test]
    fn class_has_a_larger_budget_and_this_machine_is_unlimited() {
        let (budgets, start) = (budgets(), Instant::now());
        budgets.charge_at(ClientIdentity::Class(0), BudgetCost::Cells(30 * 3600), start).unwrap();
        assert!(budgets.charge_at(ClientIdentity::Class(0), BudgetCost::Cells(1), start).is_err());
        for _ in 0..3 {
            budgets.charge_at(ClientIdentity::Local, BudgetCost::Cells(u64::MAX), start).unwrap();
        }
    }

    #[test]
    fn tries_of_wrong_codes_refill_every_three_minutes_also_for_classes() {
        let (budgets, start) = (budgets(), Instant::now());
        for client in [CLIENT, ClientIdentity::Class(0)] {
            let charge = |minutes: u64| budgets.charge_at(client, BudgetCost::WrongCodes(1), start + Duration::from_secs(60 * minutes));
            (0..MAX_WRONG_TRIES).for_each(|_| charge(0).unwrap());
            assert_eq!(seconds(charge(0).unwrap_err()), 181);
            assert!(charge(2).is_err());
            charge(3).unwrap();
            let of_a_day = (4..24 * 60).filter(|minute| charge(*minute).is_ok()).count() as u64;
            assert!(MAX_WRONG_TRIES + 1 + of_a_day <= 500, "{of_a_day}");
        }
    }

    #[tokio::test]
    async fn right_codes_cost_nothing_and_concurrent_wrong_ones_are_counted() {
        let budgets = budgets();
        for _ in 0..100 {
            assert_eq!(budgets.look_up_code(CLIENT, async { Ok(Some(1)) }).await.unwrap(), Some(1));
        }
        let wrong = |_| {
            budgets.look_up_code(CLIENT, async {
                tokio::task::yield_now().await;
                Ok(None::<u8>)
            })
        };
        let tried = futures::future::join_all((0..100).map(wrong)).await;
        assert_eq!(tried.iter().filter(|tried| tried.is_ok()).count() as u64, MAX_WRONG_TRIES);
        assert!(budgets.look_up_code(CLIENT, async { Ok(Some(1)) }).await.is_err(), "without tries left a right code is refused too");
    }

    #[test]
    fn stream_slots_are_released() {
        let budgets = budgets();
        let (first, _second) = (budgets.reserve_stream(CLIENT).unwrap(), budgets.reserve_stream(CLIENT).unwrap());
        assert_eq!(seconds(budgets.reserve_stream(CLIENT).unwrap_err()), STREAM_RETRY_SECONDS);
        drop(first);
        let _third = budgets.reserve_stream(CLIENT).unwrap();
        let _here: Vec<ClientSlot> = (0..10).map(|_| budgets.reserve_stream(ClientIdentity::Local).unwrap()).collect();
    }

    #[test]
    fn client_with_the_highest_use_is_remembered() {
        let (budgets, start) = (budgets(), Instant::now());
        budgets.charge_at(CLIENT, BudgetCost::Cells(3600), start).unwrap();
        for number in 0..3 * MAX_REMEMBERED_CLIENTS {
            let other = ClientIdentity::Network(crate::identity::address::ClientNetwork::of_bits(1000 + number as u128));
            budgets.charge_at(other, BudgetCost::Cells(1), start).unwrap();
        }
        assert!(budgets.used().len() <= MAX_REMEMBERED_CLIENTS);
        assert!(budgets.charge_at(CLIENT, BudgetCost::Cells(1), start).is_err(), "the budget of the client is used up");
    }
}
