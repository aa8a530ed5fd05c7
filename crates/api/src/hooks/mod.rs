//! The addresses that the network calls: `/hooks/whatsapp/{channel_id}`.
//!
//! The operations are public. A post carries a signature over its raw bytes instead of a credential, and `app` checks
//! it. A post is journalled durably, answered with 200, and applied later (`app/src/inbound.rs`), so a crash after the
//! answer loses nothing. Any other answer makes the network post again; a post that cannot be stored is answered with
//! 503.

mod handshake;
mod receive;
mod warnings;

use app::inbound::Refused;
use axum::http::{HeaderValue, header};
use domain::ChannelId;
use domain::permission::Permission;

use crate::error::{SIGNATURE_INVALID, SIGNATURE_MISSING, UNAVAILABLE};
use crate::gate::guarded;
use crate::memory::{Bounds, MemoryBudget};
use crate::prelude::*;
use crate::routing::{Operations, routes};

/// What the hooks keep in memory between posts.
#[derive(Debug)]
pub(crate) struct HookState {
    warnings: warnings::Warnings,
    /// Bounds the posts that are held in memory at a time, for each channel and in all: a body must be read before its
    /// signature can be checked.
    memory: MemoryBudget,
}

impl HookState {
    pub fn new(bounds: &Bounds) -> Self {
        Self { warnings: warnings::Warnings::default(), memory: MemoryBudget::for_hooks(bounds) }
    }
}

/// The routes of hooks. They have no rate limit: after an outage the network posts a backlog of hours.
pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(Permission::public(), routes!(handshake::verify_whatsapp_hook)))
        .routes(guarded(Permission::public(), routes!(receive::receive_whatsapp_hook)))
}

fn channel_of(text: &str) -> ApiResult<ChannelId> {
    text.parse().map_err(|_| no_channel())
}

fn no_channel() -> ApiError {
    ApiError::new(NOT_FOUND, "There is no such channel")
}

/// Turns a refusal into an error and counts it. Wrong signatures and failures of this server are logged, at most once a
/// minute for each channel. Such a failure becomes 503, so that the network posts again.
fn refusal(state: &ApiState, channel: ChannelId, refused: Refused) -> ApiError {
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
