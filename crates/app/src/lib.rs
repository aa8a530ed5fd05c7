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
pub mod calls;
pub mod canned_replies;
pub mod certificates;
pub mod channels;
pub mod clicks;
pub mod contacts;
pub mod conversations;
pub mod credentials;
mod cursor;
mod error;
pub mod events;
pub mod first_start;
pub mod gate;
pub mod health;
pub mod idempotency;
pub mod inbound;
pub mod keys;
pub mod labels;
pub mod limits;
mod log_in_tries;
pub mod media;
pub mod messages;
pub mod nodes;
pub mod one_time_links;
pub mod orders;
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
pub mod tokens;
mod wakeup;
pub mod webhooks;

use std::sync::{Arc, OnceLock};

use domain::keys::Keyring;
use domain::plans::Plans;
use domain::scopes::Hierarchy;
use domain::{Clock, TenantId, Timestamp};
use parking_lot::Mutex;
use store::{Db, Engine};

pub use actor::Actor;
pub use acts_for::{ActsFor, Command};
pub use error::{Cause, Error, Fault, Result, StorageFailure, Thing};
pub use principal::Principal;

/// Most channels whose breakers are kept in memory; a breaker that was evicted starts again closed.
const BREAKERS: u64 = 10_000;
/// Most channels whose app ids are cached.
const APP_IDS: u64 = 10_000;

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
    pub pacing: domain::pacing::Limits,
    pub webhooks: webhooks::WebhookPolicy,
    pub media: media::MediaPolicy,
    pub quotas: domain::quotas::Quotas,
    pub retention: domain::retention::Retention,
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
    config: Policy,
    keys: keys::Keys,
    limiter: limits::Limiter,
    token_cache: credentials::token_cache::TokenCache,
    uses: credentials::uses::Uses,
    oidc: credentials::oidc::OidcVerifier,
    attempts: attempts::FailedAttempts,
    hashing: passwords::Hashing,
    equal_work: password_log_in::EqualWork,
    lifetimes: credentials::Lifetimes,
    computing: store::WorkPool,
    uploaded_bytes: quotas::UploadedBytes,
    mailer: Option<::channels::mail::Mailer>,
    log_in_providers: credentials::oidc::log_in::Providers,
    contact_totals: contacts::Totals,
    presence_board: conversations::PresenceBoard,
    search_slots: tokio::sync::Semaphore,
    imports: contacts::import::Imports,
    networks: channels::NetworkDirectory,
    node_name: String,
    process_name: String,
    inbound_wakeup: wakeup::Wakeup,
    click_writer: clicks::HitWriter,
    call_recorder: calls::CallRecorder,
    payment_wakeup: wakeup::Wakeup,
    lookup_limiter: Mutex<payments::LookupRateLimiter>,
    breakers: channels::Breakers,
    app_ids: channels::AppIds,
    sender_state: messages::SenderState,
    pacing: domain::pacing::Limits,
    log_positions: events::LogPositions,
    recent_events: events::RecentEvents,
    webhooks: webhooks::WebhookPolicy,
    media: media::MediaPolicy,
    fetch_wakeup: wakeup::Wakeup,
    /// Held while a piece of a file is inserted on PostgreSQL: in a burst of files, several at a time would take all
    /// processors from the messages beside them.
    piece_turn: tokio::sync::Mutex<()>,
    endpoint_directory: webhooks::EndpointDirectory,
    started_at: Timestamp,
    address: OnceLock<String>,
    public_url: OnceLock<String>,
}

#[derive(Debug)]
struct Policy {
    plans: Plans,
    hierarchy: Hierarchy,
    quotas: domain::quotas::Quotas,
    retention: domain::retention::Retention,
}

/// Runs `work` in the turns of a tenant: its use of the database and of the pools waits behind other work of the same
/// tenant, and delays the work of other tenants little.
pub fn for_tenant<F: Future>(tenant: TenantId, work: F) -> impl Future<Output = F::Output> {
    store::for_tenant(tenant, work)
}

