//! `Idempotency-Key` over the wire, on both databases: what is answered again, what is refused, what runs once.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

mod broken;
mod everywhere;
mod keys;
mod replay;
mod world;
