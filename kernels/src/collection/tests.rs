use super::question::TileSize;
use super::tile::{PairScore, ScoreBounds, TileScore, TileScores};
use super::*;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::job::{
    AlignmentMode, CustomMatrix, EditCosts, FastaMode, FreeEnds, GapPoints, JobOptions, PairRecordChoices, Points, RecordChoice,
    ScoringMatrix, SearchStrands, Task, Unit,
};
use crate::oracle::{mutated, random, serial};
use crate::run::{Halt, NoObserver, Run};
use crate::task::{FinishedSearch, searcher};
use crate::text::Pair;

const LIMITS: AnswerLimits = AnswerLimits { max_scores: 1 << 21, max_pairs: 1 << 20 };

fn sources(texts: &[&str], split: MemberSplit) -> SideSources {
    let source = |(number, text): (usize, &&str)| MemberSource { name: format!("text {}", number + 1), bytes: text.as_bytes().into() };
    SideSources { sources: texts.iter().enumerate().map(source).collect(), split }
}

fn collection(a: SideSources, b: Option<SideSources>, options: &JobOptions) -> Collection {
    Collection::parse(a, b, &options.reading()).unwrap()
}

fn ask(collection: &Collection, task: Task, options: &JobOptions, keep: KeptPairs) -> Result<CollectionAnswer, JobFailure> {
    let question = CollectionQuestion::new(task, options, keep, collection)?;
    question.solve(collection, &LIMITS, &Cpu { threads: 2 }, &Run::new(&NoObserver)).map_err(Halt::failure)
}

/// Returns the score of two members by the serial definition, each read as a text of its own.
fn expected(collection: &Collection, task: Task, options: &JobOptions, a: usize, b: usize) -> i64 {
    let pair = Pair::parse(collection.a().member_text(a), collection.columns().member_text(b), &options.reading()).unwrap();
    match serial::solve(task, &pair, &JobOptions { alignment: false, ..options.clone() }).answer {
        TaskAnswer::EditDistance { distance: Some(distance), .. } => distance as i64,
        TaskAnswer::Lcs { length, .. } => length as i64,
        TaskAnswer::SequenceAlignment { score, .. } => score.tenths() / i64::from(10 / options.scoring().scale),
        other => panic!("{other:?}"),
    }
}

