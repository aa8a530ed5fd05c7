//! What is stored of a request with an idempotency key and of its answer.

/// A digest of a request. Equal requests have equal digests.
pub type Fingerprint = [u8; 32];

/// The answer to a request. Without a fingerprint the body of that request was not read to the end, and no request
/// compares equal to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub fingerprint: Option<Fingerprint>,
    pub status: i64,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}
