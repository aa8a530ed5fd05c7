//! The network's hook over the wire, on both databases: the handshake, what is journalled, what is refused.

mod bad_input;
mod handshake;
mod journal;
mod warnings;

use app::messaging::channels::Secrets;
use axum::body::Body;
use domain::TenantId;
use domain::messaging::channels::Channel;
use testkit::World;
use testkit::world::{Answer, request};

const TEXT: &str = include_str!("../../../../channels/tests/samples/message_text.json");

/// A channel with its secrets, for posting to its hook as the network does.
struct SandboxNumber {
    tenant: TenantId,
    channel: Channel,
    secrets: Secrets,
}

impl SandboxNumber {
    async fn new(app: &World, tenant: TenantId, name: &str) -> Self {
        let (channel, secrets) = app.add_channel(tenant, name, "14155550100").await;
        Self { tenant, channel, secrets }
    }

    fn path(&self) -> String {
        format!("/hooks/whatsapp/{}", self.channel.id)
    }

    fn sign(&self, body: &[u8]) -> String {
        channels::signature::sign(self.secrets.app_secret.as_bytes(), body)
    }

    /// Posts a body with a valid signature.
    async fn post(&self, app: &World, body: &[u8]) -> Answer {
        self.post_signed(app, body, &self.sign(body)).await
    }

    async fn post_signed(&self, app: &World, body: &[u8], signature: &str) -> Answer {
        let builder = request("POST", &self.path(), None).header("x-hub-signature-256", signature);
        app.send(builder.body(Body::from(body.to_vec())).unwrap()).await
    }

    /// The bodies in the journal, in the order of arrival.
    async fn journalled(&self, app: &World) -> Vec<Vec<u8>> {
        let entries = store::messaging::inbound::next(app.app.db(), self.tenant, self.channel.id, 1_000).await.unwrap();
        entries.into_iter().map(|entry| entry.body).collect()
    }
}
