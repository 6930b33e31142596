//! The list of hand-ins that learning platforms export, `info.csv` of Dolos: file, label, time and author ([`HandInList`]).

use std::sync::Arc;

use super::hand_in::HandInTime;
use super::sources::{SourceDetails, TextSource};
use super::table;
use crate::tr;

/// Name of the file with the list.
pub const FILE_NAME: &str = "info.csv";

/// A list of hand-ins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandInList {
    entries: Vec<HandInEntry>,
    /// Sentences about values that were not read. Each names its line.
    pub doubts: Vec<String>,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HandInEntry {
    file: String,
    about: SourceDetails,
}

impl HandInList {
    /// Parses a list. Its first line names the columns: `filename`, and any of `label`, `created_at` and `full_name`. Returns
    /// `None` if the bytes are no such list.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let rows = table::rows(bytes);
        let (head, rows) = rows.split_first()?;
        let column = |name: &str| head.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let file = column("filename")?;
        let others = ["full_name", "label", "created_at"].map(column);
        if others.iter().all(Option::is_none) {
            return None;
        }
        let mut list = Self { entries: Vec::new(), doubts: Vec::new() };
        for (number, row) in rows.iter().enumerate() {
            let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).map_or("", |cell| cell.trim());
            let [full_name, label, time] = others.map(cell);
            let handed_in = HandInTime::parse(time);
            if handed_in.is_none() && !time.is_empty() {
                list.doubts.push(tr!("Line {n}: “{value}” is no time.", n = number + 2, value = time));
            }
            let about = SourceDetails { full_name: full_name.into(), label: label.into(), handed_in };
            let file = cell(Some(file)).trim_start_matches("./").to_owned();
            if !file.is_empty() {
                list.entries.push(HandInEntry { file, about });
            }
        }
        Some(list)
    }

    /// Gives the details of the list to the files that it names: by the whole path, else by the end of the path. Returns the
    /// names that fit no file.
    pub fn apply(&self, sources: &mut [TextSource]) -> Vec<String> {
        let mut unknown = Vec::new();
        for HandInEntry { file, about } in &self.entries {
            let fits = |source: &TextSource| is_end_of_path(file, &source.name) || is_end_of_path(&source.name, file);
            let exact = sources.iter().position(|source| *source.name == **file);
            let found = exact.or_else(|| {
                let mut fitting = sources.iter().enumerate().filter(|(_, source)| fits(source)).map(|(number, _)| number);
                // Two files of the same name would get the details by chance.
                fitting.next().filter(|_| fitting.next().is_none())
            });
            match found {
                Some(number) => sources[number].about = about.clone(),
                None => unknown.push(file.clone()),
            }
        }
        unknown
    }
}

/// Returns whether `end` is the last parts of the path `path`.
fn is_end_of_path(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/')) && !end.is_empty()
}

/// Returns the name of a file without its folders.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Removes the folders that all paths have in common.
pub fn without_common_folders(paths: &mut [&mut Arc<str>]) {
    let folders = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let Some(first) = paths.first().map(|path| path[..folders(path)].to_owned()) else { return };
    let common = paths.iter().fold(first, |common, path| {
        let same = common.bytes().zip(path.bytes()).take_while(|(x, y)| x == y).count();
        let same = (0..=same).rev().find(|&end| path.is_char_boundary(end)).unwrap_or(0);
        path[..folders(&path[..same])].to_owned()
    });
    paths.iter_mut().for_each(|path| **path = path[common.len()..].into());
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "filename,label,created_at,full_name\n\
        mia.txt,9a,2026-11-12 17:06:00 +0100,\"Bauer, Mia\"\n\
        b/tom.txt,9b,soon,\"Okafor, Tom\"\n\
        gone.txt,9b,,Nobody\n";

    #[test]
    fn list_gives_names_labels_and_times_and_names_what_fits_no_file() {
        let list = HandInList::parse(LIST.as_bytes()).unwrap();
        assert_eq!(list.doubts, ["Line 3: “soon” is no time."]);
        let mut sources: Vec<TextSource> =
            ["class/a/mia.txt", "class/b/tom.txt", "other.txt"].iter().map(|name| TextSource::file(name, b"x")).collect();
        assert_eq!(list.apply(&mut sources), ["gone.txt"]);
        let shown: Vec<_> = sources.iter().map(|source| (&**source.title(), &*source.about.label)).collect();
        assert_eq!(shown, [("Bauer, Mia", "9a"), ("Okafor, Tom", "9b"), ("other.txt", "")]);
        assert_eq!(sources[0].about.handed_in.map(|time| time.to_string()).as_deref(), Some("2026-11-12 17:06"));
        // Neither file is chosen by chance.
        let mut twice: Vec<TextSource> = ["a/mia.txt", "b/mia.txt"].iter().map(|name| TextSource::file(name, b"x")).collect();
        assert_eq!(list.apply(&mut twice), ["mia.txt", "b/tom.txt", "gone.txt"]);
    }

    #[test]
    fn other_tables_are_no_list() {
        for text in ["", "a,b\n1,2", "filename\nx.txt", "The filename, and more"] {
            assert_eq!(HandInList::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn common_folders_are_removed() {
        let without = |paths: &[&str]| {
            let mut paths: Vec<Arc<str>> = paths.iter().map(|path| (*path).into()).collect();
            without_common_folders(&mut paths.iter_mut().collect::<Vec<_>>());
            paths.iter().map(|path| path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(without(&["class/mia.txt", "class/tom.txt"]), ["mia.txt", "tom.txt"]);
        assert_eq!(without(&["class/a/mia.txt", "class/ab/tom.txt"]), ["a/mia.txt", "ab/tom.txt"]);
        assert_eq!(without(&["mia.txt", "class/tom.txt"]), ["mia.txt", "class/tom.txt"]);
        assert_eq!(
            (without(&["ä/x", "ö/x"]), without(&["a/b/c"]), without(&[])),
            (vec!["ä/x".into(), "ö/x".into()], vec!["c".into()], vec![])
        );
    }
}
