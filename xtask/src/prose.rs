//! `cargo xtask prose`: measures the share of plain documentation comments of each crate.
//!
//! A comment (`///` or `//!`) is plain if it keeps these rules, which follow the
//! [section "Prose" of CONTRIBUTING.md](../../CONTRIBUTING.md#prose). They read its first sentence only.
//!
//! - `opener`: The sentence does not begin with a question word, such as "What" or "How". It also does not begin with a
//!   word that needs an earlier sentence, such as "Of", "It" or "Those".
//! - `noverb`: The comment of a function begins with a verb of `prose/verbs.txt`. Missing verbs may be added there.
//! - `dangling`: A noun comes before each pronoun at the beginning of the sentence. Clients, callers and threads are
//!   named, instead of "somebody" or "whoever".
//! - `stub`: The comment of a function or type has at least three words. A shorter one repeats the name.
//! - `long`: The sentence has at most 32 words.
//! - `knot`: The sentence has at most two words such as "that", "which" and "where".
//!
//! Tests, benchmarks, examples and fuzz targets are left out.
//!
//! - `comments`: comments of a file and their first sentences
//! - `rules`: the rules
//! - `verbs.txt`: the verbs in their base form

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use anyhow::{Context as _, bail};
use lexopt::{Arg, ValueExt as _};
use regex::Regex;
use serde_json::Value;

use crate::{
    prose::rules::ProseRule,
    shell::{cargo, root},
};

mod comments;
mod rules;
#[cfg(test)]
mod tests;

/// Smallest allowed share of plain comments in each crate, in percent. Such a floor may rise and must not fall.
const MIN_PLAIN_PERCENT: [(&str, usize); 7] =
    [("app", 98), ("app/worker", 97), ("explain", 98), ("kernels", 98), ("oracle", 94), ("server", 97), ("xtask", 97)];

/// Smallest allowed share of plain comments in a crate without a row in [`MIN_PLAIN_PERCENT`], in percent.
const MIN_NEW_CRATE_PERCENT: usize = 85;

/// Number of comments from which a crate is checked. In a smaller crate, a single comment has too much weight.
const MIN_CHECKED_COMMENTS: usize = 20;

/// Maximum number of comments that the error about a crate lists.
const MAX_LISTED_COMMENTS: usize = 40;

/// Pattern of the paths of files that are not checked. A path begins with a slash.
static LEFT_OUT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"/(tests?|benches|examples|benchmarks|target|fuzz)(/|\.rs$)|/words/|/testdata/|test_data|conformance\.rs$"));

/// Arguments of `cargo xtask prose`.
#[derive(Debug, Default)]
pub(crate) struct ReportOptions {
    /// Number of comments to list, those that break most rules first.
    worst: usize,
    is_by_file: bool,
}

impl ReportOptions {
    /// Parses the arguments after `prose`.
    pub(crate) fn parse(mut args: lexopt::Parser) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("worst") => options.worst = args.value()?.parse()?,
                Arg::Long("files") => options.is_by_file = true,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}

/// A comment with its position in the sources, its first sentence, and the rules that it breaks.
struct CheckedComment {
    path: String,
    line: usize,
    sentence: String,
    broken: Vec<ProseRule>,
}

impl CheckedComment {
    fn print(&self) {
        for rule in &self.broken {
            println!("  {}:{}: {}: {}: {}", self.path, self.line, rule.name(), rule.advice(), self.sentence);
        }
    }
}

/// Prints the share of plain comments of each crate or each file, and the comments that break most rules.
///
/// # Errors
/// Returns an error if a crate is below its floor or a file cannot be read.
pub(crate) fn report(options: &ReportOptions) -> anyhow::Result<()> {
    let crates = read_crates(&root())?;
    let all = || crates.values().flatten();
    let mut rows: BTreeMap<&str, Vec<&CheckedComment>> = BTreeMap::new();
    for (name, comments) in &crates {
        for comment in comments {
            rows.entry(if options.is_by_file { &comment.path } else { name }).or_default().push(comment);
        }
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|a, b| plain_percent(&a.1).total_cmp(&plain_percent(&b.1)));
    rows.push(("all", all().collect()));
    let head = if options.is_by_file { "file" } else { "crate" };
    let width = rows.iter().map(|(name, _)| name.len()).fold(head.len(), usize::max);
    let names = ProseRule::ALL.map(|rule| format!("{:>9}", rule.name())).concat();
    println!("{head:width$} {:>6} {:>8} {:>6} {names}", "docs", "plain", "floor");
    for (name, comments) in &rows {
        let is_crate = !options.is_by_file && *name != "all";
        let floor = if is_crate { format!("{} %", min_percent(name)) } else { String::new() };
        let broken = ProseRule::ALL.map(|rule| format!("{:9}", comments.iter().filter(|comment| comment.broken.contains(&rule)).count()));
        println!("{name:width$} {:6} {:6.1} % {floor:>6} {}", comments.len(), plain_percent(comments), broken.concat());
    }
    let mut worst: Vec<_> = all().filter(|comment| !comment.broken.is_empty()).collect();
    worst.sort_by_key(|comment| std::cmp::Reverse(comment.broken.len()));
    worst.iter().take(options.worst).for_each(|comment| comment.print());
    check_floors(&crates)
}

