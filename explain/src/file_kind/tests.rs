use super::*;

/// Builds the beginning of a ZIP archive whose first file has the name `name`.
fn zip(name: &str) -> Vec<u8> {
    let mut begin = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\x21\0".to_vec();
    begin.resize(26, 0);
    begin.extend((name.len() as u16).to_le_bytes());
    begin.extend([0, 0]);
    begin.extend(name.as_bytes());
    begin
}

fn named(begin: &[u8]) -> Option<String> {
    FileKind::detect(begin).map(FileKind::description)
}

#[test]
fn foreign_files_are_recognized_by_their_first_bytes() {
    let tar = [&b"notes.txt"[..], &[0; 248], b"ustar\x0000"].concat();
    let rows: [(&[u8], &str); 20] = [
        (b"\xfd7zXZ\0\0\x04", "an xz archive"),
        (b"BZh91AY&SY", "a bzip2 archive"),
        (&zip("notes.txt"), "a ZIP archive"),
        (b"PK\x05\x06\0\0", "a ZIP archive"),
        (&zip("[Content_Types].xml"), "a Microsoft Office document"),
        (&zip("_rels/.rels"), "a Microsoft Office document"),
        (&zip("mimetypeapplication/vnd.oasis.opendocument.text"), "an OpenDocument document"),
        (&zip("mimetypeapplication/epub+zip"), "an EPUB document"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
        (&tar, "a tar archive"),
        (b"%PDF-1.7\n%", "a PDF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Microsoft Office document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
        (b"GIF89a\x01\0", "a GIF image"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a WebP image"),
        (b"\0\0\0\x20ftypisom", "an MP4 file"),
        (b"\x7fELF\x02", "an ELF file"),
        (b"BAM\x01\0\0", "a BAM file"),
    ];
    for (begin, name) in rows {
        assert_eq!(named(begin).as_deref(), Some(name));
    }
}

#[test]
fn texts_are_not_taken_for_foreign_files() {
    let texts: [&[u8]; 14] = [
        b"",
        b"P",
        b"PK",
        b"BMW and MZ are brands, ID3 is a tag",
        b"MZ",
        b"II*",
        b"BZh9 is a level",
        b"GIF89",
        b"Rar! said the crow",
        b"RIFF raff",
        b">chr1\nACGT",
        b"\xff\xfea\0b\0",
        b"\xef\xbb\xbfkitten",
        b"LZIP is a word, CRAM too",
    ];
    for text in texts {
        assert_eq!(FileKind::detect(text), None, "{text:?}");
    }
}

#[test]
fn bytes_of_archives_cannot_be_compared() {
    let comparable = |begin: &[u8]| FileKind::detect(begin).map(FileKind::has_comparable_bytes);
    assert_eq!(comparable(b"\xfd7zXZ\0"), Some(false));
    assert_eq!(comparable(b"\x89PNG\r\n\x1a\n"), Some(true));
}
