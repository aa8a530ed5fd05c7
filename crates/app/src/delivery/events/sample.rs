//! Sample events in the log, for developers: readers get them like events that happened.

use domain::Field;
use domain::delivery::events::{EventType, sample_fact};
use domain::messaging::channels::SANDBOX;

use super::Events;
use crate::base::emit::emit;
use crate::{ActsFor, Error, Result};

#[boxed::futures]
impl Events<'_> {
    /// Appends a sample of the event to the log, as if it had happened now over the tenant's sandbox channel. A tenant
    /// without such a channel has real events only.
    pub async fn append_sample(&self, caller: &dyn ActsFor, kind: EventType) -> Result<()> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let Some(channel) = channels.iter().find(|channel| channel.network == SANDBOX) else {
            return Err(Error::conflict(Field::Channel, "the tenant has no sandbox channel"));
        };
        let fact = sample_fact(kind, self.0.now(), Some(channel))
            .ok_or_else(|| Error::invalid(Field::Type, "no sample exists for this event type"))?;
        let write = self.0.db().write((caller.tenant(), fact), |tx, (tenant, fact)| {
            Box::pin(async move { emit(tx, *tenant, std::slice::from_ref(fact)).await })
        });
        write.await
    }
}
