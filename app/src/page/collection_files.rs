//! Contents of the files that become texts of a collection ([`read_all`]): compressed files and archives are unpacked.

use kernels::job::Unit;
use web_sys::Blob;

use crate::backend::files::archive::{PathFile, unzipped};
use crate::backend::files::{self, OpenedFile};
use crate::model::collection::opened::ReadFile;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;

/// Maximum number of files that are read.
const MAX_FILES: usize = 5_000;

/// Reads files and the files of archives, in their order.
pub async fn read_all(files: Vec<PathFile>) -> Vec<ReadFile> {
    let mut all = Vec::new();
    for PathFile { path, content } in files {
        match unzipped(&content).await {
            Ok(None) => add(&mut all, path, Ok(content)).await,
            Ok(Some(inside)) if inside.is_empty() => add(&mut all, path, Err(t("No file was found there.").into())).await,
            Ok(Some(inside)) => {
                for (inner, content) in inside {
                    add(&mut all, inner, content).await;
                }
            }
            Err(problem) => add(&mut all, path, Err(problem.detail)).await,
        }
    }
    all
}

async fn add(all: &mut Vec<ReadFile>, path: String, content: Result<Blob, String>) {
    let content = match content {
        _ if all.len() >= MAX_FILES => Err(tr!("This browser reads up to {n} files.", n = grouped(MAX_FILES as u64))),
        Ok(content) => read(&path, content).await,
        Err(reason) => Err(reason),
    };
    all.push(ReadFile { path, content });
}

/// Reads the text of a file, unpacked if it is compressed. Returns the reason if it is no text.
async fn read(path: &str, content: Blob) -> Result<Vec<u8>, String> {
    let OpenedFile { side, .. } = files::open_blob(path, content, Unit::Graphemes).await.map_err(|problem| problem.detail)?;
    match &side.failure {
        Some(problem) => Err(problem.detail.clone()),
        None => files::bytes(&side).await.map(|bytes| bytes.to_vec()).map_err(|problem| problem.detail),
    }
}
