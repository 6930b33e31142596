//! The command line of the program: accepted and refused arguments, and the output of `solve` and `check-config`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::typed;
use crate::restart::Program;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn editscope(folder: &Path, arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_editscope"));
    program.current_dir(folder).args(arguments);
    program
}

fn run(folder: &Path, arguments: &[&str]) -> (Output, String, String) {
    let output = editscope(folder, arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

#[test]
fn unknown_arguments_are_refused_with_help() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--port", "80"][..], &["server"], &["serve", "now"], &["solve", "sort", "a", "b"], &["solve", "lcs"]] {
        let (output, out, err) = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(out.is_empty() && err.contains("--help"), "{arguments:?}: {err}");
    }
    let (output, out, _) = run(folder.path(), &["--help"]);
    assert!(output.status.success());
    for command in ["serve", "solve", "check-config", "admin", "completions", "man", "--config"] {
        assert!(out.contains(command), "{out}");
    }
}

/// Each offset is printed while the text is still arriving.
#[test]
fn solve_counts_matches_of_a_text_on_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pattern.txt"), "abbac\n").unwrap();
    for method in ["shift-add", "parallel-shift-add"] {
        let set = format!("method={method}");
        let arguments = ["solve", "match-count", "pattern.txt", "-", "--set", "max_mismatches=2", "--set", &set];
        let mut program = editscope(folder.path(), &arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut input, mut lines) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()).lines());
        let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
        input.write_all(b"acbab").unwrap();
        assert_eq!(next(), json!({ "offset": 0, "matches": 3, "mismatches": 2 }));
        // The end of the text is still open.
        input.write_all(b"bac").unwrap();
        assert_eq!(next(), json!({ "offset": 3, "matches": 5, "mismatches": 0 }));
        input.write_all(b"cb").unwrap();
        drop(input);
        assert_eq!(next(), json!({ "read": 10, "offsets": 6, "hits": 2 }));
        assert!(program.wait().unwrap().success());
    }
    for (arguments, why) in [
        (&["lcs", "pattern.txt", "-"][..], "lcs needs the whole text"),
        (&["match-count", "pattern.txt", "-", "--set", "unit=words"], "byte by byte"),
        (&["match-count", "pattern.txt", "-", "--set", "method=naive"], "needs the method shift-add"),
        (&["match-count", "pattern.txt", "-", "--hits", "hits.csv"], "its matches are printed"),
    ] {
        let (output, _, err) = run(folder.path(), &[&["solve"], arguments].concat());
        assert!(output.status.code() == Some(2) && err.contains(why), "{arguments:?}: {err}");
    }
}

