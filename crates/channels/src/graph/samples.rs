//! Uploads the sample file of a template's header with the Resumable Upload API: a session for the file first, then its
//! bytes. The answer is a handle, which `example.header_handle` of a template takes.
//!
//! An upload that breaks off is continued from the byte up to which the network has it, a few times. A session that is
//! given up needs no cleaning up: the network deletes it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use serde::Deserialize;

use super::client::{Graph, Result, Scheme, finish, query};
use super::errors::Class;
use super::failure::GraphError;
use super::loose;
use crate::transport::{self, Body, BoxError, CallTime};

/// Most requests with bytes of one file: the first, and those that continue it.
const ATTEMPTS: usize = 3;
/// Enough for 100 MB over a slow connection.
const UPLOAD_TIME: CallTime = CallTime(Duration::from_mins(10));
const SESSION: &str = "upload:";
const MAX_SESSION: usize = 2048;

/// A file that is uploaded as a sample.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    pub name: &'a str,
    pub mime: &'a str,
    /// The exact number of bytes.
    pub length: u64,
}

#[derive(Deserialize)]
struct WithId {
    id: String,
}

#[derive(Deserialize)]
struct Progress {
    #[serde(default, deserialize_with = "loose::unsigned")]
    file_offset: Option<u64>,
}

#[derive(Deserialize)]
struct Uploaded {
    h: String,
}

#[boxed::futures]
impl Graph {
    /// The id of the app that the access token belongs to.
    pub async fn app_id(&self) -> Result<String> {
        let app: WithId = self.get(&(self.url("app", &[])? + &query(&[("fields", "id")]))).await?;
        Ok(app.id)
    }

    /// Returns the handle of the file. `bytes` gives the file from an offset on, for the first request and for those
    /// that continue it.
    pub async fn upload_sample(
        &self,
        app_id: &str,
        sample: Sample<'_>,
        bytes: &(dyn Fn(u64) -> Body + Sync),
    ) -> Result<String> {
        let session = self.open_session(app_id, sample).await?;
        let mut offset = 0;
        let mut attempt = 1;
        loop {
            let sent = self.send_bytes(&session, offset, sample.length, bytes(offset)).await;
            match sent {
                Err(error) if attempt < ATTEMPTS && matches!(error.class, Class::Retry | Class::Unknown) => {}
                sent => return sent,
            }
            attempt += 1;
            offset = self.progress(&session).await?.min(sample.length);
        }
    }

    async fn open_session(&self, app_id: &str, sample: Sample<'_>) -> Result<String> {
        let length = sample.length.to_string();
        let pairs = [("file_name", sample.name), ("file_length", &length), ("file_type", sample.mime)];
        let request = self.request(Method::POST, &(self.url(app_id, &["uploads"])? + &query(&pairs)))?;
        let session: WithId = self.ask(finish(request, transport::empty())?).await?;
        Ok(session.id)
    }

    async fn send_bytes(&self, session: &str, offset: u64, length: u64, body: Body) -> Result<String> {
        let left = length.saturating_sub(offset);
        let request = self
            .request_as(Scheme::OAuth, Method::POST, &self.session_url(session)?)?
            .extension(UPLOAD_TIME)
            .header("file_offset", offset)
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_LENGTH, left);
        let uploaded: Uploaded = self.ask(finish(request, OfLength { body, left }.boxed_unsync())?).await?;
        Ok(uploaded.h)
    }

    /// The number of bytes that the network has.
    async fn progress(&self, session: &str) -> Result<u64> {
        let request = self.request_as(Scheme::OAuth, Method::GET, &self.session_url(session)?)?;
        let progress: Progress = self.ask(finish(request, transport::empty())?).await?;
        Ok(progress.file_offset.unwrap_or(0))
    }

    /// A session's id carries its own query (`upload:…?sig=…`), so it is not escaped: only what keeps to the base URL's
    /// host and path is accepted.
    fn session_url(&self, session: &str) -> Result<String> {
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\' | b'<' | b'>' | b'"');
        let fits = session.starts_with(SESSION)
            && session.len() <= MAX_SESSION
            && session.bytes().all(is_plain)
            && !session.split(['/', '?']).any(|segment| segment == "." || segment == "..");
        if fits {
            return Ok(format!("{}/{session}", self.base_url));
        }
        Err(GraphError::invalid_request("the network's upload session cannot be used"))
    }
}

/// A body whose length is announced: another length is an error.
#[derive(Debug)]
struct OfLength {
    body: Body,
    left: u64,
}

impl http_body::Body for OfLength {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BoxError>>> {
        loop {
            let Some(frame) = ready!(http_body::Body::poll_frame(Pin::new(&mut self.body), context)) else {
                let broken = || Err("the file is shorter than it was said to be".into());
                return Poll::Ready((self.left > 0).then(broken));
            };
            match frame.map(Frame::into_data) {
                Ok(Ok(chunk)) => {
                    let left = self.left.checked_sub(chunk.len() as u64);
                    let Some(left) = left else {
                        return Poll::Ready(Some(Err("the file is longer than it was said to be".into())));
                    };
                    self.left = left;
                    return Poll::Ready(Some(Ok(Frame::data(chunk))));
                }
                // Trailers are not part of the file.
                Ok(Err(_)) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{collect, full};

    #[tokio::test]
    async fn a_file_of_another_length_is_an_error() {
        let body = |left| OfLength { body: full("bytes"), left }.boxed_unsync();
        assert_eq!(collect(body(5), 100).await.unwrap(), "bytes");
        assert!(collect(body(4), 100).await.is_err() && collect(body(6), 100).await.is_err());
    }
}
