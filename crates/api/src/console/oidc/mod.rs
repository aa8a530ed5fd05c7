//! Log-in at an OpenID Connect provider. A browser opens these addresses as pages: the answers are redirects, or a
//! small page if the log-in fails.

pub(super) mod begin;
pub(super) mod callback;
mod failed;
