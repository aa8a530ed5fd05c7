//! Background work of a server. This crate decides when work runs and what happens when it fails; what the work does is
//! in `app`. Not here: tasks that a request starts in `app`, such as writing hits or fetching the keys of an OIDC
//! issuer.
//!
//! Most work is a loop of rounds (`round.rs`): a round runs at a wake-up or after a fixed time; a failure does not end
//! the loop, and repeats of the same failure are not logged. Two workers run one task for each thing that has work: the
//! sender for each network account (`sender.rs`), the webhook worker for each endpoint (`webhooks.rs`).
//!
//! | work | does | coordinated between nodes by |
//! |---|---|---|
//! | token uses | stores when tokens and sessions were last used | nothing: each process stores its own |
//! | credential watch | reads the credentials epoch (PostgreSQL) | nothing: reads only |
//! | statistics | analyzes tables that grow fast (PostgreSQL) | nothing: a second one changes nothing |
//! | write probe | writes a row, so that `/readyz` notices a full or read-only disk | nothing: the last write stays |
//! | limits | leases shares of limits, drops past windows | one row for each limit and window |
//! | imports | applies uploaded files | a lease for each import |
//! | inbound | processes the journal of posts from the network | a lease for each channel |
//! | payments | looks payments up | one lease |
//! | media | fetches files that people sent | a claim on each fetch |
//! | projections | derives activity and the index of words from the event logs | the position in each log, locked in a batch |
//! | reactions | assigns conversations, in tenants that use routing | the position in each log, locked in a batch |
//! | operators | saves which operators are connected, in tenants that use routing | nothing: each node saves its own |
//! | timers | ends snoozes, sends broadcasts again to people whom the network held back, goes on with routing | the row of each timer |
//! | presences | signals presences that other nodes have stored to open consoles (PostgreSQL) | nothing: reads only |
//! | news | tells other nodes that there is something for the loops of events and presences (Citus) | epochs that only rise |
//! | alerts | looks for problems of tenants and notifies their administrators | one lease |
//! | channel tokens | asks the network when access tokens expire | one lease |
//! | sender | sends messages | a lease for each network account |
//! | events | numbers appended facts, follows logs that other nodes number | a lease for each log |
//! | webhooks | delivers events to endpoints | a lease for each endpoint |
//! | erasures | erases files and events of deleted contacts | one lease |
//! | sweeps, retention | delete rows and files whose time is over | nothing: deletes are idempotent |
//!
//! Every wake-up is an optimisation: each loop also polls, so that work of another node, or of one that crashed, is
//! found. After a crash, leases end by their time, and another node continues, or the same one after its restart; see
//! the headers of the modules in `app`.

mod round;
mod sender;
mod timers;
mod webhooks;

use std::time::Duration;

use app::App;
use app::base::news::NewsKind;
use domain::delivery::consumers::ConsumerGroup;
use store::Engine;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use round::Rounds;

