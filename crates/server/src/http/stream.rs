//! A connection's byte stream with patience: it ends a peer that dawdles over a header or stays idle for too long, gives
//! the HTTP library's bare refusals a body, and lets a refused peer read the answer before it closes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::{NoAnswer, Options, Stream, refusal};

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How long a peer that was refused in the middle of its sending may take to hear it.
const LINGER: Duration = Duration::from_secs(1);

/// What the stream must know of the requests on it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Activity(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicU32,
    running: AtomicU32,
    given_up: AtomicBool,
}

/// A request that is being answered, until it is dropped.
#[derive(Debug)]
pub(super) struct RunningRequest(Activity);

impl Activity {
    pub fn begin(&self) -> RunningRequest {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        RunningRequest(self.clone())
    }

    fn begun(&self) -> u32 {
        self.0.begun.load(Ordering::Relaxed)
    }

    fn is_busy(&self) -> bool {
        self.0.running.load(Ordering::Relaxed) > 0
    }
}

impl RunningRequest {
    /// The request gets no answer, and its connection is torn down.
    pub fn give_up(&self) -> NoAnswer {
        self.0.0.given_up.store(true, Ordering::Relaxed);
        NoAnswer
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub(super) struct TimedStream<S: Stream> {
    stream: S,
    activity: Activity,
    header_timeout: Duration,
    idle_timeout: Duration,
    refusal: fn(StatusCode) -> Option<String>,
    /// Requests that had begun when `received` was last set to nothing.
    seen: u32,
    /// Bytes since the last request began: a header that is not complete yet.
    received: usize,
    /// How much of HTTP/2's preface has come; such a connection is watched by pings.
    preface: usize,
    /// When the present wait for bytes began.
    since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// A refusal of our own wording on its way out.
    refused: Option<Vec<u8>>,
    lingers_until: Option<Instant>,
}

impl<S: Stream> TimedStream<S> {
    pub fn new(stream: S, activity: Activity, options: &Options) -> Self {
        Self {
            stream,
            activity,
            header_timeout: options.header_timeout,
            idle_timeout: options.idle_timeout,
            refusal: options.refusal,
            seen: 0,
            received: 0,
            preface: 0,
            since: None,
            timer: None,
            refused: None,
            lingers_until: None,
        }
    }

    fn is_http2(&self) -> bool {
        self.preface == HTTP2_PREFACE.len()
    }

    /// Bytes came in. Those of a running request are its body, whose time is the handler's matter.
    fn note(&mut self, bytes: &[u8]) {
        if self.seen == 0 && self.preface == self.received {
            let expected = &HTTP2_PREFACE[self.preface..];
            self.preface += bytes.iter().zip(expected).take_while(|(byte, expected)| byte == expected).count();
        }
        if !self.activity.is_busy() {
            if self.received == 0 {
                self.since = None;
            }
            self.received += bytes.len();
        }
    }

    /// A new request has begun: what came before was its header.
    fn catch_up(&mut self) {
        let begun = self.activity.begun();
        if begun != self.seen {
            self.seen = begun;
            self.received = 0;
            self.since = None;
        }
    }

    /// Has the peer been silent for too long? Else the task is woken when it has.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_http2() || self.activity.is_busy() {
            self.since = None;
            return Poll::Pending;
        }
        let in_header = self.received > 0 || self.seen == 0;
        let allowed = if in_header { self.header_timeout } else { self.idle_timeout };
        let due = *self.since.get_or_insert_with(Instant::now) + allowed;
        self.poll_timer(due, context)
    }

    /// The timer is set anew only when it must ring earlier, or when it rang too early: most requests leave it alone.
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

    /// Takes over when the library writes one of its bare refusals.
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

    /// To close with unread bytes makes the system reset the connection, which can take the answer away from a peer
    /// that is still sending. So what it sends is read and thrown away for a moment.
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

/// HTTP/2 resets the one stream by itself and goes on with the others.
impl<S: Stream> Drop for TimedStream<S> {
    fn drop(&mut self) {
        if self.activity.0.given_up.load(Ordering::Relaxed) && !self.is_http2() {
            self.stream.reset_on_close();
        }
    }
}

impl<S: Stream> AsyncRead for TimedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.catch_up();
        let before = into.filled().len();
        if let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, into) {
            this.note(&into.filled()[before..]);
            return Poll::Ready(outcome);
        }
        ready!(this.poll_overdue(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer sent nothing for too long")))
    }
}

impl<S: Stream> AsyncWrite for TimedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.replace(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        this.since = None;
        Pin::new(&mut this.stream).poll_write(context, bytes)
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
        this.since = None;
        Pin::new(&mut this.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.poll_refused(context))?;
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        // After an answer nobody asks for bytes until some come: the wait for the next request must begin here.
        this.catch_up();
        let _ = this.poll_overdue(context);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingers_until.is_none() {
            ready!(this.poll_refused(context))?;
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            this.catch_up();
        }
        if this.received > 0 && !this.is_http2() {
            ready!(this.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}
