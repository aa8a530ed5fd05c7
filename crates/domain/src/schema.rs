//! Schemas for the OpenAPI document. Only debug builds have them (see the crate `described`).

#[cfg(debug_assertions)]
mod shared;

#[cfg(debug_assertions)]
pub use utoipa::{IntoParams, ToSchema};

#[cfg(not(debug_assertions))]
pub use described::{IntoParams, ToSchema};
#[cfg(debug_assertions)]
pub use shared::INLINE;

/// In a release build every type counts as described.
#[cfg(not(debug_assertions))]
pub trait ToSchema {}

#[cfg(not(debug_assertions))]
impl<T> ToSchema for T {}
