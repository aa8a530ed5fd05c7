//! What networks call: `/hooks/whatsapp/{channel_id}`. Public, since a signature over the bytes stands in for a
//! credential; whether it is right is for `app` to say.

mod body_budget;
mod handshake;
mod receive;
mod warnings;

use app::inbound::Refused;
use axum::http::{HeaderValue, header};
use domain::ChannelId;
use domain::permission::Permission;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::error::{ApiError, ApiResult, NOT_FOUND, SIGNATURE_INVALID, SIGNATURE_MISSING, UNAVAILABLE};
use crate::gate::guarded;

/// What the hooks remember between two posts.
#[derive(Debug, Default)]
pub(crate) struct HookState {
    warnings: warnings::Warnings,
    body_budget: body_budget::BodyBudget,
}

/// Nobody limits how often these are called: the network may have a backlog of hours.
pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(guarded(Permission::public(), routes!(handshake::verify_whatsapp_hook)))
        .routes(guarded(Permission::public(), routes!(receive::receive_whatsapp_hook)))
}

fn channel_of(text: &str) -> ApiResult<ChannelId> {
    text.parse().map_err(|_| no_channel())
}

fn no_channel() -> ApiError {
    ApiError::new(NOT_FOUND, "There is no such channel")
}

/// Counted, and told to whoever reads the log. Whatever is wrong on our side must make the network try again.
fn refusal(state: &ApiState, channel: ChannelId, refused: Refused) -> ApiError {
    let error = match refused {
        Refused::NoChannel => no_channel(),
        Refused::Unsigned => ApiError::new(SIGNATURE_MISSING, "The X-Hub-Signature-256 header is missing"),
        Refused::Forged => ApiError::new(SIGNATURE_INVALID, "The X-Hub-Signature-256 is not that of these bytes"),
        Refused::Failed(error) => {
            if state.hook_state.warnings.is_due(channel, state.app.now()) {
                tracing::error!(%error, %channel, "what the network posted could not be taken");
            }
            later("It could not be stored; try again")
        }
    };
    let reason = error.kind().reason;
    metrics::counter!("switchboard_hooks_refused_total", "reason" => reason).increment(1);
    let signature = matches!(reason, "signature_missing" | "signature_invalid");
    if signature && state.hook_state.warnings.is_due(channel, state.app.now()) {
        tracing::warn!(%channel, reason, "posts to a channel's hook are refused; is its app secret the right one?");
    }
    error
}

/// The network tries again.
fn later(message: &str) -> ApiError {
    ApiError::new(UNAVAILABLE, message).with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}