/// Checks that no crate is below its floor in [`MIN_PLAIN_PERCENT`]. For a crate below, prints the comments that break
/// rules.
fn check_floors(crates: &BTreeMap<String, Vec<CheckedComment>>) -> anyhow::Result<()> {
    let mut failures = Vec::new();
    for (name, comments) in crates {
        let broken: Vec<_> = comments.iter().filter(|comment| !comment.broken.is_empty()).collect();
        let floor = min_percent(name);
        if is_below(comments.len() - broken.len(), comments.len(), floor) {
            println!("{name}: comments that are not plain, at most {MAX_LISTED_COMMENTS} of {}", broken.len());
            broken.iter().take(MAX_LISTED_COMMENTS).for_each(|comment| comment.print());
            let percent = plain_percent(&comments.iter().collect::<Vec<_>>());
            failures.push(format!("{name} has {percent:.1} % plain comments, below its floor of {floor} %"));
        }
    }
    if !failures.is_empty() {
        bail!("{}; CONTRIBUTING.md explains the rules in its section \"Prose\"", failures.join("; "));
    }
    Ok(())
}

/// Returns whether the share of `plain` of `all` comments is below `floor` percent. A crate with few comments is never
/// below.
fn is_below(plain: usize, all: usize, floor: usize) -> bool {
    all >= MIN_CHECKED_COMMENTS && 100 * plain < floor * all
}

/// Returns the floor of the crate in the folder `name`: its smallest allowed share of plain comments, in percent.
fn min_percent(name: &str) -> usize {
    MIN_PLAIN_PERCENT.iter().find(|(known, _)| *known == name).map_or(MIN_NEW_CRATE_PERCENT, |(_, floor)| *floor)
}

fn plain_percent(comments: &[&CheckedComment]) -> f64 {
    let plain = comments.iter().filter(|comment| comment.broken.is_empty()).count();
    100.0 * plain as f64 / comments.len().max(1) as f64
}

/// Reads and checks the comments of all crates of the workspace in `root`. Returns a map from the folder of a crate to
/// its comments.
fn read_crates(root: &Path) -> anyhow::Result<BTreeMap<String, Vec<CheckedComment>>> {
    let members = find_members(root)?;
    let mut crates = BTreeMap::new();
    for member in &members {
        let mut paths = Vec::new();
        find_sources(root, member, &members, &mut paths)?;
        paths.sort();
        let mut comments = Vec::new();
        for path in paths {
            let text = fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            comments.extend(comments::parse_comments(&text).iter().map(|comment| CheckedComment {
                path: path.clone(),
                line: comment.line,
                sentence: comments::first_sentence(&comment.body),
                broken: rules::find_broken(comment),
            }));
        }
        crates.insert(member.clone(), comments);
    }
    Ok(crates)
}

/// Returns the folders of all crates of the workspace in `root`, as paths relative to `root`.
fn find_members(root: &Path) -> anyhow::Result<Vec<String>> {
    let output = cargo("metadata --no-deps --offline --format-version 1").output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed ({})\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let root = root.canonicalize()?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let folders = packages.iter().map(|package| {
        let manifest = package["manifest_path"].as_str().context("a package has no manifest")?;
        let folder = Path::new(manifest).parent().context("a manifest has no folder")?.canonicalize()?;
        let names = folder.strip_prefix(&root)?.iter().map(|name| name.to_string_lossy());
        anyhow::Ok(names.collect::<Vec<_>>().join("/"))
    });
    folders.collect()
}

/// Adds the paths of the Rust files below `folder`, relative to `root`, to `paths`. Leaves out the other crates in
/// `members`, hidden folders, npm packages and files that match [`LEFT_OUT`].
fn find_sources(root: &Path, folder: &str, members: &[String], paths: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && name != "node_modules" && !members.contains(&path) {
                find_sources(root, &path, members, paths)?;
            }
        } else if name.ends_with(".rs") && !LEFT_OUT.is_match(&format!("/{path}")) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Compiles a regular expression that is a constant of this program.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this program are valid")
}
