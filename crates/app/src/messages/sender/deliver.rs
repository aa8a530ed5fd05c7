//! One message's way to the network: no transaction is open, and whatever happens ends in a `Landed`.

use std::sync::Arc;

use channels::graph::{Graph, GraphError, Prepared, Recipient};
use domain::{ChannelId, MediaId, TenantId};
use serde_json::value::RawValue;
use store::outbox::{Content, Due};

use super::Lane;
use super::landing::{Landed, Landing};
use crate::{App, Error};

/// A channel's way to the network, as long as a flight lasts; none when it cannot be used.
#[derive(Debug)]
pub(super) struct Line {
    channel: ChannelId,
    graph: Result<Graph, Landing>,
}

impl App {
    pub(super) async fn line(&self, lane: &Lane, channel: ChannelId, known: &mut Vec<Arc<Line>>) -> Arc<Line> {
        if let Some(line) = known.iter().find(|line| line.channel == channel) {
            return line.clone();
        }
        let opened = self.channels().opened(lane.tenant, channel).await;
        if let Err(Error::Store(error)) = opened {
            tracing::warn!(%channel, %error, "a channel cannot be read for sending; it is tried again");
            return Arc::new(Line { channel, graph: Err(Landing::Untried) });
        }
        let graph = opened.and_then(|opened| self.channels().graph(&opened));
        let new = Arc::new(Line { channel, graph: graph.map_err(|error| Landing::Unusable(error.to_string())) });
        known.push(new.clone());
        new
    }

    pub(super) async fn deliver(&self, tenant: TenantId, line: &Line, due: Due, content: Content) -> Landed {
        let landing = match &line.graph {
            Ok(graph) => self.send_one(tenant, graph, &due, content).await,
            Err(landing) => landing.clone(),
        };
        Landed { due, landing }
    }

    async fn send_one(&self, tenant: TenantId, graph: &Graph, due: &Due, content: Content) -> Landing {
        let written = match content.media_id {
            // Nothing of the message has left while its file is on the way: it may go again.
            Some(media) => match self.with_media(tenant, graph, due.channel_id, media, content.content).await {
                Ok(written) => written,
                Err(landing) => return landing,
            },
            None => content.content,
        };
        let Some(written) = written.and_then(|text| RawValue::from_string(text).ok()) else {
            return Landing::Unreadable;
        };
        let message = Prepared {
            recipient: recipient(&due.recipient),
            content: written,
            reply_to: content.context_id,
            callback_data: due.id.to_string(),
        };
        match graph.send_prepared(&message).await {
            Ok(sent) => Landing::Taken(sent.message_id),
            Err(error) => Landing::of(error),
        }
    }

    /// The content with the network's id of the file in place of ours.
    async fn with_media(
        &self,
        tenant: TenantId,
        graph: &Graph,
        channel: ChannelId,
        media: MediaId,
        content: Option<String>,
    ) -> Result<Option<String>, Landing> {
        let network_id = self.media().uploaded(tenant, channel, media, graph).await.map_err(before_leaving)?;
        let Some(network_id) = network_id else { return Err(Landing::Unreadable) };
        let mut value: serde_json::Value =
            content.and_then(|text| serde_json::from_str(&text).ok()).ok_or(Landing::Unreadable)?;
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        value[kind.as_str()]["id"] = network_id.into();
        Ok(Some(value.to_string()))
    }
}

/// A file whose upload nobody knows the end of was at worst uploaded for nothing.
fn before_leaving(error: crate::media::UploadError) -> Landing {
    match error {
        crate::media::UploadError::Network(error) => match Landing::of(error) {
            Landing::Unknown(error) => Landing::Fault(error),
            landing => landing,
        },
        crate::media::UploadError::Store(error) => {
            tracing::warn!(%error, "a file could not be read for sending; it is tried again");
            Landing::Untried
        }
    }
}

fn recipient(text: &str) -> Recipient {
    if text.contains('.') { Recipient::Bsuid(text.to_owned()) } else { Recipient::Phone(text.to_owned()) }
}

impl Landing {
    pub(super) fn of(error: GraphError) -> Self {
        use channels::graph::Class;
        match error.class {
            Class::Unknown => Self::Unknown(error),
            Class::Retry => Self::Fault(error),
            // The breaker said so, and the network was not asked.
            Class::RetryLater if error.status.is_none() => Self::Resting(error.retry_after.unwrap_or_default()),
            Class::RetryLater => Self::Limit(error),
            Class::Refuse if is_of_the_account(error.code) => Self::Account(error),
            Class::Refuse if error.code == Some(TEMPLATE_PAUSED) => Self::Paused,
            Class::Refuse => Self::Refused(error),
        }
    }
}

const TEMPLATE_PAUSED: i32 = 132_015;

/// The token, the account or the number is not in order: no message is to blame, and none should be lost to it.
fn is_of_the_account(code: Option<i32>) -> bool {
    matches!(
        code,
        Some(0 | 3 | 10 | 33 | 102 | 190 | 200..=299 | 131_005 | 131_031 | 131_037 | 131_042 | 131_045 | 133_010)
    )
}