impl App {
    /// The caller must have migrated the database and checked its key fingerprint.
    pub fn new(
        db: Db,
        clock: Clock,
        keyring: &Keyring,
        config: Config,
    ) -> Result<Self, credentials::oidc::ConfigError> {
        let node_name = node_name(db.engine());
        Ok(Self(Arc::new(Inner {
            limiter: limits::Limiter::new(db.clone(), clock.clone()),
            token_cache: credentials::token_cache::TokenCache::default(),
            uses: credentials::uses::Uses::default(),
            oidc: credentials::oidc::OidcVerifier::new(config.issuers, clock.clone())?,
            attempts: attempts::FailedAttempts::new(config.failed_attempts_per_minute),
            hashing: passwords::Hashing::new(config.log_in.password_cost),
            equal_work: password_log_in::EqualWork::default(),
            lifetimes: config.log_in.lifetimes,
            computing: store::WorkPool::for_computing("compute"),
            uploaded_bytes: quotas::UploadedBytes::default(),
            mailer: config.log_in.mailer,
            log_in_providers: credentials::oidc::log_in::Providers::new(
                config.log_in.providers,
                config.networks.guarded().as_ref(),
                &clock,
            )?,
            contact_totals: contacts::Totals::default(),
            presence_board: conversations::PresenceBoard::default(),
            search_slots: tokio::sync::Semaphore::new(conversations::MAX_SEARCHES),
            imports: contacts::import::Imports::default(),
            networks: config.networks,
            process_name: format!("{node_name}/{:016x}", rand::random::<u64>()),
            node_name,
            inbound_wakeup: wakeup::Wakeup::default(),
            click_writer: clicks::HitWriter::default(),
            call_recorder: calls::CallRecorder::default(),
            payment_wakeup: wakeup::Wakeup::default(),
            lookup_limiter: Mutex::default(),
            breakers: channels::Breakers::new(BREAKERS),
            app_ids: channels::AppIds::new(APP_IDS),
            sender_state: messages::SenderState::default(),
            pacing: config.pacing,
            log_positions: events::LogPositions::default(),
            recent_events: events::RecentEvents::default(),
            webhooks: config.webhooks,
            media: config.media,
            fetch_wakeup: wakeup::Wakeup::default(),
            piece_turn: tokio::sync::Mutex::default(),
            endpoint_directory: webhooks::EndpointDirectory::default(),
            started_at: clock.now(),
            address: OnceLock::new(),
            public_url: OnceLock::new(),
            keys: keys::Keys::new(keyring),
            config: Policy {
                plans: config.plans,
                hierarchy: config.hierarchy,
                quotas: config.quotas,
                retention: config.retention,
            },
            db,
            clock,
        })))
    }

    pub fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn rows_per_link(&self) -> i64 {
        i64::try_from(self.0.config.quotas.rows_per_link).unwrap_or(i64::MAX)
    }

    pub(crate) fn uploaded_bytes(&self) -> &quotas::UploadedBytes {
        &self.0.uploaded_bytes
    }

    pub(crate) fn quotas(&self) -> domain::quotas::Quotas {
        self.0.config.quotas
    }

    pub(crate) fn kept_days(&self) -> domain::retention::Retention {
        self.0.config.retention
    }

