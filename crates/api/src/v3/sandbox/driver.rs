//! The sandbox of the caller's tenant. Operations are refused with `sandbox_off` when the server has none.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::TenantId;
use sandbox::Sandbox;

use crate::ApiState;
use crate::error::{ApiError, ApiResult, SANDBOX_OFF};
use crate::gate::Caller;

#[derive(Debug)]
pub(crate) struct Driver {
    pub sandbox: Sandbox,
    pub tenant: TenantId,
}

impl FromRequestParts<ApiState> for Driver {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let off = || ApiError::new(SANDBOX_OFF, "The sandbox is switched off: sandbox.enabled is false");
        Ok(Self { sandbox: state.sandbox.clone().ok_or_else(off)?, tenant: caller.tenant() })
    }
}