/// An operator lists and deletes links while the server runs.
#[tokio::test(flavor = "multi_thread")]
async fn operator_lists_and_deletes_links_of_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let admin = |arguments: &[&str]| {
        let mut program = editscope(folder.path(), &[&["admin"], arguments].concat());
        let output = program.env("EDITSCOPE_DATA", folder.path().join("data")).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    };
    let nothing = admin(&["links"]).unwrap_err();
    assert!(nothing.contains("editscope.sqlite") && nothing.contains("EDITSCOPE_DATA"), "{nothing}");

    let program = tokio::task::block_in_place(|| Program::with(folder.path(), &[]));
    let job = program.web.solve(&typed("kitten", "sitting")).await;
    let link = async |lifetime: &str| {
        let made = program.web.post("/api/v1/links", &json!({ "job": job["id"], "lifetime": lifetime })).await.json();
        made["id"].as_str().unwrap().to_owned()
    };
    let (brief, staying) = (link("1d").await, link("until-deleted").await);
    let sealed = program.web.request(Method::POST, "/api/v1/sealed?lifetime=until-deleted").body("sealed bytes");
    let sealed = program.web.send(sealed).await.json()["id"].as_str().unwrap().to_owned();
    let listed =
        |arguments: &[&str]| -> Vec<Value> { serde_json::from_str(&admin(&[&["links", "--json"], arguments].concat()).unwrap()).unwrap() };
    let ids = |links: &[Value]| links.iter().map(|link| link["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let all = listed(&[]);
    assert_eq!(ids(&all), [sealed.clone(), staying.clone(), brief.clone()], "the latest link is first");
    let columns = |link: &Value| (link["kind"].clone(), link["bytes"].clone(), link["ends_in_seconds"].is_null());
    assert_eq!(
        [0, 1, 2].map(|at| columns(&all[at])),
        [(json!("private"), json!(12), true), (json!("result"), json!(13), true), (json!("result"), json!(13), false)]
    );
    assert_eq!(ids(&listed(&["--staying"])), [sealed.clone(), staying.clone()]);
    assert_eq!(ids(&listed(&["--most", "1"])), std::slice::from_ref(&sealed));
    let table = admin(&["links"]).unwrap();
    assert!(table.starts_with("ID ") && table.contains("stays") && table.lines().count() == 4, "{table}");
    assert!(!table.contains("kitten"), "the list shows a text: {table}");

    let said = admin(&["drop-links", &staying, &sealed, "00000000000000000000000000"]).unwrap();
    assert!(said.contains(&format!("link {staying} is deleted")) && said.contains("00000000000000000000000000 was not here"), "{said}");
    program.web.get(&format!("/api/v1/links/{staying}")).await.problem(410, "gone");
    program.web.get(&format!("/api/v1/sealed/{sealed}")).await.problem(410, "gone");
    assert_eq!(program.web.get(&format!("/api/v1/links/{brief}")).await.status, 200);
    assert!(admin(&["drop-links", &staying]).unwrap_err().contains("there is no such link"));
}

#[test]
fn cluster_commands_are_refused_on_a_single_server() {
    let folder = tempfile::tempdir().unwrap();
    let id = "00000000000000000000000000";
    for arguments in [&["jobs"][..], &["jobs", "--state", "failed"], &["retry", id], &["drop", id], &["workers"], &["drain", "gpu-1"]] {
        let (output, out, err) = run(folder.path(), &[&["admin"], arguments].concat());
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(err.contains("for a site of many processes") && err.contains("EDITSCOPE_NATS"), "{arguments:?}: {err}");
    }
    for arguments in [["--config", "nowhere.toml", "admin", "jobs"], ["admin", "jobs", "--config", "nowhere.toml"]] {
        let (output, _, err) = run(folder.path(), &arguments);
        assert!(output.status.code() == Some(2) && err.contains("cannot read nowhere.toml"), "{arguments:?}: {err}");
    }
    for arguments in [&["jobs", "--state", "lost"][..], &["retry"], &["drop", "kitten"], &["drain"], &[]] {
        let (output, _, err) = run(folder.path(), &[&["admin"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
    }
    assert!(folder.path().read_dir().unwrap().next().is_none(), "no file is created");
}

#[test]
fn configuration_is_checked_before_the_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("editscope.toml"), "connections = 7\ndata = \"kept\"\n").unwrap();
    let named = ["check-config", "--config", "editscope.toml"];
    let output = editscope(folder.path(), &named).env("EDITSCOPE_CONNECTIONS", "9").output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && out.contains("connections = 9 # EDITSCOPE_CONNECTIONS\n") && out.contains("data = \"kept\" # file\n"),
        "{out}"
    );
    let by_variable = editscope(folder.path(), &["check-config"]).env("EDITSCOPE_CONFIG", "editscope.toml").output().unwrap();
    assert!(String::from_utf8(by_variable.stdout).unwrap().contains("connections = 7 # file\n"));
    for (variable, value, says) in [
        ("EDITSCOPE_QUEUE", "9", "there is no variable EDITSCOPE_QUEUE; did you mean EDITSCOPE_QUEUE_SECONDS?"),
        ("EDITSCOPE_JOB_SECONDS", "ten", "EDITSCOPE_JOB_SECONDS is \"ten\": it must be a number of seconds from 0 to"),
        ("EDITSCOPE_CONFIG", "nowhere.toml", "cannot read nowhere.toml"),
    ] {
        for command in [&["check-config"][..], &["serve"], &[]] {
            let output = editscope(folder.path(), command).env(variable, value).output().unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{variable}: {err}");
            assert!(err.starts_with("editscope: ") && err.contains(says) && err.lines().count() == 1, "{err}");
        }
    }
    assert!(!folder.path().join("data").exists(), "the server was started");
}

#[test]
fn solve_runs_one_job_on_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.txt", b"kitten");
    write("b.txt", b"sitting");
    // A file with two members, as bgzip writes them.
    let packed: Vec<u8> = ["ban", "ana"].iter().flat_map(|part| gzip(part.as_bytes())).collect();
    write("c.gz", &packed);
    write("ana.txt", b"ana");
    let (output, out, err) =
        run(folder.path(), &["solve", "edit-distance", "a.txt", "b.txt", "--set", "unit=chars", "--cigar", "out.cigar"]);
    assert!(output.status.success(), "{err}");
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.first().unwrap()["type"], "planned");
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["distance"]), (&"answer".into(), &3.into()), "{last}");
    assert_eq!(std::fs::read_to_string(folder.path().join("out.cigar")).unwrap().trim(), "1X3=1X1=1I");
    write("long.txt", b"GAAAC");
    write("short.txt", b"GAC");
    for (gaps, cigar) in [("gaps=leftmost", "1=2D2="), ("gaps=rightmost", "2=2D1=")] {
        let (output, _, err) = run(folder.path(), &["solve", "lcs", "long.txt", "short.txt", "--set", gaps, "--cigar", "gaps.cigar"]);
        assert!(output.status.success(), "{err}");
        assert_eq!(std::fs::read_to_string(folder.path().join("gaps.cigar")).unwrap().trim(), cigar);
    }
    let align = ["solve", "sequence-alignment", "a.txt", "b.txt", "--set", "mode=local", "--set", "match=2"];
    for (file, begin) in [("out.tsv", "a\tb\t"), ("out.pair", "####"), ("out.txt", "# a: 6 bytes\n")] {
        let (output, _, err) = run(folder.path(), &[&align[..], &["--alignment", file]].concat());
        assert!(output.status.success(), "{err}");
        let saved = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(saved.starts_with(begin), "{saved}");
    }
    let (output, _, err) = run(folder.path(), &["solve", "edit-distance", "a.txt", "b.txt", "--alignment", "out.tsv"]);
    assert!(!output.status.success() && err.contains("--alignment: the table of BLAST needs the score"), "{err}");
    let (output, _, err) = run(folder.path(), &["solve", "exact-search", "ana.txt", "c.gz", "--threads", "1", "--hits", "hits.csv"]);
    assert!(output.status.success(), "{err}");
    assert_eq!(std::fs::read_to_string(folder.path().join("hits.csv")).unwrap().lines().count(), 3, "a header and two hits");
}

