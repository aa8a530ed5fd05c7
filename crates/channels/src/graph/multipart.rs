//! A `multipart/form-data` body with one file, streamed, whose total length is known in advance.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};

use crate::transport::{Body, BoxError};

#[derive(Debug)]
pub(super) struct Multipart {
    head: Option<Bytes>,
    file: Body,
    /// Bytes of the file that have not been streamed yet.
    missing: u64,
    tail: Option<Bytes>,
}

impl Multipart {
    /// `fields` come before the file. `boundary` must be random, so that no file contains it.
    pub(super) fn new(boundary: &str, fields: &[(&str, &str)], file: File<'_>) -> Self {
        let part = |name: &str| format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        let fields: String = fields.iter().map(|(name, value)| part(name) + "\r\n\r\n" + value + "\r\n").collect();
        let (file_part, name) = (part("file"), quoted(file.name));
        let head = format!("{fields}{file_part}; filename=\"{name}\"\r\nContent-Type: {}\r\n\r\n", file.mime);
        let tail = format!("\r\n--{boundary}--\r\n");
        Self { head: Some(head.into()), file: file.body, missing: file.length, tail: Some(tail.into()) }
    }

    fn length(&self) -> u64 {
        let of = |part: &Option<Bytes>| part.as_ref().map_or(0, |bytes| bytes.len() as u64);
        of(&self.head) + self.missing + of(&self.tail)
    }

    /// The total length is already in `Content-Length`, so a longer file is an error.
    fn count(&mut self, chunk: &Bytes) -> Result<(), BoxError> {
        let left = self.missing.checked_sub(chunk.len() as u64);
        self.missing = left.ok_or("the file is longer than it was said to be")?;
        Ok(())
    }

    fn poll_file(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.file).poll_frame(context)) else {
                return Poll::Ready(None);
            };
            match frame.map(Frame::into_data) {
                Ok(Ok(chunk)) => return Poll::Ready(Some(self.count(&chunk).map(|()| chunk))),
                // Trailers are not part of the file.
                Ok(Err(_)) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) mime: &'a str,
    pub(super) length: u64,
    pub(super) body: Body,
}

/// Escapes a file name as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

impl http_body::Body for Multipart {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Some(head) = this.head.take() {
            return Poll::Ready(Some(Ok(Frame::data(head))));
        }
        if this.tail.is_none() {
            return Poll::Ready(None);
        }
        if let Some(chunk) = ready!(this.poll_file(context)) {
            return Poll::Ready(Some(chunk.map(Frame::data)));
        }
        if this.missing > 0 {
            return Poll::Ready(Some(Err("the file is shorter than it was said to be".into())));
        }
        Poll::Ready(this.tail.take().map(|tail| Ok(Frame::data(tail))))
    }

    fn is_end_stream(&self) -> bool {
        self.tail.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::transport::{collect, full};

    fn multipart(length: u64, name: &str) -> Multipart {
        let file = File { name, mime: "image/png", length, body: full("bytes") };
        Multipart::new("XX", &[("messaging_product", "whatsapp")], file)
    }

    #[tokio::test]
    async fn the_bytes_and_their_length() {
        let body = multipart(5, "a\"\r\nb.png");
        let length = body.size_hint().exact().unwrap();
        let bytes = collect(body.boxed_unsync(), 10_000).await.unwrap();
        assert_eq!(bytes.len() as u64, length);
        let expected = "--XX\r\nContent-Disposition: form-data; name=\"messaging_product\"\r\n\r\nwhatsapp\r\n--XX\r\n\
            Content-Disposition: form-data; name=\"file\"; filename=\"a%22%0D%0Ab.png\"\r\nContent-Type: image/png\r\n\r\n\
            bytes\r\n--XX--\r\n";
        assert_eq!(bytes, expected);
    }

    #[tokio::test]
    async fn a_file_of_another_length_is_an_error() {
        for length in [4, 6] {
            assert!(collect(multipart(length, "a").boxed_unsync(), 10_000).await.is_err(), "{length}");
        }
    }
}
