//! Whether a credential that was let in may still do what it does: for answers that go on for hours.

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

/// What the caller showed at the gate.
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
    /// Judged as at the gate. While the database cannot be asked, nobody is let in.
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
