//! Use cases: the crate where storage, credentials, limits, channels and events meet. The API, the console, the hooks,
//! the workers and the commands call it. It contains no SQL and serves no HTTP.

pub mod automation;
pub mod base;
pub mod calls;
pub mod commerce;
pub mod delivery;
pub mod identity;
pub mod inbox;
pub mod messaging;
pub mod people;
pub mod platform;

use std::sync::{Arc, OnceLock};

use domain::base::keys::Keyring;
use domain::identity::plans::Plans;
use domain::identity::scopes::Hierarchy;
use domain::{Clock, TenantId, Timestamp};
use parking_lot::Mutex;
use store::{Db, Engine, Wakeup};

pub use base::chunks::Chunks;
pub use base::compute::for_tenant;
pub use base::error::{Cause, Error, Fault, Result, StorageFailure, Thing};
use base::group_writer::GroupWriter;
pub use identity::acts_for::{ActsFor, Command};
pub use identity::audit::actor::Actor;
pub use identity::principal::Principal;

/// Most channels whose breakers are kept in memory; a breaker that was evicted starts again closed.
const BREAKERS: usize = 10_000;
/// Most channels whose app ids are cached.
const APP_IDS: usize = 10_000;
/// Most searches of messages at the same time.
const MAX_SEARCHES: usize = 2;

/// The areas that follow changes of contacts. Orders come first: they are found by the conversations that the second
/// follower then joins.
const CONTACT_FOLLOWERS: people::contacts::ContactFollowers =
    &[&commerce::orders::FollowContacts, &messaging::conversations::FollowContacts];
/// The areas that apply records which the network posts, besides messaging.
const RECORD_HANDLERS: messaging::inbound::RecordHandlers =
    &[&calls::InboundCalls, &commerce::payments::InboundPayments];

/// The configuration of an installation.
#[derive(Debug)]
pub struct Config {
    pub plans: Plans,
    pub hierarchy: Hierarchy,
    pub issuers: Vec<identity::credentials::oidc::IssuerConfig>,
    pub failed_attempts_per_minute: u32,
    pub log_in: LogInConfig,
    pub networks: messaging::channels::NetworkDirectory,
    /// The sending limits of each number; a limit of new people that the network reports replaces ours.
    pub pacing: domain::messaging::pacing::Limits,
    pub webhooks: delivery::webhooks::WebhookPolicy,
    pub media: messaging::media::MediaPolicy,
    pub quotas: domain::base::quotas::Quotas,
    pub retention: domain::platform::retention::Retention,
}

/// Ways to log in besides a password, ways to get a new password, and how long a log-in lasts.
#[derive(Debug, Default)]
pub struct LogInConfig {
    pub lifetimes: identity::credentials::Lifetimes,
    pub password_cost: identity::log_in::hashing::PasswordCost,
    /// Sends one-time links by mail. Without it links are shown to administrators only.
    pub mailer: Option<::channels::mail::Mailer>,
    /// OpenID Connect providers; they are called through the guarded transport of `networks`.
    pub providers: Vec<identity::credentials::oidc::log_in::ProviderConfig>,
}

/// The shared state of all use cases. Cheap to clone.
#[derive(Debug, Clone)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Clock,
    config: Config,
    keys: base::keys::Keys,
    legacy_jwt_keys: identity::credentials::legacy_jwt::LegacyJwtKeys,
    limiter: platform::limits::Limiter,
    oidc: identity::credentials::oidc::OidcVerifier,
    log_in_providers: identity::credentials::oidc::log_in::Providers,
    attempts: identity::log_in::failed_attempts::FailedAttempts,
    hashing: identity::log_in::hashing::Hashing,
    computing: store::WorkPool,
    search_slots: tokio::sync::Semaphore,
    node: base::node::Node,
    breakers: messaging::channels::Breakers,
    app_ids: messaging::channels::AppIds,
    contact_followers: people::contacts::ContactFollowers,
    record_handlers: messaging::inbound::RecordHandlers,
    /// Held while a piece of a file is inserted on PostgreSQL: in a burst of files, several at a time would take all
    /// processors from the messages beside them.
    piece_turn: tokio::sync::Mutex<()>,
    public_url: OnceLock<String>,
    shared: Shared,
}

