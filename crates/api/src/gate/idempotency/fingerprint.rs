//! The fingerprint of a request: a digest of method, path, query, content type and body. The body is hashed while the
//! operation reads it; none of it is buffered.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use app::base::idempotency::IdempotencyScope;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use domain::base::idempotency::Fingerprint;
use hyper::body::{Frame, SizeHint};
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest as _, Sha256};

/// How much of a body was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyRead {
    Complete(Fingerprint),
    /// The body has more bytes.
    Partial,
    /// The body broke off with an error.
    Broken,
}

/// The gate's handle to a body that is hashed while the operation reads it. Through it the gate can read what the
/// operation left, so that the hash covers the whole body.
#[derive(Debug)]
pub(super) struct HashedBody(Arc<Mutex<HashState>>);

#[derive(Debug)]
struct HashState {
    body: Body,
    hash: Sha256,
    read: BodyRead,
    scope: IdempotencyScope,
}

/// Wraps the body of a request so that it is hashed as it is read. With its last byte the fingerprint is set on
/// `scope`.
pub(super) fn hash_body(request: Request, scope: IdempotencyScope) -> (Request, HashedBody) {
    let hash = hash_head(&request);
    let (parts, body) = request.into_parts();
    let mut state = HashState { body, hash, read: BodyRead::Partial, scope };
    state.complete_at_end();
    let state = Arc::new(Mutex::new(state));
    (Request::from_parts(parts, Body::new(OperationBody(state.clone()))), HashedBody(state))
}

/// Hashes method, path, query and content type. Each part is preceded by its length, so that different requests never
/// hash the same text. Parameters of the content type are left out: the boundary of a form is in the body anyway.
fn hash_head(request: &Request) -> Sha256 {
    let kind = request.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let uri = request.uri();
    let query = uri.query().unwrap_or_default();
    let parts = [request.method().as_str().as_bytes(), uri.path().as_bytes(), query.as_bytes(), &kind];
    parts.into_iter().fold(Sha256::new(), |hash, part| {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        hash.chain_update(length.to_be_bytes()).chain_update(part)
    })
}

impl HashedBody {
    /// Reads what the operation left unread, and says whether the body is complete then. `Partial` if more than `most`
    /// bytes were left.
    pub async fn read_rest(&self, most: usize) -> BodyRead {
        let mut left = most;
        loop {
            let frame = poll_fn(|context| lock(&self.0).poll(context)).await;
            let Some(Ok(frame)) = frame else { return lock(&self.0).read };
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(less) => left = less,
                None => return BodyRead::Partial,
            }
        }
    }
}

impl HashState {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.read != BodyRead::Partial {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                self.hash.update(frame.data_ref().map(AsRef::as_ref).unwrap_or_default());
                self.complete_at_end();
            }
            Some(Err(_)) => self.read = BodyRead::Broken,
            None => self.complete(),
        }
        Poll::Ready(frame)
    }

    /// Completes the fingerprint with the last frame, so that a reader need not poll once more.
    fn complete_at_end(&mut self) {
        if self.body.is_end_stream() {
            self.complete();
        }
    }

    fn complete(&mut self) {
        let fingerprint = self.hash.clone().finalize().into();
        self.read = BodyRead::Complete(fingerprint);
        self.scope.arrived(fingerprint);
    }
}

fn lock(state: &Mutex<HashState>) -> MutexGuard<'_, HashState> {
    state.lock()
}

/// The body that the operation reads.
#[derive(Debug)]
struct OperationBody(Arc<Mutex<HashState>>);

impl HttpBody for OperationBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        lock(&self.0).poll(context)
    }

    fn is_end_stream(&self) -> bool {
        lock(&self.0).read != BodyRead::Partial
    }

    fn size_hint(&self) -> SizeHint {
        lock(&self.0).body.size_hint()
    }
}
