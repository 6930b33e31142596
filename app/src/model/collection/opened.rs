//! Opened files as the texts of a side: [`OpenedTexts`], and their conversion to UTF-8: [`convert`], [`convert_side`].

use super::hand_in_list::{FILE_NAME, HandInList, base_name, without_common_folders};
use super::sources::{TextSide, TextSource};
use super::table;
use crate::model::form::replacement::Charset;
use crate::model::text::humanize::count;
use crate::tr;
use crate::tr::t;

/// Files that operating systems add to folders and archives.
const SYSTEM_FILES: [&str; 4] = [".DS_Store", "Thumbs.db", "desktop.ini", "__MACOSX"];

/// Returns whether an operating system has added the file at `path`.
pub fn is_of_system(path: &str) -> bool {
    path.split('/').any(|part| SYSTEM_FILES.contains(&part))
}

/// Returns the sentence about texts that came while files were read, and which the files have replaced.
pub fn replaced_says() -> String {
    t("The files have replaced texts that came while they were read. Back brings these texts back.").into()
}

/// A file that was opened, with its content or the reason why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// Name of the file, after the folders and the archive that it is in.
    pub path: String,
    pub content: Result<Vec<u8>, String>,
}

/// Texts that were opened, and what was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedTexts {
    pub sources: Vec<TextSource>,
    /// Sentences about files and names that were not read, each with its reason.
    pub unread: Vec<String>,
}

impl OpenedTexts {
    /// Adds opened `files`, such as those of a folder, to the texts `before`. A list of hand-ins gives names, labels and times to all
    /// of them.
    pub fn new(before: Vec<TextSource>, files: Vec<ReadFile>) -> Self {
        if files.is_empty() {
            return Self { sources: before, unread: vec![t("No file was found there.").into()] };
        }
        let (mut list, mut added, mut unread, mut of_system) = (None, Vec::new(), Vec::new(), 0);
        let is_alone = before.is_empty() && files.len() == 1;
        for ReadFile { path, content } in files {
            if is_of_system(&path) {
                of_system += 1;
                continue;
            }
            match content {
                Err(reason) => unread.push(tr!("Not read: {name}. {reason}", name = path, reason = reason)),
                Ok(bytes) => {
                    let is_list = base_name(&path).eq_ignore_ascii_case(FILE_NAME) && !is_alone && list.is_none();
                    match HandInList::parse(&bytes).filter(|_| is_list) {
                        Some(found) => list = Some(found),
                        None => added.push(TextSource::file(&path, &bytes)),
                    }
                }
            }
        }
        if let Some(list) = &list {
            // The names of the list may have the folders.
            let mut sources = [before, added].concat();
            unread.extend(named_by(list, &mut sources));
            without_common_folders(&mut sources.iter_mut().map(|source| &mut source.name).collect::<Vec<_>>());
            return Self { sources, unread: with_system(unread, of_system) };
        }
        without_common_folders(&mut added.iter_mut().map(|source| &mut source.name).collect::<Vec<_>>());
        Self { sources: [before, added].concat(), unread: with_system(unread, of_system) }
    }
}

/// Gives the details of a list of hand-ins to the texts that it names. Returns sentences about entries that were not used.
fn named_by(list: &HandInList, sources: &mut [TextSource]) -> Vec<String> {
    let unknown = list.apply(sources).into_iter();
    let says = unknown.map(|name| tr!("{list} names {name}, which is not among the files.", list = FILE_NAME, name = name));
    says.chain(list.doubts.iter().map(|doubt| format!("{FILE_NAME}: {doubt}"))).collect()
}

/// The function that decodes a file by its detected encoding. Returns `None` if it cannot.
pub type FileDecoder = fn(&[u8]) -> Option<(String, Charset)>;

/// The function that returns whether a comparison can read the bytes of a file.
pub type EncodingCheck = fn(&[u8]) -> bool;

/// Returns whether `bytes` are UTF-8, or UTF-16 with a byte order mark.
pub fn is_marked_or_utf8(bytes: &[u8]) -> bool {
    table::decoded(bytes).is_some()
}

/// Returns whether `bytes` are UTF-8.
pub fn is_utf8(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok()
}

/// Decodes the texts that are not `readable` by `decode`. Returns a sentence about each.
pub fn convert<'s>(sources: impl IntoIterator<Item = &'s mut TextSource>, readable: EncodingCheck, decode: FileDecoder) -> Vec<String> {
    let mut says = Vec::new();
    for source in sources {
        if !readable(&source.bytes)
            && let Some((text, charset)) = decode(&source.bytes)
        {
            source.bytes = text.as_bytes().into();
            // The sentence has asterisks around the name.
            says.push(charset.read_says(&source.title().replace('*', "∗")).replace('*', ""));
        }
    }
    says
}

/// Decodes the texts of a side like [`convert`]. A list of hand-ins gives names, labels and times to the other texts, and a table
/// has its texts in a column.
pub fn convert_side(side: &mut TextSide, readable: EncodingCheck, decode: FileDecoder) -> Vec<String> {
    let mut says = convert(&mut side.sources, readable, decode);
    if says.is_empty() {
        return says;
    }
    let list_of = |source: &TextSource| {
        let is_list = base_name(&source.name).eq_ignore_ascii_case(FILE_NAME);
        if is_list { HandInList::parse(&source.bytes) } else { None }
    };
    let found = side.sources.iter().enumerate().find_map(|(number, source)| Some((number, list_of(source)?)));
    if let Some((number, list)) = found.filter(|_| side.sources.len() > 1) {
        side.sources.remove(number);
        says.extend(named_by(&list, &mut side.sources));
    }
    if side.column.is_none() {
        side.guess_column();
    }
    says
}

