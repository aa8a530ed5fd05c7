//! Checks a credential again while an answer is still being written: for event streams, which last for hours.

use std::fmt;
use std::net::IpAddr;

use app::App;
use app::identity::gate::judge;
use app::identity::sessions::{SessionPurpose, SessionReach};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::TenantId;
use domain::identity::permission::Permission;

use super::ClientAddress;
use super::caller::ConsoleSession;
use super::pass::bearer;
use crate::error::{ApiError, ApiResult, INTERNAL, TOKEN_MISSING};

/// The credential that the caller presented at the gate.
pub(crate) enum PresentedCredential {
    Bearer { value: String, address: IpAddr },
    Session { cookie: String, address: IpAddr },
}

impl fmt::Debug for PresentedCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bearer { .. } => "Bearer(…)",
            Self::Session { .. } => "Session(…)",
        })
    }
}

impl PresentedCredential {
    /// Applies the gate's rules to the credential again. Returns false also if the database is not available.
    pub async fn still_authorized(&self, app: &App, permission: &Permission, tenant: TenantId) -> bool {
        let principal = match self {
            Self::Bearer { value, address } => app.identity().authenticate(value, *address).await,
            Self::Session { cookie, address } => {
                let (purpose, reach) = (SessionPurpose::Check, SessionReach::Everything);
                app.identity().authenticate_session(cookie, purpose, reach, *address).await
            }
        };
        principal.is_ok_and(|principal| principal.tenant() == tenant && judge(permission, &principal, None).is_ok())
    }
}

impl<S: Sync> FromRequestParts<S> for PresentedCredential {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let address = parts.extensions.get::<ClientAddress>().copied();
        let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
        if let Some(session) = parts.extensions.get::<ConsoleSession>() {
            return Ok(Self::Session { cookie: session.cookie.clone(), address });
        }
        let value = bearer(&parts.headers)?.map(str::to_owned);
        let value = value.ok_or_else(|| ApiError::new(TOKEN_MISSING, "No Access Token provided"))?;
        Ok(Self::Bearer { value, address })
    }
}
