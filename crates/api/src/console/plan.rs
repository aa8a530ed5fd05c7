//! `GET /console/api/plan`: the plan of the tenant and what is used of it.

use app::plan::PlanUsage;
use axum::Json;
use axum::extract::State;
use domain::Timestamp;
use domain::plans::{Family, Feature, RATE_WINDOW_SECONDS};
use domain::time::as_rfc3339;
use serde::Serialize;

use super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct PlanAnswer {
    name: String,
    features: Vec<FeatureShape>,
    /// The most calls in a month. None: no limit.
    monthly_calls: Option<u64>,
    /// None: not counted, since there is no limit.
    used_this_month: Option<i64>,
    #[serde(serialize_with = "as_rfc3339")]
    month_ends_at: Timestamp,
    rate_window_seconds: i64,
    rates: Vec<RateShape>,
    media: MediaShape,
}

#[derive(Serialize)]
struct FeatureShape {
    name: &'static str,
    included: bool,
}

#[derive(Serialize)]
struct RateShape {
    family: &'static str,
    /// The most calls in `rate_window_seconds`. None: no limit.
    limit: Option<u64>,
}

#[derive(Serialize)]
struct MediaShape {
    used_bytes: u64,
    files: u64,
    quota_bytes: u64,
    keep_days: u32,
}

pub(crate) async fn show_plan(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<PlanAnswer>> {
    let PlanUsage { plan, calls, month_ends_at, media, media_limits } =
        state.app.plan_usage(&signed_in.principal).await?;
    let feature = |feature: Feature| FeatureShape { name: feature.name(), included: plan.features.contains(&feature) };
    let rate = |family: Family| RateShape { family: family.name(), limit: plan.rates.get(&family).copied() };
    Ok(Json(PlanAnswer {
        features: Feature::ALL.into_iter().map(feature).collect(),
        rates: Family::ALL.into_iter().map(rate).collect(),
        monthly_calls: plan.monthly_calls,
        name: plan.name,
        used_this_month: calls,
        month_ends_at,
        rate_window_seconds: RATE_WINDOW_SECONDS,
        media: MediaShape {
            used_bytes: media.bytes,
            files: media.files,
            quota_bytes: media_limits.quota,
            keep_days: media_limits.keep_days,
        },
    }))
}
