//! `POST /api/ext/v3/sandbox/faults`: adds a fault.

use sandbox::driver::{Fail, FaultView};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewSandboxFault {
    /// For responses to the business: `refuse`, `fail`, `server_error`, `reset`, `accept_then_reset`, `lookup_error`
    /// for payment look-ups, and `cut_upload` for template samples. For posts from the network: `duplicate`, `reorder`,
    /// `delay`, `batch`.
    #[schema(example = "refuse")]
    kind: String,
    /// How many times the fault applies. Default: 1.
    #[schema(example = 1, minimum = 1, maximum = 100_000)]
    count: Option<u32>,
    /// For `refuse` and `fail`: the network's error code.
    #[schema(example = 131_026)]
    code: Option<i64>,
    /// For `server_error` and `lookup_error`: the HTTP status of the response.
    #[schema(minimum = 500, maximum = 599)]
    status: Option<u16>,
    /// For `duplicate`: how many times each post is sent.
    #[schema(minimum = 2, maximum = 10)]
    copies: Option<u32>,
    /// For `delay`: how many seconds a post is delayed.
    #[schema(minimum = 1, maximum = 604_800)]
    seconds: Option<u32>,
    /// For `batch`: the number of changes in one post.
    #[schema(minimum = 2, maximum = 200)]
    size: Option<u32>,
    /// For send faults: only messages to this person, by phone number, BSUID, username or name.
    person: Option<String>,
}

/// Add a fault
///
/// Makes the next sends fail in this way, or disturbs the next posts from the network.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/faults",
    responses(
        (status = 200, description = "The fault.", body = FaultView),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn add_sandbox_fault(
    driver: Driver,
    Json(input): Json<NewSandboxFault>,
) -> ApiResult<Json<FaultView>> {
    let NewSandboxFault { kind, count, code, status, copies, seconds, size, person } = input;
    let fail = Fail { kind, count, code, status, copies, seconds, size, person };
    Ok(Json(driver.sandbox.fail(driver.tenant, fail).await?))
}
