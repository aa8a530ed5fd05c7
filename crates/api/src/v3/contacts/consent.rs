//! `PUT /api/ext/v3/contacts/{target}/consent`: opting in and out, allowing and blocking.

use app::contacts::ConsentUpdate;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;

use super::shape::{ContactShape, alone};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

/// Members that are absent stay as they are; at least one of the first four is there.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContactConsent)]
pub(crate) struct SetConsentRequest {
    /// May the business write first?
    opted_in: Option<bool>,
    allow_broadcast: Option<bool>,
    allow_sms: Option<bool>,
    blocked: Option<bool>,
    /// Where the decision was made; `API` when absent.
    #[schema(example = "web form", max_length = 200)]
    source: Option<String>,
}

/// Record what a contact agreed to
///
/// Each decision that changes something is kept with its time and source.
#[utoipa::path(
    put,
    path = "/api/ext/v3/contacts/{target}/consent",
    tag = "contacts",
    params(("target" = String, Path, description = "The contact.", example = "14155552671")),
    request_body = SetConsentRequest,
    responses(
        (status = 200, description = "The contact as it is now.", body = ContactShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_contact_consent(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    JsonBody(input): JsonBody<SetConsentRequest>,
) -> ApiResult<Response> {
    let decisions = [input.opted_in, input.allow_broadcast, input.allow_sms, input.blocked];
    if decisions.iter().all(Option::is_none) {
        let message = "expected this or another of allow_broadcast, allow_sms and blocked";
        return Err(ApiError::invalid("opted_in", message));
    }
    let update = ConsentUpdate {
        opted_in: input.opted_in,
        allow_broadcast: input.allow_broadcast,
        allow_sms: input.allow_sms,
        blocked: input.blocked,
        source: input.source,
    };
    let contact = state.app.contacts().set_consent(&caller, &target, update).await?;
    let segments = state.app.contacts().segments(&caller).await?;
    Ok(alone(&contact, &segments))
}
