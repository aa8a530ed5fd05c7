//! The answer of operations of V1 that only say whether they succeeded.

use super::failure::Failure;
use crate::prelude::*;

/// The outcome. Failures also have status 200.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoneAnswer {
    #[schema(example = true)]
    result: bool,
    /// Why the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "email: there is no such operator")]
    info: Option<String>,
}

impl DoneAnswer {
    pub const DONE: Self = Self { result: true, info: None };
}

impl From<Failure> for DoneAnswer {
    fn from(failure: Failure) -> Self {
        Self { result: false, info: Some(failure.into_info()) }
    }
}
