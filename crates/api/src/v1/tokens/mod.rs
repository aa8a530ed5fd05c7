//! Legacy JWTs.

pub(super) mod rotate;
