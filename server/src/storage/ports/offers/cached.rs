//! Cached texts: the pure functions [`cached`], which finds the worker with most texts of a job in its cache, and
//! [`fetching_ms`], which estimates the time to fetch the others. A worker that read a large text recently has a copy
//! of it, and can solve the next job on this text without fetching it again.

use kernels::plan::EngineName;

use super::{WorkerAvailability, WorkerOffer};
use crate::storage::ports::files::{ContentHash, HashPrefix};

/// Maximum number of cached texts that an offer names. Their hash prefixes take about 1 kB.
pub const MAX_CACHED_TEXTS: usize = 64;

/// Minimum size in bytes of a cached text that an offer names.
pub const MIN_CACHED_TEXT_BYTES: u64 = 256 << 10;

/// Minimum number of bytes of a job's texts that a worker must have cached so that other workers leave the job to it.
/// Fewer bytes could be fetched quickly.
const MIN_SAVED_BYTES: u64 = 1 << 20;

/// Assumed transfer rate in bytes per second for workers that have not reported one: a network of 1 Gbit/s.
const DEFAULT_BYTES_PER_SECOND: f64 = 1.25e8;

/// Finds the worker with a free slot of `engine` that has most bytes of `texts` in its cache, and returns those of the
/// texts that it has. `texts` are the texts of a job, each as hash and size in bytes. Returns an empty list if the
/// worker has less than 1 MiB of them.
pub fn cached(workers: &[WorkerOffer], engine: EngineName, texts: &[(ContentHash, u64)]) -> Vec<HashPrefix> {
    let mut texts: Vec<(HashPrefix, u64)> = texts.iter().map(|(text, bytes)| (text.prefix(), *bytes)).collect();
    // A text may be compared with itself.
    texts.dedup();
    let of = |worker: &WorkerOffer| texts.iter().filter(|(text, _)| worker.cached.contains(text)).copied().collect::<Vec<_>>();
    let bytes = |texts: &Vec<(HashPrefix, u64)>| texts.iter().map(|(_, bytes)| *bytes).sum::<u64>();
    let most =
        workers.iter().filter(|worker| has_place(worker, engine)).map(of).max_by_key(bytes).filter(|texts| bytes(texts) >= MIN_SAVED_BYTES);
    most.into_iter().flatten().map(|(text, _)| text).collect()
}

/// Estimates the milliseconds that `worker` needs to fetch those of `texts` that are not in its cache. `texts` are
/// given as hash and size in bytes. Equal texts count once.
pub fn fetching_ms(worker: &WorkerOffer, texts: &[(ContentHash, u64)]) -> f64 {
    let is_missing = |(at, (text, _)): &(usize, &(ContentHash, u64))| {
        !worker.cached.contains(&text.prefix()) && !texts[..*at].iter().any(|(other, _)| other == text)
    };
    let missing: u64 = texts.iter().enumerate().filter(is_missing).map(|(_, (_, bytes))| bytes).sum();
    1e3 * missing as f64 / worker.bytes_per_second.unwrap_or(DEFAULT_BYTES_PER_SECOND)
}

/// Returns whether `worker` accepts jobs and has a free slot of `engine`. Its jobs on other engines take slots too,
/// because an offer does not state the engine of a job.
fn has_place(worker: &WorkerOffer, engine: EngineName) -> bool {
    let places: usize = worker.engines.iter().filter(|own| own.offered.offer.engine == engine).map(|own| own.places).sum();
    worker.takes == WorkerAvailability::Jobs && worker.jobs.len() < places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::storage::ports::offers::tests::worker;

    const MIB: u64 = 1 << 20;

    fn text(name: &str) -> ContentHash {
        ContentHash::from_content(name.as_bytes())
    }

    /// Creates a worker with two slots and no job that caches the texts `names`.
    fn with(names: &[&str]) -> WorkerOffer {
        let cached = names.iter().map(|name| text(name).prefix()).collect();
        WorkerOffer { jobs: Vec::new(), cached, ..worker("one", EngineName::Cpu, 1e9, 2) }
    }

    fn named(workers: &[WorkerOffer], texts: &[(&str, u64)]) -> Vec<HashPrefix> {
        cached(workers, EngineName::Cpu, &texts.iter().map(|(name, bytes)| (text(name), *bytes)).collect::<Vec<_>>())
    }

    #[test]
    fn texts_cached_by_the_best_worker_are_named() {
        let [a, b] = ["a", "b"].map(|name| text(name).prefix());
        let workers = [with(&[]), with(&["a", "c"]), with(&["b"]), with(&["c"])];
        assert_eq!(named(&workers, &[("a", 2 * MIB), ("b", MIB)]), [a]);
        assert_eq!(named(&workers, &[("a", 2 * MIB), ("b", 3 * MIB)]), [b]);
        assert_eq!(named(&[with(&["a", "b"])], &[("a", MIB / 2), ("b", MIB / 2)]), [a, b], "both texts together are large enough");
        assert_eq!(named(&workers, &[("a", MIB / 2), ("b", MIB / 2)]), [], "no worker has enough cached");
        assert_eq!(named(&[with(&["a"])], &[("a", MIB - 1), ("a", MIB - 1)]), [], "equal texts are fetched once");
        assert_eq!(named(&workers, &[("d", MIB), ("e", MIB)]), []);
        assert_eq!(named(&[], &[("a", MIB)]), []);
    }

    #[test]
    fn fetching_missing_texts_takes_time() {
        let texts = |names: &[(&str, u64)]| names.iter().map(|(name, bytes)| (text(name), *bytes)).collect::<Vec<_>>();
        let both = texts(&[("a", 125_000_000), ("b", 250_000_000)]);
        assert_eq!([with(&[]), with(&["a"]), with(&["b", "a"])].map(|worker| fetching_ms(&worker, &both)), [3000.0, 2000.0, 0.0]);
        let quick = WorkerOffer { bytes_per_second: Some(1.25e9), ..with(&["a"]) };
        assert_eq!(fetching_ms(&quick, &both), 200.0);
        assert_eq!(fetching_ms(&with(&[]), &texts(&[("a", 125_000_000); 2])), 1000.0, "equal texts are fetched once");
    }

    #[test]
    fn only_available_workers_count() {
        let free = with(&["a"]);
        let is_named = |worker: &WorkerOffer| !named(std::slice::from_ref(worker), &[("a", MIB)]).is_empty();
        let busy = |jobs: usize| WorkerOffer { jobs: (0..jobs).map(|_| Id::random()).collect(), ..free.clone() };
        assert_eq!([0, 1, 2, 3].map(|jobs| is_named(&busy(jobs))), [true, true, false, false]);
        for takes in [WorkerAvailability::Drained, WorkerAvailability::Stopping] {
            assert!(!is_named(&WorkerOffer { takes, ..free.clone() }), "{takes:?}");
        }
        assert_eq!(cached(&[free], EngineName::Cuda, &[(text("a"), MIB)]), [], "the worker lacks the engine");
    }
}
