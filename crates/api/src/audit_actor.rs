//! The actor of an audited change: the caller, its address and the request id.

use app::{Actor, ActsFor as _};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::prelude::*;

#[derive(Debug)]
pub(crate) struct AuditActor(pub Actor);

impl<S: Send + Sync> FromRequestParts<S> for AuditActor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        Ok(Self(caller.audit_actor()))
    }
}
