//! Long answers, handed over piece by piece: whoever reads slowly is waited for, and nothing piles up.

use tokio::sync::mpsc;

/// Where the pieces go. When nobody reads any more, the work ends.
pub type Chunks = mpsc::Sender<Vec<u8>>;

const CHUNK: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Out<'c> {
    chunks: &'c Chunks,
    pub buffer: Vec<u8>,
}

/// Nobody reads any more.
#[derive(Debug)]
pub(crate) struct Gone;

impl<'c> Out<'c> {
    pub fn new(chunks: &'c Chunks) -> Self {
        Self { chunks, buffer: Vec::with_capacity(CHUNK + 4096) }
    }

    /// Between two lines: sends what has gathered, if it is enough.
    pub async fn pause(&mut self) -> Result<(), Gone> {
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush().await }
    }

    pub async fn flush(&mut self) -> Result<(), Gone> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let full = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK + 4096));
        self.chunks.send(full).await.map_err(|_| Gone)
    }
}
