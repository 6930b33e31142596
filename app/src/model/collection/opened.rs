//! Opened files as the texts of a side: [`OpenedTexts`].

use super::hand_in_list::{FILE_NAME, HandInList, base_name, without_common_folders};
use super::sources::TextSource;
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
            for name in list.apply(&mut sources) {
                unread.push(tr!("{list} names {name}, which is not among the files.", list = FILE_NAME, name = name));
            }
            unread.extend(list.doubts.iter().map(|doubt| format!("{FILE_NAME}: {doubt}")));
            without_common_folders(&mut sources.iter_mut().map(|source| &mut source.name).collect::<Vec<_>>());
            return Self { sources, unread: with_system(unread, of_system) };
        }
        without_common_folders(&mut added.iter_mut().map(|source| &mut source.name).collect::<Vec<_>>());
        Self { sources: [before, added].concat(), unread: with_system(unread, of_system) }
    }
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
