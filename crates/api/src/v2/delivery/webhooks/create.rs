//! `POST /{tenantId}/api/v2/webhookEndpoints`: creates endpoints, all of them or none.

use app::delivery::webhooks::WebhookRequest;
use domain::delivery::webhooks::WebhookStatus;
use domain::{Change, Field};

use super::shape::WebhookEndpointsV2;
use crate::input::Scalar;
use crate::prelude::*;
use crate::v1::failure::info;

const EXISTS: &str = "Webhook URL already exists";
const NO_CHANNEL: &str = "Channel not found";

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewWebhookEndpointV2 {
    /// The number or name of the channel whose events are delivered. Empty for all channels.
    #[schema(value_type = Option<String>, example = "14155550100")]
    phone_number: Option<Scalar>,
    /// 1: enabled (the default). 0: disabled.
    #[schema(value_type = Option<i64>, example = 1)]
    status: Option<Scalar>,
    #[schema(example = "https://example.com/hooks/switchboard")]
    url: String,
    #[schema(example = json!(["message", "templateMessageSent_v2"]))]
    event_types: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookFailureV2 {
    #[schema(example = false)]
    ok: bool,
    #[schema(example = "Webhook URL already exists")]
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = true)]
    is_webhook_exist: Option<bool>,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum WebhookEndpointsAnswerV2 {
    Made(WebhookEndpointsV2),
    Failure(WebhookFailureV2),
}

/// Create webhook endpoints
///
/// Creates all endpoints in the list, or none. Deliveries are signed. Use `POST
/// /api/ext/v3/webhooks/{id}/rotate-secret` to get an endpoint's secret.
#[described::path(
    post,
    path = "/{tenantId}/api/v2/webhookEndpoints",
    tag = "webhooks",
    request_body = Vec<NewWebhookEndpointV2>,
    responses((
        status = 200,
        description = "The endpoints, or why the request failed.",
        body = WebhookEndpointsAnswerV2
    )),
)]
pub(crate) async fn create_webhook_endpoints_v2(
    Gated(state, caller): Gated,
    Json(input): Json<Vec<NewWebhookEndpointV2>>,
) -> ApiResult<Json<WebhookEndpointsAnswerV2>> {
    let wanted: Vec<WebhookRequest> = input.into_iter().map(WebhookRequest::from).collect();
    let failure = match state.app.delivery().webhooks().create_all(&caller, &wanted).await {
        Ok(made) => return Ok(Json(WebhookEndpointsAnswerV2::Made(made.into()))),
        Err(app::Error::Conflict { place, .. }) if place.last_field() == Some(Field::Url) => {
            WebhookFailureV2 { ok: false, error: EXISTS.to_owned(), is_webhook_exist: Some(true) }
        }
        Err(app::Error::NoChannel { .. }) => {
            WebhookFailureV2 { ok: false, error: NO_CHANNEL.to_owned(), is_webhook_exist: None }
        }
        Err(error) => WebhookFailureV2 { ok: false, error: info(error)?, is_webhook_exist: None },
    };
    Ok(Json(WebhookEndpointsAnswerV2::Failure(failure)))
}

impl From<NewWebhookEndpointV2> for WebhookRequest {
    fn from(one: NewWebhookEndpointV2) -> Self {
        let channel = one.phone_number.map(|Scalar(text)| text).filter(|text| !text.trim().is_empty());
        Self {
            url: Some(one.url),
            types: Some(one.event_types),
            // An unknown status code stays as it is, and is refused when the endpoints are created.
            status: one.status.map(|Scalar(text)| status_name(&text).unwrap_or(text)),
            channel: channel.map_or(Change::Keep, Change::Set),
            ..Self::default()
        }
    }
}

fn status_name(code: &str) -> Option<String> {
    let code = code.trim().parse().ok()?;
    WebhookStatus::from_code(code).map(|status| status.name().to_owned())
}