#[test]
fn packed_files_are_unpacked_and_foreign_files_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    let solve = |a: &str, more: &[&str]| run(folder.path(), &[&["solve", "edit-distance", a, "b.txt"], more].concat());
    write("b.txt", b"ACGTACGTACGT");
    // Output of `pzstd`.
    write("a.zst", b"\x50\x2a\x4d\x18\x04\0\0\0\x19\0\0\0\x28\xb5\x2f\xfd\x04\x58\x61\0\0ACGTACGTACGT\xe8\x15\x19\x94");
    write("padded.gz", &[&gzip(b"ACGTACGTACGT")[..], &[0; 64]].concat());
    write("more.gz", &[&gzip(b"ACGTACGTACGT")[..], b"garbage"].concat());
    for (file, warning) in [("a.zst", ""), ("padded.gz", ""), ("more.gz", "more.gz: 7 bytes behind the gzip data are ignored\n")] {
        let (output, out, err) = solve(file, &[]);
        assert!(output.status.success() && out.contains("\"distance\":0"), "{file}: {out}{err}");
        assert_eq!(err, warning, "{file}");
    }
    write("a.xz", b"\xfd7zXZ\0\0\x04");
    write("a.png", b"\x89PNG\r\n\x1a\n");
    write("short.gz", &gzip(b"ACGT")[..20]);
    let rows = [
        ("a.xz", "a.xz is an xz archive. Unpack it first: xz -d a.xz"),
        ("a.png", "a.png is a PNG image and not a text; --set unit=bytes compares its bytes"),
        ("short.gz", "short.gz cannot be unpacked: it ends before it is whole"),
    ];
    for (file, words) in rows {
        let (output, _, err) = solve(file, &[]);
        assert!(!output.status.success() && err.contains(words), "{file}: {err}");
    }
    assert!(solve("a.png", &["--set", "unit=bytes"]).0.status.success());
    assert!(!solve("a.xz", &["--set", "unit=bytes"]).0.status.success(), "bytes of an archive cannot be compared");
}

