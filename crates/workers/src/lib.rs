//! The work behind the requests: token uses are written down, credential changes of other nodes are seen, limits are
//! tended, imports and what the network posted are worked off, payments looked up, messages leave, events get their numbers and are told, and what has
//! ended is swept. Owns when these
//! run and what happens when they fail; what they do is `app`'s.

mod round;
mod sender;
mod webhooks;

use std::time::Duration;

use app::App;
use domain::Timestamp;
use store::Engine;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use round::Rounds;

const USES_EVERY: Duration = Duration::from_secs(2);
/// A change of a credential must reach every node within a second.
const CREDENTIALS_EVERY: Duration = Duration::from_millis(100);
const LIMITS_EVERY: Duration = Duration::from_secs(1);
const SESSIONS_EVERY: Duration = Duration::from_hours(1);
/// For imports that another node was given or has let go of; those of this one are heard of at once.
const IMPORTS_EVERY: Duration = Duration::from_secs(5);
/// For what another node took and did not work off; what this one takes is heard of at once.
const INBOUND_EVERY: Duration = Duration::from_secs(1);
/// For look-ups whose time has come; a payment that a webhook told this node of is looked up at once.
const LOOKUPS_EVERY: Duration = Duration::from_secs(1);
const IMPORT_SWEEP_EVERY: Duration = Duration::from_hours(1);
const IDEMPOTENCY_SWEEP_EVERY: Duration = Duration::from_hours(1);
const MEDIA_SWEEP_EVERY: Duration = Duration::from_hours(1);
/// They are heard of at once.
const OWN_EVENTS_EVERY: Duration = Duration::from_secs(1);
const EVENT_SWEEP_EVERY: Duration = Duration::from_hours(1);

/// The running loops. Dropped without `stop`, they end where they are.
#[derive(Debug)]
pub struct Workers {
    app: App,
    stop: CancellationToken,
    loops: JoinSet<()>,
}

/// Starts all loops that the database in use needs.
pub fn start(app: App) -> Workers {
    let stop = CancellationToken::new();
    let mut loops = JoinSet::new();
    let rounds = |name, every| Rounds::new(name, every, stop.clone());
    loops.spawn(rounds("token uses", USES_EVERY).run(app.clone(), never, write_down_uses));
    loops.spawn(rounds("limits", LIMITS_EVERY).run(app.clone(), limits_wanted, tend_limits));
    loops.spawn(rounds("session sweep", SESSIONS_EVERY).run(app.clone(), never, sweep_sessions));
    loops.spawn(rounds("imports", IMPORTS_EVERY).run((app.clone(), stop.clone()), import_made, work_off_imports));
    loops.spawn(rounds("inbound", INBOUND_EVERY).run((app.clone(), stop.clone()), posted, work_off_inbound));
    loops.spawn(rounds("payments", LOOKUPS_EVERY).run((app.clone(), stop.clone()), reported, look_up_payments));
    loops.spawn(rounds("import sweep", IMPORT_SWEEP_EVERY).run(app.clone(), never, sweep_imports));
    loops.spawn(rounds("idempotency sweep", IDEMPOTENCY_SWEEP_EVERY).run(app.clone(), never, sweep_idempotency));
    loops.spawn(sender::run(app.clone(), stop.clone()));
    loops.spawn(rounds("events", OWN_EVENTS_EVERY).run(app.clone(), appended, number_own_events));
    loops.spawn(rounds("events of others", webhooks::NUMBER_EVERY).run(app.clone(), never, number_events));
    loops.spawn(rounds("other logs", webhooks::LOOK_EVERY).run(app.clone(), never, look_at_logs));
    loops.spawn(rounds("event sweep", EVENT_SWEEP_EVERY).run(app.clone(), never, sweep_events));
    loops.spawn(webhooks::run(app.clone(), stop.clone()));
    loops.spawn(rounds("media sweep", MEDIA_SWEEP_EVERY).run(app.clone(), never, sweep_media));
    if app.db().engine() == Engine::Postgres {
        loops.spawn(rounds("credential watch", CREDENTIALS_EVERY).run(app.clone(), never, watch_credentials));
    }
    Workers { app, stop, loops }
}

