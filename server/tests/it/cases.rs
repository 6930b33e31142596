//! Cases that users of other programs reported, checked through the API and on the command line.
//! `tests/cases/cases.json` explains its fields. The page runs the same table in `app/end2end/tests/cases.spec.ts`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::{Got, Server};

/// Numbers of the reports, with gaps.
const NUMBERS: [RangeInclusive<u64>; 11] = [1..=4, 6..=18, 20..=23, 25..=29, 31..=32, 34..=34, 36..=57, 59..=62, 64..=71, 73..=79, 81..=83];

/// Maximum size of texts that are sent inside the job, in bytes.
const MOST_TYPED: usize = 1_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    about: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    number: u64,
    name: String,
    task: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    a: Value,
    #[serde(default)]
    b: Value,
    /// Body of a request whose text cannot be a string of the table.
    body: Option<String>,
    answer: Option<Value>,
    #[serde(default)]
    reading: BTreeMap<String, Value>,
    #[serde(default)]
    warnings: Vec<String>,
    ignored: Option<u64>,
    #[serde(default)]
    exports: BTreeMap<String, Value>,
    fails: Option<Failure>,
    optimal: Option<String>,
    marks: Option<Value>,
    #[serde(default)]
    readable: Vec<String>,
    page: Option<Value>,
    #[serde(default)]
    not_at: BTreeMap<String, String>,
    #[serde(default)]
    elsewhere: Vec<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    status: u16,
    problem: String,
    words: Vec<String>,
    page: Option<Vec<String>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn table() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.json")).unwrap();
    let Table { about, cases } = serde_json::from_str(&text).unwrap();
    assert!(!about.is_empty(), "the table does not explain its fields");
    cases
}

/// Returns the cases that apply to an entrance (API or command line), with their tasks.
fn taken_by(entrance: &str) -> Vec<(String, Case)> {
    let is_taken = |case: &Case| !case.not_at.contains_key(entrance);
    table().into_iter().filter(is_taken).filter_map(|case| Some((case.task.clone()?, case))).collect()
}

/// Returns the bytes of a text in the table.
fn bytes(text: &Value) -> Vec<u8> {
    if let Some(text) = text.as_str() {
        return text.as_bytes().to_vec();
    }
    let (kind, value) = text.as_object().and_then(|forms| forms.iter().next()).expect("a text has a kind");
    match kind.as_str() {
        "file" => std::fs::read(folder().join(value.as_str().unwrap())).unwrap(),
        "repeat" => value[0].as_str().unwrap().repeat(number(&value[1])).into_bytes(),
        "concat" => value.as_array().unwrap().iter().flat_map(bytes).collect(),
        "letters" => {
            let (first, step) = (value[0].as_i64().unwrap(), value[2].as_i64().unwrap());
            let letter = |at: i64| char::from_u32(u32::try_from(first + at * step).unwrap()).unwrap();
            (0..value[1].as_i64().unwrap()).map(letter).collect::<String>().into_bytes()
        }
        other => panic!("unknown kind of text: {other}"),
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn file_name(text: &Value) -> Option<&str> {
    text["file"].as_str()
}

/// Returns the first deviation of `got` from `expected`. Objects may have additional fields, lists must have the same
/// length.
fn lacking(expected: &Value, got: &Value) -> Option<String> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            expected.iter().find_map(|(name, value)| Some(format!("{name}: {}", lacking(value, got.get(name).unwrap_or(&Value::Null))?)))
        }
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => {
            expected.iter().zip(got).find_map(|(expected, got)| lacking(expected, got))
        }
        _ => (expected != got).then(|| format!("{got} and not {expected}")),
    }
}

/// The wrong values of all cases, one line each.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn add(&mut self, case: &Case, what: &str) {
        self.0.push(format!("{} {}: {what}", case.number, case.name));
    }

    fn check(&mut self, case: &Case, name: &str, expected: &Value, got: &Value) {
        if let Some(what) = lacking(expected, got) {
            self.add(case, &format!("{name}: {what}"));
        }
    }

    /// Compares a file with its expected text, or checks that it contains all expected pieces.
    fn check_file(&mut self, case: &Case, format: &str, got: &str) {
        let expected = &case.exports[format];
        let got = if format == "cigar" { got.trim_end() } else { got };
        match expected.as_array() {
            None => self.check(case, format, expected, &json!(got)),
            Some(pieces) => {
                for piece in pieces.iter().filter(|piece| !got.contains(piece.as_str().unwrap())) {
                    self.add(case, &format!("{format}: no {piece} in {got}"));
                }
            }
        }
    }

    fn check_words(&mut self, case: &Case, words: &[String], got: &str) {
        for word in words.iter().filter(|word| !got.contains(*word)) {
            self.add(case, &format!("no “{word}” in “{got}”"));
        }
    }

    fn check_reading(&mut self, case: &Case, reading: &Value, warnings: &Value) {
        for (text, format) in &case.reading {
            self.check(case, &format!("format of {text}"), format, &reading[text]["format"]);
        }
        let types = warnings.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|warning| warning["type"].clone());
        self.check(case, "warnings", &json!(case.warnings), &types.collect::<Value>());
    }

    /// Panics with all wrong values, if there are any.
    #[track_caller]
    fn none(self) {
        assert!(self.0.is_empty(), "{} wrong values:\n{}", self.0.len(), self.0.join("\n"));
    }
}