#[test]
fn solve_prints_warnings_to_standard_error_and_as_events() {
    let folder = tempfile::tempdir().unwrap();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let files: [(&str, Vec<u8>); 8] = [
        ("blocks.fa", b">r1\n1 ACGTACGTTT\n11 GGAC\n".to_vec()),
        ("clean.fa", b">r2\nACGTACGTTTGGAC\n".to_vec()),
        ("broken.fq", b"@r1\nGATTACAGG\n+\nIIIIIIIII\n@r2\nGATTACAGG\n+\nIII".to_vec()),
        ("x.gb", b"LOCUS       X1          14 bp    DNA\nORIGIN\n        1 acgtacgttt ggac\n//\n".to_vec()),
        ("old.csv", utf16("\u{feff}Name;Betrag\r\nM\u{fc}ller;12,50\r\n")),
        ("new.csv", "Name;Betrag\r\nM\u{fc}ller;12,80\r\n".into()),
        ("mac.txt", b"one\rtwo\r".to_vec()),
        ("unix.txt", b"one\ntwo\n".to_vec()),
    ];
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    let rows = [
        (
            ["blocks.fa", "clean.fa", "unit=bytes"],
            0,
            "warning: Numbers and blanks between the letters of a were left out, the first in line 2.\n",
        ),
        (["x.gb", "clean.fa", "unit=chars"], 0, ""),
        (["old.csv", "new.csv", "unit=lines"], 1, ""),
        (["mac.txt", "unix.txt", "unit=lines"], 0, "warning: The texts differ only in how their lines end.\n"),
    ];
    for ([a, b, unit], distance, says) in rows {
        let (output, out, err) = run(folder.path(), &["solve", "edit-distance", a, b, "--set", unit]);
        assert!(output.status.success(), "{err}");
        let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let warnings = &events.iter().find(|event| event["type"] == "read").unwrap()["warnings"];
        assert_eq!((&events.last().unwrap()["distance"], err.as_str()), (&json!(distance), says), "{a}");
        assert_eq!(warnings.as_array().map_or(0, Vec::len), says.lines().count(), "{a}");
    }
    let (output, _, err) = run(folder.path(), &["solve", "edit-distance", "broken.fq", "clean.fa"]);
    assert!(!output.status.success() && err.contains("a is FASTQ, and its record 1 (r2), counted from 0, which begins in line 5"), "{err}");
}

