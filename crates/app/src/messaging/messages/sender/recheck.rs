//! Checks due messages again before they leave, since things may have changed after a message was accepted:
//! - its contact was deleted or blocked, or (for a template) opted out: it fails;
//! - its time to live is over, or (for a free message) its window has closed: it expires;
//! - its template is paused or pending: it waits for `PAUSED_TEMPLATE_SECONDS`; its template is not approved for
//!   another reason, or gone: it fails.

use std::collections::HashMap;

use domain::messaging::messages::{ContactPermissions, MessageState, Urgency};
use domain::messaging::pacing::Candidate;
use domain::messaging::templates::TemplateStatus;
use domain::people::contacts::identity::IdentityKind;
use domain::{TemplateId, TenantId, Timestamp};
use store::Tx;
use store::messaging::messages::EndedMessage;
use store::messaging::outbox::{self, DueMessage, Postponed};

use crate::Result;
use crate::messaging::messages::Refusal;

/// How long a message waits for a paused or pending template before it is checked again.
const PAUSED_TEMPLATE_SECONDS: i64 = 300;

#[derive(Debug, Default)]
pub(super) struct Rechecked {
    pub sendable: Vec<(DueMessage, Candidate)>,
    pub ended: Vec<EndedMessage>,
    pub postponed: Vec<Postponed>,
}

enum Verdict {
    Send,
    End(MessageState, Refusal),
    Postpone(Timestamp),
}

pub(super) async fn recheck(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    due: Vec<DueMessage>,
    now: Timestamp,
) -> Result<Rechecked> {
    let statuses = template_statuses(tx, tenant, &due).await?;
    let mut rechecked = Rechecked::default();
    for mut one in due {
        if one.contact.is_none() {
            follow_merge(tx, tenant, &mut one).await?;
        }
        match verdict(&one, &statuses, now) {
            Verdict::Send => rechecked.sendable.push((one.clone(), candidate(&one, now))),
            Verdict::End(state, refusal) => rechecked.ended.push(EndedMessage {
                id: one.id,
                state,
                at: Some(now.to_millis()),
                error: Some(refusal.failure()),
            }),
            Verdict::Postpone(until) => {
                rechecked.postponed.push(Postponed { id: one.id, due_at: until, is_attempt: false });
            }
        }
    }
    Ok(rechecked)
}

async fn template_statuses(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    due: &[DueMessage],
) -> Result<HashMap<TemplateId, Option<TemplateStatus>>> {
    let mut templates: Vec<TemplateId> = due.iter().filter_map(|one| one.template_id).collect();
    templates.sort_unstable();
    templates.dedup();
    if templates.is_empty() {
        return Ok(HashMap::new());
    }
    let found = outbox::template_statuses(tx, tenant, &templates).await?;
    Ok(found.into_iter().map(|(id, status)| (id, status.parse().ok())).collect())
}

/// If the contact was merged into another one, uses the permissions and the conversation of that one.
async fn follow_merge(tx: &mut Tx<'_>, tenant: TenantId, due: &mut DueMessage) -> Result<()> {
    let found =
        store::people::contacts::addressed(tx, tenant, IdentityKind::Id, &[&due.contact_id.to_string()]).await?;
    let Some((_, kept)) = found.into_iter().next() else { return Ok(()) };
    due.contact = Some(ContactPermissions {
        opted_in: kept.opted_in,
        allow_broadcast: kept.allow_broadcast,
        is_blocked: kept.is_blocked,
    });
    let conversation =
        store::messaging::conversations::with_contact_for_update(tx, tenant, kept.id, due.channel_id).await?;
    due.window_until = conversation.map(|conversation| conversation.window_until);
    Ok(())
}

fn verdict(due: &DueMessage, statuses: &HashMap<TemplateId, Option<TemplateStatus>>, now: Timestamp) -> Verdict {
    let Some(contact) = due.contact else { return Verdict::End(MessageState::Failed, Refusal::ContactGone) };
    if contact.is_blocked {
        return Verdict::End(MessageState::Failed, Refusal::Blocked);
    }
    if due.expires_at <= now {
        return Verdict::End(MessageState::Expired, Refusal::Expired);
    }
    let Some(template) = due.template_id else {
        let is_open = due.window_until.is_some_and(|until| now < until);
        return if is_open { Verdict::Send } else { Verdict::End(MessageState::Expired, Refusal::WindowClosed) };
    };
    if !contact.allows_template(urgency(due)) {
        return Verdict::End(MessageState::Failed, Refusal::OptedOut);
    }
    match statuses.get(&template).copied().flatten() {
        Some(TemplateStatus::Approved) => Verdict::Send,
        Some(TemplateStatus::Paused | TemplateStatus::Pending) => {
            Verdict::Postpone(now.plus_seconds(PAUSED_TEMPLATE_SECONDS))
        }
        _ => Verdict::End(MessageState::Failed, Refusal::TemplateGone),
    }
}

fn urgency(due: &DueMessage) -> Urgency {
    Urgency::ranked(due.priority).unwrap_or(Urgency::Marketing)
}

fn candidate(due: &DueMessage, now: Timestamp) -> Candidate {
    Candidate {
        id: due.id,
        channel: due.channel_id,
        contact: due.contact_id,
        urgency: urgency(due),
        template: due.template_id,
        opens: due.template_id.is_some() && due.window_until.is_none_or(|until| now >= until),
    }
}
