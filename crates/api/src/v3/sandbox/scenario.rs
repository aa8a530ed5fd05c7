//! `PUT /api/ext/v3/sandbox/scenario`: chooses what simulated people do by themselves.

use axum::Json;
use sandbox::{Scenario, ScenarioName};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewSandboxScenario)]
pub(crate) struct SetScenarioRequest {
    /// `quiet`: people only receive. `lively`: they sometimes reply, tap, open links, call and pay.
    name: ScenarioName,
    /// With the same seed, people react to the same messages in the same way.
    #[schema(example = 42)]
    seed: Option<u64>,
}

/// Choose a scenario
#[utoipa::path(
    put,
    path = "/api/ext/v3/sandbox/scenario",
    tag = "sandbox",
    request_body = SetScenarioRequest,
    responses(
        (status = 200, description = "The scenario.", body = Scenario),
        (status = 404, description = "Reasons: `sandbox_off`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_sandbox_scenario(
    driver: Driver,
    JsonBody(input): JsonBody<SetScenarioRequest>,
) -> ApiResult<Json<Scenario>> {
    let SetScenarioRequest { name, seed } = input;
    Ok(Json(driver.sandbox.scenario(driver.tenant, Scenario { name, seed }).await?))
}
