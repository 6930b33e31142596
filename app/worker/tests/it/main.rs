//! Compares the WebAssembly solver under Node.js with the native engine. Needs a built page and Node.js; the `wasm`
//! step of `cargo xtask test` has both.
#![expect(clippy::unwrap_used, reason = "a test says by an unwrap what must hold")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use explain::format::{AlignmentFormat, ExportFormat};
use explain::worker_protocol::query::{HitPageQuery, OpenHitQuery, WorkerQuery as _};
use explain::worker_protocol::{ReplyEnvelope, RequestKind, SolveCondition, WorkerReply, WorkerRequest};
use kernels::alignment::Alignment;
use kernels::cbor::{from_bytes, to_bytes};
use kernels::engine::{Cpu, Engine};
use kernels::event::{JobEvent, TaskAnswer};
use kernels::job::{AlignmentMode, GapPoints, JobOptions, Points, Task};
use kernels::run::{NoObserver, Run};
use kernels::strand::{NucleicAcid, SearchStrands, reverse_complement};
use kernels::task::edit_distance::short_pairs::of_units;
use kernels::task::{self, FinishedSearch};
use kernels::text::{Pair, TextSymbols, Unit};
use oracle::{mutated, random};

const CIGAR: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Cigar);

/// Two texts and their unit.
struct Case {
    a: Vec<u8>,
    b: Vec<u8>,
    unit: Unit,
}

fn cases() -> Vec<Case> {
    let bytes = |a: &[u8], b: &[u8]| Case { a: a.into(), b: b.into(), unit: Unit::Bytes };
    let mut cases = vec![bytes(b"kitten", b"sitting"), bytes(b"", b""), bytes(b"", b"abc"), bytes(b"abc", b""), bytes(b"same", b"same")];
    for (seed, len) in [1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 513, 1025, 4100].into_iter().enumerate() {
        for letters in [&b"01"[..], b"ACGT", &(0..=255).collect::<Vec<u8>>()] {
            let a = random(letters, len, seed as u64);
            cases.push(bytes(&a, &mutated(&a, letters, 0.2, 7)));
            cases.push(bytes(&a, &random(letters, len + 3, 100 + seed as u64)));
        }
    }
    let text = |a: &str, b: &str, unit| Case { a: a.into(), b: b.into(), unit };
    cases.push(bytes(b"GTRNAAC", b"TTGTACAACTTGTTGTRCAAC"));
    cases.push(text("naïve 👍🏽 café", "naive 👍 cafe\u{301}", Unit::Graphemes));
    cases.push(text("שלום עולם", "שלום לעולם", Unit::Chars));
    cases.push(text("one\r\ntwo\r\nthree", "one\ntwo\nfour\nthree", Unit::Lines));
    cases.push(text("the quick brown fox", "the slow brown fox jumps", Unit::Words));
    let read = |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/tests/data").join(name)).unwrap();
    cases.push(bytes(&read("read_10k.fasta"), &read("read_10k_90.fasta")));
    cases
}