    /// Runs work that needs much computing on a few threads of its own, in turns by tenant, so that the threads that
    /// answer requests stay free. The work ends when the caller's future is dropped.
    pub async fn compute<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        let runtime = tokio::runtime::Handle::current();
        let (gone, ended) = tokio::sync::oneshot::channel::<()>();
        let work = store::in_same_turns(work);
        let job = move || {
            runtime.block_on(async {
                tokio::select! {
                    biased;
                    _ = ended => None,
                    done = work => Some(done),
                }
            })
        };
        let done = self.0.computing.run(job).await?;
        drop(gone);
        done.ok_or(Error::Store(store::Error::Panicked))
    }

    /// Fails when the database cannot be reached.
    pub async fn check_database(&self) -> Result<()> {
        store::epochs::credentials(self.db()).await?;
        Ok(())
    }

    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub fn plans(&self) -> &Plans {
        &self.0.config.plans
    }

    pub fn networks(&self) -> &channels::NetworkDirectory {
        &self.0.networks
    }

    /// Sets the address under which clients reach this installation, for addresses in answers and events. The server
    /// calls it once it listens; later calls are ignored.
    pub fn set_public_url(&self, url: &str) {
        let _ = self.0.public_url.set(url.trim_end_matches('/').to_owned());
    }

    /// Stores the public address of this server, so that commands on the same database can read it.
    pub async fn save_public_url(&self, url: &str) -> Result<()> {
        if store::installation::public_url(self.db()).await?.as_deref() == Some(url) {
            return Ok(());
        }
        let write = self.db().write(url.to_owned(), |tx, url| Box::pin(store::installation::set_public_url(tx, url)));
        Ok(write.await?)
    }

    /// The public address of the server that started last; none if no server has started yet.
    pub async fn saved_public_url(&self) -> Result<Option<String>> {
        Ok(store::installation::public_url(self.db()).await?)
    }

    /// The beginning of a file's address; the file's name follows.
    pub fn file_address(&self, tenant: TenantId) -> String {
        let url = self.0.public_url.get().map_or("", String::as_str);
        format!("{url}/{tenant}/api/file/showFile?fileName=")
    }

    /// The name of this node in leases.
    pub fn node_name(&self) -> &str {
        &self.0.node_name
    }

    /// The name of this process, different at each start: distinguishes claims of a running process from those of one
    /// that is gone.
    pub fn process_name(&self) -> &str {
        &self.0.process_name
    }

    pub(crate) fn breakers(&self) -> &channels::Breakers {
        &self.0.breakers
    }

    pub(crate) fn app_ids(&self) -> &channels::AppIds {
        &self.0.app_ids
    }

    pub(crate) fn sender_state(&self) -> &messages::SenderState {
        &self.0.sender_state
    }

    pub(crate) fn pacing(&self) -> domain::pacing::Limits {
        self.0.pacing
    }

    pub(crate) fn log_positions(&self) -> &events::LogPositions {
        &self.0.log_positions
    }

    pub(crate) fn recent_events(&self) -> &events::RecentEvents {
        &self.0.recent_events
    }

    pub(crate) fn keep_events_seconds(&self) -> i64 {
        i64::from(self.0.webhooks.keep_events_days) * 86_400
    }

    pub(crate) fn webhook_policy(&self) -> &webhooks::WebhookPolicy {
        &self.0.webhooks
    }

    pub fn media_policy(&self) -> &media::MediaPolicy {
        &self.0.media
    }

    pub(crate) fn fetch_wakeup(&self) -> &wakeup::Wakeup {
        &self.0.fetch_wakeup
    }

    /// None on SQLite: its writer inserts one piece at a time, and a transaction there must await nothing but statements.
    pub(crate) async fn piece_turn(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        match self.db().engine() {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.0.piece_turn.lock().await),
        }
    }

    pub(crate) fn endpoint_directory(&self) -> &webhooks::EndpointDirectory {
        &self.0.endpoint_directory
    }

    pub(crate) fn call_recorder(&self) -> &calls::CallRecorder {
        &self.0.call_recorder
    }

    pub(crate) fn click_writer(&self) -> &clicks::HitWriter {
        &self.0.click_writer
    }

    pub(crate) fn payment_wakeup(&self) -> &wakeup::Wakeup {
        &self.0.payment_wakeup
    }

    pub(crate) fn lookup_limiter(&self) -> &Mutex<payments::LookupRateLimiter> {
        &self.0.lookup_limiter
    }

    pub(crate) fn inbound_wakeup(&self) -> &wakeup::Wakeup {
        &self.0.inbound_wakeup
    }

    pub fn limiter(&self) -> &limits::Limiter {
        &self.0.limiter
    }

    pub fn attempts(&self) -> &attempts::FailedAttempts {
        &self.0.attempts
    }

    pub(crate) fn hierarchy(&self) -> &Hierarchy {
        &self.0.config.hierarchy
    }

    pub(crate) fn keys(&self) -> &keys::Keys {
        &self.0.keys
    }

    pub(crate) fn hashing(&self) -> &passwords::Hashing {
        &self.0.hashing
    }

    pub(crate) fn equal_work(&self) -> &password_log_in::EqualWork {
        &self.0.equal_work
    }

    pub(crate) fn lifetimes(&self) -> credentials::Lifetimes {
        self.0.lifetimes
    }

    pub(crate) fn mailer(&self) -> Option<&::channels::mail::Mailer> {
        self.0.mailer.as_ref()
    }

    pub(crate) fn log_in_providers(&self) -> &credentials::oidc::log_in::Providers {
        &self.0.log_in_providers
    }

    pub(crate) fn search_slots(&self) -> &tokio::sync::Semaphore {
        &self.0.search_slots
    }

    pub(crate) fn presence_board(&self) -> &conversations::PresenceBoard {
        &self.0.presence_board
    }

    pub(crate) fn contact_totals(&self) -> &contacts::Totals {
        &self.0.contact_totals
    }

    pub(crate) fn imports(&self) -> &contacts::import::Imports {
        &self.0.imports
    }

    pub(crate) fn token_cache(&self) -> &credentials::token_cache::TokenCache {
        &self.0.token_cache
    }

    pub(crate) fn uses(&self) -> &credentials::uses::Uses {
        &self.0.uses
    }

    pub(crate) fn oidc(&self) -> &credentials::oidc::OidcVerifier {
        &self.0.oidc
    }
}

fn node_name(engine: Engine) -> String {
    match engine {
        // SQLite admits one server at a time. With a fixed name a new process takes over the leases of a killed one at
        // once.
        Engine::Sqlite => "embedded".to_owned(),
        Engine::Postgres => format!("{:016x}", rand::random::<u64>()),
    }
}
