//! Errors of the hooks: a channel that does not exist, and posts that `app` refuses.

use app::messaging::inbound::Refused;
use axum::http::{HeaderValue, header};
use domain::ChannelId;

use crate::error::{SIGNATURE_INVALID, SIGNATURE_MISSING, UNAVAILABLE};
use crate::prelude::*;

pub(super) fn channel_of(text: &str) -> ApiResult<ChannelId> {
    text.parse().map_err(|_| no_channel())
}

fn no_channel() -> ApiError {
    ApiError::new(NOT_FOUND, "There is no such channel")
}

/// Turns a refusal into an error and counts it. Wrong signatures and failures of this server are logged, at most once a
/// minute for each channel. Such a failure becomes 503, so that the network posts again.
pub(super) fn refusal(state: &ApiState, channel: ChannelId, refused: Refused) -> ApiError {
    let error = match refused {
        Refused::NoChannel => no_channel(),
        Refused::Unsigned => ApiError::new(SIGNATURE_MISSING, "The X-Hub-Signature-256 header is missing"),
        Refused::Forged => ApiError::new(SIGNATURE_INVALID, "The X-Hub-Signature-256 header does not match the body"),
        Refused::Failed(error) => {
            if state.hook_state.warnings.is_due(channel, state.app.now()) {
                tracing::error!(%error, %channel, "a post of the network could not be stored");
            }
            later("The webhook could not be stored; try again")
        }
    };
    let reason = error.kind().reason;
    metrics::counter!("switchboard_hooks_refused_total", "reason" => reason).increment(1);
    let signature = matches!(reason, "signature_missing" | "signature_invalid");
    if signature && state.hook_state.warnings.is_due(channel, state.app.now()) {
        tracing::warn!(%channel, reason, "posts to a channel's hook are refused; check its app secret");
    }
    error
}

/// An error 503 with `Retry-After: 1`.
fn later(message: &str) -> ApiError {
    ApiError::new(UNAVAILABLE, message).with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}
