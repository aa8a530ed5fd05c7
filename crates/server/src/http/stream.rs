//! The byte stream of a connection with time limits: closes a connection whose first request or header takes too long,
//! that is idle for too long, or whose peer takes nothing of what is sent, replaces hyper's bare refusals by answers
//! with a body (`refusal.rs`), and lingers after a refusal so that the peer can read it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::activity::Activity;
use super::options::Options;
use super::{Stream, refusal};

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How long a refused peer that is still sending may take to read the answer.
const LINGER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct TimedStream {
    stream: Box<dyn Stream>,
    activity: Activity,
    header_timeout: Duration,
    idle_timeout: Duration,
    reader_timeout: Duration,
    refusal: fn(StatusCode) -> Option<String>,
    /// Requests that had begun when `received` was last reset.
    seen: u32,
    /// Bytes since the last request began: an incomplete header.
    received: usize,
    /// Bytes of the HTTP/2 preface received.
    preface: usize,
    /// When the current wait began: for bytes, or on HTTP/2 for a request.
    since: Option<Instant>,
    /// Since when the peer takes none of the bytes that are to be written.
    blocked: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// The rest of a replaced refusal that is still to be written.
    refused: Option<Vec<u8>>,
    lingers_until: Option<Instant>,
}

impl TimedStream {
    pub fn new(stream: Box<dyn Stream>, activity: Activity, options: &Options) -> Self {
        Self {
            stream,
            activity,
            header_timeout: options.header_timeout,
            idle_timeout: options.idle_timeout,
            reader_timeout: options.reader_timeout,
            refusal: options.refusal,
            seen: 0,
            received: 0,
            preface: 0,
            since: None,
            blocked: None,
            timer: None,
            refused: None,
            lingers_until: None,
        }
    }

    fn is_http2(&self) -> bool {
        self.preface == HTTP2_PREFACE.len()
    }

    /// Counts received bytes. Bytes during a running request are its body, whose time limit is the handler's.
    fn count_received(&mut self, bytes: &[u8]) {
        if self.seen == 0 && self.preface == self.received {
            let expected = &HTTP2_PREFACE[self.preface..];
            self.preface += bytes.iter().zip(expected).take_while(|(byte, expected)| byte == expected).count();
        }
        if !self.activity.is_busy() {
            // The time for the first request counts from the start of the connection.
            if self.received == 0 && self.seen > 0 && !self.is_http2() {
                self.since = None;
            }
            self.received += bytes.len();
        }
    }

    /// If a new request has begun, the bytes before it were its header.
    fn catch_up(&mut self) {
        let begun = self.activity.begun();
        if begun != self.seen {
            self.seen = begun;
            self.received = 0;
            self.since = None;
        }
    }

    /// Ready when the peer was silent for too long; otherwise the task is woken at that time. On HTTP/2 only requests
    /// count, not bytes: pings and settings could keep a connection open for ever.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.activity.is_busy() {
            self.since = None;
            return Poll::Pending;
        }
        let in_header = self.seen == 0 || (self.received > 0 && !self.is_http2());
        let allowed = if in_header { self.header_timeout } else { self.idle_timeout };
        let due = *self.since.get_or_insert_with(Instant::now) + allowed;
        self.poll_timer(due, context)
    }

    /// Ready when the peer has taken nothing for too long of what is written, or of the answer of an HTTP/1 connection.
    fn poll_unread(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(since) = [self.blocked, self.activity.reader().since()].into_iter().flatten().min() else {
            return Poll::Pending;
        };
        ready!(self.poll_timer(since + self.reader_timeout, context));
        metrics::counter!("switchboard_cut_readers_total").increment(1);
        Poll::Ready(())
    }

    /// Records whether the peer takes what is written. When it takes nothing for `reader_timeout`, the write fails. A
    /// flush and a shutdown of TLS write too.
    fn written<T>(&mut self, outcome: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.blocked = None;
            return outcome;
        }
        self.blocked.get_or_insert_with(Instant::now);
        ready!(self.poll_unread(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer took nothing for too long")))
    }

    /// On HTTP/1 a write restarts the idle time; on HTTP/2 it does not, because it may be only the answer to a ping.
    fn record_write(&mut self) {
        if !self.is_http2() {
            self.since = None;
        }
    }

    /// Resets the timer only when it must fire earlier or fired too early, so that most requests do not touch it.
    fn poll_timer(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        if timer.deadline() > due {
            timer.as_mut().reset(due);
        }
        ready!(timer.as_mut().poll(context));
        if timer.deadline() >= due {
            return Poll::Ready(());
        }
        timer.as_mut().reset(due);
        timer.as_mut().poll(context)
    }

    /// If hyper writes a bare refusal, keeps an answer with a body to be written in its place.
    fn replace(&mut self, written: &[u8]) -> bool {
        if self.refused.is_some() || !refusal::may_be_bare(written) {
            return false;
        }
        self.refused = refusal::with_body(written, self.refusal);
        self.refused.is_some()
    }

    fn poll_refused(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.refused.as_mut().filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            rest.drain(..count);
        }
        Poll::Ready(Ok(()))
    }

    /// Closing a socket with unread bytes resets the connection, and the peer may lose the answer. So the stream reads
    /// and discards what the peer still sends, for a short time.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let until = *self.lingers_until.get_or_insert_with(|| Instant::now() + LINGER);
        let mut scratch = [0_u8; 4096];
        loop {
            if self.poll_timer(until, context).is_ready() {
                return Poll::Ready(());
            }
            let mut waste = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut waste)) {
                Ok(()) if !waste.filled().is_empty() => {}
                _ => return Poll::Ready(()),
            }
        }
    }
}

/// Resets an HTTP/1 connection whose request was given up. On HTTP/2 hyper resets the single stream and keeps the
/// connection.
impl Drop for TimedStream {
    fn drop(&mut self) {
        if self.activity.is_given_up() && !self.is_http2() {
            self.stream.reset_on_close();
        }
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.catch_up();
        let before = into.filled().len();
        if let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, into) {
            this.count_received(&into.filled()[before..]);
            return Poll::Ready(outcome);
        }
        if this.poll_unread(context).is_pending() {
            ready!(this.poll_overdue(context));
        }
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer sent or took nothing for too long")))
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.replace(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        this.record_write();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.written(outcome, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if let [only] = slices
            && this.replace(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        this.record_write();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.written(outcome, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.poll_refused(context))?;
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        ready!(this.written(outcome, context))?;
        // hyper does not poll for bytes after an answer, so the idle time starts here.
        this.catch_up();
        let _ = this.poll_overdue(context);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingers_until.is_none() {
            ready!(this.poll_refused(context))?;
            let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
            ready!(this.written(outcome, context))?;
            this.catch_up();
        }
        if this.received > 0 && !this.is_http2() {
            ready!(this.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}