/// Returns options of a task that change its answer.
fn choices(task: Task) -> Vec<JobOptions> {
    let plain = JobOptions::default();
    let ambiguous = |options| JobOptions { ambiguity: true, ..options };
    match task {
        Task::EditDistance | Task::Lcs => {
            let score = JobOptions { alignment: false, ..plain.clone() };
            vec![plain.clone(), score.clone(), ambiguous(plain), ambiguous(score)]
        }
        Task::SequenceAlignment => {
            let local = JobOptions {
                mode: AlignmentMode::Local,
                gap: GapPoints { open: 5.into(), extend: Points::from_tenths(5) },
                ..plain.clone()
            };
            let pieces = JobOptions { pieces: 4, equal: 2.into(), different: Points::whole(-3), ..local.clone() };
            vec![plain.clone(), local.clone(), pieces, ambiguous(plain), ambiguous(local)]
        }
        Task::ApproximateSearch => {
            let with = |k| JobOptions { max_distance: Some(k), ..JobOptions::default() };
            let both = |options| JobOptions { strands: SearchStrands::Both, ..options };
            let minima = JobOptions { local_minima: true, ..with(40) };
            vec![
                plain.clone(),
                with(0),
                with(4),
                minima.clone(),
                JobOptions { count_only: true, ..with(2) },
                both(plain.clone()),
                both(with(3)),
                both(minima.clone()),
                ambiguous(plain),
                both(ambiguous(minima)),
            ]
        }
        Task::MatchCount => {
            let within = JobOptions { max_mismatches: Some(20), ..plain.clone() };
            vec![plain.clone(), within.clone(), JobOptions { count_only: true, ..plain }, ambiguous(within)]
        }
        Task::ExactSearch => vec![
            plain.clone(),
            JobOptions { count_only: true, ..plain.clone() },
            JobOptions { strands: SearchStrands::Both, ..plain.clone() },
            JobOptions { strands: SearchStrands::Both, ..ambiguous(plain) },
        ],
    }
}

/// A run: a task with options on a case.
struct Asked<'c> {
    task: Task,
    options: JobOptions,
    case: &'c Case,
}

/// Returns the folder of the built page's modules, or prints that the test is skipped if there is none.
fn package() -> Option<PathBuf> {
    let Some(site) = std::env::var_os("EDITSCOPE_SITE").map(PathBuf::from) else {
        println!("skipped: no built page (run `cargo xtask test wasm`)");
        return None;
    };
    let release = std::fs::read_to_string(site.join("release.txt")).unwrap();
    Some(site.join("pkg").join(release.trim()))
}

#[test]
fn wasm_gives_the_native_answers() {
    let Some(package) = package() else { return };
    let cases = cases();
    let is_dna = |text: &[u8]| reverse_complement(text, NucleicAcid::Dna).is_ok();
    let asked: Vec<Asked> = Task::ALL
        .into_iter()
        .flat_map(|task| choices(task).into_iter().map(move |options| (task, options)))
        .flat_map(|(task, options)| cases.iter().map(move |case| (task, options.clone(), case)))
        .filter(|(task, _, case)| *task == Task::EditDistance || case.a.len() * case.b.len() < MAX_TESTED_CELLS)
        .filter(|(_, options, case)| options.strands.is_forward() || is_dna(&case.a))
        .filter(|(_, options, case)| !options.ambiguity || (is_dna(&case.a) && is_dna(&case.b)))
        .map(|(task, options, case)| Asked { task, options: JobOptions { unit: case.unit, ..options }, case })
        .collect();
    let replies = solver(&package, &asked);
    for (number, asked) in (1..).zip(&asked) {
        let said: Vec<_> = replies.iter().filter(|(reply, _)| reply.number == number).collect();
        check(asked, &said);
    }
    println!("{} runs agree", asked.len());
}

