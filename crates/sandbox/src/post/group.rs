//! Processes the due rows of one channel: performs acts of people, posts changes according to the plan.

use app::messaging::channels::OpenedChannel;
use domain::Timestamp;
use store::platform::sandbox::due::Due;

use super::apply_faults::PostingPlan;
use super::envelope::{EntryLayout, body};
use super::{Step, send};
use crate::Sandbox;
use crate::core::act::Act;
use crate::core::change::{Change, Scheduled};

/// A due row with its parsed document.
#[derive(Debug, Clone)]
pub struct Row {
    pub due: Due,
    pub scheduled: Scheduled,
}

impl Sandbox {
    /// Processes due rows of one channel in order. If acts were performed, changes are left to the next round.
    pub(super) async fn group(&self, due: Vec<Due>, now: Timestamp) -> store::Result<Step> {
        let mut rows = Vec::new();
        let mut acted = false;
        for due in due {
            match Scheduled::from_doc(&due.doc) {
                Some(scheduled) if Act::is(&scheduled.change) => {
                    acted = true;
                    self.act(due, &scheduled.change).await?;
                }
                Some(scheduled) => rows.push(Row { due, scheduled }),
                None => {
                    acted = true;
                    self.drop_rows(vec![due]).await?;
                }
            }
        }
        if rows.is_empty() || acted {
            // The acts may have scheduled changes that are due before the remaining rows.
            return Ok(Step::Moved);
        }
        self.changes(rows, now).await
    }

    async fn act(&self, due: Due, change: &Change) -> store::Result<()> {
        // The row is deleted after the act: after a crash in between, the act is repeated, which is harmless
        // (`scenario.rs`).
        if let Some(act) = Act::from_change(change) {
            self.perform(&due, act).await?;
        }
        self.drop_rows(vec![due]).await
    }

    async fn changes(&self, mut rows: Vec<Row>, now: Timestamp) -> store::Result<Step> {
        let Some(first) = rows.first().map(|row| row.due.clone()) else { return Ok(Step::Moved) };
        rows.truncate(together(&rows));
        let opened = match self.app().messaging().channels().open(first.tenant, first.channel).await {
            Ok(opened) => opened,
            // The channel was removed, and its hook with it.
            Err(app::Error::NotFound(_)) => {
                self.drop_rows(rows.into_iter().map(|row| row.due).collect()).await?;
                return Ok(Step::Moved);
            }
            Err(app::Error::Store(error)) => return Err(error),
            Err(error) => {
                tracing::error!(%error, channel = %first.channel, "the sandbox cannot sign a webhook: the channel's secrets cannot be opened");
                self.push_back(rows.into_iter().map(|row| row.due).collect(), now).await?;
                return Ok(Step::Moved);
            }
        };
        let due: Vec<Due> = rows.iter().map(|row| row.due.clone()).collect();
        match self.plan(first.tenant, &due, now).await? {
            PostingPlan::Wait(until) => return Ok(Step::Waiting(until)),
            PostingPlan::Delay { millis } => self.delay_rows(due, millis).await?,
            PostingPlan::Post { take, layout, backwards, copies } => {
                for post in posts(rows, take, backwards) {
                    self.post(&opened, post, layout, copies).await?;
                }
            }
        }
        Ok(Step::Moved)
    }

    async fn post(
        &self,
        opened: &OpenedChannel,
        rows: Vec<Row>,
        layout: EntryLayout,
        copies: u32,
    ) -> store::Result<()> {
        let (due, changes): (Vec<Due>, Vec<Scheduled>) = rows.into_iter().map(|row| (row.due, row.scheduled)).unzip();
        let body = body(&opened.channel.account_id, &changes, layout);
        let mut taken = false;
        for _ in 0..copies {
            // Another node holds the lease and posts these rows.
            if !self.holds_lease().await? {
                return Ok(());
            }
            taken |= send::deliver(self.config(), opened, &body).await;
        }
        if taken { self.drop_rows(due).await } else { self.push_back(due, self.now()).await }
    }
}

/// Number of leading rows that go together: all that were never tried, or those that were posted together before, so
/// that a retry posts the same webhook without new changes. Rows that were postponed together are one microsecond
/// apart.
fn together(rows: &[Row]) -> usize {
    let Some(first) = rows.first().map(|row| &row.due) else { return 0 };
    let of_first = |index: i64, due: &Due| {
        due.tries == first.tries && (first.tries == 0 || due.at.micros() == first.at.micros().saturating_add(index))
    };
    (0_i64..).zip(rows).take_while(|(index, row)| of_first(*index, &row.due)).count()
}

/// The rows of each webhook: the first `take` in one webhook, or, if `backwards`, each in its own, the latest first.
fn posts(mut rows: Vec<Row>, take: usize, backwards: bool) -> Vec<Vec<Row>> {
    rows.truncate(take);
    if backwards { rows.into_iter().rev().map(|row| vec![row]).collect() } else { vec![rows] }
}
