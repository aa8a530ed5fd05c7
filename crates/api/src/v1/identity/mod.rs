//! V1: tokens.

pub(super) mod tokens;
