//! `GET /console/api/health`: the installation's version, database, nodes and checks, for administrators.

use app::platform::health::{CheckState, HealthCheck};
use app::platform::nodes::NodeView;

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct HealthReport {
    version: &'static str,
    #[serde(serialize_with = "as_rfc3339")]
    started_at: Timestamp,
    public_url: String,
    database: HealthDatabase,
    /// Empty for administrators of a tenant who do not administer the installation.
    nodes: Vec<HealthNode>,
    checks: Vec<CheckShape>,
}

#[derive(Serialize, ToSchema)]
struct HealthDatabase {
    /// `sqlite` or `postgres`.
    kind: &'static str,
    size_bytes: Option<i64>,
}

#[derive(Serialize, ToSchema)]
struct HealthNode {
    id: String,
    address: String,
    version: String,
    #[serde(serialize_with = "as_rfc3339")]
    started_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_seen_at: Timestamp,
    current: bool,
}

impl HealthNode {
    fn new(one: NodeView, own: &str) -> Self {
        let NodeView { id, address, version, started_at, last_seen_at, .. } = one;
        Self { current: id == own, id, address, version, started_at, last_seen_at }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = HealthCheck)]
struct CheckShape {
    name: &'static str,
    /// `ok`, `warn` or `bad`.
    state: &'static str,
    detail: String,
}

impl From<HealthCheck> for CheckShape {
    fn from(one: HealthCheck) -> Self {
        Self { name: one.name, state: one.state.name(), detail: one.detail }
    }
}

/// Get the installation's health
#[described::path(
    get,
    path = "/console/api/health",
    responses((status = 200, description = "Version, database, nodes and checks.", body = HealthReport)),
)]
pub(crate) async fn show_health(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<HealthReport>> {
    let mut health = state.app.platform().health(&signed_in).await?;
    if !state.app.identity().sessions().administers_installation(&signed_in).await? {
        health.nodes.clear();
    }
    let public_url = state.settings.public_url.clone();
    let checks = health.checks.into_iter().chain([public_url_check(&public_url)]);
    Ok(Json(HealthReport {
        version: env!("CARGO_PKG_VERSION"),
        started_at: health.started_at,
        database: HealthDatabase { kind: health.database_kind, size_bytes: health.size_bytes },
        nodes: health.nodes.into_iter().map(|node| HealthNode::new(node, state.app.node_name())).collect(),
        checks: checks.map(CheckShape::from).collect(),
        public_url,
    }))
}

/// Warns if the public URL is local or not https: the links in messages and the addresses for the network are built
/// from it.
fn public_url_check(url: &str) -> HealthCheck {
    let host = url.split("://").nth(1).unwrap_or(url);
    let is_local = ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local));
    let (state, detail) = match () {
        () if is_local => (CheckState::Warn, "only this machine reaches it: links in messages do not open elsewhere"),
        () if !url.starts_with("https://") => (CheckState::Warn, "it is not https://: passwords travel in the clear"),
        () => (CheckState::Ok, "https:// and not of this machine alone"),
    };
    HealthCheck::new("public_url", state, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_one_that_others_can_open() {
        let state = |url| public_url_check(url).state;
        assert_eq!(state("https://wa.example.com"), CheckState::Ok);
        for local in ["http://127.0.0.1:8080", "http://localhost:8080", "https://[::1]", "http://wa.example.com"] {
            assert_eq!(state(local), CheckState::Warn, "{local}");
        }
    }
}
