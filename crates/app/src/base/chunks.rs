//! Sends long answers in chunks through a bounded channel: the writer waits for a slow reader.

use tokio::sync::mpsc;

/// The writer's end of the channel. A closed channel means that the reader is gone, and the writer stops.
pub type Chunks = mpsc::Sender<Vec<u8>>;

const CHUNK: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct ChunkWriter<'c> {
    chunks: &'c Chunks,
    pub buffer: Vec<u8>,
}

/// The reader closed the channel.
#[derive(Debug)]
pub(crate) struct ReaderGone;

impl<'c> ChunkWriter<'c> {
    pub fn new(chunks: &'c Chunks) -> Self {
        Self { chunks, buffer: Vec::with_capacity(CHUNK + 4096) }
    }

    /// Sends the buffer if it holds at least `CHUNK` bytes. Writers call it after each row or page, so that the buffer
    /// stays small.
    pub async fn flush_if_full(&mut self) -> Result<(), ReaderGone> {
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush().await }
    }

    pub async fn flush(&mut self) -> Result<(), ReaderGone> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let full = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK + 4096));
        self.chunks.send(full).await.map_err(|_| ReaderGone)
    }
}