const USES_EVERY: Duration = Duration::from_secs(2);
/// How often the credentials epoch is read: a change of a credential through another node must be noticed within a
/// second; a change through this node counts at once.
const CREDENTIALS_EVERY: Duration = Duration::from_millis(100);
/// How often a node that writes looks for tables that have outgrown their statistics (PostgreSQL).
const STATISTICS_EVERY: Duration = Duration::from_millis(250);
/// Poll for what commands and dead nodes left, on a node that shares its database with no other node. With other nodes
/// the poll is more frequent (`log_changed_elsewhere`).
const ALONE_EVERY: Duration = Duration::from_secs(2);
/// How often a server checks that its database can be written.
const PROBE_EVERY: Duration = Duration::from_secs(10);
const LIMITS_EVERY: Duration = Duration::from_secs(1);
const SESSIONS_EVERY: Duration = Duration::from_hours(1);
/// Poll for imports that another node accepted, or began and did not finish; an import that this node accepts is a
/// wake-up.
const IMPORTS_EVERY: Duration = Duration::from_secs(5);
/// Poll for posts that another node stored and did not process; a post to this node is a wake-up.
const INBOUND_EVERY: Duration = Duration::from_secs(5);
/// Poll for look-ups that are due; a payment report to this node is a wake-up.
const LOOKUPS_EVERY: Duration = Duration::from_secs(5);
/// Poll for received files that are due to be fetched; one that arrives at this node is a wake-up.
const FETCHES_EVERY: Duration = Duration::from_secs(10);
/// Poll for events that a lost wake-up, a failure or a dead node has left to the projections.
const PROJECTIONS_EVERY: Duration = Duration::from_secs(15);
/// Least time between two rounds of projections: the facts of a busy log are processed together.
const PROJECTIONS_PAUSE: Duration = Duration::from_secs(1);
/// Poll for events that a lost wake-up, a failure or a dead node has left to the reactions.
const REACTIONS_EVERY: Duration = Duration::from_secs(15);
/// Least time between two rounds of reactions: facts that are numbered meanwhile are processed in one transaction.
const REACTIONS_PAUSE: Duration = Duration::from_millis(10);
/// How often a node looks which operators are connected to it.
const OPERATORS_EVERY: Duration = Duration::from_secs(1);
/// How often a node polls for presences that other nodes have stored.
const PRESENCES_EVERY: Duration = Duration::from_millis(250);
/// How often problems are looked for.
const ALERTS_EVERY: Duration = Duration::from_mins(1);
/// Poll for access tokens that are to be checked; each is checked once a day.
const TOKENS_EVERY: Duration = Duration::from_mins(10);
/// Poll for deleted contacts that the deletion itself did not erase completely.
const ERASURES_EVERY: Duration = Duration::from_mins(1);
const IMPORT_SWEEP_EVERY: Duration = Duration::from_hours(1);
const IDEMPOTENCY_SWEEP_EVERY: Duration = Duration::from_hours(1);
const MEDIA_SWEEP_EVERY: Duration = Duration::from_hours(1);
/// Poll for facts that this process appended; each commit that appends some is a wake-up. What a failed round leaves is
/// found by the loop "events of others".
const OWN_EVENTS_EVERY: Duration = Duration::from_secs(1);
/// Least time between two looks at the logs of other nodes on a distributed database, where each look asks all workers.
const NUMBER_ACROSS_EVERY: Duration = Duration::from_secs(1);
/// How often nodes beside each other on a distributed database exchange what they have done.
const NEWS_EVERY: Duration = Duration::from_millis(250);
/// Least time between two rounds of numbering: facts that are appended meanwhile are numbered in one transaction.
const NUMBERING_PAUSE: Duration = Duration::from_millis(2);
/// How often records are looked for that are older than their tenant keeps them.
const RETENTION_EVERY: Duration = Duration::from_hours(1);
const EVENT_SWEEP_EVERY: Duration = Duration::from_hours(1);

/// The running loops. If dropped without `stop`, they are aborted, and uses of tokens and sessions that are only in
/// memory are lost.
#[derive(Debug)]
pub struct Workers {
    app: App,
    stop: CancellationToken,
    loops: JoinSet<()>,
}

