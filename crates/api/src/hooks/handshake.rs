//! `GET /hooks/whatsapp/{channel_id}`: the network verifies a hook's address.

use axum::http::header;

use super::refusal::{channel_of, refusal};
use crate::error::HANDSHAKE_REFUSED;
use crate::prelude::*;

/// In bytes. The network's challenges have about ten digits.
const MAX_CHALLENGE: usize = 256;

members! {
    pub(crate) query HandshakeQuery from Query {
        #[param(rename = "hub.mode", example = "subscribe")]
        mode: String = text_or_empty["hub.mode"](),
        /// The channel's verify token.
        #[param(rename = "hub.verify_token", example = "a-word-that-only-you-know")]
        verify_token: String = text_or_empty["hub.verify_token"](),
        /// Returned unchanged in the response. 1 to 256 printable ASCII characters.
        #[param(rename = "hub.challenge", example = "1158201444")]
        challenge: String = text_or_empty["hub.challenge"](),
    }
}

/// Verify a channel's hook
///
/// The network calls this when you enter the hook's address in the network's settings.
#[described::path(
    get,
    path = "/hooks/whatsapp/{channel_id}",
    tag = "hooks",
    params(("channel_id" = String, Path, description = "The channel's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"), HandshakeQuery),
    responses(
        (status = 200, description = "The challenge.", body = String, content_type = "text/plain"),
        (status = 403, description = "Reasons: `handshake_refused`.", body = ErrorBody),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn verify_whatsapp_hook(
    State(state): State<ApiState>,
    FromPath(channel): FromPath<String>,
    query: Query,
) -> ApiResult<Response> {
    let channel = channel_of(&channel)?;
    let HandshakeQuery { mode, verify_token, challenge } = HandshakeQuery::parse(&query)?;
    let knows_token = state.app.messaging().inbound().verify_token_matches(channel, &verify_token).await;
    let knows_token = knows_token.map_err(|refused| refusal(&state, channel, refused))?;
    if !knows_token || mode != "subscribe" || !is_plain(&challenge) {
        let message = "expected hub.mode subscribe, the channel's hub.verify_token and a short text as hub.challenge";
        return Err(ApiError::new(HANDSHAKE_REFUSED, message));
    }
    // A browser must not show the challenge, a foreign text, as HTML.
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    Ok((headers, challenge).into_response())
}

fn is_plain(challenge: &str) -> bool {
    let printable = challenge.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (1..=MAX_CHALLENGE).contains(&challenge.len()) && printable
}
