//! Legacy JWTs.

pub(in crate::v1) mod rotate;
