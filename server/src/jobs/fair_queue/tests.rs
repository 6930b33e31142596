//! Tests of the order in which jobs start, and of the limits.

use super::*;

const CPU: QueueClass = QueueClass { engine: EngineName::Cpu, brief: false };
const BRIEF: QueueClass = QueueClass { engine: EngineName::Cpu, brief: true };
const CUDA: QueueClass = QueueClass { engine: EngineName::Cuda, brief: false };

/// Returns the entry of a job of one second in the CPU's class of large jobs, for client number `client`.
fn of(client: usize) -> QueueEntry {
    QueueEntry { queue_class: CPU, client: ClientIdentity::Class(client), ms: 1000 }
}

fn waiting(queue: &FairQueue<char>) -> String {
    queue.positions().into_iter().map(|position| *position.item).collect()
}

#[test]
fn queue_starts_as_many_jobs_as_may_run() {
    let mut queue = FairQueue::new([(CPU, 1), (CUDA, 2)], 100);
    for item in "ab".chars() {
        queue.push(of(0), item).unwrap();
        queue.push(QueueEntry { queue_class: CUDA, ..of(0) }, item.to_ascii_uppercase()).unwrap();
    }
    let mut started: Vec<char> = std::iter::from_fn(|| queue.take_ready()).collect();
    started.sort_unstable();
    assert_eq!((started, queue.waiting(), queue.running()), (vec!['A', 'B', 'a'], 1, 3));
    queue.release(CUDA);
    assert_eq!((queue.free(CPU), queue.free(CUDA), queue.free(BRIEF)), (0, 1, 0));
    queue.release(CPU);
    assert_eq!(queue.free(CPU), 0, "a queued job waits for the slot");
    assert_eq!((queue.take_ready(), queue.take_ready(), queue.running()), (Some('b'), None, 2));
    queue.push_first(of(0), 'c');
    assert_eq!(queue.take_ready(), None);
    let position = queue.positions()[0];
    assert_eq!((position.ahead, position.queue_class, *position.item), (1, CPU, 'c'));
}

#[test]
fn number_of_running_jobs_can_be_raised_and_lowered() {
    let mut queue = FairQueue::new([(CPU, 1)], 100);
    for item in "abcde".chars() {
        queue.push(of(0), item).unwrap();
    }
    let started = |queue: &mut FairQueue<char>| std::iter::from_fn(|| queue.take_ready()).collect::<String>();
    assert_eq!(started(&mut queue), "a");
    queue.allow(CPU, 3);
    assert_eq!(started(&mut queue), "bc");
    queue.allow(CPU, 1);
    queue.release(CPU);
    queue.release(CPU);
    assert_eq!((started(&mut queue).as_str(), queue.running(), queue.free(CPU)), ("", 1, 0), "running jobs continue");
    queue.release(CPU);
    assert_eq!(started(&mut queue), "d");
    queue.allow(BRIEF, 3);
    assert_eq!(queue.free(BRIEF), 0, "an unknown class stays unknown");
}

#[test]
fn clients_take_turns_in_the_queue() {
    let mut queue = FairQueue::new([(CPU, 1)], 100);
    for item in "abcd".chars() {
        queue.push(of(0), item).unwrap();
    }
    assert_eq!(queue.take_ready(), Some('a'));
    for (client, item) in [(1, 'x'), (2, 'y'), (1, 'z')] {
        queue.push(of(client), item).unwrap();
    }
    let said = waiting(&queue);
    let waits: Vec<u64> = queue.positions().iter().map(|position| position.wait_ms).collect();
    assert_eq!(waits, [0, 1000, 2000, 3000, 4000, 5000]);
    let started: String = std::iter::from_fn(|| {
        queue.release(CPU);
        queue.take_ready()
    })
    .collect();
    assert_eq!((started.as_str(), said), ("bxyczd", started.clone()), "jobs start in the announced order");
    // A job that returns after a failure is next, regardless of other clients.
    for (client, item) in [(0, 'a'), (1, 'x')] {
        queue.push(of(client), item).unwrap();
    }
    queue.push_first(of(1), 'w');
    assert_eq!(waiting(&queue), "wax");
}