#[test]
fn every_report_has_a_case() {
    let cases = table();
    let expected: BTreeSet<u64> = NUMBERS.into_iter().flatten().collect();
    assert_eq!(cases.iter().map(|case| case.number).collect::<BTreeSet<_>>(), expected);
    assert_eq!(cases.iter().map(|case| case.name.as_str()).collect::<BTreeSet<_>>().len(), cases.len(), "a name occurs twice");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for case in &cases {
        let name = &case.name;
        assert!(case.task.is_some() || case.body.is_some() || !case.elsewhere.is_empty(), "{name} has no test");
        assert!(case.task.is_none() || case.answer.is_some() != case.fails.is_some(), "{name} needs either an answer or a failure");
        assert!(case.not_at.iter().all(|(at, why)| ["api", "command", "page"].contains(&at.as_str()) && !why.is_empty()), "{name}");
        // The runner of the page reads these fields.
        assert!(case.page.as_ref().is_none_or(Value::is_object), "{name}");
        assert!(case.fails.as_ref().is_none_or(|failure| failure.page.as_ref().is_none_or(|words| !words.is_empty())), "{name}");
        assert!(case.note.as_ref().is_none_or(|note| note.ends_with('.')), "{name}");
        for elsewhere in &case.elsewhere {
            let (file, test) = elsewhere.split_once(": ").unwrap();
            let test = test.split_once(" (").map_or(test, |(test, _)| test);
            let text = std::fs::read_to_string(repository.join(file)).unwrap();
            assert!(text.contains(test), "{name}: {file} has no test “{test}”");
        }
    }
}

#[tokio::test]
async fn cases_have_their_expected_values_in_the_api() {
    let server = Server::start().await;
    let mut wrong = Wrong::default();
    for (task, case) in taken_by("api") {
        ask(&server, &task, &case, &mut wrong).await;
    }
    for case in table() {
        if let (Some(body), Some(failure)) = (&case.body, &case.fails) {
            let request = server.web.request(Method::POST, "/api/v1/jobs?wait=20").header("content-type", "application/json");
            refused(&case, failure, &server.web.send(request.body(body.clone())).await, &mut wrong);
        }
    }
    wrong.none();
}

/// Sends the texts of a case, solves it, and compares all results.
async fn ask(server: &Server, task: &str, case: &Case, wrong: &mut Wrong) {
    let mut job = json!({ "task": task, "options": case.options });
    for (name, text) in [("a", &case.a), ("b", &case.b)] {
        let content = bytes(text);
        if file_name(text).is_none() && content.len() <= MOST_TYPED {
            job[name] = json!({ "text": String::from_utf8(content).unwrap() });
            continue;
        }
        let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body(content)).await;
        match &case.fails {
            _ if got.status == 201 => {}
            Some(failure) => return refused(case, failure, &got, wrong),
            None => return wrong.add(case, &got.text),
        }
        if name == "a" {
            wrong.check(case, "ignored bytes", &json!(case.ignored), &got.json()["ignored_bytes"]);
        }
        job[name] = json!({ "upload": got.json()["id"] });
    }
    if let Some(failure) = &case.fails {
        return refused(case, failure, &server.web.post("/api/v1/jobs?wait=20", &job).await, wrong);
    }
    let snapshot = server.web.solve(&job).await;
    wrong.check(case, "answer", case.answer.as_ref().unwrap(), &snapshot["answer"]);
    wrong.check_reading(case, &snapshot["reading"], &snapshot["warnings"]);
    check_sums(case, &snapshot, wrong);
    let path = format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap_or_default());
    for format in case.exports.keys() {
        let file = server.web.get(&format!("{path}/export?format={format}")).await;
        if file.status == 200 { wrong.check_file(case, format, &file.text) } else { wrong.add(case, &format!("{format}: {}", file.text)) }
    }
    if let Some(optimal) = &case.optimal {
        let symbols = server.web.get(&format!("{path}/matrix?only=symbols")).await.json();
        wrong.check(case, "optimal", &json!(optimal), &symbols["optimal"]);
    }
    if let Some(marks) = &case.marks {
        let rows = server.web.get(&format!("{path}/editions?from=0&len=5")).await.json();
        wrong.check(case, "marks", marks, &marked(&rows));
    }
}

