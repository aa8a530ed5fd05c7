//! Reads HTTP/1.1 answers from a kept connection into a reused buffer. The caller checks the status.

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncRead, AsyncReadExt as _};

const FIRST_BUFFER: usize = 64 * 1024;
const MOST_HEADERS: usize = 64;

#[derive(Debug)]
pub struct AnswerReader {
    buffer: Vec<u8>,
    filled: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Bytes of the body, without chunk framing.
    pub body_bytes: usize,
}

struct Head {
    status: u16,
    length: usize,
    framing: Framing,
}

enum Framing {
    Length(usize),
    Chunked,
}

impl AnswerReader {
    pub fn new() -> Self {
        Self { buffer: vec![0; FIRST_BUFFER], filled: 0 }
    }

    pub async fn read<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> Result<Answer> {
        self.filled = 0;
        let head = self.read_head(stream).await?;
        let (end, body_bytes) = match head.framing {
            Framing::Length(length) => (head.length + length, length),
            Framing::Chunked => self.read_chunks(stream, head.length).await?,
        };
        self.fill_to(stream, end).await?;
        if self.filled > end {
            bail!("{} bytes came after the end of the answer", self.filled - end);
        }
        Ok(Answer { status: head.status, body_bytes })
    }

    /// The last answer, head and body, as it was received: for an error message.
    pub fn last_answer(&self) -> String {
        String::from_utf8_lossy(&self.buffer[..self.filled]).into_owned()
    }

    async fn read_head<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> Result<Head> {
        loop {
            self.fill(stream).await?;
            if let Some(head) = parse_head(&self.buffer[..self.filled])? {
                return Ok(head);
            }
        }
    }

    /// Returns where the answer ends in the buffer, and the sum of the chunks.
    async fn read_chunks<S: AsyncRead + Unpin>(&mut self, stream: &mut S, start: usize) -> Result<(usize, usize)> {
        let (mut at, mut sum) = (start, 0);
        loop {
            let parsed = httparse::parse_chunk_size(&self.buffer[at..self.filled]);
            let Ok(parsed) = parsed else { bail!("an invalid chunk size") };
            let httparse::Status::Complete((used, size)) = parsed else {
                self.fill(stream).await?;
                continue;
            };
            let size = usize::try_from(size)?;
            at += used + size + b"\r\n".len();
            sum += size;
            if size == 0 {
                return Ok((at, sum));
            }
            self.fill_to(stream, at).await?;
        }
    }

    async fn fill_to<S: AsyncRead + Unpin>(&mut self, stream: &mut S, end: usize) -> Result<()> {
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        while self.filled < end {
            self.fill(stream).await?;
        }
        Ok(())
    }

    async fn fill<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> Result<()> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let read = stream.read(&mut self.buffer[self.filled..]).await.context("reading an answer")?;
        if read == 0 {
            bail!("the server closed the connection after {} bytes of an answer", self.filled);
        }
        self.filled += read;
        Ok(())
    }
}

fn parse_head(bytes: &[u8]) -> Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = response.parse(bytes).context("reading an answer's head")? else {
        return Ok(None);
    };
    let status = response.code.context("an answer without a status")?;
    Ok(Some(Head { status, length, framing: framing_of(status, response.headers)? }))
}

fn framing_of(status: u16, headers: &[httparse::Header<'_>]) -> Result<Framing> {
    if matches!(status, 204 | 304) {
        return Ok(Framing::Length(0));
    }
    for header in headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            return Ok(Framing::Length(str::from_utf8(header.value)?.trim().parse()?));
        }
        if header.name.eq_ignore_ascii_case("transfer-encoding") {
            return Ok(Framing::Chunked);
        }
    }
    bail!("an answer with neither content-length nor transfer-encoding cannot be measured on a kept connection")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    /// Reads `wire` through a pipe of a few bytes, so that every part arrives in pieces.
    async fn read_in_pieces(wire: &'static [u8]) -> Result<Answer> {
        let (mut near, mut far) = tokio::io::duplex(7);
        let writer = tokio::spawn(async move {
            far.write_all(wire).await.unwrap();
        });
        let answer = AnswerReader::new().read(&mut near).await;
        if answer.is_ok() {
            writer.await.unwrap();
        }
        answer
    }

    #[tokio::test]
    async fn reads_a_body_of_known_length() {
        let answer = read_in_pieces(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world").await.unwrap();
        assert_eq!(answer, Answer { status: 200, body_bytes: 11 });
    }

    #[tokio::test]
    async fn reads_a_chunked_body() {
        let wire = b"HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
        assert_eq!(read_in_pieces(wire).await.unwrap(), Answer { status: 201, body_bytes: 11 });
    }

    #[tokio::test]
    async fn an_answer_without_content_has_no_body() {
        let answer = read_in_pieces(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        assert_eq!(answer, Answer { status: 204, body_bytes: 0 });
    }

    #[tokio::test]
    async fn a_cut_answer_is_an_error() {
        let error = read_in_pieces(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello").await.unwrap_err();
        assert!(error.to_string().contains("closed the connection"), "{error}");
    }

    #[tokio::test]
    async fn bytes_after_the_answer_are_an_error() {
        let mut wire: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokok";
        let error = AnswerReader::new().read(&mut wire).await.unwrap_err();
        assert!(error.to_string().contains("2 bytes came after"), "{error}");
    }

    #[tokio::test]
    async fn a_body_larger_than_the_buffer_fits() {
        let mut wire = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 3 * FIRST_BUFFER).into_bytes();
        wire.resize(wire.len() + 3 * FIRST_BUFFER, b'x');
        let answer = AnswerReader::new().read(&mut wire.as_slice()).await.unwrap();
        assert_eq!(answer.body_bytes, 3 * FIRST_BUFFER);
    }
}