fn with_system(mut unread: Vec<String>, files: u64) -> Vec<String> {
    if files > 0 {
        let files = count(files, "file", "files");
        unread.push(tr!("Not read: {name}. {reason}", name = files, reason = t("The operating system has added them.")));
    }
    unread
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> ReadFile {
        ReadFile { path: path.into(), content: Ok(content.as_bytes().to_vec()) }
    }

    #[test]
    fn list_of_hand_ins_names_the_files_and_is_no_text() {
        let files = vec![
            file("class/info.csv", "filename,label,full_name\nmia.txt,9a,\"Bauer, Mia\"\nx.txt,9a,X"),
            file("class/mia.txt", "kitten"),
            file("class/tom.txt", "sitting"),
            file("class/.DS_Store", ""),
            file("__MACOSX/class/._mia.txt", ""),
            ReadFile { path: "class/photo.png".into(), content: Err("It is a picture.".into()) },
        ];
        let opened = OpenedTexts::new(Vec::new(), files);
        let names: Vec<_> = opened.sources.iter().map(|source| (&*source.name, &**source.title(), &*source.about.label)).collect();
        assert_eq!(names, [("mia.txt", "Bauer, Mia", "9a"), ("tom.txt", "tom.txt", "")]);
        assert_eq!(
            opened.unread,
            [
                "Not read: class/photo.png. It is a picture.",
                "info.csv names x.txt, which is not among the files.",
                "Not read: 2 files. The operating system has added them."
            ]
        );
    }

    #[test]
    fn folder_without_files_is_named_and_texts_stay() {
        let before = vec![TextSource::file("a.txt", b"x")];
        let opened = OpenedTexts::new(before.clone(), Vec::new());
        assert_eq!((opened.sources, opened.unread), (before, vec!["No file was found there.".into()]));
    }

    /// Decodes Latin-1, which has the same letters as Windows-1252.
    fn decode(bytes: &[u8]) -> Option<(String, Charset)> {
        Some((bytes.iter().map(|byte| char::from(*byte)).collect(), Charset::Windows1252))
    }

    #[test]
    fn files_of_another_encoding_are_converted_and_named() {
        let source = |name: &str, text: &[u8]| TextSource::file(name, text);
        let utf16 = source("c.txt", b"\xff\xfea\0");
        let mut side = TextSide::default();
        side.open(vec![source("a*.txt", b"caf\xe9\r\n"), source("b.txt", "café".as_bytes()), utf16.clone()]);
        side.sources[0].edits.rename(0, "Mia");
        let edits = side.sources[0].edits.clone();
        assert_eq!(convert_side(&mut side, is_marked_or_utf8, decode), ["a∗.txt was read as Western European (Windows-1252)."]);
        let expected = TextSource { edits, ..source("a*.txt", "café\r\n".as_bytes()) };
        assert_eq!(side.sources, [expected, source("b.txt", "café".as_bytes()), utf16]);
        assert_eq!(convert_side(&mut side, is_marked_or_utf8, decode), Vec::<String>::new());
    }

    #[test]
    fn converted_lists_and_tables_are_used() {
        let list = b"filename;full_name\nmia.txt;M\xfcller\ntom.txt;Tom\n";
        let mut side = TextSide::default();
        side.open(vec![TextSource::file("info.csv", list), TextSource::file("mia.txt", b"x"), TextSource::file("saga.txt", b"y")]);
        let read = "info.csv was read as Western European (Windows-1252).";
        assert_eq!(convert_side(&mut side, is_marked_or_utf8, decode), [read, "info.csv names tom.txt, which is not among the files."]);
        let titles: Vec<_> = side.sources.iter().map(|source| source.title().to_string()).collect();
        assert_eq!(titles, ["Müller", "saga.txt"]);
        let mut side = TextSide::default();
        side.open(vec![TextSource::file("table.csv", b"name;text\nMia;K\xe4fer\n")]);
        assert_eq!(side.column, None);
        convert_side(&mut side, is_marked_or_utf8, decode);
        assert_eq!(side.column.map(|column| column.text), Some(1));
    }

    #[test]
    fn list_that_comes_later_names_the_texts_before_it() {
        let before = OpenedTexts::new(Vec::new(), vec![file("mia.txt", "kitten"), file("tom.txt", "sitting")]).sources;
        let opened = OpenedTexts::new(before, vec![file("info.csv", "filename,label\ntom.txt,9b")]);
        let labels: Vec<_> = opened.sources.iter().map(|source| &*source.about.label).collect();
        assert_eq!((labels, opened.unread.len()), (vec!["", "9b"], 0));
        // A list alone is a text.
        let alone = OpenedTexts::new(Vec::new(), vec![file("info.csv", "filename,label\ntom.txt,9b")]);
        assert_eq!(alone.sources.len(), 1);
        // Another table is a text.
        let table = OpenedTexts::new(Vec::new(), vec![file("info.csv", "a,b\n1,2"), file("mia.txt", "x")]);
        assert_eq!(table.sources.len(), 2);
    }
}
