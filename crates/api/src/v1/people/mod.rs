//! V1: contacts and segments.

pub(super) mod contacts;
pub(super) mod segments;
