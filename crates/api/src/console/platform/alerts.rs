//! `/console/api/alerts`: where alerts are sent, which kinds the tenant wants, and the latest alerts.

use std::collections::{BTreeMap, BTreeSet};

use app::platform::alerts::AlertOutcome;
use domain::AlertId;
use domain::platform::alerts::{Alert, AlertKind, AlertSettings};

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct AlertReport {
    emails: Vec<String>,
    webhook_url: Option<String>,
    /// Every kind of alert, and whether the tenant wants it.
    kinds: BTreeMap<&'static str, bool>,
    mail_available: bool,
    recent: Vec<AlertShape>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Alert)]
struct AlertShape {
    id: AlertId,
    kind: &'static str,
    subject: String,
    title: String,
    detail: String,
    #[serde(serialize_with = "as_rfc3339")]
    began_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    ended_at: Option<Timestamp>,
    /// Whether a notification that the alert began or ended still has to be sent.
    pending: bool,
    emails: i64,
    webhook_status: Option<i64>,
    error: Option<String>,
}

impl From<Alert> for AlertShape {
    fn from(alert: Alert) -> Self {
        Self {
            id: alert.id,
            kind: alert.kind.name(),
            subject: alert.subject,
            title: alert.title,
            detail: alert.detail,
            began_at: alert.began_at,
            ended_at: alert.ended_at,
            pending: alert.pending.is_some(),
            emails: alert.emails_sent,
            webhook_status: alert.webhook_status,
            error: alert.error,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[schema(as = AlertSettings)]
pub(crate) struct SetAlertsRequest {
    emails: Vec<String>,
    webhook_url: Option<String>,
    /// Omitted kinds are turned off, like those with `false`.
    kinds: BTreeMap<String, bool>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AlertTest {
    emails: i64,
    webhook_status: Option<i64>,
    error: Option<String>,
}

/// Get alerts and their settings
#[described::path(
    get,
    path = "/console/api/alerts",
    responses((status = 200, description = "The settings and the latest alerts.", body = AlertReport)),
)]
pub(crate) async fn show_alerts(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<AlertReport>> {
    let settings = state.app.platform().alerts().settings(&signed_in).await?;
    answer(&state, &signed_in, settings).await
}

/// Set where alerts are sent
#[described::path(
    put,
    path = "/console/api/alerts",
    responses((status = 200, description = "The settings and the latest alerts.", body = AlertReport)),
)]
pub(crate) async fn set_alerts(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<SetAlertsRequest>,
) -> ApiResult<Json<AlertReport>> {
    let mut kinds = BTreeSet::new();
    for (name, wanted) in input.kinds {
        let unknown = |()| ApiError::invalid(format!("kinds.{name}"), "unknown alert kind");
        let kind: AlertKind = name.parse().map_err(unknown)?;
        if wanted {
            kinds.insert(kind);
        }
    }
    let settings = AlertSettings { emails: input.emails, webhook_url: input.webhook_url, kinds };
    let saved = state.app.platform().alerts().set_settings(&signed_in, settings).await?;
    answer(&state, &signed_in, saved).await
}

/// Send a test alert
///
/// Sends a test alert to all configured e-mail addresses and to the configured webhook URL.
#[described::path(
    post,
    path = "/console/api/alerts/test",
    responses((status = 200, description = "What was sent.", body = AlertTest)),
)]
pub(crate) async fn test_alerts(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<AlertTest>> {
    let AlertOutcome { emails, webhook_status, error } = state.app.platform().alerts().test(&signed_in).await?;
    Ok(Json(AlertTest { emails, webhook_status, error }))
}

async fn answer(state: &ApiState, signed_in: &SignedIn, settings: AlertSettings) -> ApiResult<Json<AlertReport>> {
    let alerts = state.app.platform().alerts();
    let recent = alerts.recent(signed_in).await?;
    let is_wanted = |kind: &AlertKind| (kind.name(), settings.kinds.contains(kind));
    Ok(Json(AlertReport {
        kinds: AlertKind::ALL.iter().map(is_wanted).collect(),
        mail_available: alerts.can_mail(),
        recent: recent.into_iter().map(AlertShape::from).collect(),
        emails: settings.emails,
        webhook_url: settings.webhook_url,
    }))
}