/// Checks all scores, and those that each other rule keeps, against the serial definition.
fn check(collection: &Collection, task: Task, options: &JobOptions) {
    let columns = collection.columns();
    let width = columns.distinct();
    let Ok(CollectionAnswer::Scores(scores)) = ask(collection, task, options, KeptPairs::All) else { panic!() };
    let is_one = collection.b().is_none();
    let of = |a: usize, b: usize| {
        let [x, y] = [collection.a().members()[a].text, columns.members()[b].text];
        scores[x * width.len() + y - width.start]
    };
    let mut pairs = Vec::new();
    for a in 0..collection.a().members().len() {
        for b in 0..columns.members().len() {
            let expected = expected(collection, task, options, a, b);
            assert_eq!(i64::from(of(a, b)), expected, "{task:?} of {a} and {b} with {options:?}");
            let [x, y] = [collection.a().members()[a].text as u32, columns.members()[b].text as u32];
            if !is_one || x < y {
                pairs.push(ScoredPair { a: x, b: y, score: expected as i32 });
            }
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs.dedup();
    let lens = |pair: &ScoredPair| [pair.a, pair.b].map(|text| collection.corpus().member_len(text as usize));
    let kept = |keep| match ask(collection, task, options, keep) {
        Ok(CollectionAnswer::Pairs(pairs)) => pairs,
        other => panic!("{other:?}"),
    };
    // The distance of such pairs depends on the order.
    let is_ordered = is_one && options.costs.insert != options.costs.delete;
    if is_ordered {
        for keep in [KeptPairs::Within(1), KeptPairs::Similarity(0.5)] {
            let failure = ask(collection, task, options, keep).unwrap_err().to_string();
            assert!(failure.contains("Let `costs.insert` equal `costs.delete`"), "{failure}");
        }
    }
    if task == Task::EditDistance && !is_ordered {
        for most in [0, 1, 2, 5, 1000] {
            let expected: Vec<_> = pairs.iter().copied().filter(|pair| pair.score <= most).collect();
            assert_eq!(kept(KeptPairs::Within(most as u32)), expected, "within {most} with {options:?}");
        }
    }
    if task != Task::SequenceAlignment && !is_ordered {
        for least in [0.0, 0.3, 0.75, 1.0] {
            let is_kept = |pair: &ScoredPair| {
                let [m, n] = lens(pair);
                ScoreRule::new(task, options).similarity(pair.score, m, n).unwrap() + 1e-9 >= least
            };
            let expected: Vec<_> = pairs.iter().copied().filter(is_kept).collect();
            assert_eq!(kept(KeptPairs::Similarity(least)), expected, "{least}");
        }
    }
    let of_members = |answer: &CollectionAnswer, keep| answer.member_pairs(collection, task, keep, 1 << 20).unwrap();
    let all_scores = ask(collection, task, options, KeptPairs::All).unwrap();
    let all = of_members(&all_scores, KeptPairs::All);
    assert_eq!(all.len() as u64, collection.pairs());
    assert!(all.iter().all(|pair| i64::from(pair.score) == i64::from(of(pair.a as usize, pair.b as usize))));
    if task == Task::EditDistance && !is_ordered {
        let keep = KeptPairs::Within(3);
        let within = of_members(&ask(collection, task, options, keep).unwrap(), keep);
        assert_eq!(within, all.iter().copied().filter(|pair| pair.score <= 3).collect::<Vec<_>>());
    }
    for count in [1, 3, 100] {
        let keep = KeptPairs::Nearest(count);
        let found = of_members(&ask(collection, task, options, keep).unwrap(), keep);
        let mut expected = Vec::new();
        for a in 0..collection.a().members().len() {
            let others = (0..columns.members().len()).filter(|&b| !is_one || a != b);
            let mut near: Vec<_> = others.map(|b| ScoredPair { a: a as u32, b: b as u32, score: of(a, b) }).collect();
            let nearness = |pair: &ScoredPair| {
                let [m, n] = [collection.a().member_len(a), columns.member_len(pair.b as usize)];
                ScoreRule::new(task, options)
                    .similarity(pair.score, m, n)
                    .filter(|_| task == Task::Lcs)
                    .unwrap_or_else(|| if task == Task::EditDistance { -f64::from(pair.score) } else { pair.score.into() })
            };
            near.sort_by(|one, other| nearness(other).total_cmp(&nearness(one)).then(one.b.cmp(&other.b)));
            near.truncate(count as usize);
            expected.extend(near);
        }
        assert_eq!(found, expected, "nearest {count} by {task:?}");
    }
}

fn variants() -> Vec<(Task, JobOptions)> {
    let options = JobOptions { unit: Unit::Chars, alignment: false, ..JobOptions::default() };
    let scored = JobOptions { equal: Points::whole(2), gap: GapPoints::whole(2, 1), ..options.clone() };
    let halves = GapPoints { open: Points::from_tenths(15), extend: Points::from_tenths(5) };
    let costs = |costs: EditCosts| (Task::EditDistance, JobOptions { costs, ..options.clone() });
    vec![
        (Task::EditDistance, options.clone()),
        costs(EditCosts::INDEL),
        costs(EditCosts::OSA),
        costs(EditCosts { substitute: 1, insert: 2, delete: 0, transpose: None }),
        costs(EditCosts { substitute: 5, insert: 1, delete: 3, transpose: None }),
        costs(EditCosts { substitute: 2, insert: 3, delete: 3, transpose: None }),
        costs(EditCosts { substitute: 7, insert: 5, delete: 4, transpose: None }),
        costs(EditCosts { substitute: 0, insert: 1, delete: 2, transpose: None }),
        costs(EditCosts { substitute: 999, insert: 1_000, delete: 997, transpose: None }),
        costs(EditCosts { substitute: 3, insert: 4, delete: 2, transpose: Some(3) }),
        costs(EditCosts { substitute: 3, insert: 2, delete: 2, transpose: Some(2) }),
        costs(EditCosts { substitute: 900, insert: 1_000, delete: 700, transpose: Some(1) }),
        (Task::EditDistance, JobOptions { case_insensitive: true, ignore_whitespace: true, ..options.clone() }),
        (Task::Lcs, options.clone()),
        (Task::SequenceAlignment, scored.clone()),
        (Task::SequenceAlignment, JobOptions { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::FIT, ..scored.clone() }),
        (Task::SequenceAlignment, JobOptions { gap: halves, ..scored.clone() }),
        (Task::SequenceAlignment, JobOptions { mode: AlignmentMode::Local, ..scored }),
    ]
}

#[test]
fn scores_of_random_collections_agree_with_the_oracle() {
    let letters = ['a', 'b', 'C', 'c', 'ä', ' '];
    for seed in 0..6 {
        let first = random(&letters, 30 + 20 * seed as usize, seed);
        let text = |number: u64| -> String {
            match number % 5 {
                0 => String::new(),
                1 => mutated(&first, &letters, 0.2, number).iter().collect(),
                2 => first.iter().collect(),
                _ => random(&letters, (number as usize * 13) % 90, number).iter().collect(),
            }
        };
        let all: Vec<String> = (0..12).map(|number| text(100 * seed + number)).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        for (task, options) in variants() {
            check(&collection(sources(&all, MemberSplit::Files), None, &options), task, &options);
            let two = [&all[..5], &all[5..]].map(|part| sources(part, MemberSplit::Files));
            let [a, b] = two;
            check(&collection(a, Some(b), &options), task, &options);
        }
    }
}

#[test]
fn collections_of_other_units_agree_with_the_oracle() {
    let texts = ["the cat sat\n\non the mat", "The cat sat on a mat.", "", "naïve 👍🏽\r\ncafé", "naive 👍\ncafe\u{301}", "on the mat"];
    for unit in Unit::ALL {
        for normalize in [false, true] {
            let options = JobOptions { unit, normalize: normalize && unit != Unit::Bytes, ..JobOptions::default() };
            for split in [MemberSplit::Files, MemberSplit::Lines, MemberSplit::Blank] {
                check(&collection(sources(&texts, split), None, &options), Task::EditDistance, &options);
            }
        }
    }
}

#[test]
fn more_than_one_tile_is_computed() {
    let lines: String = (0..1030u32).map(|number| format!("{:x}\n", number.wrapping_mul(2_654_435_761) >> 12)).collect();
    let options = JobOptions::default();
    let collection = collection(sources(&[&lines], MemberSplit::Lines), None, &options);
    let distinct = collection.corpus().len();
    let Ok(CollectionAnswer::Scores(scores)) = ask(&collection, Task::EditDistance, &options, KeptPairs::All) else { panic!() };
    let Ok(CollectionAnswer::Pairs(pairs)) = ask(&collection, Task::EditDistance, &options, KeptPairs::Within(2)) else { panic!() };
    let mut expected = Vec::new();
    for a in 0..distinct {
        for b in a + 1..distinct {
            let of =
                |member: usize| collection.a().member_text(collection.a().members().iter().position(|one| one.text == member).unwrap());
            if a % 97 == 0 {
                assert_eq!(scores[a * distinct + b] as u64, crate::distance(&of(a), &of(b)));
            }
            assert_eq!(scores[a * distinct + b], scores[b * distinct + a]);
            if scores[a * distinct + b] <= 2 {
                expected.push(ScoredPair { a: a as u32, b: b as u32, score: scores[a * distinct + b] });
            }
        }
    }
    assert_eq!(pairs, expected);
}

/// Answers a question with an engine that leaves out every score that does not reach its bounds.
fn ask_bounded(collection: &Collection, question: &CollectionQuestion, size: &TileSize) -> CollectionAnswer {
    let (host, corpus) = (Cpu { threads: 2 }, collection.corpus());
    let (observed, run) = (Run::new(&NoObserver), Run::new(&NoObserver));
    let scores = |tile: &Tile, score: &PairScore, bounds: Option<&ScoreBounds>| {
        let all = cpu::scores(corpus, tile, score, &host, &run)?;
        let Some(bounds) = bounds else { return Ok(TileScores::All(all)) };
        let width = tile.columns.len();
        let place = |(at, score): (usize, i32)| TileScore { row: (at / width) as u32, column: (at % width) as u32, score };
        let reaches = |pair: &TileScore| {
            let lens = [tile.rows.start + pair.row as usize, tile.columns.start + pair.column as usize];
            bounds.reaches(*pair, lens.map(|text| corpus.member_len(text)))
        };
        Ok(TileScores::Reaching(all.into_iter().enumerate().map(place).filter(reaches).collect()))
    };
    question.solve_by_tiles(size, collection, &LIMITS, &host, &mut RowSteps::none(), &observed, scores).unwrap()
}

#[test]
fn bounds_of_tiles_leave_out_no_part_of_an_answer() {
    let letters = ['a', 'b', 'c'];
    for seed in 0..4 {
        let texts: Vec<String> =
            (0..60).map(|number| random(&letters, (number * 7 + seed as usize) % 12, number as u64 / 2).iter().collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (task, options) in variants() {
            let sides = [&texts[..35], &texts[35..]].map(|part| sources(part, MemberSplit::Files));
            let [a, b] = sides;
            for collection in [collection(sources(&texts, MemberSplit::Files), None, &options), collection(a, Some(b), &options)] {
                let keeps =
                    [KeptPairs::All, KeptPairs::Within(2), KeptPairs::Nearest(1), KeptPairs::Nearest(4), KeptPairs::Similarity(0.6)];
                for keep in keeps {
                    let Ok(question) = CollectionQuestion::new(task, &options, keep, &collection) else { continue };
                    let expected = question.solve(&collection, &LIMITS, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
                    for (members, row_cells) in [(3, u64::MAX), (16, u64::MAX), (16, 1 << 10), (100, u64::MAX)] {
                        let answer = ask_bounded(&collection, &question, &TileSize { members, row_cells });
                        assert_eq!(answer, expected, "{keep:?} {task:?} {options:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn texts_are_divided_as_requested() {
    let names = |texts: &[&str], split| {
        let options = JobOptions::default();
        let made = collection(sources(texts, split), None, &options);
        let of = |(number, member): (usize, &Member)| (member.name.clone(), String::from_utf8(made.a().member_text(number)).unwrap());
        made.a().members().iter().enumerate().map(of).collect::<Vec<_>>()
    };
    let own = |pairs: &[(&str, &str)]| pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect::<Vec<_>>();
    assert_eq!(names(&["ab\r\n\ncd\re\n"], MemberSplit::Lines), own(&[("ab", "ab"), ("", ""), ("cd", "cd"), ("e", "e")]));
    assert_eq!(names(&["ab", "\n\n"], MemberSplit::Files), own(&[("text 1", "ab"), ("text 2", "\n\n")]));
    assert_eq!(names(&["\n a\nb\n \n\nc\n"], MemberSplit::Blank), own(&[("a", " a\nb"), ("c", "c")]));
    let fasta = ">x one\nAC\nGT\n>y\n\n>z\nac\n";
    assert_eq!(names(&[fasta], MemberSplit::Records), own(&[("x", ">x\nAC\nGT"), ("y", ""), ("z", ">z\nac")]));
    assert_eq!(names(&["@r\nACGT\n+\nIIII\n@s\nAC\n+\nII\n"], MemberSplit::Records), own(&[("r", ">r\nACGT"), ("s", ">s\nAC")]));
    assert_eq!(names(&[">only\nACGT\n"], MemberSplit::Files), own(&[("text 1", ">text 1\nACGT")]));
    // Plain texts have their names, and are no records.
    let plain = [">only\nACGT\n", "", "acgt"];
    assert_eq!(names(&plain, MemberSplit::Plain), own(&[("text 1", ">only\nACGT\n"), ("text 2", ""), ("text 3", "acgt")]));
    let long = "ä".repeat(100);
    assert_eq!(names(&[&long], MemberSplit::Lines)[0].0, format!("{}…", "ä".repeat(60)));
}

#[test]
fn byte_order_marks_at_the_starts_of_texts_do_not_count() {
    let all = [Unit::Bytes, Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines];
    for unit in all {
        for normalize in [false, true].into_iter().filter(|normalize| !normalize || unit != Unit::Bytes) {
            let options = JobOptions { unit, normalize, ..JobOptions::default() };
            let texts = |text: &str, split| {
                let made = collection(sources(&[text], split), None, &options);
                let of = |(number, member): (usize, &Member)| {
                    // A unit of lines has its line end, which is ignored.
                    let bytes = made.a().member_text(number).trim_ascii_end().to_vec();
                    (member.text, made.a().member_len(number), bytes)
                };
                made.a().members().iter().enumerate().map(of).collect::<Vec<_>>()
            };
            for (marked, plain) in [
                ("\u{feff}one two\n\u{feff}one two\nx", "one two\none two\nx"),
                ("\u{feff}\u{feff}one two\r\n\u{feff}\u{feff}one two\r\u{feff}", "one two\r\none two\r"),
                ("é \n\u{feff}\n\u{feff}one", "é \n\none"),
            ] {
                for split in [MemberSplit::Lines, MemberSplit::Blank] {
                    if split == MemberSplit::Blank && marked.starts_with('\u{feff}') {
                        // Within a group of lines, a mark is a symbol.
                        continue;
                    }
                    assert_eq!(texts(marked, split), texts(plain, split), "{marked:?} {options:?} {split:?}");
                }
            }
            // A line is the same text if it is sent apart.
            if unit != Unit::Bytes {
                let apart = collection(sources(&["\u{feff}\u{feff}one", "one"], MemberSplit::Plain), None, &options);
                assert_eq!(apart.corpus().len(), 1, "{options:?}");
            }
        }
    }
    let within = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    let made = collection(sources(&["a\n\u{feff}b\n\n\u{feff}c"], MemberSplit::Blank), None, &within);
    assert_eq!((made.a().member_len(0), made.a().member_len(1)), (4, 1));
}

#[test]
fn long_names_are_shortened_in_the_middle() {
    let name_of = |name: String| {
        let source = MemberSource { name, bytes: b"x"[..].into() };
        let side = SideSources { sources: vec![source], split: MemberSplit::Files };
        collection(side, None, &JobOptions::default()).a().members()[0].name.clone()
    };
    let whole = "ä".repeat(200);
    assert_eq!(name_of(whole.clone()), whole);
    let [begin, end] = ["ä".repeat(100), "é".repeat(99)];
    assert_eq!(name_of(format!("{begin}xy{end}")), format!("{begin}…{end}"));
    // Paths often differ at their ends only.
    let path = |file: &str| format!("{}/{file}", "folder/".repeat(60));
    assert_ne!(name_of(path("mia.txt")), name_of(path("tom.txt")));
}

#[test]
fn joined_files_of_records_are_one_file() {
    let mark = '\u{feff}';
    let options = JobOptions::default();
    for (one, other) in [
        (">x\nACGT\n", ">y\nAC\n"),
        ("@x\nACGT\n+\nIIII\n", "@y\nAC\n+\nII\n"),
        ("LOCUS x 4 bp\nORIGIN\n 1 acgt\n//\n", "LOCUS y 2 bp\nORIGIN\n 1 ac\n//\n"),
    ] {
        let made = collection(sources(&[&format!("{mark}{one}{mark}{other}")], MemberSplit::Records), None, &options);
        let members: Vec<_> =
            made.a().members().iter().enumerate().map(|(number, member)| (member.name.as_str(), made.a().member_len(number))).collect();
        assert_eq!(members, [("x", 4), ("y", 2)], "{one:?}");
    }
}

#[test]
fn records_compare_as_sequences() {
    let fasta = ">x\nACGTTA\n>y\nacgttc\n>z\n\n>w\nACGTTA\n>v\nUUUU\n";
    let options = JobOptions { alignment: false, ..JobOptions::default() };
    let made = collection(sources(&[fasta], MemberSplit::Records), None, &options);
    assert_eq!((made.a().members().len(), made.corpus().len()), (5, 4));
    // Borders have no number of their own.
    assert_eq!(made.corpus().alphabet(), 5);
    check(&made, Task::EditDistance, &options);
    let protein = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), gap: GapPoints::whole(11, 1), ..options };
    check(&collection(sources(&[fasta, ">p\nMKVL\n"], MemberSplit::Records), None, &protein), Task::SequenceAlignment, &protein);
}

#[test]
fn bad_input_names_the_text_and_the_place() {
    let message = |texts: &[&[u8]], split, options: &JobOptions| {
        let source = |(number, bytes): (usize, &&[u8])| MemberSource { name: format!("essay {}.txt", number + 1), bytes: (*bytes).into() };
        let given = SideSources { sources: texts.iter().enumerate().map(source).collect(), split };
        Collection::parse(given, None, &options.reading()).unwrap_err().to_string()
    };
    let chars = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    assert_eq!(
        message(&[b"fine", b"ab\xff"], MemberSplit::Files, &chars),
        "essay 2.txt is not valid UTF-8 at byte 2. Count in bytes, or save the file as UTF-8."
    );
    assert_eq!(
        message(&[b">x\nACGT\n>y\nAC\n"], MemberSplit::Files, &chars),
        "essay 1.txt holds 2 records. Set `split` to records, so that each is compared."
    );
    assert_eq!(message(&[b""], MemberSplit::Lines, &chars), "`a` has no texts to compare.");
    let words = JobOptions { unit: Unit::Words, ..JobOptions::default() };
    assert_eq!(
        message(&[b">x\nACGT\n"], MemberSplit::Records, &words),
        "Records consist of letters, and words are to be compared. Count in bytes or chars."
    );
    assert_eq!(
        message(&[b"ACGT\nACGA\n"], MemberSplit::Records, &chars),
        "essay 1.txt has no records, because no line begins with > or @. Divide it by lines instead."
    );
    let never = JobOptions { fasta: FastaMode::Never, ..chars.clone() };
    assert_eq!(
        message(&[b">x\nACGT\n"], MemberSplit::Records, &never),
        "Records are read from sequence files, and `fasta` is never. Leave out `fasta`, or divide the texts by lines."
    );
    // The advice removes the error, whichever rule divided the texts.
    let bad: &[u8] = b"@r1\nGATTACAGG\n+\nIIIIIIIII\n@r2\nGATTACAGG\n+\nIII";
    let bad_flat = b"LOCUS       X1          14 bp    DNA     linear\nORIGIN      \n        1 acgtacgttt ggac\n//\nnone\n";
    let always = JobOptions { fasta: FastaMode::Always, ..chars.clone() };
    for (file, split, options) in [
        (bad, MemberSplit::Files, &chars),
        (bad, MemberSplit::Files, &always),
        (bad, MemberSplit::Records, &chars),
        (&bad_flat[..], MemberSplit::Records, &chars),
    ] {
        let says = message(&[file], split, options);
        assert!(says.ends_with("Repair the file, or set `split` to plain to compare it as text."), "{says}");
        let given = SideSources { sources: vec![MemberSource { name: "x".into(), bytes: file.into() }], split: MemberSplit::Plain };
        assert!(Collection::parse(given, None, &options.reading()).is_ok(), "{split:?}");
    }
    let long = vec![b'a'; Corpus::MAX_MEMBER + 1];
    assert_eq!(
        message(&[&long], MemberSplit::Files, &chars),
        "The length of essay 1.txt in symbols is 1048577, and the limit here is 1048576."
    );
}

#[test]
fn questions_that_do_not_fit_are_refused() {
    let options = JobOptions::default();
    let made = collection(sources(&["a", "b"], MemberSplit::Files), None, &options);
    let message = |task, options: &JobOptions, keep| ask(&made, task, options, keep).unwrap_err().to_string();
    let all = KeptPairs::All;
    assert_eq!(
        message(Task::ExactSearch, &options, all),
        "exact-search compares no pairs of collections. edit-distance, lcs, sequence-alignment do; exact-search, approximate-search find patterns."
    );
    assert_eq!(message(Task::Lcs, &options, KeptPairs::Within(2)), "`keep.within` counts edits, and lcs has none. edit-distance has them.");
    assert_eq!(
        message(Task::SequenceAlignment, &options, KeptPairs::Similarity(0.5)),
        "`keep.similarity` is a share of symbols. edit-distance, lcs have it."
    );
    assert_eq!(message(Task::Lcs, &options, KeptPairs::Similarity(1.5)), "`keep.similarity` is 1.5; it must be from 0 to 1.");
    assert_eq!(message(Task::Lcs, &options, KeptPairs::Nearest(0)), "`keep.nearest` is 0; it must be from 1 to 1000.");
    let limits = AnswerLimits { max_scores: 3, max_pairs: 0 };
    let question = CollectionQuestion::new(Task::Lcs, &options, all, &made).unwrap();
    let refused = question.solve(&made, &limits, &Cpu::SINGLE, &Run::new(&NoObserver));
    assert_eq!(refused.unwrap_err().failure().to_string(), "The number of scores is 4, and the limit here is 3.");
    let question = CollectionQuestion::new(Task::EditDistance, &options, KeptPairs::Within(1), &made).unwrap();
    let refused = question.solve(&made, &limits, &Cpu::SINGLE, &Run::new(&NoObserver));
    assert_eq!(refused.unwrap_err().failure().to_string(), "The number of kept pairs is 1, and the limit here is 0.");
}

#[test]
fn groups_are_connected_by_chains() {
    let pairs = [(0, 4), (5, 6), (4, 2), (7, 8), (8, 7)];
    assert_eq!(groups(10, pairs.into_iter()), [vec![0, 2, 4], vec![5, 6], vec![7, 8]]);
    assert!(groups(0, std::iter::empty()).is_empty());
}

/// All texts are read as sequences, or none, as the two texts of a pair.
#[test]
fn texts_of_different_forms_are_read_alike() {
    let options = JobOptions { alignment: false, ..JobOptions::default() };
    for texts in [&[">x\nACGT\n", "acgt\n", "ACTT"][..], &["acgt", "ACGT"]] {
        check(&collection(sources(texts, MemberSplit::Files), None, &options), Task::EditDistance, &options);
    }
    let mixed = collection(sources(&[">x\nACGT\n", "some prose", "acgt"], MemberSplit::Files), None, &options);
    let Ok(CollectionAnswer::Scores(scores)) = ask(&mixed, Task::EditDistance, &options, KeptPairs::All) else { panic!() };
    assert_eq!(scores[2], 8, "beside prose, all texts are plain");
    let (records, lines) = (sources(&["@r\nacgt\n+\nIIII\n"], MemberSplit::Records), sources(&["acgt\nACGA\n"], MemberSplit::Lines));
    check(&collection(records, Some(lines), &options), Task::EditDistance, &options);
}

#[test]
fn marks_at_the_start_of_a_line_are_kept() {
    let options = JobOptions { unit: Unit::Chars, normalize: true, ..JobOptions::default() };
    let made = collection(sources(&["a\n\u{340}b\ne\u{301}"], MemberSplit::Lines), None, &options);
    assert_eq!([0, 1, 2].map(|member| made.a().member_len(member)), [1, 2, 1]);
    check(&made, Task::EditDistance, &options);
}

#[test]
fn scores_that_depend_on_the_order_are_those_of_pairs() {
    let matrix = CustomMatrix::new("AC".into(), [40, -15, -30, 55].map(Points::from_tenths)).unwrap();
    let options = JobOptions { matrix: Some(ScoringMatrix::from(matrix)), alignment: false, ..JobOptions::default() };
    let texts = ["ACCA", "CCAC", "AAAA", "C", "ACCA", ""];
    check(&collection(sources(&texts, MemberSplit::Files), None, &options), Task::SequenceAlignment, &options);
}

/// The nearest members do not depend on which members are equal.
#[test]
fn equal_members_are_nearest_in_their_order() {
    let options = JobOptions { mode: AlignmentMode::Local, equal: Points::whole(1), alignment: false, ..JobOptions::default() };
    check(&collection(sources(&["AC", "TACT", "AC", "GACG", "AC"], MemberSplit::Files), None, &options), Task::SequenceAlignment, &options);
}

#[test]
fn many_equal_members_do_not_exceed_the_limits() {
    let options = JobOptions::default();
    let made = collection(sources(&[&"\n".repeat(100_000)], MemberSplit::Lines), None, &options);
    let refused = |keep| {
        let question = CollectionQuestion::new(Task::EditDistance, &options, keep, &made).unwrap();
        let answer = question.solve(&made, &LIMITS, &Cpu::SINGLE, &Run::new(&NoObserver)).map_err(Halt::failure)?;
        answer.member_pairs(&made, Task::EditDistance, keep, 1 << 17).map(|pairs| pairs.len())
    };
    assert_eq!(refused(KeptPairs::All).unwrap_err().to_string(), "The number of scores is 10000000000, and the limit here is 2097152.");
    assert_eq!(
        refused(KeptPairs::Within(0)).unwrap_err().to_string(),
        "The number of kept pairs is 4999950000, and the limit here is 131072."
    );
    assert_eq!(refused(KeptPairs::Nearest(1)), Ok(100_000));
    let question = CollectionQuestion::new(Task::EditDistance, &options, KeptPairs::Within(0), &made).unwrap();
    let answer = question.solve(&made, &LIMITS, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
    assert_eq!(answer.groups(&made).len(), 1);
}

/// Answers the question, and returns the answer with its parts.
fn in_parts(question: &CollectionQuestion, made: &Collection, done: &[AnsweredRows]) -> (CollectionAnswer, Vec<AnsweredRows>) {
    let mut parts = done.to_vec();
    let mut add = |rows: &FinishedRows<'_>| {
        let start = parts.last().map_or(0, |last: &AnsweredRows| last.rows.end);
        assert!(start < rows.end() && (0.0..1.0).contains(&rows.left()), "{start} to {}, left {}", rows.end(), rows.left());
        let part = rows.since(start);
        if matches!(part.answer, CollectionAnswer::Nearest(_)) {
            parts.clear();
        }
        parts.push(part);
        Ok(())
    };
    let mut steps = RowSteps::new(done.to_vec(), &mut add);
    let answer = question.solve_in_steps(made, &LIMITS, &Cpu { threads: 2 }, &mut steps, &Run::new(&NoObserver)).unwrap();
    (answer, parts)
}

#[test]
fn questions_continue_after_each_stored_part() {
    let texts: Vec<Vec<u8>> = (0..60).map(|number| random(b"AC", number as usize % 13, number / 2)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| std::str::from_utf8(text).unwrap()).collect();
    let rules = [KeptPairs::All, KeptPairs::Nearest(2), KeptPairs::Within(2), KeptPairs::Similarity(0.7)];
    for (task, options) in variants() {
        let side = |texts: &[&str]| sources(texts, MemberSplit::Files);
        for made in [collection(side(&texts), None, &options), collection(side(&texts[..40]), Some(side(&texts[20..])), &options)] {
            for keep in rules {
                let Ok(question) = CollectionQuestion::new(task, &options, keep, &made) else { continue };
                let (whole, parts) = in_parts(&question, &made, &[]);
                assert_eq!(Ok(&whole), ask(&made, task, &options, keep).as_ref());
                assert_eq!(parts.last().unwrap().rows.end, made.a().distinct().end);
                if !matches!(keep, KeptPairs::Nearest(_)) {
                    assert!(parts.len() > 2, "{task:?} has {} parts", parts.len());
                    for stored in 1..=parts.len() {
                        assert_eq!(in_parts(&question, &made, &parts[..stored]), (whole.clone(), parts.clone()), "{task:?}, {keep:?}");
                    }
                    continue;
                }
                // Each part of the nearest texts replaces the one before.
                let mut all = Vec::new();
                let mut add = |rows: &FinishedRows<'_>| {
                    all.push(rows.since(0));
                    Ok(())
                };
                let mut steps = RowSteps::new(Vec::new(), &mut add);
                question.solve_in_steps(&made, &LIMITS, &Cpu::SINGLE, &mut steps, &Run::new(&NoObserver)).unwrap();
                assert!(all.len() > 2);
                for part in all {
                    assert_eq!(in_parts(&question, &made, &[part]).0, whole, "{task:?}");
                }
            }
        }
    }
}

#[test]
fn answers_of_tiles_do_not_depend_on_their_number_and_order() {
    let texts: Vec<Vec<u8>> = (0..60).map(|number| random(b"AC", number as usize % 13, number / 2)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| std::str::from_utf8(text).unwrap()).collect();
    let side = |texts: &[&str]| sources(texts, MemberSplit::Files);
    for (task, options) in variants() {
        for made in [collection(side(&texts), None, &options), collection(side(&texts[..40]), Some(side(&texts[20..])), &options)] {
            for keep in [KeptPairs::All, KeptPairs::Nearest(2), KeptPairs::Within(2), KeptPairs::Similarity(0.7)] {
                let Ok(question) = CollectionQuestion::new(task, &options, keep, &made) else { continue };
                for count in [1, 2, 7, 1000] {
                    let tiles = question.tiles(&made, count);
                    assert!(tiles.len() <= count && (count == 1 || tiles.len() > 1), "{} of {count} tiles", tiles.len());
                    let scores = |tile: Tile| {
                        let scores = question.tile_scores(&tile, &made, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
                        (tile, scores)
                    };
                    let answer = question.answer_of_tiles(&made, &LIMITS, tiles.into_iter().rev().map(scores));
                    assert_eq!(answer.map_err(Halt::failure), ask(&made, task, &options, keep), "{task:?}, {keep:?}, {count} tiles");
                }
            }
        }
    }
    let empty = collection(side(&[""]), None, &JobOptions::default());
    let question = CollectionQuestion::new(Task::Lcs, &JobOptions::default(), KeptPairs::All, &empty).unwrap();
    assert_eq!(question.tiles(&empty, 8), [Tile { rows: 0..1, columns: 0..1 }]);
}

#[test]
fn incomplete_tiles_are_refused() {
    let made = collection(sources(&["one", "two", "three"], MemberSplit::Files), None, &JobOptions::default());
    let question = CollectionQuestion::new(Task::Lcs, &JobOptions::default(), KeptPairs::All, &made).unwrap();
    let refused = |tiles: Vec<(Tile, Vec<i32>)>| match question.answer_of_tiles(&made, &LIMITS, tiles) {
        Err(Halt::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    };
    let incomplete = JobFailure::engine("A part of the answer is incomplete.");
    let tile = question.tiles(&made, 1).remove(0);
    assert_eq!(refused(vec![(tile, vec![0; 2])]), incomplete);
    let scored = question.tiles(&made, 3).into_iter().map(|tile| (tile.clone(), vec![0; tile.pairs()]));
    assert_eq!(refused(scored.skip(1).collect()), incomplete, "a tile is missing");
    assert_eq!(refused(vec![(Tile { rows: 2..4, columns: 2..3 }, vec![0; 2])]), incomplete, "a tile of other texts");
}

#[test]
fn parts_of_another_question_are_refused() {
    let options = JobOptions::default();
    let made = collection(sources(&["AC", "CA", "AA"], MemberSplit::Files), None, &options);
    let question = CollectionQuestion::new(Task::Lcs, &options, KeptPairs::All, &made).unwrap();
    let scores = CollectionAnswer::Scores(vec![2, 1, 1]);
    let parts = [
        AnsweredRows { rows: 1..2, answer: scores.clone() },
        AnsweredRows { rows: 0..2, answer: scores },
        AnsweredRows { rows: 0..1, answer: CollectionAnswer::Pairs(Vec::new()) },
        AnsweredRows { rows: 3..4, answer: CollectionAnswer::Scores(vec![0; 3]) },
    ];
    for part in parts {
        let mut ignore = |_: &FinishedRows<'_>| Ok(());
        let mut steps = RowSteps::new(vec![part], &mut ignore);
        let answer = question.solve_in_steps(&made, &LIMITS, &Cpu::SINGLE, &mut steps, &Run::new(&NoObserver));
        assert!(matches!(answer, Err(Halt::Failed(JobFailure::Engine { .. }))), "{answer:?}");
    }
}

#[test]
fn stopped_questions_have_no_answer() {
    struct Stop;
    impl crate::run::Observer for Stop {
        fn on_signal(&self, _: crate::event::RunSignal) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
    }
    let options = JobOptions::default();
    let made = collection(sources(&["kitten", "sitting"], MemberSplit::Files), None, &options);
    let question = CollectionQuestion::new(Task::EditDistance, &options, KeptPairs::All, &made).unwrap();
    assert_eq!(question.solve(&made, &LIMITS, &Cpu::SINGLE, &Run::new(&Stop)), Err(Halt::Stopped));
}

#[test]
fn patterns_are_found_as_by_their_own_jobs() {
    let text = ">one\nTTGATTACATTGATTACC\n>two\n\n>three\nTGTAATCACGRN\n";
    let patterns = ["GATTACA", "TTG", "GATTACA", "", "ACGN"];
    for task in PatternCollection::TASKS {
        for strands in [SearchStrands::Forward, SearchStrands::Both] {
            for ambiguity in [false, true] {
                let max_distance = (task == Task::ApproximateSearch).then_some(1);
                let options =
                    JobOptions { strands, ambiguity, max_distance, local_minima: max_distance.is_some(), ..JobOptions::default() };
                let found = PatternCollection::parse(
                    sources(&[&patterns.join("\n")], MemberSplit::Lines),
                    sources(&[text], MemberSplit::Files),
                    task,
                    &options,
                )
                .unwrap();
                let hits = found.solve(1 << 20, &Cpu { threads: 2 }, &Run::new(&NoObserver)).unwrap();
                assert_eq!(hits.len(), patterns.len());
                for (pattern, hits) in patterns.iter().zip(hits).filter(|(pattern, _)| !pattern.is_empty()) {
                    let choices = PairRecordChoices::of(task, RecordChoice::default(), RecordChoice::default());
                    let pair = Pair::parse_records(pattern.as_bytes(), text.as_bytes(), &options.reading(), &choices).unwrap();
                    let (searcher, run) = (searcher(task).unwrap(), Run::new(&NoObserver));
                    let solution = searcher.cpu(&Cpu::SINGLE, &pair, &options, &run).unwrap();
                    let (answer, found) = (solution.answer, solution.found.unwrap());
                    let searched = FinishedSearch { pair: &pair, options: &options, answer: &answer, found: &found };
                    assert_eq!(hits.hits, searcher.hits(&searched, 0..u64::MAX, &Cpu::SINGLE, &run).unwrap(), "{pattern:?} by {options:?}");
                    assert_eq!(hits.total, hits.hits.len() as u64);
                }
            }
        }
    }
}

#[test]
fn empty_patterns_have_no_hits() {
    let texts = [">one\nTTGATTACATT\n>two\n\n>three\nTGTAATC\n", "TTGATT", ""];
    let limits = [Some(0), Some(1), Some(9), None].map(|limit| (Task::ApproximateSearch, limit));
    for (task, max_distance) in [(Task::ExactSearch, None)].into_iter().chain(limits) {
        for strands in [SearchStrands::Forward, SearchStrands::Both] {
            for (ambiguity, count_only) in [(false, false), (true, false), (false, true)] {
                let options = JobOptions { strands, ambiguity, count_only, max_distance, ..JobOptions::default() };
                for patterns in ["\nTTG\n\nC", "\n\n"] {
                    let sides = [sources(&[patterns], MemberSplit::Lines), sources(&texts, MemberSplit::Files)];
                    let [patterns, texts] = sides;
                    let found = PatternCollection::parse(patterns, texts, task, &options).unwrap();
                    let run = Run::new(&NoObserver);
                    let hits = found.solve(1 << 20, &Cpu::SINGLE, &run).unwrap();
                    for (pattern, hits) in hits.iter().enumerate() {
                        let is_empty = found.pairs()[pattern].a.is_empty();
                        assert_eq!((hits.total == 0, hits.hits.is_empty()), (is_empty, is_empty || count_only), "{pattern} by {options:?}");
                        let nearest = found.nearest(pattern, &Cpu::SINGLE, &run).unwrap();
                        assert_eq!(nearest.is_none(), is_empty || count_only, "{pattern} by {options:?}");
                    }
                    let is_idle = hits.iter().all(|hits| hits.total == 0);
                    assert_eq!((found.work().unwrap().cells == 0, run.cells() == 0), (is_idle, is_idle), "{options:?}");
                }
            }
        }
    }
}

/// Returns the hits of a search, each as the numbers of its text, its range there, and its edits.
fn places(found: &PatternCollection) -> Vec<Vec<(u64, u64, u64, u64)>> {
    let hits = found.solve(1_000, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
    let place = |hit: &crate::found::Hit| {
        let record = hit.record.unwrap();
        (record.number, record.start, record.end, hit.distance)
    };
    hits.iter().map(|hits| hits.hits.iter().map(place).collect()).collect()
}

#[test]
fn patterns_are_searched_in_each_of_many_texts() {
    let search = |texts: SideSources, options: &JobOptions| {
        let patterns = sources(&["TTG\nGATT"], MemberSplit::Lines);
        PatternCollection::parse(patterns, texts, Task::ApproximateSearch, options).unwrap()
    };
    let exact = JobOptions { max_distance: Some(0), ..JobOptions::default() };
    // A file of two records is two texts, and lines are a text each.
    let files = search(sources(&["TTGATT", ">x\nGATT\n>y\nTTG\n", "ACTTG"], MemberSplit::Files), &exact);
    assert_eq!(files.texts(), ["text 1", "x", "y", "text 3"]);
    assert_eq!((0..4).map(|text| files.text_len(text)).collect::<Vec<_>>(), [6, 4, 3, 5]);
    assert_eq!(places(&files), [vec![(0, 0, 3, 0), (2, 0, 3, 0), (3, 2, 5, 0)], vec![(0, 2, 6, 0), (1, 0, 4, 0)]]);
    let lines = search(sources(&["TTGATT\nGATT"], MemberSplit::Lines), &exact);
    assert_eq!(places(&lines), [vec![(0, 0, 3, 0)], vec![(0, 2, 6, 0), (1, 0, 4, 0)]]);
    // Without a limit, only the best hits of all texts are hits.
    let best = search(sources(&["TTC", "ATTG"], MemberSplit::Files), &JobOptions { local_minima: true, ..JobOptions::default() });
    assert_eq!(places(&best)[0], [(1, 1, 4, 0)]);
    let hit = files.solve(1_000, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap()[0].hits[1];
    assert_eq!(files.align(0, hit, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap().summary().matches, 3);
    let none = PatternCollection::parse(
        sources(&["A"], MemberSplit::Lines),
        sources(&[], MemberSplit::Files),
        Task::ExactSearch,
        &JobOptions::default(),
    );
    assert_eq!(none.unwrap_err().to_string(), "Patterns are searched in `b`. Give `b` a text or file.");
}

#[test]
fn patterns_are_not_numbered_with_too_many_texts() {
    let (pattern, lines) = ("a".repeat(1 << 20), "a\n".repeat(1 << 9));
    let options = JobOptions::default();
    let parse = |pattern: &str| {
        let sides = [sources(&[pattern], MemberSplit::Files), sources(&[&lines], MemberSplit::Lines)];
        let [patterns, texts] = sides;
        PatternCollection::parse(patterns, texts, Task::ExactSearch, &options)
    };
    assert_eq!(
        parse(&pattern).unwrap_err().to_string(),
        "The patterns have 1048576 symbols in all, and there are 512 searched texts. The product may be at most 268435456. Search in \
         fewer texts at a time, or in one file with a record for each text."
    );
    assert_eq!(parse(&pattern[..1 << 10]).unwrap().sources(), 512);
}

#[test]
fn patterns_have_names_and_limits_of_their_own() {
    let options = JobOptions { max_distance: Some(1), local_minima: true, ..JobOptions::default() };
    let parse = || {
        let (patterns, texts) =
            (sources(&["kitten\nkitten\nmitten"], MemberSplit::Lines), sources(&["sitting", "kit"], MemberSplit::Files));
        PatternCollection::parse(patterns, texts, Task::ApproximateSearch, &options).unwrap()
    };
    let label = |name: Option<&str>, max_distance| PatternLabel { name: name.map(str::to_owned), max_distance };
    let labels = [label(Some("one"), Some(2)), label(None, Some(0)), label(None, None)];
    let found = parse().with_labels(&labels).unwrap();
    let run = Run::new(&NoObserver);
    let hits = found.solve(100, &Cpu::SINGLE, &run).unwrap();
    assert_eq!(
        hits.iter().map(|hits| hits.hits.iter().map(|hit| hit.distance).collect::<Vec<_>>()).collect::<Vec<_>>(),
        [vec![2], vec![], vec![]]
    );
    assert_eq!((found.pairs()[0].a.name(), found.pairs()[1].a.name()), (Some("one"), Some("kitten")));
    assert_eq!([0, 1, 2].map(|pattern| found.options_of(pattern).max_distance), [Some(2), Some(0), Some(1)]);
    let nearest = found.nearest(1, &Cpu::SINGLE, &run).unwrap().unwrap();
    assert_eq!((nearest.distance, nearest.record.map(|record| record.number)), (2, Some(0)));
    assert_eq!(found.align(1, nearest, &Cpu::SINGLE, &run).unwrap().summary().distance(), 2);
    assert_eq!(parse().with_labels(&labels[..1]).unwrap_err().to_string(), "There are 3 patterns, and 1 names or limits of patterns.");
}