/// Declares `Shared` and a function of `App` for each of its members.
macro_rules! shared {
    ($($name:ident: $type:ty,)+) => {
        /// What use cases share in the memory of this process. All of it starts empty.
        #[derive(Debug, Default)]
        struct Shared {
            $($name: $type,)+
        }

        impl App {
            $(pub(crate) fn $name(&self) -> &$type {
                &self.0.shared.$name
            })+
        }
    };
}

shared! {
    call_recorder: GroupWriter<calls::CallDraft>,
    click_writer: messaging::clicks::HitWriter,
    contact_totals: people::contacts::Totals,
    endpoint_directory: delivery::webhooks::EndpointDirectory,
    equal_work: identity::log_in::EqualWork,
    fetch_wakeup: Wakeup,
    import_wakeup: Wakeup,
    inbound_wakeup: Wakeup,
    log_positions: delivery::events::LogPositions,
    lookup_limiter: Mutex<commerce::payments::LookupRateLimiter>,
    payment_wakeup: Wakeup,
    presence_board: inbox::conversations::PresenceBoard,
    recent_events: delivery::events::RecentEvents,
    sender_state: messaging::messages::SenderState,
    snooze_wakeup: Wakeup,
    token_cache: identity::credentials::token_cache::TokenCache,
    uploaded_bytes: messaging::media::UploadedBytes,
    uses: identity::credentials::last_uses::Uses,
}

/// Declares functions of `App` that return a reference to a member of `Inner`.
macro_rules! accessors {
    ($($visibility:vis $name:ident: $type:ty = $($member:ident).+;)+) => {
        impl App {
            $($visibility fn $name(&self) -> &$type {
                &self.0.$($member).+
            })+
        }
    };
}

accessors! {
    pub db: Db = db;
    pub clock: Clock = clock;
    pub plans: Plans = config.plans;
    pub networks: messaging::channels::NetworkDirectory = config.networks;
    pub media_policy: messaging::media::MediaPolicy = config.media;
    pub limiter: platform::limits::Limiter = limiter;
    pub attempts: identity::log_in::failed_attempts::FailedAttempts = attempts;
    pub(crate) webhook_policy: delivery::webhooks::WebhookPolicy = config.webhooks;
    pub(crate) hierarchy: Hierarchy = config.hierarchy;
    pub(crate) keys: base::keys::Keys = keys;
    pub(crate) node: base::node::Node = node;
    pub(crate) legacy_jwt_keys: identity::credentials::legacy_jwt::LegacyJwtKeys = legacy_jwt_keys;
    pub(crate) hashing: identity::log_in::hashing::Hashing = hashing;
    pub(crate) oidc: identity::credentials::oidc::OidcVerifier = oidc;
    pub(crate) log_in_providers: identity::credentials::oidc::log_in::Providers = log_in_providers;
    pub(crate) search_slots: tokio::sync::Semaphore = search_slots;
    pub(crate) breakers: messaging::channels::Breakers = breakers;
    pub(crate) app_ids: messaging::channels::AppIds = app_ids;
    pub contact_followers: people::contacts::ContactFollowers = contact_followers;
    pub(crate) record_handlers: messaging::inbound::RecordHandlers = record_handlers;
}

