//! `POST /hooks/whatsapp/{channel_id}`: stores a post from the network in the journal, then responds.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use channels::signature;
use domain::ChannelId;

use super::refusal::{channel_of, refusal};
use crate::edge::memory::Holder;
use crate::error::REQUEST_TIMEOUT;
use crate::input::collect_body;
use crate::prelude::*;

/// In bytes. The network's batches stay under 3 MB.
const MAX_BODY: usize = 4 << 20;

/// Receive a post from the network
///
/// Switchboard stores the bytes before it responds, and applies them later. The content type does not matter. After any
/// response other than `200`, the network posts again.
#[described::path(
    post,
    path = "/hooks/whatsapp/{channel_id}",
    tag = "hooks",
    params(
        ("channel_id" = String, Path, description = "The channel's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        (
            "X-Hub-Signature-256" = String,
            Header,
            description = "`sha256=` followed by the HMAC of the body's bytes with the channel's app secret, in hex."
        ),
    ),
    request_body(content = Object, content_type = "application/json", description = "At most 4 MiB."),
    responses(
        (status = 200, description = "The post was stored."),
        (status = 403, description = "Reasons: `signature_missing`, `signature_invalid`.", body = ErrorBody),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 408, description = "The body did not arrive in time. Reasons: `request_timeout`.", body = ErrorBody),
        (
            status = 503,
            description = "Too many simultaneous posts to the channel, or the post could not be stored. Reasons: \
                `overloaded`, `unavailable`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn receive_whatsapp_hook(
    State(state): State<ApiState>,
    FromPath(channel): FromPath<String>,
    request: Request,
) -> ApiResult<StatusCode> {
    let channel = channel_of(&channel)?;
    let signed = signature_of(request.headers());
    let inbound = state.app.messaging().inbound();
    let post = inbound.signed_post(channel, signed.as_deref()).await;
    let post = post.map_err(|refused| refusal(&state, channel, refused))?;
    let body = read_body(&state, channel, request).await?;
    let accepted = post.accept(body.into()).await;
    accepted.map_err(|refused| refusal(&state, channel, refused))?;
    Ok(StatusCode::OK)
}

/// Reads the body within the time limit `hook_body` and the memory share of its channel. Memory is reserved only for
/// bytes that have arrived: a slow post, whose signature cannot be checked yet, takes none from the others.
async fn read_body(state: &ApiState, channel: ChannelId, request: Request) -> ApiResult<Bytes> {
    let reservation = state.hook_state.memory.open(Holder::Channel(channel), None);
    let reading = collect_body(request, MAX_BODY, Some(reservation));
    match tokio::time::timeout(state.settings.bounds.hook_body, reading).await {
        Ok(body) => body,
        Err(_) => Err(ApiError::new(REQUEST_TIMEOUT, "The body did not arrive in time; try again")),
    }
}

/// The value of the signature header. One that is not text, or is repeated, becomes an empty signature, which is never
/// valid.
fn signature_of(headers: &HeaderMap) -> Option<String> {
    let mut given = headers.get_all(signature::HEADER).iter();
    let first = given.next()?;
    let only = given.next().is_none().then(|| first.to_str().ok()).flatten();
    Some(only.unwrap_or_default().to_owned())
}