#[test]
fn program_of_paper_004_reads_two_lines_and_prints_positions() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("input.txt"), folder.path().join("output.txt"));
    for (content, positions) in [
        ("aabaaabaab\naab\n", "0\n4\n7\n"),
        ("aabaaabaab\r\naab\r\n", "0\n4\n7\n"),
        ("aabaaabaab\raab\r", "0\n4\n7\n"),
        ("aaaa\naa", "0\n1\n2\n"),
        ("0123\naab\n", "Not found\n"),
    ] {
        std::fs::write(&input, content).unwrap();
        for method in [None, Some("method=naive"), Some("method=kmp"), Some("method=kmp-blocks")] {
            let mut arguments = vec!["solve", "exact-search", "input.txt", "--hits", "output.txt"];
            arguments.extend(method.iter().flat_map(|method| ["--set", method]));
            let (done, _, err) = run(folder.path(), &arguments);
            assert!(done.status.success(), "{err}");
            assert_eq!(std::fs::read_to_string(&output).unwrap(), positions, "{content:?} {method:?}");
        }
    }
    std::fs::write(&input, "a\nb\nc\n").unwrap();
    let (done, _, err) = run(folder.path(), &["solve", "exact-search", "input.txt"]);
    assert!(!done.status.success() && err.contains("more than two lines"), "{err}");
    std::fs::write(&input, "ACGTTT\n").unwrap();
    let (done, _, err) = run(folder.path(), &["solve", "exact-search", "input.txt"]);
    assert!(!done.status.success() && err.contains("no second line"), "{err}");
}

#[test]
fn job_that_cannot_be_solved_states_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.txt", "a"), ("empty.txt", ""), ("two.fasta", ">x\nACGT\n>y\nACGA\n"), ("bad.fastq", "@x\nACGT\n+\nIII\n")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for (arguments, says) in [
        (&["solve", "lcs", "a.txt", "nowhere.txt"][..], "reading nowhere.txt"),
        (&["solve", "lcs", "a.txt"], "lcs needs two files"),
        (&["solve", "exact-search", "a.txt"], "the file has no second line"),
        (&["solve", "lcs", "a.txt", "a.txt", "--set", "max_distance=1"], "--set: lcs has no option max_distance"),
        (
            &["solve", "edit-distance", "--text", "a", "bc", "--set", "max_distance=1", "--cigar", "out.cigar"],
            "--cigar: The distance is more than 1, the --set max_distance of the job",
        ),
        (&["solve", "lcs", "a.txt", "a.txt", "--set", "colour=red"], "“colour” is unknown here. Valid names: unit"),
        (
            &["solve", "edit-distance", "a.txt", "a.txt", "--set", "costs=OSA"],
            "There are no costs \"OSA\". Choose one of: levenshtein, indel, osa",
        ),
        (&["solve", "edit-distance", "a.txt", "a.txt", "--set", "costs.swap=1"], "“swap” is unknown here. Valid names: substitute"),
        (&["solve", "edit-distance", "a.txt", "a.txt", "--set", "costs.insert=1001"], "--set: costs.insert is 1001; it must be"),
        (&["solve", "lcs", "two.fasta", "a.txt"], "Choose one by --record-a, which is its number"),
        (&["solve", "lcs", "a.txt", "a.txt", "--record-b", "0"], "Leave out --record-b, or use --set fasta=always."),
        (&["collection", "lcs", "a.txt", "--keep", "within=1"], "--keep within counts edits"),
        (&["collection", "edit-distance", "a.txt", "--set", "max_distance=1"], "by --keep. Leave out --set max_distance."),
        (&["solve", "lcs", "bad.fastq", "a.txt"], "Repair the file, or use --set fasta=never to compare it as text."),
        (
            &["collection", "lcs", "bad.fastq", "--split", "records"],
            "Repair the file, or set --split or --split-against to plain to compare it as text.",
        ),
        (&["collection", "lcs", "empty.txt"], "FILES has no texts to compare."),
        (&["collection", "lcs", "a.txt", "--against", "empty.txt"], "--against has no texts to compare."),
        (&["solve", "edit-distance", "a.txt", "a.txt", "--set", "costs.insert=two"], "“two” is not a valid value for costs.insert"),
        (&["solve", "lcs", "a.txt", "a.txt", "--set", "costs=osa"], "lcs has no option costs. edit-distance has it."),
    ] {
        let (output, _, err) = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with("editscope: ") && err.contains(says), "{err}");
    }
}

