//! Sends a completed broadcast again to those whom the network held back: messages that failed with 131049, which the
//! network gives where a person got enough marketing messages for now.
//!
//! The retry is a broadcast of its own. Its id follows from that of the first one, so a broadcast is retried once; the
//! retry itself can be retried in turn.

use domain::broadcasts::{Broadcast, BroadcastStatus};
use domain::messages::{MessageSource, MessageState};
use domain::{BroadcastId, Id, TenantId, Timestamp};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::broadcasts::MessageRecipient;

use super::{BroadcastDetails, Broadcasts};
use crate::messages::{
    MAX_RECIPIENTS, MemberNames, TemplateJob, TemplateRecipient, TemplateSend, insert_template_messages,
};
use crate::{ActsFor, Error, Result};

/// The network's code for a person who got enough marketing messages for now.
const HELD_BACK: i64 = 131_049;
const MAX_DAYS: i64 = 7;
const DAY_SECONDS: i64 = 86_400;

#[derive(Debug)]
struct RetryJob {
    tenant: TenantId,
    id: BroadcastId,
    job: TemplateJob,
}

impl Broadcasts<'_> {
    /// Messages that have not left at `until` expire. `parameter` is the request's name of that time, for errors.
    pub async fn retry(
        &self,
        caller: &impl ActsFor,
        id: BroadcastId,
        until: Timestamp,
        parameter: &str,
    ) -> Result<BroadcastId> {
        let now = self.0.now();
        if until <= now || until > now.plus_seconds(MAX_DAYS * DAY_SECONDS) {
            return Err(Error::invalid(parameter, format!("expected a time in the next {MAX_DAYS} days")));
        }
        let BroadcastDetails { view, .. } = self.find(caller, id).await?;
        if !matches!(view.status, BroadcastStatus::Sent | BroadcastStatus::Failed) {
            return Err(Error::conflict(
                "id",
                format!("the broadcast is {}; only a completed one is retried", view.status),
            ));
        }
        let most = i64::try_from(MAX_RECIPIENTS).unwrap_or(i64::MAX);
        let sent = store::broadcasts::recipients(self.0.db(), caller.tenant(), id, most, 0).await?;
        let recipients: Vec<TemplateRecipient> = sent.into_iter().filter_map(recipient).collect();
        if recipients.is_empty() {
            return Err(Error::conflict("id", format!("no recipient failed with {HELD_BACK}")));
        }
        let retry = retry_id(&view.broadcast);
        let send = send(&view.broadcast, recipients);
        let job = self.0.messages().template_job(caller, send, None)?.retrying(retry, until);
        let job = RetryJob { tenant: caller.tenant(), id: retry, job };
        self.0.db().write(job, |tx, job| Box::pin(write(tx, job))).await?;
        self.0.wake_sender();
        Ok(retry)
    }
}

async fn write(tx: &mut Tx<'_>, job: &RetryJob) -> Result<()> {
    if store::broadcasts::by_id_for_update(tx, job.tenant, job.id).await?.is_some() {
        return Err(Error::conflict("id", format!("the broadcast was retried already, as {}", job.id)));
    }
    insert_template_messages(tx, &job.job).await.map(drop)
}

/// None for a recipient whom the network did not hold back, or whose contact was deleted.
fn recipient(one: MessageRecipient) -> Option<TemplateRecipient> {
    let is_held_back = one.state == MessageState::Failed && one.error?.code == Some(HELD_BACK);
    let contact = one.contact_id.filter(|_| is_held_back && one.contact.is_some())?;
    Some(TemplateRecipient {
        target: contact.to_string(),
        member: "target",
        local_id: None,
        params: one.params.unwrap_or_default().0,
    })
}

fn send(broadcast: &Broadcast, recipients: Vec<TemplateRecipient>) -> TemplateSend {
    TemplateSend {
        channel: Some(broadcast.channel_id.to_string()),
        template: broadcast.template_id.to_string(),
        language: None,
        broadcast_name: broadcast.name.clone(),
        recipients,
        scheduled_at: None,
        source: MessageSource::Api,
        dry_run: false,
        members: MemberNames {
            channel: "id",
            template: "id",
            broadcast_name: "id",
            recipients: "recipients",
            params: "custom_params",
        },
    }
}

fn retry_id(broadcast: &Broadcast) -> BroadcastId {
    let hash = Sha256::new().chain_update(b"retry").chain_update(broadcast.id.bytes()).finalize();
    let entropy = hash.iter().take(8).fold(0, |entropy, byte| (entropy << 8) | u64::from(*byte));
    Id::seeded(broadcast.created_at, entropy)
}
