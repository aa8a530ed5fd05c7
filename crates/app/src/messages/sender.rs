//! The sender: takes from the outbox what may leave, calls the network with no transaction open, writes down what came
//! of it. One node at a time sends for an account of the network, so that its limits are kept in one place.
//!
//! What is about to be sent is marked first, durably. Whoever finds a mark of a process that is gone cannot know whether
//! that message was sent: it becomes `unknown`, and is never sent again.

mod deliver;
mod landing;
mod lane;
mod take;
mod weigh;

pub use lane::{Lane, Lanes};
pub(crate) use weigh::may_get_templates;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{MessageId, Timestamp};
use store::outbox::Due;
use tokio::task::JoinSet;

use crate::{App, Result};
use deliver::Line;
use landing::{Landed, Landing};
use take::{Marks, Took};

/// Messages of one account that are on their way at the same time.
const MOST_FLYING: usize = 128;
/// A lease is renewed at least so often while answers are waited for.
const RENEW: Duration = Duration::from_secs(3);
/// After the database failed only time helps.
const AFTER_TROUBLE: Duration = Duration::from_secs(1);

/// How sending for an account ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is left.
    Empty,
    /// Something is left that may leave then.
    Until(Timestamp),
    /// Another node sends for this account.
    Elsewhere,
}

impl App {
    /// Sends everything of an account that may leave now. While something is on its way a failing database is no reason
    /// to end: what the network answered must be written down.
    pub async fn send_due(&self, lane: &Lane, stopped: impl Fn() -> bool + Send) -> Result<Progress> {
        let state = self.lanes().state(lane);
        let _running = state.running.lock().await;
        let mut flight = Flight::default();
        loop {
            let room = if stopped() { 0 } else { MOST_FLYING.saturating_sub(flight.flying.len()) };
            let landed = Arc::new(std::mem::take(&mut flight.landed));
            let progress = match self.take(lane, &state, landed.clone(), flight.marks(), room).await {
                Ok(Took::Some(taken)) => {
                    flight.is_doubtful = Some(false);
                    self.launch(lane, &mut flight, taken).await;
                    None
                }
                Ok(Took::Nothing(progress)) => {
                    flight.is_doubtful = Some(false);
                    Some(progress)
                }
                Err(error) if stopped() || (flight.flying.is_empty() && landed.is_empty()) => return Err(error),
                Err(error) => {
                    tracing::warn!(tenant = %lane.tenant, %error, "what was sent cannot be written down; it is tried again");
                    flight.trouble(landed).await;
                    continue;
                }
            };
            match progress {
                Some(progress) if flight.is_over() => return Ok(progress),
                _ => flight.wait(RENEW).await,
            }
        }
    }

    async fn launch(&self, lane: &Lane, flight: &mut Flight, taken: Vec<Due>) {
        let ids: Vec<_> = taken.iter().map(|due| due.id).collect();
        let mut contents: HashMap<_, _> = match store::outbox::contents(self.db(), lane.tenant, &ids).await {
            Ok(contents) => contents.into_iter().map(|one| (one.id, one)).collect(),
            Err(error) => {
                tracing::warn!(tenant = %lane.tenant, %error, "what is to be sent cannot be read; it is tried again");
                let untried = |due| Landed { due, landing: Landing::Untried };
                return flight.landed.extend(taken.into_iter().map(untried));
            }
        };
        for due in taken {
            let way = self.line(lane, due.channel_id, &mut flight.lines).await;
            let Some(content) = contents.remove(&due.id) else {
                flight.landed.push(Landed::gone(due));
                continue;
            };
            let (app, tenant) = (self.clone(), lane.tenant);
            flight.ids.insert(due.id);
            flight.flying.spawn(async move { app.deliver(tenant, &way, due, content).await });
        }
    }
}

/// What is on its way, and what came back and is not written down yet.
#[derive(Debug, Default)]
struct Flight {
    flying: JoinSet<Landed>,
    /// Of what is flying.
    ids: HashSet<MessageId>,
    landed: Vec<Landed>,
    lines: Vec<Arc<Line>>,
    /// Whether the end of the last round is not known; none before the first.
    is_doubtful: Option<bool>,
}

impl Flight {
    fn is_over(&self) -> bool {
        self.flying.is_empty() && self.landed.is_empty()
    }

    /// What the marks of this process mean.
    fn marks(&self) -> Marks {
        match self.is_doubtful {
            None => Marks::Left,
            Some(false) => Marks::Ours,
            Some(true) => Marks::Doubtful(self.ids.clone()),
        }
    }

    /// A round failed, and perhaps it was written down nevertheless: another one says the same again.
    async fn trouble(&mut self, landed: Arc<Vec<Landed>>) {
        self.landed = Arc::unwrap_or_clone(landed);
        self.is_doubtful = Some(true);
        tokio::time::sleep(AFTER_TROUBLE).await;
    }

    /// Until at least one came back, or for so long; then whatever else is back already.
    async fn wait(&mut self, longest: Duration) {
        if self.landed.is_empty()
            && let Ok(Some(first)) = tokio::time::timeout(longest, self.flying.join_next()).await
        {
            self.land(first);
        }
        while let Some(next) = self.flying.try_join_next() {
            self.land(next);
        }
    }

    /// One that panicked stays marked: the next flight finds it and says that nobody knows.
    fn land(&mut self, one: Result<Landed, tokio::task::JoinError>) {
        match one {
            Ok(landed) => {
                self.ids.remove(&landed.due.id);
                self.landed.push(landed);
            }
            Err(error) => tracing::error!(%error, "sending a message failed inside"),
        }
    }
}
