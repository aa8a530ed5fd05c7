//! Sends long answers in chunks through a bounded channel: the writer waits for a slow reader.

use tokio::sync::mpsc;

/// The writer's end of the channel. A closed channel means that the reader is gone, and the writer stops.
pub type Chunks = mpsc::Sender<Vec<u8>>;

/// Bytes of a chunk; the last one may have fewer. Several chunks of each answer wait for its reader, so they are small.
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

    /// Adds a page. Takes it over instead of a copy if the buffer is empty: nothing else of the page stays in memory
    /// while the writer waits for its reader.
    pub fn add(&mut self, page: Vec<u8>) {
        if self.buffer.is_empty() {
            self.buffer = page;
        } else {
            self.buffer.extend_from_slice(&page);
        }
    }

    /// Sends all whole chunks of the buffer. Writers call it after each row or page, so that the buffer stays small.
    pub async fn flush_if_full(&mut self) -> Result<(), ReaderGone> {
        while self.buffer.len() >= CHUNK {
            self.send(CHUNK).await?;
        }
        Ok(())
    }

    pub async fn flush(&mut self) -> Result<(), ReaderGone> {
        self.flush_if_full().await?;
        if self.buffer.is_empty() { Ok(()) } else { self.send(self.buffer.len()).await }
    }

    /// Sends the first bytes of the buffer, in memory of just this size.
    async fn send(&mut self, length: usize) -> Result<(), ReaderGone> {
        let chunk = self.buffer.drain(..length).collect();
        self.chunks.send(chunk).await.map_err(|_| ReaderGone)
    }
}