#[boxed::futures]
impl App {
    /// The caller must have migrated the database and checked its key fingerprint.
    pub fn new(
        db: Db,
        clock: Clock,
        keyring: &Keyring,
        mut config: Config,
    ) -> Result<Self, identity::credentials::oidc::ConfigError> {
        let issuers = std::mem::take(&mut config.issuers);
        let (providers, guarded) = (std::mem::take(&mut config.log_in.providers), config.networks.guarded());
        Ok(Self(Arc::new(Inner {
            keys: base::keys::Keys::new(keyring),
            legacy_jwt_keys: identity::credentials::legacy_jwt::LegacyJwtKeys::new(keyring),
            limiter: platform::limits::Limiter::new(db.clone(), clock.clone()),
            oidc: identity::credentials::oidc::OidcVerifier::new(issuers, clock.clone())?,
            log_in_providers: identity::credentials::oidc::log_in::Providers::new(providers, guarded.as_ref(), &clock)?,
            attempts: identity::log_in::failed_attempts::FailedAttempts::new(config.failed_attempts_per_minute),
            hashing: identity::log_in::hashing::Hashing::new(config.log_in.password_cost.clone()),
            computing: store::WorkPool::for_computing("compute"),
            search_slots: tokio::sync::Semaphore::new(MAX_SEARCHES),
            node: base::node::Node::new(db.engine(), clock.now()),
            breakers: messaging::channels::Breakers::new(BREAKERS),
            app_ids: messaging::channels::AppIds::new(APP_IDS),
            contact_followers: CONTACT_FOLLOWERS,
            record_handlers: RECORD_HANDLERS,
            piece_turn: tokio::sync::Mutex::default(),
            public_url: OnceLock::new(),
            shared: Shared::default(),
            config,
            db,
            clock,
        })))
    }

    pub(crate) fn rows_per_link(&self) -> i64 {
        i64::try_from(self.0.config.quotas.rows_per_link).unwrap_or(i64::MAX)
    }

    pub(crate) fn quotas(&self) -> domain::base::quotas::Quotas {
        self.0.config.quotas
    }

    pub(crate) fn kept_days(&self) -> domain::platform::retention::Retention {
        self.0.config.retention
    }

    /// Fails when the database cannot be reached.
    pub async fn check_database(&self) -> Result<()> {
        store::base::epochs::credentials(self.db()).await?;
        Ok(())
    }

    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Sets the address under which clients reach this installation, for addresses in answers and events. The server
    /// calls it once it listens; later calls are ignored.
    pub fn set_public_url(&self, url: &str) {
        let _ = self.0.public_url.set(url.trim_end_matches('/').to_owned());
    }

    /// Stores the public address of this server, so that commands on the same database can read it.
    pub async fn save_public_url(&self, url: &str) -> Result<()> {
        if store::base::installation::public_url(self.db()).await?.as_deref() == Some(url) {
            return Ok(());
        }
        let write =
            self.db().write(url.to_owned(), |tx, url| Box::pin(store::base::installation::set_public_url(tx, url)));
        Ok(write.await?)
    }

    /// The public address of the server that started last; none if no server has started yet.
    pub async fn saved_public_url(&self) -> Result<Option<String>> {
        Ok(store::base::installation::public_url(self.db()).await?)
    }

    /// The beginning of a file's address; the file's name follows.
    pub fn file_address(&self, tenant: TenantId) -> String {
        let url = self.0.public_url.get().map_or("", String::as_str);
        format!("{url}/{tenant}/api/file/showFile?fileName=")
    }

    /// The name of this node in leases.
    pub fn node_name(&self) -> &str {
        self.0.node.name()
    }

    /// The name of this process, different at each start: distinguishes claims of a running process from those of one
    /// that is gone.
    pub fn process_name(&self) -> &str {
        self.0.node.process()
    }

    /// Sets the address under which other nodes and administrators see this node. Later calls are ignored.
    pub fn set_address(&self, address: String) {
        self.0.node.set_address(address);
    }

    /// Writes that this node is alive.
    pub(crate) async fn announce_node(&self) -> Result<()> {
        Ok(self.0.node.announce(self.db(), self.now()).await?)
    }

    pub(crate) fn pacing(&self) -> domain::messaging::pacing::Limits {
        self.0.config.pacing
    }

    pub(crate) fn keep_events_seconds(&self) -> i64 {
        i64::from(self.0.config.webhooks.keep_events_days) * 86_400
    }

    /// None on SQLite: its writer inserts one piece at a time, and a transaction there must await nothing but statements.
    pub(crate) async fn piece_turn(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        match self.db().engine() {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.0.piece_turn.lock().await),
        }
    }

    pub(crate) fn lifetimes(&self) -> identity::credentials::Lifetimes {
        self.0.config.log_in.lifetimes
    }

    pub(crate) fn mailer(&self) -> Option<&::channels::mail::Mailer> {
        self.0.config.log_in.mailer.as_ref()
    }
}
