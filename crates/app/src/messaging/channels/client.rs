//! The Graph client of a channel.

use std::sync::Arc;

use channels::graph::{Breaker, Graph, GraphError, NumberCredentials, Secret};
use domain::Field;

use super::{Channels, OpenedChannel};
use crate::{Error, Result};

impl Channels<'_> {
    /// Asks the network for the id of the app that the token belongs to, and caches the answer.
    pub(crate) async fn app_id(&self, opened: &OpenedChannel, graph: &Graph) -> Result<String, GraphError> {
        let key = (opened.channel.id, opened.channel.updated_at);
        if let Some(known) = self.0.app_ids().get(&key) {
            return Ok(known);
        }
        let id = graph.app_id().await?;
        self.0.app_ids().insert(key, id.clone());
        Ok(id)
    }

    pub fn graph(&self, opened: &OpenedChannel) -> Result<Graph> {
        let channel = &opened.channel;
        let networks = self.0.networks();
        let base_url = networks.base_url(&channel.network).ok_or_else(|| {
            Error::invalid(
                Field::Network,
                format!("{} is not in this server's list of networks, or is not running", channel.network),
            )
        })?;
        let credentials = NumberCredentials {
            phone_number_id: channel.phone_number_id.clone(),
            account_id: channel.account_id.clone(),
            access_token: Secret::new(opened.secrets.access_token.as_str()),
        };
        let breaker = self.0.breakers().get_with(&channel.id, || Arc::new(Breaker::new(self.0.clock().clone())));
        let transport = self.0.outgoing().transport(networks.transport(), opened.tenant);
        let graph = Graph::new(transport, base_url, credentials, breaker);
        Ok(match self.0.guarded_for(opened.tenant) {
            Some(guarded) => graph.with_guarded(guarded),
            None => graph,
        })
    }
}
