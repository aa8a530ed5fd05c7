//! What came of sending a message, and how that is written down: once, and fenced by who sent it.

use std::time::Duration;

use channels::graph::GraphError;
use domain::messages::retry::{Why, again_at};
use domain::messages::{Direction, State};
use domain::pacing::Pacer;
use domain::{Id, TenantId, Timestamp};
use store::Tx;
use store::messages::{Answered, Ended};
use store::outbox::{Due, Later};

use crate::Result;
use crate::messages::refusal::Refusal;

/// How long a number is left alone whose account the network does not serve.
const ACCOUNT_SECONDS: i64 = 60;
const PAUSED_SECONDS: i64 = 300;
/// The network's own codes of its limits: of one person, or of the number.
const PAIR_LIMIT: i32 = 131_056;

#[derive(Debug, Clone)]
pub(super) struct Landed {
    pub due: Due,
    pub landing: Landing,
}

#[derive(Debug, Clone)]
pub(super) enum Landing {
    /// The network's id of it.
    Taken(String),
    /// Not taken; may go again.
    Fault(GraphError),
    /// Not taken because of a limit.
    Limit(GraphError),
    /// Not taken because of the account or the number.
    Account(GraphError),
    /// Not taken because its template rests.
    Paused,
    /// Will never be taken.
    Refused(GraphError),
    /// Perhaps taken.
    Unknown(GraphError),
    /// Never tried: the channel cannot be used as it is.
    Unusable(String),
    /// Never tried: the database failed.
    Untried,
    /// Never tried: the network has failed too often, and calls pause for so long.
    Resting(Duration),
    /// What was stored cannot be sent.
    Unreadable,
}

impl Landed {
    pub fn gone(due: Due) -> Self {
        Self { due, landing: Landing::Unreadable }
    }
}

/// What the network's answers say about its limits.
pub(super) fn hold(pacer: &mut Pacer, landed: &[Landed], now: Timestamp) {
    for Landed { due, landing } in landed {
        match landing {
            Landing::Limit(error) if error.code == Some(PAIR_LIMIT) => {
                pacer.hold_pair(due.channel_id, due.contact_id, again(landing, due, now));
            }
            Landing::Limit(_) | Landing::Account(_) | Landing::Unusable(_) | Landing::Resting(_) => {
                complain(due, landing);
                pacer.hold_channel(due.channel_id, again(landing, due, now));
            }
            Landing::Paused => {
                if let Some(template) = due.template_id {
                    pacer.hold_template(template, now.plus_seconds(PAUSED_SECONDS));
                }
            }
            _ => {}
        }
    }
}

/// Nothing leaves until somebody has put it right; how often this is said hangs on how often it is tried.
fn complain(due: &Due, landing: &Landing) {
    let channel = due.channel_id;
    match landing {
        Landing::Account(error) => tracing::warn!(%channel, %error, "the network does not serve this channel"),
        Landing::Unusable(reason) => tracing::warn!(%channel, reason, "this channel cannot be used"),
        _ => {}
    }
}

fn again(landing: &Landing, due: &Due, now: Timestamp) -> Timestamp {
    match landing {
        Landing::Limit(error) => again_at(now, Why::Limit, due.attempts, due.id, error.retry_after),
        Landing::Fault(error) => again_at(now, Why::Fault, due.attempts, due.id, error.retry_after),
        Landing::Paused => now.plus_seconds(PAUSED_SECONDS),
        Landing::Untried => now.plus_seconds(1),
        Landing::Resting(pause) => now.plus_seconds(i64::try_from(pause.as_secs()).unwrap_or(0) + 1),
        _ => now.plus_seconds(ACCOUNT_SECONDS),
    }
}

/// Everything that came back, in the order that needs the fewest statements.
pub(super) async fn write_down(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    landed: &[Landed],
    process: &str,
    now: Timestamp,
) -> Result<()> {
    if landed.is_empty() {
        return Ok(());
    }
    let (mut taken, mut ended, mut later) = (Vec::new(), Vec::new(), Vec::new());
    for Landed { due, landing } in landed {
        count(landing);
        match landing {
            Landing::Taken(network_id) => {
                taken.push(Answered { id: due.id, channel_id: due.channel_id, network_id: network_id.clone() });
            }
            Landing::Refused(error) => ended.push(failed(due.id, Some(told(error)), now)),
            Landing::Unreadable => ended.push(failed(due.id, Some(Refusal::NotTaken.error()), now)),
            Landing::Unknown(error) => {
                ended.push(Ended { id: due.id, state: State::Unknown, at: None, error: Some(told(error)) });
            }
            _ => {
                let is_attempt = !matches!(landing, Landing::Untried | Landing::Resting(_));
                later.push(Later { id: due.id, due_at: again(landing, due, now), is_attempt });
            }
        }
    }
    if store::messages::answered(tx, tenant, &taken).await? != u64::try_from(taken.len()).unwrap_or(0) {
        for one in &taken {
            join(tx, tenant, one).await?;
        }
    }
    store::messages::ended(tx, tenant, &ended).await?;
    let gone: Vec<Id> = taken.iter().map(|one| one.id).chain(ended.iter().map(|one| one.id)).collect();
    store::outbox::remove(tx, tenant, &gone).await?;
    store::outbox::postpone(tx, tenant, &later, process).await?;
    Ok(())
}

fn count(landing: &Landing) {
    let outcome = match landing {
        Landing::Taken(_) => "taken",
        Landing::Refused(_) | Landing::Unreadable => "refused",
        Landing::Unknown(_) => "unknown",
        Landing::Limit(_) => "limited",
        _ => "again",
    };
    metrics::counter!("switchboard_sent_messages_total", "outcome" => outcome).increment(1);
}

/// A report came before the answer was written down, and made a row of its own: it joins ours.
async fn join(tx: &mut Tx<'_>, tenant: TenantId, taken: &Answered) -> Result<()> {
    let Some(ours) = store::messages::by_id(tx, tenant, taken.id).await? else { return Ok(()) };
    if ours.network_id.is_some() {
        return Ok(());
    }
    let told = store::messages::by_network_id(tx, tenant, taken.channel_id, &taken.network_id).await?;
    let Some(told) = told.filter(|one| one.direction == Direction::Outbound && one.content.is_none()) else {
        return Ok(());
    };
    store::messages::remove(tx, tenant, told.id).await?;
    let mut ours = crate::messages::joined(ours, &told);
    ours.state = ours.state.answered();
    ours.network_id = Some(taken.network_id.clone());
    Ok(store::messages::update(tx, tenant, &ours).await?)
}

fn failed(id: Id, error: Option<String>, now: Timestamp) -> Ended {
    Ended { id, state: State::Failed, at: Some(now.to_millis()), error }
}

/// In the shape in which reports tell of errors.
fn told(error: &GraphError) -> String {
    serde_json::json!({
        "code": error.code,
        "title": error.reason,
        "message": error.message,
        "details": error.details,
    })
    .to_string()
}