#[test]
fn file_that_cannot_be_written_is_refused_before_the_computation() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "ACGT").unwrap();
    for (arguments, says) in [
        (&["lcs", "a.txt", "a.txt", "--hits", "hits.csv"][..], "--hits: this task finds no places"),
        (&["exact-search", "a.txt", "a.txt", "--set", "count_only=true", "--hits", "hits.csv"], "or count_only=true was set"),
        (&["exact-search", "a.txt", "a.txt", "--cigar", "out.cigar"], "--cigar: this task makes no alignment"),
        (&["lcs", "a.txt", "a.txt", "--set", "alignment=false", "--alignment", "out.txt"], "or alignment=false was set"),
        (&["lcs", "a.txt", "a.txt", "--alignment", "out.tsv"], "--alignment: the table of BLAST needs the score"),
        (&["lcs", "a.txt", "a.txt", "--cigar", "none/out.cigar"], "--cigar: the folder of none/out.cigar does not exist"),
        (&["exact-search", "a.txt", "a.txt", "--hits", "."], "--hits: . is a folder"),
    ] {
        let (output, out, err) = run(folder.path(), &[&["solve"], arguments].concat());
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
        assert!(err.starts_with("editscope: ") && err.contains(says), "{err}");
    }
}

#[test]
fn texts_on_the_command_line_are_compared_by_letters() {
    let folder = tempfile::tempdir().unwrap();
    let (output, out, err) = run(folder.path(), &["solve", "edit-distance", "--text", "naïve", "naive"]);
    assert!(output.status.success(), "{err}");
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(last["distance"], 1, "output without a terminal is JSON lines");
    let (_, out, _) = run(folder.path(), &["solve", "edit-distance", "--text", "kitten", "sitting", "--readable"]);
    assert!(out.starts_with("3 edits turn kitten into sitting.\n57.1% similar (1 − 3/7)."), "{out}");
    assert!(out.contains("a 0  kitten–\n     ×|||×|+\nb 0  sitting\n"), "{out}");
    let (_, out, _) = run(folder.path(), &["solve", "edit-distance", "--text", "", "sitting", "--readable"]);
    assert!(out.starts_with("7 edits turn a into sitting."), "{out}");
    let (output, _, err) = run(folder.path(), &["solve", "lcs", "--text", "kitten"]);
    assert!(output.status.code() == Some(2) && err.contains("Two texts are needed"), "{err}");
}

#[test]
fn costs_are_chosen_by_name_and_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    for (a, b, costs, distance, cigar) in [
        ("smiht", "smith", &["costs=osa"][..], 1, "3=2T"),
        ("kitten", "sitting", &["costs=indel"], 5, ""),
        ("kitten", "sitting", &["costs.substitute=10", "costs.delete=3"], 9, ""),
        ("ab", "ba", &["costs=osa", "costs.transpose=5"], 2, ""),
    ] {
        let mut arguments = vec!["solve", "edit-distance", "--text", a, b, "--cigar", "out.cigar"];
        arguments.extend(costs.iter().flat_map(|costs| ["--set", costs]));
        let (output, out, err) = run(folder.path(), &arguments);
        assert!(output.status.success(), "{err}");
        let answer: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        assert_eq!(answer["distance"], distance, "{costs:?}: {answer}");
        let saved = std::fs::read_to_string(folder.path().join("out.cigar")).unwrap();
        assert!(cigar.is_empty() || saved.trim() == cigar, "{saved}");
    }
    let (_, help, _) = run(folder.path(), &["solve", "--help"]);
    assert!(help.contains("costs=levenshtein|indel|osa") && help.contains("costs.transpose=K"), "{help}");
}

