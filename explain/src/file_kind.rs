//! File kinds: file formats other than plain text. [`FileKind::detect`] recognises them by the first bytes of a file.
//!
//! Only signatures that no plain text begins with are listed: a text that begins with `BM`, `MZ` or `ID3` stays a text.

#[cfg(test)]
mod tests;

/// Number of bytes at the beginning of a file that [`FileKind::detect`] needs to recognise every format.
pub const BEGIN_BYTES: usize = 512;

/// A file format other than plain text, with its kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// Name of the format, for example "xz" or "PNG".
    pub format: &'static str,
    /// The kind of content.
    pub nature: FileNature,
}

/// The kind of content of a file that is not plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNature {
    /// A compressed file or an archive of files. The value is the command that unpacks it; the file name is appended.
    Archive(&'static str),
    /// A text with layout, such as a PDF or office document.
    Document,
    /// A picture.
    Image,
    /// Sound or film.
    Recording,
    /// Machine code, a database, or data of a program.
    Data,
}

impl FileKind {
    /// Determines the kind of a file by its first bytes, `begin`. Returns `None` if the file may be plain text.
    pub fn detect(begin: &[u8]) -> Option<Self> {
        if let Some(names) = begin.strip_prefix(ZIP) {
            return Some(of_zip(names));
        }
        let (_, kind) =
            KINDS.iter().find(|(parts, _)| parts.iter().all(|(at, bytes)| begin.get(*at..).is_some_and(|rest| rest.starts_with(bytes))))?;
        Some(*kind)
    }

    /// Returns whether a comparison of the bytes of two files of this kind is meaningful. Returns `false` for archives,
    /// because equal content may have different packed bytes.
    pub fn has_comparable_bytes(self) -> bool {
        !matches!(self.nature, FileNature::Archive(_))
    }

    /// Describes a file of this kind in English, with an article, for example "an xz archive".
    pub fn description(self) -> String {
        let Self { format, nature } = self;
        let noun = match nature {
            FileNature::Archive(_) => "archive",
            FileNature::Document => "document",
            FileNature::Image => "image",
            FileNature::Recording | FileNature::Data => "file",
        };
        let article = if self.takes_an() { "an" } else { "a" };
        format!("{article} {format} {noun}")
    }

    /// Returns whether the name of the format begins with a vowel sound, so that its article is "an".
    pub fn takes_an(self) -> bool {
        FORMATS_WITH_AN.contains(&self.format)
    }
}

/// Names of formats that begin with a vowel sound.
const FORMATS_WITH_AN: [&str; 12] = ["AVI", "AVIF", "ELF", "EPUB", "MP3", "MP4", "Ogg", "OpenDocument", "SQLite", "lz4", "lzip", "xz"];

