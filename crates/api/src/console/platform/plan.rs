//! `GET /console/api/plan`: the tenant's plan and its usage.

use app::platform::plan_usage::PlanUsage;
use domain::identity::plans::{Family, Feature, RATE_WINDOW_SECONDS};

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct PlanReport {
    name: String,
    features: Vec<PlanFeature>,
    /// Maximum number of calls per month. Null means no limit.
    monthly_calls: Option<u64>,
    /// Null if calls are not counted because there is no limit.
    used_this_month: Option<i64>,
    #[serde(serialize_with = "as_rfc3339")]
    month_ends_at: Timestamp,
    rate_window_seconds: i64,
    rates: Vec<PlanRate>,
    media: PlanMedia,
}

#[derive(Serialize, ToSchema)]
struct PlanFeature {
    name: &'static str,
    included: bool,
}

#[derive(Serialize, ToSchema)]
struct PlanRate {
    family: &'static str,
    /// Maximum number of calls in `rate_window_seconds`. Null means no limit.
    limit: Option<u64>,
}

#[derive(Serialize, ToSchema)]
struct PlanMedia {
    used_bytes: u64,
    files: u64,
    quota_bytes: u64,
    keep_days: u32,
}

/// Get the plan and its usage
#[described::path(
    get,
    path = "/console/api/plan",
    responses((status = 200, description = "The plan.", body = PlanReport)),
)]
pub(crate) async fn show_plan(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<PlanReport>> {
    let PlanUsage { plan, calls, month_ends_at, media, media_limits } =
        state.app.platform().plan_usage(&signed_in.principal).await?;
    let feature = |feature: Feature| PlanFeature { name: feature.name(), included: plan.features.contains(&feature) };
    let rate = |family: Family| PlanRate { family: family.name(), limit: plan.rates.get(&family).copied() };
    Ok(Json(PlanReport {
        features: Feature::ALL.into_iter().map(feature).collect(),
        rates: Family::ALL.into_iter().map(rate).collect(),
        monthly_calls: plan.monthly_calls,
        name: plan.name,
        used_this_month: calls,
        month_ends_at,
        rate_window_seconds: RATE_WINDOW_SECONDS,
        media: PlanMedia {
            used_bytes: media.bytes,
            files: media.files,
            quota_bytes: media_limits.quota,
            keep_days: media_limits.keep_days,
        },
    }))
}