#[test]
fn check_exits_with_1_if_texts_differ_or_nothing_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (task, a, b, status) in [
        ("edit-distance", "kitten", "kitten", 0),
        ("edit-distance", "kitten", "sitting", 1),
        ("lcs", "kitten", "kitten", 0),
        ("lcs", "kitten", "kittens", 1),
        ("exact-search", "it", "kitten", 0),
        ("exact-search", "at", "kitten", 1),
        ("match-count", "longer", "text", 1),
        ("approximate-search", "kat", "kitten", 0),
    ] {
        let (output, _, err) = run(folder.path(), &["solve", task, "--text", a, b, "--check"]);
        assert_eq!(output.status.code(), Some(status), "{task} {a} {b}: {err}");
        let (output, _, _) = run(folder.path(), &["solve", task, "--text", a, b]);
        assert_eq!(output.status.code(), Some(0), "{task} {a} {b}");
    }
    let (output, _, _) = run(folder.path(), &["solve", "edit-distance", "--text", "kitten", "--check"]);
    assert_eq!(output.status.code(), Some(2), "an error has a different status than a difference");
}

#[test]
fn completions_and_manual_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        (&["completions", "bash"][..], "edit-distance"),
        (&["completions", "zsh"], "#compdef editscope"),
        (&["completions", "fish"], "complete -c editscope"),
        (&["man"], ".TH editscope"),
        (&["man", "solve"], "\\-\\-readable"),
    ] {
        let (output, out, err) = run(folder.path(), arguments);
        assert!(
            output.status.success() && out.contains(says) || arguments[0] == "completions" && out.contains("solve"),
            "{arguments:?}: {err}"
        );
    }
    let (output, _, err) = run(folder.path(), &["man", "walk"]);
    assert!(output.status.code() == Some(2) && err.contains("no command “walk”"), "{err}");
}

/// Runs a command on a pseudo-terminal and returns its output.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn on_terminal(folder: &Path, command: &str, variables: &[(&str, &str)]) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_editscope");
    let mut script = Command::new("script");
    script.current_dir(folder).args(["--quiet", "--return", "--command", &format!("{program} {command}"), "/dev/null"]);
    script.env_remove("NO_COLOR").env("TERM", "xterm-256color").envs(variables.iter().copied()).stdin(Stdio::null());
    match script.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")),
        Err(cause) => {
            println!("skipped: no program `script`: {cause}");
            None
        }
    }
}

