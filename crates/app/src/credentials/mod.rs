//! What a caller can show in `Authorization: Bearer`, and how each kind is read and verified.

mod jwt;
pub mod legacy_jwt;
pub mod oidc;
