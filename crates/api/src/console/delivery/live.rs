//! `GET /console/api/live`: what changes, for open pages of the console.
//!
//! Every role follows the events about what it can read: messages, conversations, calls, orders, templates. Only roles
//! with webhooks follow the events about webhooks. The event log itself (`GET /events`, `GET /events/stream`) needs the
//! permission of webhooks, and accepts credentials of programs; this stream belongs to a session, and ends with it.

use axum::http::HeaderMap;
use domain::delivery::events::{EventType, EventTypes};
use domain::identity::permission::Permission;
use domain::identity::roles::DEVELOPERS;

use crate::console::guard::SignedIn;
use crate::console::roles::ALL_ROLES;
use crate::gate::{PresentedCredential, RequestOrigin};
use crate::prelude::*;
use crate::shared::delivery::event_stream::{StreamRequest, last_seen, open_stream};

/// Follow changes
///
/// Returns server-sent events, as `GET /events/stream` does. The first `id` is the number after which the stream
/// starts. To resume, send the last `id` as `Last-Event-ID`. Between the events, `presence` tells who begins or stops
/// to view a conversation or to write in it; it has no `id`, because it is not in the log. The stream ends with the
/// session, and when the role changes.
#[described::path(
    get,
    path = "/console/api/live",
    params((
        "Last-Event-ID" = Option<i64>,
        Header,
        nullable = false,
        description = "The number of the last event the client received.",
        example = 4711
    )),
    responses((
        status = 200,
        description = "The event stream. It stays open.",
        content_type = "text/event-stream",
        body = String
    )),
)]
pub(crate) async fn follow_changes(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    credential: PresentedCredential,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let role = signed_in.principal.role();
    // While the stream is open, the session must keep a role with the same events.
    let (types, roles) =
        if DEVELOPERS.contains(&role) { (EventTypes::all(), DEVELOPERS) } else { (about_the_team(), ALL_ROLES) };
    let permission = Permission::of(roles, &[]);
    let after = last_seen(&headers)?;
    let caller = Caller { principal: signed_in.principal, idempotency_scope: None, origin: RequestOrigin::default() };
    let operator = caller.principal.account().map(|account| account.id);
    let signals = Some(state.app.follow_signals(caller.tenant(), operator));
    open_stream(state, StreamRequest { caller, credential, permission, types, after, signals }).await
}

/// Every type but those about webhooks.
fn about_the_team() -> EventTypes {
    EventType::ALL.iter().copied().filter(|one| *one != EventType::WebhookDefective).collect()
}