/// Runs the program that `cargo xtask bench --engine wasm` times.
#[test]
fn wasm_gives_the_right_benchmark_answer() {
    let Some(package) = package() else { return };
    let texts = [("a", "kitten"), ("b", "sitting")].map(|(name, text)| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, text).unwrap();
        file
    });
    let options = hex(&to_bytes(&JobOptions { unit: Unit::Bytes, ..JobOptions::default() }));
    let mut node = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/benches/peers/node.mjs"))
        .arg(package)
        .args(["alone", &options, "edit-distance"])
        .args(texts)
        .args(["0", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    node.stdin.take().unwrap().write_all(b"as the page asks+path\t1\n").unwrap();
    let told = String::from_utf8(node.wait_with_output().unwrap().stdout).unwrap();
    let answers: Option<Vec<TaskAnswer>> = told.split_once("cbor:").and_then(|(_, found)| from_bytes(&unhex(found.split('\t').next()?)));
    assert!(matches!(answers.as_deref(), Some([TaskAnswer::EditDistance { distance: Some(3), alignment: Some(_), .. }])), "{told}");
}

/// Removes from an answer everything that depends on which optimal alignment was chosen. Native tiles are higher, so
/// that ties are broken elsewhere.
fn value(answer: &TaskAnswer) -> TaskAnswer {
    match *answer {
        TaskAnswer::EditDistance { distance, more_than, alignment, .. } => {
            assert_eq!(alignment.map(|summary| summary.distance()), alignment.and(distance));
            TaskAnswer::EditDistance { distance, more_than, similarity: None, error_rate: None, reference_length: None, alignment: None }
        }
        TaskAnswer::Lcs { length, alignment } => {
            assert_eq!(alignment.map(|summary| (summary.matches, summary.mismatches)), alignment.map(|_| (length, 0)));
            TaskAnswer::Lcs { length, alignment: None }
        }
        TaskAnswer::SequenceAlignment { score, a, b, ref next, .. } => {
            TaskAnswer::SequenceAlignment { score, a, b, alignment: None, scored: None, next: next.clone() }
        }
        ref other => other.clone(),
    }
}

/// Checks the replies of the WebAssembly solver against the native engine: the answer, the hits, and the distance of
/// the kept alignment.
fn check(asked: &Asked, said: &[&(ReplyEnvelope, Vec<u8>)]) {
    let Asked { task, options, case } = asked;
    let (a, b) = (String::from_utf8_lossy(&case.a), String::from_utf8_lossy(&case.b));
    let cut = |text: &str| text.chars().take(200).collect::<String>();
    let who = format!("{} of {:?} and {:?} with {options:?}", task.name(), cut(&a), cut(&b));
    let pair = Pair::parse(&case.a[..], &case.b[..], &options.reading()).unwrap();
    let native = Engine::Cpu(Cpu::SINGLE).run(*task, options, &pair, &Run::new(&NoObserver)).unwrap();
    let answer = said.iter().find_map(|(reply, _)| match &reply.say {
        WorkerReply::Event(JobEvent::Answer(answer)) => Some(answer),
        _ => None,
    });
    assert_eq!(answer.map(value), Some(value(&native.answer)), "{who}");
    let [.., hits, opened, cigar] = said else { panic!("{who}") };
    let hits = found(hits).map(|bytes| HitPageQuery::decode(bytes).unwrap().hits);
    let page = native.found.as_ref().map(|found| {
        let searched = FinishedSearch { pair: &pair, options, answer: &native.answer, found };
        task::searcher(*task).unwrap().hits(&searched, 0..PAGE, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap()
    });
    assert_eq!(hits, page, "{who}");
    let opened = found(opened).map(|bytes| OpenHitQuery::decode(bytes).unwrap().0);
    assert_eq!(opened, page.and_then(|page| page.first().copied()), "{who}");
    let cigar = found(cigar);
    if let Some(TaskAnswer::SequenceAlignment { score, a, b, alignment: Some(_), .. }) = answer {
        let alignment: Alignment = std::str::from_utf8(cigar.unwrap()).unwrap().trim().parse().unwrap();
        let (summed, _) = alignment.starting_at(a.start, b.start).score_in(&pair, &options.scoring()).unwrap();
        return assert_eq!(summed, *score, "{who}");
    }
    let (start, end, score) = match (opened, answer) {
        (Some(hit), _) => (hit.start as usize, hit.end as usize, hit.distance),
        (_, Some(TaskAnswer::EditDistance { distance: Some(distance), alignment: Some(_), .. })) => (0, pair.b.len(), *distance),
        (_, Some(TaskAnswer::Lcs { length, alignment: Some(_) })) => (0, pair.b.len(), (pair.a.len() + pair.b.len()) as u64 - 2 * length),
        _ => return assert_eq!(cigar, None, "{who}"),
    };
    let alignment: Alignment = std::str::from_utf8(cigar.unwrap()).unwrap().trim().parse().unwrap();
    assert_eq!(alignment.summary().distance(), score, "{who}");
    let aligned = pair.for_strand(opened.and_then(|hit| hit.strand)).unwrap();
    assert_eq!(
        alignment.check_match(&numbers(aligned.a_symbols()), &numbers(pair.b_symbols())[start..end], pair.symbol_match),
        Ok(()),
        "{who}"
    );
}

/// Returns the bytes beside the reply to a query, or `None` if the query was refused.
fn found((reply, bytes): &(ReplyEnvelope, Vec<u8>)) -> Option<&[u8]> {
    (reply.say == WorkerReply::Found).then_some(bytes)
}

/// Cells above which only the edit distance is tested.
const MAX_TESTED_CELLS: usize = 2_000_000;

/// Number of hits that are compared.
const PAGE: u64 = 200;

/// Tests Latin, Hebrew and Han letters and halves of surrogate pairs, with lengths around those at which `distance.js`
/// changes its method.
#[test]
fn wasm_gives_the_native_distances_of_short_strings() {
    let Some(package) = package() else { return };
    let letters: [u16; 8] = [0x61, 0x62, 0xE9, 0x5D0, 0x4E00, 0xD83D, 0xDC4D, 0xFFFF];
    let units = |len: usize, among: usize, seed: usize| -> Vec<u16> {
        random(&[0u8, 1, 2, 3, 4, 5, 6, 7][..among], len, seed as u64).into_iter().map(|at| letters[usize::from(at)]).collect()
    };
    let lens = [0, 1, 2, 5, 20, 31, 32, 33, 63, 64, 65, 100, 1024, 1025];
    let pairs: Vec<(Vec<u16>, Vec<u16>)> = (0..4000)
        .map(|seed| {
            let (m, n) = (lens[seed % lens.len()], lens[seed / lens.len() % lens.len()]);
            (units(m, 1 + seed % 8, 2 * seed), units(n, 1 + seed % 8, 2 * seed + 1))
        })
        .collect();
    let lines: String = pairs.iter().map(|pair| serde_json::to_string(pair).unwrap() + "\n").collect();
    let said = node("distance.mjs", &package, &lines);
    let found: Vec<u64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(found.len(), pairs.len());
    for ((a, b), found) in pairs.iter().zip(found) {
        assert_eq!(Ok(found), of_units(a, b), "{a:04x?} and {b:04x?}");
    }
}

/// Sends the solver each run in turn, numbered from 1, and returns all replies.
fn solver(folder: &Path, asked: &[Asked]) -> Vec<(ReplyEnvelope, Vec<u8>)> {
    let mut lines = String::new();
    for (Asked { task, options, case }, number) in asked.iter().zip(1..) {
        let solve = RequestKind::Solve {
            task: *task,
            options: options.clone(),
            choices: Default::default(),
            offers: String::new(),
            when: SolveCondition::Always,
        };
        for what in [
            solve,
            HitPageQuery { from: 0, len: PAGE, context: 0 }.into(),
            OpenHitQuery { hit: 0 }.into(),
            RequestKind::Export { format: CIGAR, columns: (0, 0) },
        ] {
            let ask = to_bytes(&WorkerRequest { number, of: None, what });
            lines += &serde_json::to_string(&(hex(&ask), hex(&case.a), hex(&case.b))).unwrap();
            lines.push('\n');
        }
    }
    let said = node("solver.mjs", folder, &lines);
    said.lines()
        .flat_map(|line| {
            let (replies, beside): (String, String) = serde_json::from_str(line).unwrap();
            let replies: Vec<ReplyEnvelope> = from_bytes(&unhex(&replies)).unwrap();
            replies.into_iter().map(move |reply| (reply, unhex(&beside)))
        })
        .collect()
}

/// Runs a script with these input lines and returns its output. The script reads all input before it writes much, so
/// that neither pipe can fill up while the other waits.
fn node(script: &str, folder: &Path, lines: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let mut node =
        Command::new("node").arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node is installed");
    node.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "node failed");
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(symbols: &TextSymbols) -> Vec<u32> {
    (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}