/// Starts all loops that the engine of the database needs.
pub fn start(app: App) -> Workers {
    let stop = CancellationToken::new();
    let mut loops = JoinSet::new();
    let rounds = |name, every| Rounds::new(name, every, stop.clone());
    loops.spawn(rounds("token uses", USES_EVERY).run(app.clone(), never, store_token_uses));
    loops.spawn(rounds("write probe", PROBE_EVERY).run(app.clone(), never, probe_writes));
    loops.spawn(rounds("limits", LIMITS_EVERY).run(app.clone(), limits_wanted, maintain_limits));
    loops.spawn(rounds("session sweep", SESSIONS_EVERY).run(app.clone(), never, sweep_sessions));
    let across = |name, every| rounds(name, every).across(&app);
    loops.spawn(across("imports", IMPORTS_EVERY).run((app.clone(), stop.clone()), import_created, process_imports));
    loops.spawn(across("inbound", INBOUND_EVERY).run((app.clone(), stop.clone()), inbound_arrived, process_inbound));
    loops.spawn(across("payments", LOOKUPS_EVERY).run((app.clone(), stop.clone()), payment_reported, look_up_payments));
    loops.spawn(across("media", FETCHES_EVERY).run((app.clone(), stop.clone()), file_announced, fetch_received));
    loops.spawn(rounds("import sweep", IMPORT_SWEEP_EVERY).run(app.clone(), never, sweep_imports));
    loops.spawn(rounds("idempotency sweep", IDEMPOTENCY_SWEEP_EVERY).run(app.clone(), never, sweep_idempotency));
    let projections = rounds("projections", PROJECTIONS_EVERY).with_least_pause(PROJECTIONS_PAUSE);
    loops.spawn(projections.run(app.clone(), log_grown, update_projections));
    loops.spawn(across("other projections", PROJECTIONS_EVERY).run(app.clone(), never, catch_up_projections));
    let reactions = rounds("reactions", REACTIONS_EVERY).with_least_pause(REACTIONS_PAUSE);
    loops.spawn(reactions.run(app.clone(), reactions_wanted, react));
    loops.spawn(across("other reactions", REACTIONS_EVERY).run(app.clone(), never, catch_up_reactions));
    loops.spawn(rounds("operators", OPERATORS_EVERY).run(app.clone(), never, save_connections));
    loops.spawn(timers::run(across("timers", timers::EVERY), app.clone()));
    loops.spawn(rounds("alerts", ALERTS_EVERY).run(app.clone(), never, check_alerts));
    loops.spawn(rounds("channel tokens", TOKENS_EVERY).run(app.clone(), never, check_tokens));
    loops.spawn(sender::run(app.clone(), stop.clone()));
    let events = rounds("events", OWN_EVENTS_EVERY).with_least_pause(NUMBERING_PAUSE);
    loops.spawn(events.run(app.clone(), appended, number_own_events));
    loops.spawn(across("events of others", ALONE_EVERY).run(app.clone(), appended_elsewhere, number_events));
    loops.spawn(across("other logs", ALONE_EVERY).run(app.clone(), numbered_elsewhere, refresh_log_positions));
    loops.spawn(rounds("event sweep", EVENT_SWEEP_EVERY).run(app.clone(), never, sweep_events));
    loops.spawn(webhooks::run(app.clone(), stop.clone()));
    loops.spawn(rounds("retention", RETENTION_EVERY).run((app.clone(), stop.clone()), never_stoppable, delete_expired));
    loops.spawn(rounds("erasures", ERASURES_EVERY).run(
        (app.clone(), stop.clone()),
        never_stoppable,
        complete_erasures,
    ));
    loops.spawn(rounds("media sweep", MEDIA_SWEEP_EVERY).run(app.clone(), never, sweep_media));
    if app.db().engine() == Engine::Postgres {
        loops.spawn(rounds("statistics", STATISTICS_EVERY).run(app.clone(), never, refresh_statistics));
        loops.spawn(across("presences", PRESENCES_EVERY).run(app.clone(), presence_elsewhere, signal_presences));
        loops.spawn(rounds("news", NEWS_EVERY).run(app.clone(), never, exchange_news));
        loops.spawn(rounds("credential watch", CREDENTIALS_EVERY).run(app.clone(), never, watch_credentials));
    }
    Workers { app, stop, loops }
}

