//! `POST /api/ext/v3/sandbox/inject`: lets the simulated network post any change to the channel's hook.

use sandbox::Change;
use sandbox::driver::Injected;
use serde_json::Value;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxInject {
    /// The `field` of the change, which names its kind.
    #[schema(example = "account_alerts", min_length = 1, max_length = 100)]
    field: String,
    /// The `value` of the change.
    #[schema(value_type = Object, example = json!({"alert_severity": "INFORMATIONAL"}))]
    value: Value,
    /// A channel by id, name or number. Default: the default channel.
    channel: Option<String>,
}

/// Let the network post any change
///
/// For changes that the sandbox does not simulate. The post is signed like any other.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/inject",
    responses(
        (status = 200, description = "The network is about to post it.", body = Injected),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn inject_in_sandbox(driver: Driver, Json(input): Json<SandboxInject>) -> ApiResult<Json<Injected>> {
    let SandboxInject { field, value, channel } = input;
    Ok(Json(driver.sandbox.inject(driver.tenant, channel.as_deref(), Change { field, value }).await?))
}