impl Workers {
    /// One more loop, for what not every server has: it works at once, then whenever `wake` comes back or the time is
    /// up, and ends with the others.
    pub fn run<C, W, R>(
        &mut self,
        name: &'static str,
        every: Duration,
        context: C,
        wake: impl Fn(C) -> W + Send + 'static,
        work: impl Fn(C) -> R + Send + Sync + 'static,
    ) where
        C: Clone + Send + Sync + 'static,
        W: Future + Send + 'static,
        R: Future<Output = app::Result<()>> + Send + 'static,
    {
        let rounds = Rounds::new(name, every, self.stop.clone());
        self.loops.spawn(rounds.run(context, wake, work));
    }

    /// Ends the loops, then leaves nothing behind in memory: call it when no request is under way any more, and with a
    /// time limit, since it asks the database.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.loops.join_next().await.is_some() {}
        if let Err(error) = self.app.write_down_uses().await {
            tracing::warn!(%error, "the last token uses could not be written down");
        }
        if let Err(error) = self.app.limiter().give_back().await {
            tracing::warn!(%error, "unused shares of limits could not be given back; they run out with their window");
        }
    }
}

/// Nothing brings the next round forward.
fn never(_: App) -> std::future::Pending<()> {
    std::future::pending()
}

async fn write_down_uses(app: App) -> app::Result<()> {
    app.write_down_uses().await?;
    Ok(())
}

async fn watch_credentials(app: App) -> app::Result<()> {
    Ok(app.watch_credentials().await?)
}

async fn limits_wanted(app: App) {
    app.limiter().wanted().await;
}

async fn tend_limits(app: App) -> app::Result<()> {
    Ok(app.limiter().tend().await?)
}

type Stoppable = (App, CancellationToken);

async fn import_made((app, _): Stoppable) {
    app.import_made().await;
}

/// An import may take long: a stop is obeyed between two batches, and whoever comes next goes on from there.
async fn work_off_imports((app, stop): Stoppable) -> app::Result<()> {
    Ok(app.work_off_imports(|| stop.is_cancelled()).await?)
}

async fn posted((app, _): Stoppable) {
    app.inbound_arrived().await;
}

async fn work_off_inbound((app, stop): Stoppable) -> app::Result<()> {
    Ok(app.work_off_inbound(|| stop.is_cancelled()).await?)
}

async fn reported((app, _): Stoppable) {
    app.payment_reported().await;
}

async fn look_up_payments((app, stop): Stoppable) -> app::Result<()> {
    app.payments().look_up_due(|| stop.is_cancelled()).await
}

async fn sweep_imports(app: App) -> app::Result<()> {
    Ok(app.sweep_imports().await?)
}

async fn sweep_idempotency(app: App) -> app::Result<()> {
    Ok(app.sweep_idempotency().await?)
}

async fn sweep_media(app: App) -> app::Result<()> {
    Ok(app.sweep_media().await?)
}

async fn appended(app: App) {
    app.db().appended().await;
}

async fn number_own_events(app: App) -> app::Result<()> {
    Ok(app.events().number_own().await?)
}

async fn number_events(app: App) -> app::Result<()> {
    Ok(app.events().number().await?)
}

async fn look_at_logs(app: App) -> app::Result<()> {
    Ok(app.events().look().await?)
}

async fn sweep_events(app: App) -> app::Result<()> {
    app.events().sweep().await?;
    Ok(app.webhooks().sweep().await?)
}

async fn sweep_sessions(app: App) -> app::Result<()> {
    let sweep = app.db().write(app.now(), |tx, now: &Timestamp| Box::pin(store::sessions::sweep(tx, *now)));
    sweep.await?;
    Ok(())
}
