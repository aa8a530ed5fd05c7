//! What is due for one channel: people's own acts are done, changes are posted as the plan says.

use app::channels::Opened;
use domain::Timestamp;
use store::sandbox::due::{self, Due};

use super::envelope::{Filing, body};
use super::strike::Plan;
use super::{Step, send};
use crate::scenario::Act;
use crate::{Change, Sandbox};

/// A row with what it says.
#[derive(Debug, Clone)]
pub struct Row {
    pub due: Due,
    pub change: Change,
}

impl Sandbox {
    /// Rows of one channel, in order; there is at least one.
    pub(super) async fn group(&self, due: Vec<Due>, now: Timestamp) -> store::Result<Step> {
        let mut rows = Vec::new();
        let mut acted = false;
        for due in due {
            match Change::from_doc(&due.doc) {
                Some(change) if Act::is(&change) => {
                    acted = true;
                    self.act(due, &change).await?;
                }
                Some(change) => rows.push(Row { due, change }),
                None => {
                    acted = true;
                    self.drop_rows(vec![due]).await?;
                }
            }
        }
        if rows.is_empty() || acted {
            // What the acts led to may belong before what is due.
            return Ok(Step::Moved);
        }
        self.changes(rows, now).await
    }

    async fn act(&self, due: Due, change: &Change) -> store::Result<()> {
        let (tenant, channel, at) = (due.tenant, due.channel, due.at);
        // First the row, then the act: an act is done once or, after a crash, not at all.
        let taken = self.db().write(due, |tx, due| Box::pin(due::delete(tx, due))).await?;
        match Act::of(change).filter(|_| taken) {
            Some(act) => self.perform(tenant, channel, at, act).await,
            None => Ok(()),
        }
    }

    async fn changes(&self, rows: Vec<Row>, now: Timestamp) -> store::Result<Step> {
        let Some(first) = rows.first().map(|row| row.due.clone()) else { return Ok(Step::Moved) };
        let opened = match self.app().channels().opened(first.tenant, first.channel).await {
            Ok(opened) => opened,
            // The channel is gone, and with it whoever would listen.
            Err(app::Error::NotFound(_)) => {
                self.drop_rows(rows.into_iter().map(|row| row.due).collect()).await?;
                return Ok(Step::Moved);
            }
            Err(app::Error::Store(error)) => return Err(error),
            Err(error) => {
                tracing::error!(%error, channel = %first.channel, "the sandbox cannot sign for a channel");
                self.push_back(rows.into_iter().map(|row| row.due).collect(), now).await?;
                return Ok(Step::Moved);
            }
        };
        let due: Vec<Due> = rows.iter().map(|row| row.due.clone()).collect();
        match self.plan(first.tenant, &due, now).await? {
            Plan::Hold(until) => return Ok(Step::Held(until)),
            Plan::Delay { millis } => self.delay_rows(due, millis).await?,
            Plan::Post { take, filing, backwards, copies } => {
                for post in posts(rows, take, backwards) {
                    self.post(&opened, post, filing, copies).await?;
                }
            }
        }
        Ok(Step::Moved)
    }

    async fn post(&self, opened: &Opened, rows: Vec<Row>, filing: Filing, copies: u32) -> store::Result<()> {
        let now = self.now();
        let changes: Vec<Change> = rows.iter().map(|row| row.change.clone()).collect();
        let body = body(&opened.channel.account_id, &changes, filing, now);
        let mut taken = false;
        for _ in 0..copies {
            taken |= send::deliver(self.config(), opened, &body).await;
        }
        let due = rows.into_iter().map(|row| row.due).collect();
        if taken { self.drop_rows(due).await } else { self.push_back(due, self.now()).await }
    }
}

/// Backwards means one by one, so that later ones overtake earlier ones.
fn posts(mut rows: Vec<Row>, take: usize, backwards: bool) -> Vec<Vec<Row>> {
    rows.truncate(take);
    if backwards { rows.into_iter().rev().map(|row| vec![row]).collect() } else { vec![rows] }
}
