//! The OpenAPI document, with the feature `document`: `collect.rs` puts it together from all operations, and
//! `describe.rs` writes the parameters, headers and error responses that operations share.

mod answers;
mod collect;
mod describe;
mod inline;
mod permissions;

pub use collect::{console_openapi, openapi};
pub(crate) use permissions::{declare, declare_for_sessions};
