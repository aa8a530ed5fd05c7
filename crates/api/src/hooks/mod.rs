//! The addresses that the network calls: `/hooks/whatsapp/{channel_id}`.
//!
//! The operations are public. A post carries a signature over its raw bytes instead of a credential, and `app` checks
//! it. A post is journalled durably, answered with 200, and applied later (`app/src/messaging/inbound/mod.rs`), so a
//! crash after the answer loses nothing. Any other answer makes the network post again; a post that cannot be stored is
//! answered with
//! 503.

mod handshake;
mod receive;
mod refusal;
mod state;
mod warnings;

use domain::identity::permission::Permission;

use crate::gate::guarded;
use crate::routing::{Operations, routes};
pub(crate) use state::HookState;

/// The routes of hooks. They have no rate limit: after an outage the network posts a backlog of hours.
pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(Permission::public(), routes!(handshake::verify_whatsapp_hook)))
        .routes(guarded(Permission::public(), routes!(receive::receive_whatsapp_hook)))
}
