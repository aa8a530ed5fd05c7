//! Rotation of a secret. The old secret signs besides the new one for a day, so that the receiver accepts everything
//! while it switches.

use domain::delivery::webhooks::Secret;
use domain::{Timestamp, WebhookId};
use serde_json::json;

use super::manage::{opened, sealed};
use super::view::NO_WEBHOOK;
use super::{WebhookView, Webhooks};
use crate::{ActsFor, Error, Result};

const BOTH_SIGN_SECONDS: i64 = 86_400;

#[boxed::futures]
impl Webhooks<'_> {
    /// Replaces the secret and returns the new one, which is never shown again. A second rotation within a day drops
    /// the oldest secret.
    pub async fn rotate_secret(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<(WebhookView, Secret)> {
        let secret = Secret::random();
        let now = self.0.now().to_millis();
        let input = (self.0.clone(), caller.audit_actor(), caller.tenant(), id, secret.clone(), now);
        let write = self.0.db().write(input, |tx, (room, actor, tenant, id, secret, now)| {
            Box::pin(async move {
                let stored = store::delivery::webhooks::for_update(tx, *tenant, *id).await?.ok_or(NO_WEBHOOK)?;
                let mut endpoint = opened(room, stored)?;
                let until: Timestamp = now.plus_seconds(BOTH_SIGN_SECONDS);
                let old = std::mem::replace(&mut endpoint.secret, secret.clone());
                endpoint.previous_secret = Some((old, until));
                endpoint.updated_at = *now;
                store::delivery::webhooks::update(tx, &sealed(room, &endpoint)?).await?;
                let details = json!({"previous_signs_until": until.to_rfc3339()});
                actor.record(tx, *tenant, *now, "webhook.rotate_secret", &id.to_string(), details).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.endpoint_directory().changed();
        Ok((self.find(caller, id).await?, secret))
    }
}
