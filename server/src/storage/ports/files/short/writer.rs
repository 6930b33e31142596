//! Writer: a content that is being written (`ShortFileWriter`). A short content stays in memory until it is
//! complete. A longer one is written to the store of long contents.

use std::io;
use std::sync::Arc;

use super::ShortFilesState;
use crate::storage::ports::files::quota::Reservation;
use crate::storage::ports::files::{BoxedFileWriter, ContentHash, FileWriter};

/// A content that is being written to [`ShortFiles`](super::ShortFiles).
pub(super) struct ShortFileWriter {
    shared: Arc<ShortFilesState>,
    content: ShortWriteBuffer,
    /// Capacity reserved for the bytes in memory.
    reserved: Reservation,
}

/// The bytes written so far: in memory, or in a file of the store of long contents.
enum ShortWriteBuffer {
    Memory(Vec<u8>),
    Long(BoxedFileWriter),
}

impl ShortFileWriter {
    pub(super) fn new(shared: Arc<ShortFilesState>) -> Self {
        let reserved = Reservation::none(&shared.quota);
        Self { shared, content: ShortWriteBuffer::Memory(Vec::new()), reserved }
    }
}

impl FileWriter for ShortFileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Bytes that go to the other files are reserved here only during the call; then the other files count them.
        self.reserved.add(bytes.len() as u64)?;
        match &mut self.content {
            ShortWriteBuffer::Memory(content) if content.len() + bytes.len() <= self.shared.most_short => {
                content.extend_from_slice(bytes);
                return Ok(());
            }
            ShortWriteBuffer::Memory(content) => {
                let mut file = self.shared.long.create()?;
                file.write(content)?;
                file.write(bytes)?;
                self.content = ShortWriteBuffer::Long(file);
            }
            ShortWriteBuffer::Long(file) => file.write(bytes)?,
        }
        self.reserved = Reservation::none(&self.shared.quota);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<ContentHash> {
        let Self { shared, content, reserved } = *self;
        match content {
            ShortWriteBuffer::Memory(content) => {
                let key = ContentHash::from_content(&content);
                shared.wait(shared.put_short(vec![(key, content)], reserved))?;
                Ok(key)
            }
            ShortWriteBuffer::Long(file) => {
                let key = file.finish()?;
                shared.remember_long(&key);
                Ok(key)
            }
        }
    }
}
