//! What came of sending a message, and how that is written down: once, and fenced by who sent it.

use std::time::Duration;

use channels::graph::GraphError;
use domain::messages::retry::{Why, again_at};
use domain::messages::{MessageFailure, State};
use domain::pacing::Pacer;
use domain::{MessageId, TenantId, Timestamp};
use store::Tx;
use store::messages::{Answered, Ended};
use store::outbox::{Due, Later};

use crate::Result;
use crate::messages::refusal::Refusal;
use crate::messages::told;

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
            Landing::Refused(error) => ended.push(failed(due.id, Some(failure(error)), now)),
            Landing::Unreadable => ended.push(failed(due.id, Some(Refusal::Unsendable.failure()), now)),
            Landing::Unknown(error) => {
                ended.push(Ended { id: due.id, state: State::Unknown, at: None, error: Some(failure(error)) });
            }
            _ => {
                let is_attempt = !matches!(landing, Landing::Untried | Landing::Resting(_));
                later.push(Later { id: due.id, due_at: again(landing, due, now), is_attempt });
            }
        }
    }
    told::answered(tx, tenant, &taken, now).await?;
    told::ended(tx, tenant, &ended, now).await?;
    let gone: Vec<MessageId> = taken.iter().map(|one| one.id).chain(ended.iter().map(|one| one.id)).collect();
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

fn failed(id: MessageId, error: Option<MessageFailure>, now: Timestamp) -> Ended {
    Ended { id, state: State::Failed, at: Some(now.to_millis()), error }
}

fn failure(error: &GraphError) -> MessageFailure {
    MessageFailure {
        code: error.code.map(i64::from),
        title: Some(error.reason.to_owned()),
        message: Some(error.message.to_string()),
        details: error.details.as_deref().map(str::to_owned),
    }
}
