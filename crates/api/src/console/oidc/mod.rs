//! Log-in at an OpenID Connect provider. These are pages that a browser opens, not calls: they answer with redirects,
//! and with a small page where the log-in fails.

pub(super) mod begin;
pub(super) mod callback;
mod failed;
