//! Cuts off clients that do not take their answer: a response body is watched while it waits for its reader.
//!
//! hyper polls a body for its next frame only when it has room for the frame: on HTTP/1 in its write buffer, on HTTP/2
//! in the stream's window. So the time between a frame and the poll for the next one is the time that the reader takes.
//! When it exceeds `Options::reader_timeout`, the answer is cut off: on HTTP/1 `TimedStream` fails the connection, on
//! HTTP/2 `StreamExecutor` drops the stream's task, which resets that stream alone. Time that a body needs to produce a
//! frame does not count, so a stream of events may be silent for hours.
//!
//! Frames are at most `FRAME` bytes. So hyper and its HTTP/2 layer hold little of an answer that is not taken, and a
//! reader has to take `FRAME` bytes in each `reader_timeout`: a peer that reads a byte now and then is cut off too.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use hyper::rt::Executor;

use super::activity::{Activity, RunningRequest};
use super::reader_watch::ReaderWatch;

/// The largest HTTP/2 frame, in bytes, that every peer accepts.
const FRAME: usize = 16 << 10;

tokio::task_local! {
    /// The watch of the HTTP/2 stream that the current task serves; not set on HTTP/1.
    static STREAM: ReaderWatch;
}

/// A response body that cuts its frames to `FRAME` bytes, reports when it waits for its reader, and keeps its request
/// running until it ends.
#[derive(Debug)]
pub(super) struct WatchedBody {
    body: Body,
    /// What is still to be sent of the frame that the body gave last.
    rest: Bytes,
    watch: ReaderWatch,
    _running: RunningRequest,
}

impl WatchedBody {
    pub fn new(body: Body, running: RunningRequest, activity: &Activity) -> Self {
        let watch = STREAM.try_with(ReaderWatch::clone).unwrap_or_else(|_| activity.reader().clone());
        if body.is_end_stream() {
            watch.clear();
        } else {
            watch.start();
        }
        Self { body, rest: Bytes::new(), watch, _running: running }
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.watch.clear();
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            this.watch.clear();
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        this.watch.start();
        let length = this.rest.len().min(FRAME);
        Poll::Ready(Some(Ok(Frame::data(this.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        hint.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// Runs the streams of HTTP/2 connections; ends one whose reader takes nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    pub reader_timeout: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let timeout = self.reader_timeout;
        tokio::spawn(async move {
            let watch = ReaderWatch::default();
            tokio::select! {
                biased;
                () = STREAM.scope(watch.clone(), stream) => {}
                () = watch.overdue(timeout) => {
                    metrics::counter!("switchboard_cut_readers_total").increment(1);
                    tracing::debug!(target: "switchboard::http", "a stream ends: its reader takes nothing");
                }
            }
        });
    }
}
