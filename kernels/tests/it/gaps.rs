//! Places of gaps: every task with an alignment shows its gaps at the left or at the right, with the same score.

use kernels::engine::{Cpu, Engine};
use kernels::job::{AlignmentMode, EditCosts, GapPlacement, GapPoints, JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::task::{FinishedSearch, Solution, searcher};
use kernels::text::Pair;
use oracle::{agree, bytes, mutated, processors, random};

const RIGHTMOST: JobOptions = JobOptions { gaps: GapPlacement::Rightmost, ..JobOptions::DEFAULT };

/// Returns the alignment of `pair`, or that of the first hit, as a CIGAR string.
fn aligned(task: Task, pair: &Pair, options: &JobOptions) -> String {
    let run = Run::new(&NoObserver);
    let Solution { answer, alignment, found } = Engine::Cpu(Cpu::SINGLE).run(task, options, pair, &run).unwrap();
    let Some(found) = found else { return alignment.unwrap().to_string() };
    let (searcher, searched) = (searcher(task).unwrap(), FinishedSearch { pair, options, answer: &answer, found: &found });
    let hit = searcher.hits(&searched, 0..1, &Cpu::SINGLE, &run).unwrap()[0];
    searcher.align(pair, hit, options.gaps, &Cpu::SINGLE, &run).unwrap().to_string()
}

#[test]
fn gaps_stand_at_the_chosen_side_in_every_task() {
    for (task, a, b) in [
        (Task::EditDistance, "GAAAC", "GAC"),
        (Task::Lcs, "GAAAC", "GAC"),
        (Task::SequenceAlignment, "GAAAC", "GAC"),
        (Task::ApproximateSearch, "GAAAC", "TTTTGACTTTT"),
    ] {
        let pair = bytes(a.as_bytes(), b.as_bytes());
        let sides = [JobOptions::DEFAULT, RIGHTMOST].map(|options| aligned(task, &pair, &options));
        assert_eq!(sides, ["1=2D2=", "2=2D1="], "{task:?}");
    }
}

#[test]
fn answers_do_not_depend_on_the_places_of_gaps() {
    let letters = b"ab";
    let a = random(letters, 90, 1);
    let b = mutated(&a, letters, 0.3, 2);
    let pair = bytes(&a, &b);
    let local = JobOptions { mode: AlignmentMode::Local, gap: GapPoints::whole(1, 1), ..RIGHTMOST };
    for (task, options) in [
        (Task::EditDistance, RIGHTMOST),
        (Task::EditDistance, JobOptions { costs: EditCosts::OSA, ..RIGHTMOST }),
        (Task::Lcs, RIGHTMOST),
        (Task::SequenceAlignment, RIGHTMOST),
        (Task::SequenceAlignment, local),
    ] {
        processors().iter().for_each(|engine| drop(agree(engine, task, &pair, &options)));
    }
}

#[test]
fn only_tasks_with_gaps_have_the_option() {
    let refused = RIGHTMOST.check(Task::MatchCount).unwrap_err().to_string();
    assert_eq!(refused, "match-count has no option gaps. edit-distance, approximate-search, lcs, sequence-alignment have it.");
    assert!(Task::ALIGNED.into_iter().all(|task| RIGHTMOST.check(task).is_ok()));
    assert_eq!(serde_json::to_value(RIGHTMOST).unwrap()["gaps"], "rightmost");
    assert!(serde_json::to_value(JobOptions::DEFAULT).unwrap().get("gaps").is_none());
}
