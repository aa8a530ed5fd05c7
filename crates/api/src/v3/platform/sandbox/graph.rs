//! `GET /api/ext/v3/sandbox/graph`: the address of the sandbox's Graph server.

use domain::messaging::channels::SANDBOX;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SandboxGraph {
    /// The base URL, with the version and without a trailing slash. Only reachable from the server's own machine.
    #[schema(example = "http://127.0.0.1:7701/v23.0")]
    url: String,
}

/// Get the address of the sandbox's Graph server
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/graph",
    responses(
        (status = 200, description = "The base URL.", body = SandboxGraph),
        (
            status = 404,
            description = "Reasons: `sandbox_off`, `not_found` (the Graph server is not listening).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn get_sandbox_graph(driver: Driver) -> ApiResult<Json<SandboxGraph>> {
    let url = driver.sandbox.app().messaging().networks().base_url(SANDBOX);
    let url = url.ok_or_else(|| ApiError::new(NOT_FOUND, "The sandbox's network is not listening"))?;
    Ok(Json(SandboxGraph { url }))
}
