//! The actor of an audited change: the caller, its address and the request id.

use app::Actor;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::edge::RequestId;
use crate::error::{ApiError, ApiResult};
use crate::gate::{Caller, ClientAddress};

#[derive(Debug)]
pub(crate) struct AuditActor(pub Actor);

impl<S: Send + Sync> FromRequestParts<S> for AuditActor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let address = parts.extensions.get::<ClientAddress>().map(|client| client.0.to_string());
        let request_id = parts.extensions.get::<RequestId>().and_then(|id| id.0.to_str().ok()).map(str::to_owned);
        Ok(Self(caller.actor(address, request_id)))
    }
}
