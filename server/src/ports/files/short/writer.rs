//! Writer: a content that is being written. A short one stays in memory until it is complete; a longer one is written
//! to the other files.

use std::io;
use std::sync::Arc;

use super::Shared;
use crate::ports::files::held::Reserved;
use crate::ports::files::{Hash, NewFile, Unfinished};

/// A content that is being written.
pub(super) struct Writer {
    shared: Arc<Shared>,
    content: ShortWriteBuffer,
    /// Capacity reserved for the bytes in memory.
    reserved: Reserved,
}

/// The location of the bytes written so far.
enum ShortWriteBuffer {
    Memory(Vec<u8>),
    Long(Unfinished),
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let reserved = Reserved::none(&shared.held);
        Self { shared, content: ShortWriteBuffer::Memory(Vec::new()), reserved }
    }
}

impl NewFile for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Bytes for the other files are reserved during the transfer only; then they are counted there.
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
        self.reserved = Reserved::none(&self.shared.held);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Hash> {
        let Self { shared, content, reserved } = *self;
        match content {
            ShortWriteBuffer::Memory(content) => {
                let key = Hash::of(&content);
                shared.wait(shared.commits.put(vec![(key, content)], reserved))?;
                Ok(key)
            }
            ShortWriteBuffer::Long(file) => {
                let key = file.finish()?;
                shared.is_elsewhere(&key);
                Ok(key)
            }
        }
    }
}