/// A part of a file signature: its offset in the file, and its bytes.
type SignaturePart = (usize, &'static [u8]);

const ZIP: &[u8] = b"PK\x03\x04";

/// Number of bytes of a ZIP local file header between its signature and the file name.
const ZIP_HEADER: usize = 26;

const fn archive(format: &'static str, command: &'static str) -> FileKind {
    FileKind { format, nature: FileNature::Archive(command) }
}

const fn document(format: &'static str) -> FileKind {
    FileKind { format, nature: FileNature::Document }
}

const fn image(format: &'static str) -> FileKind {
    FileKind { format, nature: FileNature::Image }
}

const fn recording(format: &'static str) -> FileKind {
    FileKind { format, nature: FileNature::Recording }
}

const fn data(format: &'static str) -> FileKind {
    FileKind { format, nature: FileNature::Data }
}

static KINDS: &[(&[SignaturePart], FileKind)] = &[
    (&[(0, b"\xfd7zXZ\0")], archive("xz", "xz -d")),
    (&[(0, b"BZh"), (4, b"1AY&SY")], archive("bzip2", "bzip2 -d")),
    (&[(0, b"BZh"), (4, b"\x17rE8P\x90")], archive("bzip2", "bzip2 -d")),
    (&[(0, b"PK\x05\x06")], archive("ZIP", "unzip")),
    (&[(0, b"7z\xbc\xaf\x27\x1c")], archive("7z", "7z x")),
    (&[(0, b"Rar!\x1a\x07")], archive("RAR", "unrar x")),
    (&[(257, b"ustar")], archive("tar", "tar -xf")),
    (&[(0, b"\x04\x22\x4d\x18")], archive("lz4", "lz4 -d")),
    (&[(0, b"LZIP\x01")], archive("lzip", "lzip -d")),
    (&[(0, b"\x1f\x9d")], archive("compress", "uncompress")),
    (&[(0, b"\x5d\0\0"), (5, b"\xff\xff\xff\xff\xff\xff\xff\xff")], archive("lzma", "xz -d --format=lzma")),
    // A packed file inside a packed file, because the outer one is unpacked before.
    (&[(0, b"\x1f\x8b\x08")], archive("gzip", "gzip -d")),
    (&[(0, b"\x28\xb5\x2f\xfd")], archive("zstd", "zstd -d")),
    (&[(0, b"%PDF-")], document("PDF")),
    (&[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")], document("Microsoft Office")),
    (&[(0, b"\x89PNG\r\n\x1a\n")], image("PNG")),
    (&[(0, b"\xff\xd8\xff")], image("JPEG")),
    (&[(0, b"GIF87a")], image("GIF")),
    (&[(0, b"GIF89a")], image("GIF")),
    (&[(0, b"RIFF"), (8, b"WEBP")], image("WebP")),
    (&[(0, b"II*\0")], image("TIFF")),
    (&[(0, b"MM\0*")], image("TIFF")),
    (&[(0, b"BM"), (6, b"\0\0\0\0"), (15, b"\0\0\0")], image("BMP")),
    (&[(4, b"ftypavif")], image("AVIF")),
    (&[(4, b"ftyphei")], image("HEIC")),
    (&[(4, b"ftyp")], recording("MP4")),
    (&[(0, b"RIFF"), (8, b"WAVE")], recording("WAV")),
    (&[(0, b"RIFF"), (8, b"AVI ")], recording("AVI")),
    (&[(0, b"ID3\x02\0")], recording("MP3")),
    (&[(0, b"ID3\x03\0")], recording("MP3")),
    (&[(0, b"ID3\x04\0")], recording("MP3")),
    (&[(0, b"OggS\0")], recording("Ogg")),
    (&[(0, b"fLaC\0")], recording("FLAC")),
    (&[(0, b"\x1a\x45\xdf\xa3")], recording("Matroska")),
    (&[(0, b"\x7fELF")], data("ELF")),
    (&[(0, b"\0asm")], data("WebAssembly")),
    (&[(0, b"SQLite format 3\0")], data("SQLite")),
    (&[(0, b"BAM\x01")], data("BAM")),
    (&[(0, b"BCF\x02")], data("BCF")),
    (&[(0, b"CRAM"), (5, b"\0")], data("CRAM")),
];

/// Returns the kind of a ZIP archive. Looks at the name of its first file, because office documents are ZIP archives
/// too. `rest` is the file from the end of the ZIP signature on.
fn of_zip(rest: &[u8]) -> FileKind {
    let name = rest.get(ZIP_HEADER..).unwrap_or_default();
    let begins_with = |names: &[&str]| names.iter().any(|begin| name.starts_with(begin.as_bytes()));
    if begins_with(&["mimetypeapplication/epub+zip"]) {
        document("EPUB")
    } else if begins_with(&["mimetypeapplication/vnd.oasis.opendocument"]) {
        document("OpenDocument")
    } else if begins_with(&["[Content_Types].xml", "_rels/.rels", "docProps/", "word/", "xl/", "ppt/"]) {
        document("Microsoft Office")
    } else {
        archive("ZIP", "unzip")
    }
}
