//! The API of the control socket in the data folder: the sandbox's operations, for commands on the same machine.
//!
//! Requests carry no credential. The file mode of the socket admits the server's user only, and that user can already
//! read the database and the secrets, so every request acts as an administrator (`LocalAdmin`) of the tenant in its
//! header. This router must never be served on a network.
//!
//! The socket itself is opened by `server/src/serve/socket.rs`.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use domain::TenantId;
use futures_util::FutureExt as _;
use tower::ServiceExt as _;

use super::fallback;
use super::paths::{Paths, respell};
use super::request_id::{REQUEST_ID, RequestId, request_id};
use super::timeout::with_timeout;
use crate::gate::LocalAdmin;
use crate::prelude::*;
use crate::v3;

/// The request header that names the tenant whose sandbox the command drives.
pub const TENANT_HEADER: &str = "x-switchboard-tenant";

/// The router of the control socket. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ControlSocketApi {
    router: Router,
    paths: Arc<Paths>,
    state: ApiState,
}

impl ControlSocketApi {
    pub(crate) fn new(state: ApiState) -> Self {
        let operations = v3::platform::sandbox::operations();
        let paths = Arc::new(Paths::new(operations.paths.iter().copied()));
        let router = operations
            .router
            .fallback(fallback::not_found)
            .method_not_allowed_fallback(fallback::method_not_allowed)
            .with_state(state.clone());
        Self { router, paths, state }
    }

    pub async fn handle(&self, mut request: Request<Body>) -> Response {
        let id = request_id(request.headers());
        request.extensions_mut().insert(RequestId(id.clone()));
        let work = AssertUnwindSafe(self.answer(request)).catch_unwind();
        let mut response = with_timeout(work, self.state.settings.request_timeout).await;
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }

    async fn answer(&self, mut request: Request<Body>) -> Result<Response, Infallible> {
        let caller = match self.administrator(request.headers()).await {
            Ok(caller) => caller,
            Err(error) => return Ok(error.into_response()),
        };
        request.extensions_mut().insert(caller);
        if let Some(uri) = respell(&self.paths, request.uri()) {
            *request.uri_mut() = uri;
        }
        self.router.clone().oneshot(request).await
    }

    async fn administrator(&self, headers: &HeaderMap) -> ApiResult<LocalAdmin> {
        let named =
            headers.get(TENANT_HEADER).ok_or_else(|| ApiError::invalid(TENANT_HEADER, "the header is missing"))?;
        let wrong = || ApiError::invalid(TENANT_HEADER, "expected a tenant id");
        let tenant: TenantId = named.to_str().map_err(|_| wrong())?.trim().parse().map_err(|_| wrong())?;
        match self.state.app.identity().local_administrator(tenant).await {
            Err(app::Error::NotFound(_)) => {
                Err(ApiError::about(NOT_FOUND, TENANT_HEADER, format!("there is no tenant {tenant}")))
            }
            Err(error) => Err(error.into()),
            Ok(principal) => Ok(LocalAdmin(principal)),
        }
    }
}