impl Workers {
    /// Adds a loop for work that not every server has: a round runs at once, then whenever `wake` returns or the time
    /// is up; after a failed round only when the time is up (`round.rs`). The work reads across tenants. `stop` ends this
    /// loop too.
    pub fn run<C, W, R>(
        &mut self,
        name: &'static str,
        every: Duration,
        context: C,
        wake: impl Fn(C) -> W + Send + 'static,
        work: impl Fn(C) -> R + Send + 'static,
    ) where
        C: Clone + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
        R: Future<Output = app::Result<()>> + Send + 'static,
    {
        let rounds = Rounds::new(name, every, self.stop.clone()).across(&self.app);
        self.loops.spawn(rounds.run(context, wake, work));
    }

    /// Waits for the running rounds and ends the loops; then stores the last uses of tokens and sessions, and returns
    /// unused shares of limits. Failures of these two are logged. Must be called when no request is in flight any more,
    /// and with a time limit, since it waits for the database.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.loops.join_next().await.is_some() {}
        if let Err(error) = self.app.identity().save_uses().await {
            tracing::warn!(%error, "the last uses of tokens could not be stored");
        }
        if let Err(error) = self.app.platform().limiter().give_back().await {
            tracing::warn!(%error, "unused shares of limits could not be returned; they end with their window");
        }
    }
}

/// The wake-up of work that has none: never returns.
fn never(_: App) -> std::future::Pending<()> {
    std::future::pending()
}

async fn store_token_uses(app: App) -> app::Result<()> {
    app.identity().save_uses().await?;
    Ok(())
}

async fn watch_credentials(app: App) -> app::Result<()> {
    app.identity().watch_credentials().await
}

async fn probe_writes(app: App) -> app::Result<()> {
    app.probe_writes().await
}

async fn refresh_statistics(app: App) -> app::Result<()> {
    let analyzed = app.db().refresh_statistics_if_due().await?;
    if !analyzed.is_empty() {
        tracing::debug!(tables = analyzed.join(", "), "tables have outgrown their statistics and are analyzed");
    }
    Ok(())
}

async fn appended_elsewhere(app: App) {
    log_changed_elsewhere(app, NewsKind::Appended).await;
}

async fn numbered_elsewhere(app: App) {
    log_changed_elsewhere(app, NewsKind::Numbered).await;
}

/// The wake-up of work that other nodes cause: returns after `NUMBER_EVERY`; on PostgreSQL without other nodes, waits
/// until there is one. On a distributed database, waits for news of another node, and at least `NUMBER_ACROSS_EVERY`.
async fn log_changed_elsewhere(app: App, kind: NewsKind) {
    if app.db().is_distributed() {
        tokio::time::sleep(NUMBER_ACROSS_EVERY).await;
        return app.news_arrived(kind).await;
    }
    tokio::time::sleep(webhooks::NUMBER_EVERY).await;
    while app.delivery().webhooks().is_alone() {
        tokio::time::sleep(webhooks::NUMBER_EVERY).await;
    }
}

/// The wake-up of the loop "presences", which polls where the database is not distributed.
async fn presence_elsewhere(app: App) {
    if !app.db().is_distributed() {
        return std::future::pending().await;
    }
    tokio::time::sleep(PRESENCES_EVERY).await;
    app.news_arrived(NewsKind::Presence).await;
}

async fn exchange_news(app: App) -> app::Result<()> {
    if !app.db().is_distributed() || app.delivery().webhooks().is_alone() {
        return Ok(());
    }
    app.exchange_news().await
}

async fn limits_wanted(app: App) {
    app.platform().limiter().refill_wanted().await;
}

async fn maintain_limits(app: App) -> app::Result<()> {
    app.platform().limiter().maintain().await
}

type Stoppable = (App, CancellationToken);

/// As `never`, for work that ends early when the server stops.
fn never_stoppable(_: Stoppable) -> std::future::Pending<()> {
    std::future::pending()
}

/// Ends between two batches when the server stops.
async fn delete_expired((app, stop): Stoppable) -> app::Result<()> {
    app.platform().retention().sweep(&|| stop.is_cancelled()).await
}

