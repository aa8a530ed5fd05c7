//! `PUT /api/ext/v3/sandbox/scenario`: chooses what simulated people do on their own.

use sandbox::{Scenario, ScenarioName};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewSandboxScenario {
    /// `quiet`: people only receive. `lively`: they sometimes reply, tap, open links, call and pay.
    name: ScenarioName,
    /// With the same seed, people react to the same messages in the same way.
    #[schema(example = 42)]
    seed: Option<u64>,
}

/// Choose a scenario
#[described::path(
    put,
    path = "/api/ext/v3/sandbox/scenario",
    responses((status = 200, description = "The scenario.", body = Scenario)),
)]
pub(crate) async fn set_sandbox_scenario(
    driver: Driver,
    Json(input): Json<NewSandboxScenario>,
) -> ApiResult<Json<Scenario>> {
    let NewSandboxScenario { name, seed } = input;
    Ok(Json(driver.sandbox.scenario(driver.tenant, Scenario { name, seed }).await?))
}
