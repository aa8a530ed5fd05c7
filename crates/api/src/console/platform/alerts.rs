//! `/console/api/alerts`: where alerts are sent, which kinds the tenant wants, and the latest alerts; and the
//! confirmation of addresses by their owners, who need no session.

use std::collections::{BTreeMap, BTreeSet};

use app::identity::mails::MailOutcome;
use app::platform::alerts::{AlertOutcome, ConfirmedRecipient};
use domain::AlertId;
use domain::platform::alerts::{Alert, AlertKind, AlertSettings};

use crate::console::guard::{FromLogIn, SignedIn};
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct AlertReport {
    emails: Vec<String>,
    /// Those of `emails` that get nothing until their owners confirm, by the link that was mailed to them.
    unconfirmed: Vec<String>,
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

#[derive(Deserialize, ToSchema)]
pub(crate) struct AlertConfirmationRequest {
    email: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AlertConfirmationMail {
    mailed: bool,
    /// Why the mail could not be sent. Absent if it was sent, or if no mail server is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    mail_error: Option<String>,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AlertConfirmation {
    /// The code at the end of the mailed link.
    code: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConfirmedAlertAddress {
    email: String,
    tenant_name: String,
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
/// Sends a test alert to all confirmed e-mail addresses and to the configured webhook URL.
#[described::path(
    post,
    path = "/console/api/alerts/test",
    responses((status = 200, description = "What was sent.", body = AlertTest)),
)]
pub(crate) async fn test_alerts(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<AlertTest>> {
    let AlertOutcome { emails, webhook_status, error } = state.app.platform().alerts().test(&signed_in).await?;
    Ok(Json(AlertTest { emails, webhook_status, error }))
}

/// Mail the link that confirms an address again
///
/// The address gets no alerts until its owner opens the link and confirms. An earlier link stops working.
#[described::path(
    post,
    path = "/console/api/alerts/confirmations",
    responses((status = 200, description = "Whether the mail was sent.", body = AlertConfirmationMail)),
)]
pub(crate) async fn mail_confirmation(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<AlertConfirmationRequest>,
) -> ApiResult<Json<AlertConfirmationMail>> {
    let outcome = state.app.platform().alerts().ask_again(&signed_in, &input.email).await?;
    Ok(Json(AlertConfirmationMail {
        mailed: outcome == MailOutcome::Sent,
        mail_error: match outcome {
            MailOutcome::Failed(why) => Some(why),
            MailOutcome::Sent | MailOutcome::NotConfigured => None,
        },
    }))
}

/// Confirm an address for alerts
///
/// Takes the code of a mailed link. A code works once, within 7 days.
#[described::path(
    post,
    path = "/console/api/alerts/confirm",
    responses((status = 200, description = "The address gets alerts from now on.", body = ConfirmedAlertAddress)),
)]
pub(crate) async fn confirm_address(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    Json(input): Json<AlertConfirmation>,
) -> ApiResult<Json<ConfirmedAlertAddress>> {
    let confirmed = state.app.platform().alerts().confirm(&input.code, &source).await?;
    let ConfirmedRecipient { email, tenant_name } = confirmed;
    Ok(Json(ConfirmedAlertAddress { email, tenant_name }))
}

async fn answer(state: &ApiState, signed_in: &SignedIn, settings: AlertSettings) -> ApiResult<Json<AlertReport>> {
    let alerts = state.app.platform().alerts();
    let recent = alerts.recent(signed_in).await?;
    let unconfirmed = alerts.unconfirmed(signed_in, &settings).await?;
    let is_wanted = |kind: &AlertKind| (kind.name(), settings.kinds.contains(kind));
    Ok(Json(AlertReport {
        kinds: AlertKind::ALL.iter().map(is_wanted).collect(),
        mail_available: alerts.can_mail(),
        recent: recent.into_iter().map(AlertShape::from).collect(),
        emails: settings.emails,
        unconfirmed,
        webhook_url: settings.webhook_url,
    }))
}
