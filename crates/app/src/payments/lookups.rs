//! Look-ups that are due: to confirm what a webhook said, and to find what no webhook said.
//!
//! One node at a time takes them (a lease), so that the network is asked at one pace. Whatever is taken is due again
//! after a while, so a crash between question and record loses nothing; and a record that comes late or twice is a fact
//! like any other.

use std::sync::Arc;

use domain::Timestamp;
use domain::payments::Fact;
use futures_util::future::join_all;
use parking_lot::MutexGuard;
use store::Tx;
use store::orders::Due;

use super::ask::Answer;
use super::pace::{Paces, Turn};
use super::{Payments, learn, wrote};
use crate::Result;

const LEASE: &str = "payments";
const LEASE_SECONDS: i64 = 10;
/// Look-ups that are taken together.
const BATCH: i64 = 100;
/// Questions that are on their way at the same time.
const MOST_ASKED: usize = 16;
/// For so long nobody else asks what was taken: longer than any answer takes.
const TAKEN_SECONDS: i64 = 120;
const MAX_REASON: usize = 500;

/// What is to be asked now, and the paces that follow from it.
type Taken = (Vec<Due>, Paces);

impl Payments<'_> {
    /// Everything that is due now and has its turn.
    pub async fn look_up_due(&self, stopped: impl Fn() -> bool + Send) -> Result<()> {
        while !stopped() {
            let now = self.0.now();
            if store::orders::next_lookup(self.0.db()).await?.is_none_or(|next| next > now) {
                return Ok(());
            }
            let Some(taken) = self.take(now).await? else { return Ok(()) };
            for some in taken.chunks(MOST_ASKED) {
                let asked = join_all(some.iter().map(|due| self.look_up(due))).await;
                asked.into_iter().collect::<Result<()>>()?;
            }
        }
        Ok(())
    }

    /// None when another node is at it.
    async fn take(&self, now: Timestamp) -> store::Result<Option<Vec<Due>>> {
        let mut paces = self.paces().clone();
        paces.forget(now);
        let input = (self.0.node_name().to_owned(), paces, now);
        let taken = self.0.db().write(input, |tx, (holder, paces, now): &(String, Paces, Timestamp)| {
            Box::pin(take(tx, holder, paces.clone(), *now))
        });
        let taken: Option<Taken> = taken.await?;
        Ok(taken.map(|(due, paces)| {
            *self.paces() = paces;
            due
        }))
    }

    async fn look_up(&self, due: &Due) -> Result<()> {
        let answer = self.ask(due).await?;
        if let Some(rest) = answer.rest() {
            let seconds = i64::try_from(rest.as_secs()).unwrap_or(i64::MAX);
            self.paces().rest(due.channel_id, self.0.now().plus_seconds(seconds));
        }
        let input = (due.clone(), Arc::new(answer), self.0.now());
        let write = self.0.db().write(input, |tx, (due, answer, now): &(Due, Arc<Answer>, Timestamp)| {
            Box::pin(record(tx, due, answer, *now))
        });
        if let Some(reason) = write.await? {
            note(due, &reason);
        }
        Ok(())
    }

    fn paces(&self) -> MutexGuard<'_, Paces> {
        self.0.payments_desk().paces.lock()
    }
}

async fn take(tx: &mut Tx<'_>, holder: &str, mut paces: Paces, now: Timestamp) -> store::Result<Option<Taken>> {
    if store::leases::take(tx, LEASE, holder, now, now.plus_seconds(LEASE_SECONDS)).await?.is_none() {
        return Ok(None);
    }
    let due = store::orders::due(tx, now, BATCH).await?;
    let turns: Vec<Turn> = due.iter().map(|one| paces.turn(one.channel_id, now)).collect();
    let until = |turn: &Turn| match turn {
        Turn::Now => now.plus_seconds(TAKEN_SECONDS),
        Turn::At(at) => *at,
    };
    let postponed: Vec<(&Due, Timestamp)> = due.iter().zip(&turns).map(|(one, turn)| (one, until(turn))).collect();
    store::orders::postpone(tx, &postponed).await?;
    let asked = due.into_iter().zip(turns).filter(|(_, turn)| *turn == Turn::Now).map(|(one, _)| one).collect();
    Ok(Some((asked, paces)))
}

/// Answers why nothing was learnt, if that is another reason than the last time.
async fn record(tx: &mut Tx<'_>, due: &Due, answer: &Answer, now: Timestamp) -> Result<Option<String>> {
    let Some(order) = store::orders::by_id(tx, due.tenant, due.id).await? else { return Ok(None) };
    let mut after = order.clone();
    let (learnt, rest) = match answer {
        Answer::Found(lookup) => {
            after.trouble = None;
            (learn(&mut after, &Fact::Lookup(lookup.clone())), None)
        }
        Answer::Nothing { reason, rest } => {
            after.trouble = Some(reason.chars().filter(|c| *c != '\0').take(MAX_REASON).collect());
            (false, *rest)
        }
    };
    after.tries = after.tries.made(now, learnt, rest);
    let news = after.trouble.clone().filter(|_| after.trouble != order.trouble);
    wrote(tx, due.tenant, &order, after, now).await?;
    Ok(news)
}

fn note(due: &Due, reason: &str) {
    metrics::counter!("switchboard_payment_lookups_failed_total").increment(1);
    let Due { tenant, id, channel_id, .. } = due;
    tracing::warn!(%tenant, order = %id, channel = %channel_id, reason, "a payment cannot be looked up; it is tried again");
}
