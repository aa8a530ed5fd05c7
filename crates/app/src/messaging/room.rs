//! The state of the room.

use std::sync::Arc;

use channels::transport::Transport;
use domain::TenantId;
use domain::messaging::pacing::Limits;
use store::{Engine, Wakeup};
use tokio::sync::{Mutex, MutexGuard};

use crate::base::room::room;
use crate::identity::Identity;
use crate::messaging::channels::{AppIds, Breakers, ChannelTenants, NetworkDirectory};
use crate::messaging::clicks::HitWriter;
use crate::messaging::inbound::RecordHandlers;
use crate::messaging::media::{MediaPolicy, UploadedBytes};
use crate::messaging::messages::SenderState;
use crate::people::People;

/// Most channels whose breakers are kept in memory; a breaker that was evicted starts again closed.
const BREAKERS: usize = 10_000;
/// Most channels whose app ids are cached.
const APP_IDS: usize = 10_000;

/// Most channels whose tenants are cached.
const CHANNEL_TENANTS: usize = 100_000;

#[derive(Debug)]
pub(crate) struct MessagingConfig {
    pub networks: NetworkDirectory,
    pub pacing: Limits,
    pub media: MediaPolicy,
}

room! {
    /// Messages between the business and its customers. Cheap to clone.
    Messaging(MessagingState) {
        pub(crate) identity: Identity,
        pub(crate) people: People,
        pub networks: NetworkDirectory,
        pub media_policy: MediaPolicy,
        pub(crate) pacing: Limits,
        pub(crate) record_handlers: RecordHandlers,
        pub(crate) breakers: Breakers,
        pub(crate) app_ids: AppIds,
        pub(crate) channel_tenants: ChannelTenants,
        pub(crate) click_writer: HitWriter,
        pub(crate) sender_state: SenderState,
        pub(crate) uploaded_bytes: UploadedBytes,
        pub(crate) inbound_wakeup: Wakeup,
        pub(crate) fetch_wakeup: Wakeup,
        pub(crate) payment_wakeup: Wakeup,
        /// Held while a piece of a file is inserted on PostgreSQL: in a burst of files, several at a time would take all
        /// processors from the messages beside them.
        piece_lock: Mutex<()>,
    }
}

impl Messaging {
    pub(crate) fn new(people: &People, config: MessagingConfig, record_handlers: RecordHandlers) -> Self {
        Self(Arc::new(MessagingState {
            base: (**people).clone(),
            identity: people.identity().clone(),
            people: people.clone(),
            networks: config.networks,
            media_policy: config.media,
            pacing: config.pacing,
            record_handlers,
            breakers: Breakers::new(BREAKERS),
            app_ids: AppIds::new(APP_IDS),
            channel_tenants: ChannelTenants::new(CHANNEL_TENANTS),
            click_writer: HitWriter::default(),
            sender_state: SenderState::default(),
            uploaded_bytes: UploadedBytes::default(),
            inbound_wakeup: Wakeup::default(),
            fetch_wakeup: Wakeup::default(),
            payment_wakeup: Wakeup::default(),
            piece_lock: Mutex::default(),
        }))
    }

    /// The transport for URLs that a network or a client names, within the tenant's connections; none if this server
    /// fetches no such URLs.
    pub fn guarded_for(&self, tenant: TenantId) -> Option<Arc<dyn Transport>> {
        Some(self.outgoing().transport(self.networks().guarded()?, tenant))
    }

    /// None on SQLite: its writer inserts one piece at a time, and a transaction there must await nothing but statements.
    pub(crate) async fn piece_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.db().engine() {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.piece_lock().lock().await),
        }
    }
}