/// Compares a refusal with the expected one.
fn refused(case: &Case, failure: &Failure, got: &Got, wrong: &mut Wrong) {
    if got.status != failure.status {
        return wrong.add(case, &format!("{}: {}", got.status, got.text));
    }
    let problem = got.json();
    wrong.check(case, "type", &json!(format!("/problems/{}", failure.problem)), &problem["type"]);
    wrong.check_words(case, &failure.words, problem["detail"].as_str().unwrap());
}

/// Checks that the columns of the alignment use up both texts.
fn check_sums(case: &Case, snapshot: &Value, wrong: &mut Wrong) {
    let alignment = &snapshot["answer"]["alignment"];
    if alignment.is_null() {
        return;
    }
    let sum = |kinds: [&str; 3]| kinds.iter().filter_map(|kind| alignment[*kind].as_u64()).sum::<u64>();
    wrong.check(case, "symbols of a", &snapshot["a"]["symbols"], &json!(sum(["matches", "mismatches", "deletions"])));
    wrong.check(case, "symbols of b", &snapshot["b"]["symbols"], &json!(sum(["matches", "mismatches", "insertions"])));
}

/// Returns the edits of rows side by side: side, kind and text of each.
fn marked(rows: &Value) -> Value {
    let mut marks = Vec::new();
    for row in rows["lines"].as_array().unwrap() {
        for text in ["a", "b"] {
            let pieces = row[text]["pieces"].as_array().map(Vec::as_slice).unwrap_or_default();
            let edits = pieces.iter().filter(|piece| piece[0] != "=");
            marks.extend(edits.map(|piece| json!([text, piece[0], piece[1].as_str().unwrap().trim()])));
        }
    }
    Value::Array(marks)
}

#[test]
fn cases_have_their_expected_values_on_the_command_line() {
    let mut wrong = Wrong::default();
    for (task, case) in taken_by("command") {
        run(&task, &case, &mut wrong);
    }
    wrong.none();
}

/// Runs the program on the files of a case, once for the answer and once for each output format.
fn run(task: &str, case: &Case, wrong: &mut Wrong) {
    let folder = tempfile::tempdir().unwrap();
    let files = [("a", &case.a), ("b", &case.b)].map(|(name, text)| {
        let file = format!("{name}/{}", file_name(text).map_or_else(|| format!("{name}.txt"), str::to_owned));
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(&file), bytes(text)).unwrap();
        file
    });
    let options =
        case.options.iter().map(|(name, value)| format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let settings: Vec<String> = options.flat_map(|option| ["--set".to_owned(), option]).collect();
    let solve = |more: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_editscope"));
        program.current_dir(folder.path()).args(["solve", task]).args(&files).args(&settings).args(more);
        let Output { status, stdout, stderr } = program.output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    };
    let (status, out, err) = solve(&["--json"]);
    if let Some(failure) = &case.fails {
        wrong.check(case, "status", &json!(2), &json!(status));
        return wrong.check_words(case, &failure.words, &err);
    }
    if status != Some(0) {
        return wrong.add(case, &err);
    }
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let read = events.iter().find(|event| event["type"] == "read").unwrap();
    wrong.check(case, "answer", case.answer.as_ref().unwrap(), events.last().unwrap());
    wrong.check_reading(case, read, &read["warnings"]);
    wrong.check(case, "warnings told", &json!(case.warnings.len()), &json!(err.matches("warning: ").count()));
    let ignored = case.ignored.map(|bytes| format!("{bytes} bytes behind the gzip data are ignored"));
    wrong.check_words(case, ignored.as_slice(), &err);
    for format in case.exports.keys() {
        let Some([option, file]) = written_by(format) else { continue };
        let (_, _, err) = solve(&[option, file]);
        match std::fs::read_to_string(folder.path().join(file)) {
            Ok(text) => wrong.check_file(case, format, &text),
            Err(_) => wrong.add(case, &format!("{format}: {err}")),
        }
    }
    if !case.readable.is_empty() {
        wrong.check_words(case, &case.readable, &solve(&["--readable"]).1);
    }
}

/// Returns the option and the file name that make the program write a format, if it can.
fn written_by(format: &str) -> Option<[&'static str; 2]> {
    Some(match format {
        "cigar" => ["--cigar", "out.cigar"],
        "csv" => ["--hits", "out.csv"],
        "hits-paf" => ["--hits", "out.paf"],
        "hits-sam" => ["--hits", "out.sam"],
        "bed" => ["--hits", "out.bed"],
        "positions" => ["--hits", "out.txt"],
        _ => return None,
    })
}
