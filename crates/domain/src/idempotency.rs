//! Idempotency keys: what is kept of a request and of its answer.

/// A digest of a request: the same request has the same.
pub type Fingerprint = [u8; 32];

/// What was answered. Without a fingerprint the request did not arrive whole, and nothing can be compared with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub fingerprint: Option<Fingerprint>,
    pub status: i64,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}
