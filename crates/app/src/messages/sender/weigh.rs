//! Which of what is due should still leave. A message was fit to be sent when it was accepted; much may have happened
//! since.

use std::collections::HashMap;

use domain::contacts::identity::Kind;
use domain::messages::{State, Urgency};
use domain::pacing::Candidate;
use domain::templates::Status;
use domain::{TemplateId, TenantId, Timestamp};
use store::Tx;
use store::messages::Ended;
use store::outbox::{self, Due, Later, Standing};

use crate::Result;
use crate::messages::refusal::Refusal;

/// How long a message waits for a paused template before it is looked at again.
const PAUSED_SECONDS: i64 = 300;

#[derive(Debug, Default)]
pub(super) struct Weighed {
    pub fit: Vec<(Due, Candidate)>,
    pub ended: Vec<Ended>,
    pub later: Vec<Later>,
}

enum Verdict {
    Fit,
    Ends(State, Option<Refusal>),
    Waits(Timestamp),
}

pub(super) async fn weigh(tx: &mut Tx<'_>, tenant: TenantId, due: Vec<Due>, now: Timestamp) -> Result<Weighed> {
    let health = health(tx, tenant, &due).await?;
    let mut weighed = Weighed::default();
    for mut one in due {
        if one.contact.is_none() {
            follow(tx, tenant, &mut one).await?;
        }
        match verdict(&one, &health, now) {
            Verdict::Fit => weighed.fit.push((one.clone(), candidate(&one, now))),
            Verdict::Ends(state, refusal) => weighed.ended.push(Ended {
                id: one.id,
                state,
                at: Some(now.to_millis()),
                error: refusal.map(Refusal::failure),
            }),
            Verdict::Waits(until) => weighed.later.push(Later { id: one.id, due_at: until, is_attempt: false }),
        }
    }
    Ok(weighed)
}

async fn health(tx: &mut Tx<'_>, tenant: TenantId, due: &[Due]) -> Result<HashMap<TemplateId, Option<Status>>> {
    let mut templates: Vec<TemplateId> = due.iter().filter_map(|one| one.template_id).collect();
    templates.sort_unstable();
    templates.dedup();
    if templates.is_empty() {
        return Ok(HashMap::new());
    }
    let found = outbox::template_health(tx, tenant, &templates).await?;
    Ok(found.into_iter().map(|(id, status)| (id, status.parse().ok())).collect())
}

/// A contact that was merged since is found by the id that it had, and its conversation with whom it is now.
async fn follow(tx: &mut Tx<'_>, tenant: TenantId, due: &mut Due) -> Result<()> {
    let found = store::contacts::addressed(tx, tenant, Kind::Id, &[&due.contact_id.to_string()]).await?;
    let Some((_, kept)) = found.into_iter().next() else { return Ok(()) };
    due.contact =
        Some(Standing { opted_in: kept.opted_in, allow_broadcast: kept.allow_broadcast, is_blocked: kept.is_blocked });
    let talk = store::conversations::with(tx, tenant, kept.id, due.channel_id).await?;
    due.window_until = talk.map(|talk| talk.window_until);
    Ok(())
}

fn verdict(due: &Due, health: &HashMap<TemplateId, Option<Status>>, now: Timestamp) -> Verdict {
    let Some(contact) = due.contact else { return Verdict::Ends(State::Failed, Some(Refusal::ContactGone)) };
    if contact.is_blocked {
        return Verdict::Ends(State::Failed, Some(Refusal::Blocked));
    }
    if due.expires_at <= now {
        return Verdict::Ends(State::Expired, Some(Refusal::Expired));
    }
    let Some(template) = due.template_id else {
        let is_open = due.window_until.is_some_and(|until| now < until);
        return if is_open { Verdict::Fit } else { Verdict::Ends(State::Expired, Some(Refusal::WindowClosed)) };
    };
    if !may_get_templates(contact, due.priority) {
        return Verdict::Ends(State::Failed, Some(Refusal::OptedOut));
    }
    match health.get(&template).copied().flatten() {
        Some(Status::Approved) => Verdict::Fit,
        Some(Status::Paused | Status::Pending) => Verdict::Waits(now.plus_seconds(PAUSED_SECONDS)),
        _ => Verdict::Ends(State::Failed, Some(Refusal::TemplateGone)),
    }
}

/// A code that somebody asked for is no advertising; the rest hangs on consent.
pub(crate) fn may_get_templates(contact: Standing, priority: i64) -> bool {
    let asked_for = priority == Urgency::Authentication.rank();
    asked_for || (contact.opted_in && (contact.allow_broadcast || priority == Urgency::Utility.rank()))
}

fn candidate(due: &Due, now: Timestamp) -> Candidate {
    Candidate {
        id: due.id,
        channel: due.channel_id,
        contact: due.contact_id,
        urgency: Urgency::ranked(due.priority).unwrap_or(Urgency::Marketing),
        template: due.template_id,
        opens: due.template_id.is_some() && due.window_until.is_none_or(|until| now >= until),
    }
}
