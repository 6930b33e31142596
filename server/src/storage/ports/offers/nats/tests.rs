//! Tests of workers that come, change, stop and fall silent, and of servers that lose their data.

use kernels::plan::EngineName;
use services::Nats as Server;

use super::*;
use crate::storage::ports::offers::WorkerAvailability;
use crate::storage::ports::offers::tests::worker;

async fn offers_on(server: &Server) -> ClusterOffers {
    ClusterOffers::open(NatsConnection::connect(&server.address().parse().unwrap()).await.unwrap(), true).await.unwrap()
}

/// Waits until exactly the expected workers are known.
async fn until(offers: &ClusterOffers, expected: &[&WorkerOffer]) {
    let begin = Instant::now();
    while offers.workers().iter().collect::<Vec<_>>() != expected {
        assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", offers.workers());
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_of_workers_are_visible_until_they_stop_or_expire() {
    let Some(server) = Server::start() else { return };
    let [one, two] = ["one", "two"].map(|host| worker(host, EngineName::Cpu, 1e9, 1));
    let (web, work) = (offers_on(&server).await, offers_on(&server).await);
    assert!(web.workers().is_empty());
    work.put(&two).await.unwrap();
    work.put(&one).await.unwrap();
    until(&web, &[&one, &two]).await;
    let late = offers_on(&server).await;
    assert_eq!(late.workers(), [one.clone(), two.clone()], "a new process knows the offers at once");
    let drained = WorkerOffer { takes: WorkerAvailability::Drained, ..one.clone() };
    work.put(&drained).await.unwrap();
    until(&web, &[&drained, &two]).await;
    work.withdraw(&one.id).await.unwrap();
    until(&web, &[&two]).await;
    assert_eq!(web.read().await.unwrap(), std::slice::from_ref(&two));
    let silent = Instant::now();
    until(&web, &[]).await;
    assert!(silent.elapsed() > OFFER_TTL / 2 && silent.elapsed() < OFFER_TTL * 3 / 2, "{:?}", silent.elapsed());
    sleep(Duration::from_secs(1)).await;
    assert!(web.read().await.unwrap().is_empty(), "the servers have no offer");
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_are_sent_again_to_servers_that_lost_them() {
    let Some(mut server) = Server::start() else { return };
    let one = worker("one", EngineName::Cuda, 1e12, 1);
    let web = offers_on(&server).await;
    web.put(&one).await.unwrap();
    web.drain(&DrainTarget::Host("one".into())).await.unwrap();
    until(&web, &[&one]).await;
    server.stop();
    assert!(web.put(&one).await.is_err());
    assert_eq!(web.workers(), std::slice::from_ref(&one), "the offer holds for its lifetime");
    server.forget();
    server.restart();
    let two = worker("two", EngineName::Cpu, 1e9, 1);
    let begin = Instant::now();
    while web.put(&two).await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the servers accept no offers");
        sleep(Duration::from_millis(100)).await;
    }
    while !web.workers().contains(&two) {
        assert!(begin.elapsed() < Duration::from_secs(40), "the offer does not arrive");
        web.put(&two).await.unwrap();
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_and_hosts_are_drained_until_the_operator_ends_the_drain() {
    let Some(server) = Server::start() else { return };
    let (operator, work) = (offers_on(&server).await, offers_on(&server).await);
    let mut hints = work.drain_hints().await.unwrap();
    work.nats.client.flush().await.unwrap();
    let [one, host] = [DrainTarget::Worker("one-1".into()), DrainTarget::Host("one.example".into())];
    let own = [one.clone(), host.clone()];
    assert!(!work.is_drained(&own).await.unwrap());
    for whom in [&one, &host] {
        operator.drain(whom).await.unwrap();
        timeout(Duration::from_secs(5), hints.next()).await.unwrap().unwrap();
        assert!(work.is_drained(&own).await.unwrap());
        assert!(!work.is_drained(&[DrainTarget::Worker("one-2".into()), DrainTarget::Host("two".into())]).await.unwrap());
        operator.undrain(whom).await.unwrap();
        timeout(Duration::from_secs(5), hints.next()).await.unwrap().unwrap();
        assert!(!work.is_drained(&own).await.unwrap());
    }
    operator.drain(&one).await.unwrap();
    work.withdraw("one-1").await.unwrap();
    assert!(!work.is_drained(&own).await.unwrap(), "the drain of the worker has ended");
}
