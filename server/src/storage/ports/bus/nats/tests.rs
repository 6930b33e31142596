//! Tests of NATS itself: several processes, and servers that fail.

use services::{Nats as Server, PASSWORD};
use tokio::time::{Instant, timeout};

use super::*;
use crate::storage::ports::bus::conformance::{self, progress};

async fn bus(server: &Server) -> NatsBus {
    at(&server.address()).await
}

async fn at(address: &str) -> NatsBus {
    NatsBus::open(NatsConnection::connect(&address.parse().unwrap()).await.unwrap()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_receive_events_of_each_other() {
    let Some(server) = Server::start() else { return };
    let [one, other] = [bus(&server).await, bus(&server).await];
    conformance::check(&one).await;
    conformance::check_between(&one, &other).await;
    conformance::check_between(&other, &one).await;
    // Many processes at once, each with its own jobs.
    let buses = [one.clone(), other.clone(), bus(&server).await, bus(&server).await];
    let all = (0..32).map(|number| {
        let [one, other] = [number % 4, (number + 1 + number / 4 % 3) % 4].map(|at| buses[at].clone());
        tokio::spawn(async move { conformance::check_between(&one, &other).await })
    });
    for checked in futures::future::join_all(all).await {
        checked.unwrap();
    }
}

/// Checks that events published without a server arrive once and in order after a server returns.
#[tokio::test(flavor = "multi_thread")]
async fn events_survive_an_outage_of_the_servers() {
    let Some(mut server) = Server::start() else { return };
    let ([one, other], job) = ([bus(&server).await, bus(&server).await], Id::random());
    one.register(job, Ring::default());
    one.share(job);
    assert!(other.follow(job, Ring::default()));
    let mut listener = other.listen(job, 0).unwrap();
    let numbers = tokio::spawn(async move {
        let mut numbers = Vec::new();
        while let Some(told) = listener.next().await {
            let EventBatch::Events(events) = told else { panic!("unexpected resync") };
            numbers.extend(events.iter().map(|(number, _)| *number));
        }
        numbers
    });
    for number in 1..=20 {
        assert!(one.publish_event(job, number, progress(number)));
        sleep(Duration::from_millis(5)).await;
    }
    server.stop();
    for number in 21..=40 {
        assert!(one.publish_event(job, number, progress(number)), "publishing waits for the servers");
        sleep(Duration::from_millis(5)).await;
    }
    let begin = Instant::now();
    server.restart();
    assert!(one.publish_event(job, 41, JobEvent::Cancelled));
    one.unregister(job);
    let numbers = timeout(Duration::from_secs(60), numbers).await.expect("the end is received").unwrap();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.last() == Some(&41), "{numbers:?}");
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    // A subscriber that comes now reads the stored events.
    let late = bus(&server).await;
    assert!(late.follow(job, Ring::default()));
    let mut listener = late.listen(job, 0).unwrap();
    let Some(EventBatch::Events(events)) = timeout(Duration::from_secs(10), listener.next()).await.unwrap() else {
        panic!("the listener received no events")
    };
    assert_eq!(events.last(), Some(&(41, JobEvent::Cancelled)));
}

/// Checks that a listener in another process receives all events once and in order while each of three servers is killed.
#[tokio::test(flavor = "multi_thread")]
async fn events_survive_the_loss_of_one_of_three_servers() {
    let Some(mut servers) = Server::cluster() else { return };
    let address = servers.each_ref().map(Server::address).join(",");
    let ([one, other], job) = ([at(&address).await, at(&address).await], Id::random());
    one.register(job, Ring::default());
    one.share(job);
    assert!(other.follow(job, Ring::default()));
    let mut listener = other.listen(job, 0).unwrap();
    let mut number = 0;
    for server in &mut servers {
        server.stop();
        number += 1;
        assert!(one.publish_event(job, number, JobEvent::Stage { stage: kernels::event::RunStage::Compute }));
        let told = timeout(Duration::from_secs(30), listener.next()).await.expect("the event arrives in time");
        let Some(EventBatch::Events(events)) = told else { panic!("{told:?}") };
        assert_eq!(events.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [number]);
        server.restart();
        // The next server may be killed once this one has caught up with the others.
        sleep(Duration::from_secs(5)).await;
    }
    assert!(one.publish_event(job, number + 1, JobEvent::Cancelled));
    let told = timeout(Duration::from_secs(30), listener.next()).await.expect("the event arrives in time");
    assert_eq!(told, Some(EventBatch::Events(vec![(number + 1, JobEvent::Cancelled)])));
    assert!(timeout(Duration::from_secs(10), listener.next()).await.unwrap().is_none());
}

#[tokio::test]
async fn wrong_password_is_refused_and_not_shown() {
    let Some(server) = Server::start() else { return };
    let wrong = server.address().replace(PASSWORD, "battery-staple").parse().unwrap();
    let error = format!("{:#}", NatsConnection::connect(&wrong).await.unwrap_err());
    assert!(error.contains("cannot connect to nats://127.0.0.1") && !error.contains("staple"), "{error}");
}
