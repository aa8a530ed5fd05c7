//! Use cases: the crate where storage, credentials, limits, channels and events meet. The API, the console, the hooks,
//! the workers and the commands call it. It contains no SQL and serves no HTTP.

pub mod automation;
pub mod base;
pub mod calls;
pub mod commerce;
mod config;
pub mod delivery;
pub mod identity;
pub mod inbox;
pub mod messaging;
pub mod people;
pub mod platform;
mod timers;

use std::sync::Arc;

use domain::Clock;
use domain::base::keys::Keyring;
use store::Db;

use automation::Automation;
pub use base::Base;
pub use base::chunks::Chunks;
pub use base::compute::{for_tenant, in_background};
pub use base::error::{Cause, Error, Fault, Result, StorageFailure, Thing};
use base::room::room;
use calls::Calls;
use commerce::Commerce;
pub use config::Config;
use delivery::EventDelivery;
pub use identity::LogInConfig;
pub use identity::acts_for::{ActsFor, Command};
pub use identity::audit::actor::Actor;
use identity::credentials::oidc::ConfigError;
pub use identity::principal::Principal;
use identity::{Identity, IdentityConfig};
use inbox::Inbox;
use messaging::{Messaging, MessagingConfig};
use people::People;
use platform::Platform;

/// The areas that follow changes of contacts. Orders come first: they are found by the conversations that the second
/// follower then joins.
const CONTACT_FOLLOWERS: people::contacts::ContactFollowers =
    &[&commerce::orders::FollowContacts, &messaging::conversations::FollowContacts];
/// The areas that follow changes of teams.
const TEAM_FOLLOWERS: people::teams::TeamFollowers = &[&automation::routing::FollowTeams];
/// The areas that apply records which the network posts, besides messaging.
const RECORD_HANDLERS: messaging::inbound::RecordHandlers =
    &[&calls::InboundCalls, &commerce::payments::InboundPayments];

room! {
    /// The rooms of an installation. Cheap to clone.
    App(Rooms) {
        pub identity: Identity,
        pub people: People,
        pub messaging: Messaging,
        pub inbox: Inbox,
        pub commerce: Commerce,
        pub calls: Calls,
        pub delivery: EventDelivery,
        pub automation: Automation,
        pub platform: Platform,
    }
}

/// What reads the event log.
const HANDLERS: delivery::consumers::Handlers = delivery::consumers::Handlers {
    projections: &[&platform::activity::CountActivity],
    reactions: &[&automation::routing::RouteConversations],
};

impl App {
    /// The caller must have migrated the database and checked its key fingerprint.
    pub fn new(db: Db, clock: Clock, keyring: &Keyring, config: Config) -> Result<Self, ConfigError> {
        let Config { plans, hierarchy, issuers, failed_attempts_per_minute, log_in, .. } = config;
        let Config { networks, pacing, media, webhooks, quotas, retention, outgoing, .. } = config;
        let base = Base::new(db, clock, keyring, quotas, outgoing);
        let identity = IdentityConfig { plans, hierarchy, issuers, failed_attempts_per_minute, log_in };
        let identity = Identity::new(base.clone(), keyring, identity, networks.guarded().as_ref())?;
        let people = People::new(&identity, CONTACT_FOLLOWERS, TEAM_FOLLOWERS);
        let messaging = MessagingConfig { networks, pacing, media };
        let messaging = Messaging::new(&people, messaging, RECORD_HANDLERS);
        let delivery = EventDelivery::new(&messaging, webhooks, HANDLERS);
        Ok(Self(Arc::new(Rooms {
            base,
            inbox: Inbox::new(&messaging),
            commerce: Commerce::new(&messaging),
            calls: Calls::new(&people),
            automation: Automation::new(&delivery),
            platform: Platform::new(&delivery, retention),
            identity,
            people,
            messaging,
            delivery,
        })))
    }
}
