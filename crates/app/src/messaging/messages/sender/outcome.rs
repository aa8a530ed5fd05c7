//! Outcomes of attempts to send: what each does to the pacer, and how it is saved. Accepted, refused, unreadable and
//! unknown messages leave the outbox; all others are due again later. The process that claimed a message saves the
//! outcome, even after it lost the lease, and saves it again if it cannot know whether the first transaction was
//! committed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use channels::graph::GraphError;
use domain::messaging::channels::ChannelProblem;
use domain::messaging::messages::retry::{RetryReason, retry_at};
use domain::messaging::messages::{MessageFailure, MessageState};
use domain::messaging::pacing::Pacer;
use domain::{MessageId, TemplateId, TenantId, Timestamp};
use store::Tx;
use store::messaging::messages::{AcceptedByNetwork, EndedMessage};
use store::messaging::outbox::{DueMessage, Postponed};

use crate::Result;
use crate::messaging::messages::{Refusal, emit};
use crate::messaging::templates;
use crate::people::contacts::{self, ContactFollowers};

/// Seconds that a channel pauses when the network does not serve its account, or when the channel cannot be used.
const ACCOUNT_PAUSE_SECONDS: i64 = 60;
const PAUSED_TEMPLATE_SECONDS: i64 = 300;
/// The network's code for its limit of messages to one person. Its other limits concern the whole number.
const PAIR_LIMIT: i32 = 131_056;
const TEMPLATE_DISABLED: i32 = 132_016;

#[derive(Debug, Clone)]
pub(super) struct SendAttempt {
    pub due: DueMessage,
    pub outcome: SendOutcome,
    /// True if the channel had a problem before. A message that the network accepts ends the problem.
    pub after_problem: bool,
}

#[derive(Debug, Clone)]
pub(super) enum SendOutcome {
    /// Accepted, with the network's id of the message, and the person's BSUID if the network named it.
    Accepted { network_id: String, bsuid: Option<String> },
    /// Not accepted because of a fault that passes.
    Fault(GraphError),
    /// Not accepted because of a limit of the network.
    RateLimited(GraphError),
    /// Not accepted because of the account, the token or the number.
    AccountUnavailable(GraphError),
    /// Not accepted because the network has paused the template.
    TemplatePaused,
    /// Refused for a reason that another attempt would not change: the message fails.
    Refused(GraphError),
    /// The request was written and its answer was lost: the network may have accepted the message.
    Unknown(GraphError),
    /// Not tried: the channel cannot be used as it is.
    ChannelUnusable(String),
    /// Not tried: the database failed.
    NotTried,
    /// Not tried: the channel's breaker is open for this long.
    BreakerOpen(Duration),
    /// Not tried: there is no stored content, or it cannot be sent. The message fails.
    Unreadable,
}

/// Makes the pacer hold back the numbers, persons and templates that the network's answers concern.
pub(super) fn apply_pauses(pacer: &mut Pacer, finished: &[SendAttempt], now: Timestamp) {
    for SendAttempt { due, outcome, .. } in finished {
        match outcome {
            SendOutcome::RateLimited(error) if error.code == Some(PAIR_LIMIT) => {
                pacer.pause_pair(due.channel_id, due.contact_id, next_attempt_at(outcome, due, now));
            }
            SendOutcome::RateLimited(_)
            | SendOutcome::AccountUnavailable(_)
            | SendOutcome::ChannelUnusable(_)
            | SendOutcome::BreakerOpen(_) => {
                log_blocked_channel(due, outcome);
                pacer.pause_channel(due.channel_id, next_attempt_at(outcome, due, now));
            }
            SendOutcome::TemplatePaused => {
                if let Some(template) = due.template_id {
                    pacer.pause_template(template, now.plus_seconds(PAUSED_TEMPLATE_SECONDS));
                }
            }
            _ => {}
        }
    }
}

/// Logs that an operator has to repair the channel. Once for each attempt; the pause of the channel keeps attempts
/// rare.
fn log_blocked_channel(due: &DueMessage, outcome: &SendOutcome) {
    let channel = due.channel_id;
    match outcome {
        SendOutcome::AccountUnavailable(error) => {
            tracing::warn!(%channel, %error, "the network does not serve this channel");
        }
        SendOutcome::ChannelUnusable(reason) => tracing::warn!(%channel, reason, "this channel cannot be used"),
        _ => {}
    }
}

fn next_attempt_at(outcome: &SendOutcome, due: &DueMessage, now: Timestamp) -> Timestamp {
    match outcome {
        SendOutcome::RateLimited(error) => retry_at(now, RetryReason::Limit, due.attempts, due.id, error.retry_after),
        SendOutcome::Fault(error) => retry_at(now, RetryReason::Fault, due.attempts, due.id, error.retry_after),
        SendOutcome::TemplatePaused => now.plus_seconds(PAUSED_TEMPLATE_SECONDS),
        SendOutcome::NotTried => now.plus_seconds(1),
        SendOutcome::BreakerOpen(pause) => now.plus_seconds(i64::try_from(pause.as_secs()).unwrap_or(0) + 1),
        _ => now.plus_seconds(ACCOUNT_PAUSE_SECONDS),
    }
}

