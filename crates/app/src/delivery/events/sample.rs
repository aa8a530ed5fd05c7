//! Sample events in the log, for developers: readers get them like events that happened.

use domain::delivery::events::{EventType, Fact, sample_fact};
use domain::messaging::channels::SANDBOX;
use domain::{Field, TenantId, Timestamp};
use store::Tx;

use super::Events;
use crate::base::emit::emit;
use crate::{Actor, ActsFor, Error, Result};

/// Whether a sample may reach the readers of a tenant that has a channel of a real network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealChannels {
    Refuse,
    Accept,
}

/// A sample that is about to be appended.
#[derive(Debug)]
struct Sample {
    actor: Actor,
    tenant: TenantId,
    kind: EventType,
    fact: Fact,
    now: Timestamp,
}

#[boxed::futures]
impl Events<'_> {
    /// Appends a sample of the event to the log, as if it had happened now over the tenant's sandbox channel. A tenant
    /// without such a channel has real events only. Nothing in the event marks it as a sample, so a tenant with real
    /// channels gets one only if `real` accepts that. Adds an entry to the audit log.
    pub async fn append_sample(&self, caller: &dyn ActsFor, kind: EventType, real: RealChannels) -> Result<()> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let Some(channel) = channels.iter().find(|channel| channel.network == SANDBOX) else {
            return Err(Error::conflict(Field::Channel, "the tenant has no sandbox channel"));
        };
        if let (Some(other), RealChannels::Refuse) = (channels.iter().find(|one| one.network != SANDBOX), real) {
            let name = &other.name;
            let message = format!(
                "{name:?} is not a channel of the sandbox: the tenant's webhooks would receive the sample like a real \
                 event. Use --webhook ID for a test event, or --yes to append the sample anyway"
            );
            return Err(Error::conflict(Field::Channel, message));
        }
        let now = self.0.now();
        let fact = sample_fact(kind, now, Some(channel))
            .ok_or_else(|| Error::invalid(Field::Type, "no sample exists for this event type"))?;
        let sample = Sample { actor: caller.audit_actor(), tenant: caller.tenant(), kind, fact, now };
        self.0.db().write(sample, |tx, sample| Box::pin(append(tx, sample))).await
    }
}

async fn append(tx: &mut Tx<'_>, sample: &Sample) -> Result<()> {
    let Sample { actor, tenant, kind, fact, now } = sample;
    emit(tx, *tenant, std::slice::from_ref(fact)).await?;
    let details = serde_json::json!({"type": kind.name()});
    Ok(actor.record(tx, *tenant, *now, "event.append_sample", &tenant.to_string(), details).await?)
}
