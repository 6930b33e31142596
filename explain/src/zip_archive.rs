//! The files of a ZIP archive: [`unzip`].

use std::io::Read as _;

use rawzip::{CompressionMethod, ZipArchive};

/// Maximum number of files of an archive.
pub const MAX_FILES: usize = 10_000;

/// A file of an archive, without folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Path within the archive, with `/` between folders.
    pub path: String,
    /// Content, or the reason why it was not unpacked.
    pub content: Result<Vec<u8>, ArchivedFileError>,
}

/// The reason why a file of an archive was not unpacked. Its message is a clause that continues a sentence whose subject
/// is the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchivedFileError {
    /// The data or its checksum is wrong.
    #[error("it is damaged")]
    Damaged,
    /// The file is encrypted.
    #[error("it has a password")]
    Encrypted,
    /// The file has another compression than Deflate.
    #[error("it was packed by another method than Deflate")]
    OtherMethod,
}

/// The reason why an archive was not unpacked. Its message is a clause that continues a sentence whose subject is the
/// archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The bytes are no complete archive.
    #[error("it is damaged")]
    Damaged,
    /// The archive has more than [`MAX_FILES`] files.
    #[error("it has more than {MAX_FILES} files")]
    TooManyFiles,
    /// The files together are larger than the limit of the caller.
    #[error("it is too large")]
    TooLarge,
}

/// Unpacks all files of the archive `archive`, in their order, up to `max_bytes` together. Takes O(content) time and
/// memory.
///
/// # Errors
/// Returns an error if the archive is damaged or too large. A single file that cannot be unpacked has an error of its own.
pub fn unzip(archive: &[u8], max_bytes: u64) -> Result<Vec<ArchivedFile>, ArchiveError> {
    let archive = ZipArchive::from_slice(archive).map_err(|_| ArchiveError::Damaged)?;
    let mut entries = archive.entries();
    let (mut files, mut room) = (Vec::new(), max_bytes);
    while let Some(entry) = entries.next_entry().map_err(|_| ArchiveError::Damaged)? {
        if entry.is_dir() {
            continue;
        }
        if files.len() == MAX_FILES {
            return Err(ArchiveError::TooManyFiles);
        }
        let path = String::from_utf8_lossy(entry.file_path().as_ref()).replace('\\', "/");
        let content = match archive.get_entry(entry.wayfinder()) {
            _ if entry.flags().is_encrypted() => Err(ArchivedFileError::Encrypted),
            Err(_) => Err(ArchivedFileError::Damaged),
            Ok(packed) => {
                let mut content = Vec::new();
                // One more byte than there is room for tells a larger content.
                let read = match entry.compression_method() {
                    CompressionMethod::STORE => packed.verifying_reader(packed.data()).take(room + 1).read_to_end(&mut content),
                    CompressionMethod::DEFLATE => {
                        let inflated = flate2::bufread::DeflateDecoder::new(packed.data());
                        packed.verifying_reader(inflated).take(room + 1).read_to_end(&mut content)
                    }
                    _ => {
                        files.push(ArchivedFile { path, content: Err(ArchivedFileError::OtherMethod) });
                        continue;
                    }
                };
                if content.len() as u64 > room {
                    return Err(ArchiveError::TooLarge);
                }
                room -= content.len() as u64;
                read.map(|_| content).map_err(|_| ArchivedFileError::Damaged)
            }
        };
        files.push(ArchivedFile { path, content });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use rawzip::ZipArchiveWriter;

    use super::*;

    /// Packs files, those with an even number by Deflate.
    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipArchiveWriter::new(Vec::new());
        for (number, (path, content)) in files.iter().enumerate() {
            if path.ends_with('/') {
                archive.new_dir(path).create().unwrap();
                continue;
            }
            let method = if number % 2 == 0 { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
            let (mut entry, config) = archive.new_file(path).compression_method(method).start().unwrap();
            let descriptor = if number % 2 == 0 {
                let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default()));
                writer.write_all(content).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(content).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap()
    }

    fn unpacked(archive: &[u8]) -> Vec<(String, Result<Vec<u8>, ArchivedFileError>)> {
        unzip(archive, 1_000).unwrap().into_iter().map(|file| (file.path, file.content)).collect()
    }

    #[test]
    fn files_are_unpacked_in_their_order_without_folders() {
        let archive = zip(&[("class/", b""), ("class/mia.txt", b"kitten"), ("class/tom.txt", &b"sitting ".repeat(20)), ("empty", b"")]);
        let files = unpacked(&archive);
        let expected = [("class/mia.txt", b"kitten".to_vec()), ("class/tom.txt", b"sitting ".repeat(20)), ("empty", Vec::new())];
        assert_eq!(files, expected.map(|(path, content)| (path.to_owned(), Ok(content))));
    }

    #[test]
    fn content_above_the_limit_is_refused() {
        let archive = zip(&[("a", &[b'x'; 600]), ("b", &[b'x'; 400])]);
        assert_eq!(unzip(&archive, 1_000).map(|files| files.len()), Ok(2));
        assert_eq!(unzip(&archive, 999), Err(ArchiveError::TooLarge));
    }

    #[test]
    fn damaged_archives_and_files_are_named() {
        assert_eq!(unzip(b"", 1), Err(ArchiveError::Damaged));
        assert_eq!(unzip(b"PK\x03\x04 and no more", 1), Err(ArchiveError::Damaged));
        let mut archive = zip(&[("a", b"kitten kitten kitten"), ("b", b"sitting")]);
        let at = archive.windows(7).position(|bytes| bytes == b"sitting").unwrap();
        archive[at] = b'S';
        assert_eq!(unpacked(&archive)[1], ("b".into(), Err(ArchivedFileError::Damaged)));
        // Each byte may be changed without a panic.
        for at in 0..archive.len() {
            let mut other = archive.clone();
            other[at] ^= 0x55;
            let _ = unzip(&other, 1_000);
        }
        for end in 0..archive.len() {
            let _ = unzip(&archive[..end], 1_000);
        }
    }
}
