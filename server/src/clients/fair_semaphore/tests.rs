use std::pin::Pin;

use futures::FutureExt as _;

use super::*;

const A: ClientIdentity = ClientIdentity::Class(0);
const B: ClientIdentity = ClientIdentity::Class(1);
const C: ClientIdentity = ClientIdentity::Class(2);

type PendingPermit = Pin<Box<dyn Future<Output = FairPermit>>>;

/// A semaphore with the waits and permits of several clients.
struct SemaphoreCrowd {
    semaphore: Arc<FairSemaphore>,
    waiting: Vec<(ClientIdentity, PendingPermit)>,
    held: Vec<(ClientIdentity, FairPermit)>,
}

impl SemaphoreCrowd {
    fn new(permits: usize, per_client: usize) -> Self {
        Self { semaphore: Arc::new(FairSemaphore::new(permits, per_client)), waiting: Vec::new(), held: Vec::new() }
    }

    /// Starts to wait for one permit for each element of `clients`, in this order.
    fn ask(&mut self, clients: &[ClientIdentity]) {
        for client in clients {
            let (semaphore, client) = (self.semaphore.clone(), *client);
            self.waiting.push((client, Box::pin(async move { semaphore.acquire(client).await })));
            self.look();
        }
    }

    /// Collects the permits that were granted since the last call, and returns their clients.
    fn look(&mut self) -> Vec<ClientIdentity> {
        let mut granted = Vec::new();
        for (client, mut waiting) in std::mem::take(&mut self.waiting) {
            match waiting.as_mut().now_or_never() {
                Some(permit) => {
                    self.held.push((client, permit));
                    granted.push(client);
                }
                None => self.waiting.push((client, waiting)),
            }
        }
        granted
    }

    /// Returns the clients in the order in which they are served if the oldest permit is always returned next.
    fn served(&mut self) -> Vec<ClientIdentity> {
        let mut all = Vec::new();
        while !self.waiting.is_empty() {
            self.held.remove(0);
            let granted = self.look();
            assert!(!granted.is_empty(), "a permit is lost");
            all.extend(granted);
        }
        all
    }

    /// Returns all permits, and then the number of free ones.
    fn free(mut self) -> usize {
        self.held.clear();
        let state = self.semaphore.state();
        assert!(state.turns.is_empty(), "{:?}", state.turns);
        state.free
    }
}

#[test]
fn clients_take_turns_regardless_of_their_numbers_of_requests() {
    let mut crowd = SemaphoreCrowd::new(1, 1);
    crowd.ask(&[A, A, A, A, B, C, C]);
    assert_eq!(crowd.served(), [B, C, A, C, A, A]);
    assert_eq!(crowd.free(), 1);
}

#[test]
fn returning_clients_do_not_overtake_waiting_ones() {
    let mut crowd = SemaphoreCrowd::new(1, 1);
    crowd.ask(&[A, A, B]);
    let mut served = Vec::new();
    for new in [C, B, C, B] {
        // A new client comes while another client is served.
        crowd.ask(&[new]);
        crowd.held.remove(0);
        served.extend(crowd.look());
    }
    assert_eq!(served[..3], [B, C, A], "{served:?}");
}

#[test]
fn one_client_leaves_a_permit_to_others() {
    let mut crowd = SemaphoreCrowd::new(3, 2);
    crowd.ask(&[A; 40]);
    assert_eq!(crowd.held.len(), 2);
    crowd.ask(&[B]);
    assert_eq!(crowd.held.last().map(|(client, _)| *client), Some(B), "the other client gets a permit at once");
    crowd.held.pop();
    assert_eq!(crowd.served().len(), 38);
    assert_eq!(crowd.free(), 3);
    let mut here = SemaphoreCrowd::new(3, 2);
    here.ask(&[ClientIdentity::Local; 4]);
    assert_eq!(here.held.len(), 3, "local clients may have all permits");
}

#[test]
fn permit_of_a_client_that_left_goes_to_the_next() {
    let mut crowd = SemaphoreCrowd::new(1, 1);
    crowd.ask(&[A, B, C, B, A]);
    // One waiter of B leaves before its permit comes, the other one leaves with a granted permit that it has not taken.
    drop(crowd.waiting.remove(0));
    crowd.held.clear();
    let (client, granted) = crowd.waiting.remove(1);
    assert_eq!(client, B);
    drop(granted);
    assert_eq!(crowd.look(), [C]);
    assert_eq!(crowd.served(), [A]);
    assert_eq!(crowd.free(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_permit_is_lost_if_many_clients_come_and_leave() {
    let semaphore = Arc::new(FairSemaphore::new(3, 2));
    let tasks: Vec<_> = (0..400)
        .map(|number: usize| {
            let semaphore = semaphore.clone();
            tokio::spawn(async move {
                let wait = semaphore.acquire([A, B, C][number % 3]);
                // Every second wait has a timeout so short that its permit arrives at about the same time.
                let patience = if number.is_multiple_of(2) { 60_000_000 } else { 50 * (number as u64 % 40) };
                if let Ok(_permit) = tokio::time::timeout(std::time::Duration::from_micros(patience), wait).await {
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let state = semaphore.state();
    assert_eq!((state.free, state.turns.len()), (3, 0));
}
