//! Checks a credential again while an answer is still being written: for event streams, which last for hours.

use std::fmt;
use std::net::IpAddr;

use app::App;
use app::gate::judge;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::TenantId;
use domain::permission::Permission;

use super::ClientAddress;
use super::pass::bearer;
use crate::error::{ApiError, ApiResult, INTERNAL, TOKEN_MISSING};

/// The credential that the request presented at the gate.
pub(crate) struct PresentedCredential {
    value: String,
    address: IpAddr,
}

impl fmt::Debug for PresentedCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PresentedCredential").field("address", &self.address).finish_non_exhaustive()
    }
}

impl PresentedCredential {
    /// Applies the gate's rules again. While the database is not available, the answer is no.
    pub async fn still_authorized(&self, app: &App, permission: &Permission, tenant: TenantId) -> bool {
        match app.authenticate(&self.value, self.address).await {
            Ok(principal) => principal.tenant() == tenant && judge(permission, &principal, None).is_ok(),
            Err(_) => false,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for PresentedCredential {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let address = parts.extensions.get::<ClientAddress>().copied();
        let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
        let value = bearer(&parts.headers)?.map(str::to_owned);
        let value = value.ok_or_else(|| ApiError::new(TOKEN_MISSING, "No Access Token provided"))?;
        Ok(Self { value, address })
    }
}
