//! Use cases: the crate where storage, credentials, limits, channels and events meet. The API, the console, the hooks,
//! the workers and the commands call it. It contains no SQL and serves no HTTP.

pub mod accounts;
pub mod activity;
pub mod actor;
mod acts_for;
pub mod alerts;
pub mod attempts;
pub mod audit;
pub mod broadcasts;
mod cache;
pub mod calls;
pub mod canned_replies;
pub mod certificates;
pub mod channels;
mod chunks;
pub mod clicks;
mod compute;
pub mod contacts;
pub mod conversations;
pub mod credentials;
mod cursor;
mod emit;
mod error;
pub mod events;
pub mod first_start;
pub mod gate;
mod group_writer;
pub mod health;
pub mod idempotency;
pub mod inbound;
pub mod keys;
pub mod labels;
pub mod limits;
pub mod log_in;
mod log_in_tries;
pub mod media;
pub mod messages;
mod node;
pub mod nodes;
pub mod one_time_links;
pub mod orders;
mod page_request;
mod password_log_in;
pub mod passwords;
pub mod payments;
pub mod plan;
pub mod principal;
pub mod queues;
mod quotas;
pub mod retention;
pub mod second_factors;
pub mod sessions;
pub mod templates;
mod tenant_scan;
pub mod tenants;
mod timer;
pub mod tokens;
pub mod webhooks;

use std::sync::{Arc, OnceLock};

use domain::base::keys::Keyring;
use domain::identity::plans::Plans;
use domain::identity::scopes::Hierarchy;
use domain::{Clock, TenantId, Timestamp};
use parking_lot::Mutex;
use store::{Db, Engine, Wakeup};

pub use actor::Actor;
pub use acts_for::{ActsFor, Command};
pub use chunks::Chunks;
pub use compute::for_tenant;
pub use error::{Cause, Error, Fault, Result, StorageFailure, Thing};
use group_writer::GroupWriter;
pub use principal::Principal;

/// Most channels whose breakers are kept in memory; a breaker that was evicted starts again closed.
const BREAKERS: usize = 10_000;
/// Most channels whose app ids are cached.
const APP_IDS: usize = 10_000;
/// Most searches of messages at the same time.
const MAX_SEARCHES: usize = 2;

/// The areas that follow changes of contacts. Orders come first: they are found by the conversations that the second
/// follower then joins.
const CONTACT_FOLLOWERS: contacts::ContactFollowers = &[&orders::FollowContacts, &conversations::FollowContacts];
/// The areas that apply records which the network posts, besides messaging.
const RECORD_HANDLERS: inbound::RecordHandlers = &[&calls::InboundCalls, &payments::InboundPayments];

/// The configuration of an installation.
#[derive(Debug)]
pub struct Config {
    pub plans: Plans,
    pub hierarchy: Hierarchy,
    pub issuers: Vec<credentials::oidc::IssuerConfig>,
    pub failed_attempts_per_minute: u32,
    pub log_in: LogInConfig,
    pub networks: channels::NetworkDirectory,
    /// The sending limits of each number; a limit of new people that the network reports replaces ours.
    pub pacing: domain::messaging::pacing::Limits,
    pub webhooks: webhooks::WebhookPolicy,
    pub media: media::MediaPolicy,
    pub quotas: domain::base::quotas::Quotas,
    pub retention: domain::platform::retention::Retention,
}

/// Ways to log in besides a password, ways to get a new password, and how long a log-in lasts.
#[derive(Debug, Default)]
pub struct LogInConfig {
    pub lifetimes: credentials::Lifetimes,
    pub password_cost: passwords::PasswordCost,
    /// Sends one-time links by mail. Without it links are shown to administrators only.
    pub mailer: Option<::channels::mail::Mailer>,
    /// OpenID Connect providers; they are called through the guarded transport of `networks`.
    pub providers: Vec<credentials::oidc::log_in::ProviderConfig>,
}

