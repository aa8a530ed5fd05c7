//! The names of the scenarios (`scenario.rs`).

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, domain::base::schema::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxScenarioName)]
pub enum ScenarioName {
    /// People receive and read messages, and act on request only.
    #[default]
    Quiet,
    /// People reply, tap, open links, call and pay, some of the time.
    Lively,
}