/// Saves all outcomes with few statements, ends the claims, and emits the facts that follow.
pub(super) async fn save_outcomes(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    finished: &[SendAttempt],
    process: &str,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<()> {
    if finished.is_empty() {
        return Ok(());
    }
    let (mut accepted, mut ended, mut postponed) = (Vec::new(), Vec::new(), Vec::new());
    for SendAttempt { due, outcome, .. } in finished {
        count(outcome);
        match outcome {
            SendOutcome::Accepted { network_id, .. } => accepted.push(AcceptedByNetwork {
                id: due.id,
                channel_id: due.channel_id,
                network_id: network_id.clone(),
            }),
            SendOutcome::Refused(error) => ended.push(failed(due.id, Some(failure(error)), now)),
            SendOutcome::Unreadable => ended.push(failed(due.id, Some(Refusal::Unsendable.failure()), now)),
            SendOutcome::Unknown(error) => {
                let error = Some(failure(error));
                ended.push(EndedMessage { id: due.id, state: MessageState::Unknown, at: None, error });
            }
            _ => {
                let is_attempt = !matches!(outcome, SendOutcome::NotTried | SendOutcome::BreakerOpen(_));
                let due_at = next_attempt_at(outcome, due, now);
                postponed.push(Postponed { id: due.id, due_at, is_attempt });
            }
        }
    }
    // Before the facts, so that events about the messages have the network's BSUIDs.
    name_people(tx, tenant, finished, now, followers).await?;
    emit::save_accepted(tx, tenant, &accepted, now).await?;
    emit::save_ended(tx, tenant, &ended, now).await?;
    let done: Vec<MessageId> = accepted.iter().map(|one| one.id).chain(ended.iter().map(|one| one.id)).collect();
    store::messaging::outbox::remove(tx, tenant, &done).await?;
    store::messaging::outbox::postpone(tx, tenant, &postponed, process).await?;
    save_problems(tx, tenant, finished, now).await?;
    save_disabled_templates(tx, tenant, finished, now).await
}

/// Gives contacts the BSUIDs in the network's responses.
async fn name_people(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    finished: &[SendAttempt],
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<()> {
    let named = finished.iter().filter_map(|SendAttempt { due, outcome, .. }| match outcome {
        SendOutcome::Accepted { bsuid: Some(bsuid), .. } => Some((due.contact_id, bsuid.as_str())),
        _ => None,
    });
    contacts::name_contacts(tx, tenant, &named.collect(), now, followers).await
}

/// Marks the channels that the network does not serve, and clears the mark of those that it serves again. Of several
/// outcomes of a channel the last one counts.
async fn save_problems(tx: &mut Tx<'_>, tenant: TenantId, finished: &[SendAttempt], now: Timestamp) -> Result<()> {
    let mut changes = BTreeMap::new();
    for SendAttempt { due, outcome, after_problem } in finished {
        let problem = |message: String, code| ChannelProblem { message, code, since: now.to_millis() };
        match outcome {
            SendOutcome::AccountUnavailable(error) => {
                let problem = problem(error.to_string(), error.code.map(i64::from));
                changes.insert(due.channel_id, Some(problem));
            }
            SendOutcome::ChannelUnusable(reason) => {
                changes.insert(due.channel_id, Some(problem(reason.clone(), None)));
            }
            // A message that was postponed may have waited because of the problem.
            SendOutcome::Accepted { .. } if *after_problem || due.attempts > 0 => {
                changes.insert(due.channel_id, None);
            }
            _ => {}
        }
    }
    for (channel, problem) in changes {
        match problem {
            Some(problem) => store::messaging::channels::set_problem(tx, tenant, channel, &problem).await?,
            None => store::messaging::channels::clear_problem(tx, tenant, channel).await?,
        }
    }
    Ok(())
}

/// Marks templates that the network has disabled, so that they are not sent again even if the network's report of that
/// is late or lost.
async fn save_disabled_templates(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    finished: &[SendAttempt],
    now: Timestamp,
) -> Result<()> {
    let is_disabled =
        |outcome: &SendOutcome| matches!(outcome, SendOutcome::Refused(error) if error.code == Some(TEMPLATE_DISABLED));
    let disabled = finished.iter().filter(|attempt| is_disabled(&attempt.outcome));
    let disabled: BTreeSet<TemplateId> = disabled.filter_map(|attempt| attempt.due.template_id).collect();
    for template in disabled {
        templates::mark_disabled(tx, tenant, template, now).await?;
    }
    Ok(())
}

fn count(outcome: &SendOutcome) {
    let label = match outcome {
        SendOutcome::Accepted { .. } => "taken",
        SendOutcome::Refused(_) | SendOutcome::Unreadable => "refused",
        SendOutcome::Unknown(_) => "unknown",
        SendOutcome::RateLimited(_) => "limited",
        _ => "again",
    };
    metrics::counter!("switchboard_sent_messages_total", "outcome" => label).increment(1);
}

fn failed(id: MessageId, error: Option<MessageFailure>, now: Timestamp) -> EndedMessage {
    EndedMessage { id, state: MessageState::Failed, at: Some(now.to_millis()), error }
}

fn failure(error: &GraphError) -> MessageFailure {
    MessageFailure {
        code: error.code.map(i64::from),
        title: Some(error.reason.to_owned()),
        message: Some(error.message.to_string()),
        details: error.details.as_deref().map(str::to_owned),
    }
}