/// The shared state of all use cases. Cheap to clone.
#[derive(Debug, Clone)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Clock,
    config: Config,
    keys: keys::Keys,
    legacy_jwt_keys: credentials::legacy_jwt::LegacyJwtKeys,
    limiter: limits::Limiter,
    oidc: credentials::oidc::OidcVerifier,
    log_in_providers: credentials::oidc::log_in::Providers,
    attempts: attempts::FailedAttempts,
    hashing: passwords::Hashing,
    computing: store::WorkPool,
    search_slots: tokio::sync::Semaphore,
    node: node::Node,
    breakers: channels::Breakers,
    app_ids: channels::AppIds,
    contact_followers: contacts::ContactFollowers,
    record_handlers: inbound::RecordHandlers,
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
    click_writer: clicks::HitWriter,
    contact_totals: contacts::Totals,
    endpoint_directory: webhooks::EndpointDirectory,
    equal_work: log_in::EqualWork,
    fetch_wakeup: Wakeup,
    import_wakeup: Wakeup,
    inbound_wakeup: Wakeup,
    log_positions: events::LogPositions,
    lookup_limiter: Mutex<payments::LookupRateLimiter>,
    payment_wakeup: Wakeup,
    presence_board: conversations::PresenceBoard,
    recent_events: events::RecentEvents,
    sender_state: messages::SenderState,
    snooze_wakeup: Wakeup,
    token_cache: credentials::token_cache::TokenCache,
    uploaded_bytes: media::UploadedBytes,
    uses: credentials::uses::Uses,
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
    pub networks: channels::NetworkDirectory = config.networks;
    pub media_policy: media::MediaPolicy = config.media;
    pub limiter: limits::Limiter = limiter;
    pub attempts: attempts::FailedAttempts = attempts;
    pub(crate) webhook_policy: webhooks::WebhookPolicy = config.webhooks;
    pub(crate) hierarchy: Hierarchy = config.hierarchy;
    pub(crate) keys: keys::Keys = keys;
    pub(crate) node: node::Node = node;
    pub(crate) legacy_jwt_keys: credentials::legacy_jwt::LegacyJwtKeys = legacy_jwt_keys;
    pub(crate) hashing: passwords::Hashing = hashing;
    pub(crate) oidc: credentials::oidc::OidcVerifier = oidc;
    pub(crate) log_in_providers: credentials::oidc::log_in::Providers = log_in_providers;
    pub(crate) search_slots: tokio::sync::Semaphore = search_slots;
    pub(crate) breakers: channels::Breakers = breakers;
    pub(crate) app_ids: channels::AppIds = app_ids;
    pub contact_followers: contacts::ContactFollowers = contact_followers;
    pub(crate) record_handlers: inbound::RecordHandlers = record_handlers;
}

#[boxed::futures]
impl App {
    /// The caller must have migrated the database and checked its key fingerprint.
    pub fn new(
        db: Db,
        clock: Clock,
        keyring: &Keyring,
        mut config: Config,
    ) -> Result<Self, credentials::oidc::ConfigError> {
        let issuers = std::mem::take(&mut config.issuers);
        let (providers, guarded) = (std::mem::take(&mut config.log_in.providers), config.networks.guarded());
        Ok(Self(Arc::new(Inner {
            keys: keys::Keys::new(keyring),
            legacy_jwt_keys: credentials::legacy_jwt::LegacyJwtKeys::new(keyring),
            limiter: limits::Limiter::new(db.clone(), clock.clone()),
            oidc: credentials::oidc::OidcVerifier::new(issuers, clock.clone())?,
            log_in_providers: credentials::oidc::log_in::Providers::new(providers, guarded.as_ref(), &clock)?,
            attempts: attempts::FailedAttempts::new(config.failed_attempts_per_minute),
            hashing: passwords::Hashing::new(config.log_in.password_cost.clone()),
            computing: store::WorkPool::for_computing("compute"),
            search_slots: tokio::sync::Semaphore::new(MAX_SEARCHES),
            node: node::Node::new(db.engine(), clock.now()),
            breakers: channels::Breakers::new(BREAKERS),
            app_ids: channels::AppIds::new(APP_IDS),
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

    pub(crate) fn lifetimes(&self) -> credentials::Lifetimes {
        self.0.config.log_in.lifetimes
    }

    pub(crate) fn mailer(&self) -> Option<&::channels::mail::Mailer> {
        self.0.config.log_in.mailer.as_ref()
    }
}
