//! Log-in at an OpenID Connect provider. A browser opens these addresses as pages: the answers are redirects, or a
//! small page if the log-in fails.

pub(in crate::console) mod begin;
pub(in crate::console) mod callback;
mod failed;
