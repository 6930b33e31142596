use kernels::job::Task;
use kernels::plan::{EngineLimits, EnginePlace, PlannerOffer, TaskRate};
use serde_json::{Value, json};

use super::*;
use crate::storage::ports::files::ContentHash;

/// Creates the offer of a worker on `host` with `engine`, which has `places` slots and a rate of `cells_per_second`.
pub(crate) fn worker(host: &str, engine: EngineName, cells_per_second: f64, places: usize) -> WorkerOffer {
    let offer = PlannerOffer {
        engine,
        place: EnginePlace::Server,
        device: format!("a device of {host}"),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second }).to_vec(),
        start_ms: 0.1,
        bytes_per_second: 1e9,
        limits: EngineLimits::NONE,
        version: "1".into(),
    };
    let engines = vec![EngineOffer { offered: MeasuredOffer::of(offer), places, devices: 1 }];
    WorkerOffer {
        id: format!("{host}-1"),
        host: host.into(),
        takes: WorkerAvailability::Jobs,
        engines,
        jobs: vec![Id::random()],
        cached: Vec::new(),
        bytes_per_second: None,
    }
}

fn hosts(known: &mut KnownWorkers, now: Instant) -> Vec<String> {
    known.current(now).into_iter().map(|worker| worker.host).collect()
}

#[test]
fn offer_is_decoded_as_encoded_also_by_other_versions() {
    let worker = worker("one", EngineName::Cuda, 7e12, 2);
    assert_eq!(WorkerOffer::read(&worker.to_json()), Ok(worker.clone()));
    let mut newer: Value = serde_json::from_slice(&worker.to_json()).unwrap();
    // Additions of a newer program within a version are ignored, and so are unknown engines.
    newer["colour"] = json!("blue");
    let mut other = newer["engines"][0].clone();
    other["offer"]["engine"] = json!("quantum");
    newer["engines"].as_array_mut().unwrap().push(other);
    assert_eq!(WorkerOffer::read(newer.to_string().as_bytes()), Ok(worker));
    newer["version"] = json!(VERSION + 1);
    for unreadable in [newer.to_string().as_str(), "", "{}", "{\"version\":1}"] {
        assert_eq!(WorkerOffer::read(unreadable.as_bytes()), Err(OfferVersionError), "{unreadable}");
    }
}

#[test]
fn offers_with_and_without_cached_texts_are_compatible() {
    let older = worker("one", EngineName::Cpu, 1e9, 1);
    let said: Value = serde_json::from_slice(&older.to_json()).unwrap();
    assert!(said.get("bytes_per_second").is_none(), "{said}");
    assert!(said.get("cached").is_none() && WorkerOffer::read(said.to_string().as_bytes()) == Ok(older.clone()), "{said}");
    let texts = [b"kitten", &b"sitting"[..]].map(|text| ContentHash::from_content(text).prefix());
    let newer = WorkerOffer { cached: texts.to_vec(), bytes_per_second: Some(1.2e8), ..older };
    let said: Value = serde_json::from_slice(&newer.to_json()).unwrap();
    // An older version ignores the member, like `colour` above.
    assert_eq!((&said["version"], &said["cached"]), (&json!(1), &json!(texts.map(|text| text.to_string()))));
    assert_eq!(said["cached"][0].as_str().map(str::len), Some(16));
    assert_eq!(WorkerOffer::read(said.to_string().as_bytes()), Ok(newer.clone()));
    let most = WorkerOffer {
        cached: (0..cached::MAX_CACHED_TEXTS as u32).map(|number| ContentHash::from_content(&number.to_be_bytes()).prefix()).collect(),
        ..newer
    };
    assert!(most.to_json().len() < 4096, "{} bytes", most.to_json().len());
}

#[test]
fn offer_expires_without_renewal() {
    let (mut known, begin) = (KnownWorkers::default(), Instant::now());
    let at = |seconds| begin + Duration::from_secs(seconds);
    let [one, two] = ["one", "two"].map(|host| worker(host, EngineName::Cpu, 1e9, 1).to_json());
    known.record_offer("b", 1, &two, at(0));
    known.record_offer("a", 2, &one, at(0));
    assert_eq!(hosts(&mut known, at(19)), ["one", "two"]);
    known.record_offer("b", 3, &two, at(15));
    // The bucket is read again, but the worker sent nothing new.
    known.record_offer("a", 2, &one, at(16));
    assert_eq!(hosts(&mut known, at(20)), ["two"]);
    known.record_offer("b", 4, b"{\"version\":2}", at(21));
    assert!(hosts(&mut known, at(21)).is_empty(), "an offer of another version is ignored");
    known.record_offer("b", 5, &two, at(22));
    known.forget("b");
    assert!(hosts(&mut known, at(22)).is_empty(), "the worker has withdrawn its offer");
}

#[test]
fn capacity_counts_available_workers() {
    let cpu = EngineName::Cpu;
    let mut workers = [worker("one", cpu, 1e9, 2), worker("two", cpu, 1e9, 3), worker("three", EngineName::Cuda, 1e12, 1)];
    assert_eq!(EngineCapacity::of(&workers, cpu), EngineCapacity { workers: 2, places: 5 });
    assert_eq!(EngineCapacity::of(&workers, EngineName::Cuda), EngineCapacity::ONE);
    workers[0].takes = WorkerAvailability::Drained;
    assert_eq!(EngineCapacity::of(&workers, cpu), EngineCapacity { workers: 1, places: 3 });
    workers.iter_mut().for_each(|worker| worker.takes = WorkerAvailability::Stopping);
    assert_eq!(EngineCapacity::of(&workers, cpu), EngineCapacity { workers: 2, places: 5 }, "jobs wait for workers to come");
    assert_eq!(EngineCapacity::of(&[], cpu), EngineCapacity::ONE);
}
