//! Writer: a content that is being written to a bucket (`BucketWriter`). A short one stays in memory until it is
//! complete.
//!
//! A longer one is uploaded in parts under a temporary name, because its hash is only known at the end. Then the server
//! copies it to its final name. Needs memory for three parts.

use std::io;
use std::sync::Arc;

use object_store::WriteMultipart;
use object_store::path::Path;

use super::BucketState;
use super::objects::failed;
use crate::storage::ports::files::quota::Reservation;
use crate::storage::ports::files::{ContentHash, FileWriter};

/// Size of a part of an upload in bytes. S3 accepts up to 10,000 parts, each of at least 5 MiB except the last.
pub(super) const UPLOAD_PART_BYTES: usize = 8 << 20;

/// Maximum number of parts of one upload that are sent at the same time.
const MAX_PARTS_IN_TRANSIT: usize = 2;

/// Maximum size of a content in bytes: the limit of an S3 copy in one request.
const MAX_CONTENT_BYTES: u64 = 5 << 30;

/// A content that is being written to a bucket.
pub(super) struct BucketWriter {
    shared: Arc<BucketState>,
    hasher: blake3::Hasher,
    reserved: Reservation,
    content: BucketWriteBuffer,
}

/// The bytes written so far: in memory, or sent in parts to the object with this temporary path. The upload is `None`
/// after it has failed or ended.
enum BucketWriteBuffer {
    Memory(Vec<u8>),
    Parts(Path, Option<WriteMultipart>),
}

impl BucketWriter {
    pub(super) fn new(shared: Arc<BucketState>) -> Self {
        let reserved = Reservation::none(&shared.quota);
        Self { shared, hasher: blake3::Hasher::new(), reserved, content: BucketWriteBuffer::Memory(Vec::new()) }
    }

    /// Starts an upload in parts, and sends the bytes that are in memory. Does nothing if an upload was started before.
    fn begin(&mut self) -> io::Result<()> {
        let BucketWriteBuffer::Memory(content) = &mut self.content else { return Ok(()) };
        let (content, path) = (std::mem::take(content), self.shared.objects.unfinished());
        let upload = self.shared.wait(self.shared.objects.upload(&path))?;
        self.content = BucketWriteBuffer::Parts(path, Some(WriteMultipart::new_with_chunk_size(upload, UPLOAD_PART_BYTES)));
        self.append(&content)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let BucketWriteBuffer::Parts(_, Some(upload)) = &mut self.content else { return Err(io::Error::other("the upload has failed")) };
        self.shared.wait(async {
            for part in bytes.chunks(UPLOAD_PART_BYTES) {
                upload.wait_for_capacity(MAX_PARTS_IN_TRANSIT).await.map_err(failed)?;
                upload.write(part);
            }
            Ok(())
        })
    }
}

impl FileWriter for BucketWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserved.add(bytes.len() as u64)?;
        if self.reserved.bytes > MAX_CONTENT_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.hasher.update(bytes);
        match &mut self.content {
            BucketWriteBuffer::Parts(..) => self.append(bytes),
            BucketWriteBuffer::Memory(content) if content.len() + bytes.len() <= UPLOAD_PART_BYTES => {
                content.extend_from_slice(bytes);
                Ok(())
            }
            BucketWriteBuffer::Memory(_) => {
                self.begin()?;
                self.append(bytes)
            }
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<ContentHash> {
        let (key, shared) = (ContentHash::from(self.hasher.finalize()), self.shared.clone());
        let reserved = std::mem::replace(&mut self.reserved, Reservation::none(&shared.quota));
        match &mut self.content {
            BucketWriteBuffer::Memory(content) => {
                let content = std::mem::take(content);
                shared.wait(shared.put(content, reserved))
            }
            BucketWriteBuffer::Parts(path, upload) => {
                let upload = upload.take().ok_or_else(|| io::Error::other("the upload has failed"))?;
                shared.wait(async {
                    upload.finish().await.map_err(failed)?;
                    let _turn = shared.turn(&key).lock().await;
                    if shared.renew(&key).await? {
                        shared.objects.remove(path).await?;
                    } else {
                        shared.adopt(&key, path, reserved).await?;
                    }
                    Ok(key)
                })
            }
        }
    }
}

impl Drop for BucketWriter {
    fn drop(&mut self) {
        if let BucketWriteBuffer::Parts(_, upload) = &mut self.content
            && let Some(upload) = upload.take()
        {
            // If the abort fails, the bucket's rule for incomplete uploads removes the parts.
            self.shared.runtime.spawn(upload.abort());
        }
    }
}