/// Control characters of a file are printed as pictures.
#[test]
fn terminal_gets_a_readable_answer_without_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "one\u{1b}]0;owned\u{7}\n\u{9b}31mtwo\u{202e}\n";
    std::fs::write(folder.path().join("a.txt"), hostile).unwrap();
    std::fs::write(folder.path().join("b.txt"), "one\ntwo\n").unwrap();
    for unit in ["bytes", "graphemes", "words", "lines"] {
        let command = format!("solve edit-distance a.txt b.txt --set unit={unit}");
        let Some(plain) = on_terminal(folder.path(), &command, &[("NO_COLOR", "1")]) else { return };
        assert!(plain.contains("turn a.txt into") && plain.lines().count() <= 20, "{plain}");
        assert!(plain.chars().all(|char| char == '\n' || !char.is_control() && char != '\u{202e}'), "{plain:?}");
        let coloured = on_terminal(folder.path(), &command, &[]).unwrap_or_default();
        assert!(coloured.contains("\u{1b}[30m\u{1b}[4") || coloured.contains("\u{1b}[37m"), "{coloured:?}");
        assert!(!coloured.contains("\u{1b}]0") && !coloured.contains('\u{9b}') && !coloured.contains('\u{7}'), "{coloured:?}");
    }
    let json = on_terminal(folder.path(), "solve lcs a.txt b.txt --json --set unit=lines", &[]).unwrap_or_default();
    assert!(json.contains(r#""type":"answer""#) && !json.contains('\u{9b}'), "{json:?}");
    let named = "x\u{1b}[2J.txt";
    let failed = on_terminal(folder.path(), &format!("solve lcs '{named}' b.txt"), &[]).unwrap_or_default();
    assert!(failed.contains("x␛[2J.txt") && !failed.contains('\u{1b}'), "{failed:?}");
}

/// The output is closed early, as in `editscope solve … | head -1`.
#[test]
fn closed_output_ends_the_run_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), crate::client::random_dna(200_000, 1)).unwrap();
    std::fs::write(folder.path().join("b.txt"), crate::client::random_dna(200_000, 2)).unwrap();
    let mut child = editscope(folder.path(), &["solve", "edit-distance", "a.txt", "b.txt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && !err.contains("panicked"), "{err}");
}

#[test]
fn collections_are_compared_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("words.txt", "kitten\nsitting\nmitten\n");
    write("other.txt", "bitten\n");
    write("genes.fasta", ">x\nACGT\n>y\nACGA\n");
    let compare = |arguments: &[&str]| {
        let (output, out, err) = run(folder.path(), &[&["collection", "edit-distance"], arguments].concat());
        (output.status.code(), out, err)
    };
    let done = |out: &str| (Some(0), out.to_owned(), String::new());
    assert_eq!(
        compare(&["words.txt", "--keep", "within=1"]),
        done("a,b,a_name,b_name,distance,similarity\n0,2,kitten,mitten,1,0.833333\n")
    );
    assert_eq!(compare(&["words.txt", "--against", "other.txt", "--format", "matrix"]), done(",bitten\nkitten,1\nsitting,3\nmitten,1\n"));
    assert_eq!(
        compare(&["words.txt", "other.txt", "--set", "unit=lines", "--format", "matrix"]),
        done(",words.txt,other.txt\nwords.txt,0,3\nother.txt,3,0\n")
    );
    assert_eq!(compare(&["genes.fasta", "--split", "records", "--format", "phylip", "--output", "genes.phy"]), done(""));
    assert_eq!(std::fs::read_to_string(folder.path().join("genes.phy")).unwrap(), "2\nx 0 1\ny 1 0\n");
    assert_eq!(
        compare(&["words.txt", "--set", "costs.substitute=2", "--format", "matrix"]),
        done(",kitten,sitting,mitten\nkitten,0,5,2\nsitting,5,0,5\nmitten,2,5,0\n")
    );
    write("starter.txt", "kitten\n");
    // Nothing is left of the first line, not even its name.
    let rest = done(",,sitting,mitten\n,0,7,6\nsitting,7,0,3\nmitten,6,3,0\n");
    assert_eq!(compare(&["words.txt", "--template", "starter.txt", "--format", "matrix"]), rest);
    let warning =
        "warning: One text has no pairs. Give several files, divide the file by another --split, or give other texts with --against.\n";
    let none = (Some(0), "a,b,a_name,b_name,distance,similarity\n".to_owned(), warning.to_owned());
    assert_eq!(compare(&["other.txt"]), none);
    assert_eq!(compare(&["words.txt", "--split", "files"]), none);
    assert_eq!(
        compare(&["other.txt", "--against", "other.txt"]),
        done("a,b,a_name,b_name,distance,similarity\n0,0,bitten,bitten,0,1.000000\n")
    );
    write("primers.txt", "CG\n");
    let (output, out, err) = run(
        folder.path(),
        &["collection", "exact-search", "primers.txt", "--against", "genes.fasta", "--split-against", "records", "--format", "bed"],
    );
    assert_eq!((output.status.code(), out.as_str(), err.as_str()), (Some(0), "x\t1\t3\tCG\t1000\t+\ny\t1\t3\tCG\t1000\t+\n", ""));
    let (code, _, err) = compare(&["words.txt", "--keep", "near=1"]);
    assert!(code == Some(2) && err.contains("choose all, within=K, nearest=K or similarity=S"), "{err}");
    let (code, _, err) = compare(&["nothing.txt"]);
    assert!(code == Some(2) && err.contains("nothing.txt"), "{err}");
}
