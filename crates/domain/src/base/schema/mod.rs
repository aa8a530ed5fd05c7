//! Schemas for the OpenAPI document. Compiled only with the feature `document` (see the crate `described`).

#[cfg(feature = "document")]
mod shared;

#[cfg(feature = "document")]
pub use utoipa::{IntoParams, ToSchema};

#[cfg(not(feature = "document"))]
pub use described::{IntoParams, ToSchema};
#[cfg(feature = "document")]
pub use shared::INLINE;

/// Without the feature every type counts as described.
#[cfg(not(feature = "document"))]
pub trait ToSchema {}

#[cfg(not(feature = "document"))]
impl<T> ToSchema for T {}
