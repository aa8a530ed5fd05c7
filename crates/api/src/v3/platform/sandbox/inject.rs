//! `POST /api/ext/v3/sandbox/inject`: makes the simulated network post any change to the channel's hook.

use sandbox::Change;
use sandbox::driver::Injected;
use serde_json::Value;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxInject {
    /// The change's `field`, which names its kind.
    #[schema(example = "account_alerts", min_length = 1, max_length = 100)]
    field: String,
    /// The change's `value`.
    #[schema(value_type = Object, example = json!({"alert_severity": "INFORMATIONAL"}))]
    value: Value,
    /// A channel's id, name or number. Default: the default channel.
    channel: Option<String>,
}

/// Simulate any change from the network
///
/// For changes that the sandbox does not simulate. The post is signed like any other.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/inject",
    responses(
        (status = 200, description = "The network is about to post the change.", body = Injected),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn inject_in_sandbox(driver: Driver, Json(input): Json<SandboxInject>) -> ApiResult<Json<Injected>> {
    let SandboxInject { field, value, channel } = input;
    Ok(Json(driver.sandbox.inject(driver.tenant, channel.as_deref(), Change { field, value }).await?))
}