#[test]
fn queue_is_limited_by_expected_work() {
    let mut queue = FairQueue::new([(CPU, 1)], 8);
    queue.push(QueueEntry { ms: 1_000_000, ..of(0) }, 'r').unwrap();
    assert_eq!(queue.take_ready(), Some('r'), "a job that starts at once may have any size");
    // A client may use a quarter of the limit, or have one job.
    queue.push(QueueEntry { ms: 1500, ..of(0) }, 'a').unwrap();
    assert_eq!(queue.push(of(0), 'b'), Err(QueueFullError { wait_ms: 500, is_own_backlog: true }));
    queue.push(QueueEntry { ms: 5000, ..of(1) }, 'c').unwrap();
    queue.push(QueueEntry { ms: 5000, ..of(2) }, 'd').unwrap();
    assert_eq!(queue.push(of(3), 'e'), Err(QueueFullError { wait_ms: 4500, is_own_backlog: false }));
    assert_eq!(queue.check_room(&[EngineName::Cpu], Some(ClientIdentity::Class(3))).map_err(|full| full.is_own_backlog), Err(false));
    assert_eq!(queue.check_room(&[EngineName::Cuda], Some(ClientIdentity::Class(3))), Ok(()), "an unknown class has room");
    queue.remove(|item| *item == 'c').unwrap();
    queue.push(of(3), 'e').unwrap();
    // Thousands of small jobs count no more than a few large ones.
    let mut queue = FairQueue::new([(BRIEF, 2), (CPU, 1)], 3600);
    let brief = QueueEntry { queue_class: BRIEF, client: ClientIdentity::Local, ms: 10 };
    let taken = (0..10_000).take_while(|_| queue.push(brief, 'x').is_ok()).count();
    assert_eq!(taken, 3000, "half a minute of jobs of one client");
    let taken = (0..10_000).take_while(|_| queue.push(QueueEntry { client: ClientIdentity::Class(1), ..brief }, 'y').is_ok()).count();
    assert_eq!(taken, 3000, "half a minute of jobs of another client");
    assert_eq!(queue.check_room(&[EngineName::Cpu], Some(ClientIdentity::Local)), Ok(()), "a large job still has room");
}

#[test]
fn queued_jobs_can_be_removed() {
    let mut queue = FairQueue::new([(CPU, 1)], 100);
    for (client, item) in [(0, 'a'), (0, 'b'), (1, 'x')] {
        queue.push(of(client), item).unwrap();
    }
    assert_eq!(queue.remove(|item| *item == 'a'), Some('a'));
    assert_eq!((queue.remove(|item| *item == 'a'), waiting(&queue).as_str()), (None, "bx"));
    assert_eq!(queue.remove(|item| *item == 'b'), Some('b'));
    assert_eq!((queue.take_ready(), queue.take_ready(), queue.waiting()), (Some('x'), None, 0));
    // Releasing a free slot has no effect.
    queue.release(CPU);
    queue.release(CPU);
    assert_eq!(queue.running(), 0);
}

#[test]
fn brief_jobs_wait_only_for_brief_jobs() {
    let mut queue = FairQueue::new([(CPU, 1), (BRIEF, 2)], 100);
    for item in "ab".chars() {
        queue.push(of(0), item).unwrap();
    }
    assert_eq!(queue.take_ready(), Some('a'));
    for item in "xyz".chars() {
        queue.push(QueueEntry { queue_class: BRIEF, ms: 20, ..of(0) }, item).unwrap();
    }
    assert_eq!((queue.take_ready(), queue.take_ready(), queue.take_ready()), (Some('x'), Some('y'), None));
    assert_eq!(waiting(&queue), "bz");
    queue.release(BRIEF);
    assert_eq!(queue.take_ready(), Some('z'));
}

#[test]
fn jobs_of_at_most_a_tenth_of_a_second_are_brief_on_any_engine() {
    let plan = |engine, expected_ms| JobPlan { expected_ms, ..JobPlan::unestimated(engine, kernels::plan::EnginePlace::Server) };
    for engine in [EngineName::Cpu, EngineName::Cuda] {
        let entry = |ms| QueueEntry::from_plan(&plan(engine, ms), ClientIdentity::Local);
        assert_eq!((entry(0.001).queue_class.brief, entry(0.001).ms), (true, MIN_JOB_MS));
        assert_eq!((entry(100.1).queue_class.brief, entry(100.1).ms), (false, 101));
        assert_eq!(entry(f64::INFINITY).ms, MAX_JOB_MS);
    }
}