/// Ends between two steps when the server stops.
async fn complete_erasures((app, stop): Stoppable) -> app::Result<()> {
    app.platform().erasures().complete(&|| stop.is_cancelled()).await
}

async fn import_created((app, _): Stoppable) {
    app.people().import_created().await;
}

/// Ends between two batches when the server stops; the next round of any node continues after the last stored batch. A
/// dry run starts over.
async fn process_imports((app, stop): Stoppable) -> app::Result<()> {
    app.people().process_imports(&|| stop.is_cancelled()).await
}

async fn inbound_arrived((app, _): Stoppable) {
    app.messaging().inbound_arrived().await;
}

async fn process_inbound((app, stop): Stoppable) -> app::Result<()> {
    app.messaging().process_inbound(&|| stop.is_cancelled()).await
}

async fn payment_reported((app, _): Stoppable) {
    app.commerce().payment_reported().await;
}

async fn look_up_payments((app, stop): Stoppable) -> app::Result<()> {
    app.commerce().payments().look_up_due(&|| stop.is_cancelled()).await
}

async fn file_announced((app, _): Stoppable) {
    app.messaging().file_announced().await;
}

async fn fetch_received((app, stop): Stoppable) -> app::Result<()> {
    app.messaging().fetch_received(&|| stop.is_cancelled()).await
}

async fn log_grown(app: App) {
    app.delivery().consumers().moved(ConsumerGroup::Projections).await;
}

async fn update_projections(app: App) -> app::Result<()> {
    app.delivery().consumers().process_moved(ConsumerGroup::Projections).await
}

async fn catch_up_projections(app: App) -> app::Result<()> {
    app.delivery().consumers().process_behind(ConsumerGroup::Projections).await
}

async fn reactions_wanted(app: App) {
    app.delivery().consumers().moved(ConsumerGroup::Reactions).await;
}

async fn react(app: App) -> app::Result<()> {
    app.delivery().consumers().process_moved(ConsumerGroup::Reactions).await
}

async fn catch_up_reactions(app: App) -> app::Result<()> {
    app.delivery().consumers().process_behind(ConsumerGroup::Reactions).await
}

async fn save_connections(app: App) -> app::Result<()> {
    app.automation().operators().save_connections().await
}

async fn signal_presences(app: App) -> app::Result<()> {
    if app.delivery().webhooks().is_alone() {
        return Ok(());
    }
    app.inbox().signal_presences_of_others().await
}

async fn check_alerts(app: App) -> app::Result<()> {
    app.platform().check_alerts().await
}

async fn check_tokens(app: App) -> app::Result<()> {
    app.messaging().check_tokens().await
}

async fn sweep_imports(app: App) -> app::Result<()> {
    app.people().sweep_imports().await
}

async fn sweep_idempotency(app: App) -> app::Result<()> {
    app.sweep_idempotency().await
}

async fn sweep_media(app: App) -> app::Result<()> {
    app.messaging().sweep_media().await
}

async fn appended(app: App) {
    app.db().appended().await;
}

async fn number_own_events(app: App) -> app::Result<()> {
    app.delivery().events().number_own().await
}

async fn number_events(app: App) -> app::Result<()> {
    app.delivery().events().number().await
}

async fn refresh_log_positions(app: App) -> app::Result<()> {
    if app.delivery().webhooks().is_alone() {
        return Ok(());
    }
    app.delivery().events().refresh_log_positions().await
}

async fn sweep_events(app: App) -> app::Result<()> {
    app.delivery().events().sweep().await?;
    app.delivery().webhooks().sweep().await
}

async fn sweep_sessions(app: App) -> app::Result<()> {
    app.identity().sessions().sweep().await?;
    app.identity().one_time_links().sweep().await?;
    app.identity().second_factors().sweep().await?;
    app.inbox().sweep_presences().await?;
    app.platform().sweep_nodes().await?;
    app.platform().tenants().sweep_deleted().await?;
    app.identity().oidc_log_ins().sweep().await
}
