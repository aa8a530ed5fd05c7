//! `Idempotency-Key` over the wire, on both databases: what is answered again, what is refused, what runs once.

mod broken;
mod everywhere;
mod keys;
mod replay;
mod world;
