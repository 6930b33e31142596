//! File: reads a file given on the command line, and decompresses it if it is gzip or Zstandard (`read`).

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use explain::file_kind::{BEGIN_BYTES, FileKind, FileNature};
use explain::unpacker::unpack_all;
use explain::wire::PackedFormat;

/// Returns the content of `file`, decompressed if it is gzip or Zstandard. A binary file is accepted only if
/// `takes_bytes`, because bytes are compared. An archive is never accepted.
///
/// # Errors
/// Returns an error if the file cannot be read or decompressed, or is not plain text.
pub(in crate::command) fn read(file: &Path, takes_bytes: bool) -> anyhow::Result<Vec<u8>> {
    let mut bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let packed = PackedFormat::detect(&bytes);
    if let Some(packed) = packed {
        let (content, ignored) = unpack_all(packed, &bytes).map_err(|error| anyhow!("{} cannot be unpacked: {error}", file.display()))?;
        if ignored > 0 {
            // If standard error is closed, only the warning is lost, and not the answer.
            let _ = writeln!(std::io::stderr(), "{}: {ignored} bytes behind the gzip data are ignored", file.display());
        }
        bytes = content;
    }
    match FileKind::detect(&bytes[..bytes.len().min(BEGIN_BYTES)]) {
        Some(kind) if !takes_bytes || !kind.has_comparable_bytes() => bail!(refusal(file, kind, packed)),
        Some(_) | None => Ok(bytes),
    }
}

fn refusal(file: &Path, kind: FileKind, inside: Option<PackedFormat>) -> String {
    let (file, named) = (file.display(), kind.description());
    let subject = match inside {
        Some(packed) => format!("the content of {file}, which is {}, is", packed.name()),
        None => format!("{file} is"),
    };
    match (kind.nature, inside) {
        (FileNature::Archive(command), None) => format!("{subject} {named}. Unpack it first: {command} {file}"),
        (FileNature::Archive(command), Some(_)) => format!("{subject} {named}. Unpack it first, as with {command}"),
        (FileNature::Document, _) => {
            format!("{subject} {named} and not a plain text. Save its text as a file in its program; --set unit=bytes compares its bytes")
        }
        (FileNature::Image | FileNature::Recording | FileNature::Data, _) => {
            format!("{subject} {named} and not a text; --set unit=bytes compares its bytes")
        }
    }
}
