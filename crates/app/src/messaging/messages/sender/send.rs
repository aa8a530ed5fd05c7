//! One attempt to send a message to the network. No transaction is open. Unless it panics, it ends in a `SendAttempt`.

use std::sync::Arc;

use channels::graph::{Graph, GraphError, Prepared, Recipient, Sent};
use domain::{ChannelId, MediaId, TenantId};
use serde_json::value::RawValue;
use store::messaging::outbox::{DueMessage, OutboxContent};

use super::SendingAccount;
use super::outcome::{SendAttempt, SendOutcome};
use crate::Error;
use crate::messaging::Messaging;
use crate::people::contacts::is_of_one_person;

/// The network client of a channel, kept for one call of `send_due`. If the channel cannot be used, it has the outcome
/// for all messages of the channel instead. A client is not kept if the database failed.
#[derive(Debug)]
pub(super) struct ChannelClient {
    channel: ChannelId,
    graph: Result<Graph, SendOutcome>,
    has_problem: bool,
}

impl Messaging {
    pub(super) async fn client_for(
        &self,
        account: &SendingAccount,
        channel: ChannelId,
        known: &mut Vec<Arc<ChannelClient>>,
    ) -> Arc<ChannelClient> {
        if let Some(client) = known.iter().find(|client| client.channel == channel) {
            return client.clone();
        }
        let opened = self.channels().open(account.tenant, channel).await;
        if let Err(Error::Store(error)) = opened {
            tracing::warn!(%channel, %error, "a channel cannot be read for sending; trying again");
            return Arc::new(ChannelClient { channel, graph: Err(SendOutcome::NotTried), has_problem: false });
        }
        let has_problem = opened.as_ref().is_ok_and(|opened| opened.channel.problem.is_some());
        let graph = opened.and_then(|opened| self.channels().graph(&opened));
        let graph = graph.map_err(|error| SendOutcome::ChannelUnusable(error.to_string()));
        let new = Arc::new(ChannelClient { channel, graph, has_problem });
        known.push(new.clone());
        new
    }

    pub(super) async fn attempt(
        &self,
        tenant: TenantId,
        client: &ChannelClient,
        due: DueMessage,
        content: OutboxContent,
    ) -> SendAttempt {
        let outcome = match &client.graph {
            Ok(graph) => self.send_content(tenant, graph, &due, content).await,
            Err(outcome) => outcome.clone(),
        };
        SendAttempt { due, outcome, after_problem: client.has_problem }
    }

    async fn send_content(
        &self,
        tenant: TenantId,
        graph: &Graph,
        due: &DueMessage,
        content: OutboxContent,
    ) -> SendOutcome {
        let Some(media) = content.media_id else { return post(graph, due, &content, content.content.as_deref()).await };
        match self.send_file(tenant, graph, due, media, &content).await {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }

    /// Sends a message with a file. Uploads the file first if the network does not have it. If the network refuses an
    /// earlier upload, which it may have deleted, uploads the file again and sends once more: the message was not
    /// accepted.
    async fn send_file(
        &self,
        tenant: TenantId,
        graph: &Graph,
        due: &DueMessage,
        media: MediaId,
        content: &OutboxContent,
    ) -> Result<SendOutcome, SendOutcome> {
        let uploaded = self.media().ensure_uploaded(tenant, due.channel_id, media, graph).await;
        let uploaded = uploaded.map_err(failed_upload)?.ok_or(SendOutcome::Unreadable)?;
        let outcome = post(graph, due, content, with_file(content, &uploaded.network_id).as_deref()).await;
        let SendOutcome::Refused(error) = &outcome else { return Ok(outcome) };
        if !uploaded.is_earlier || !is_file_error(error.code) {
            return Ok(outcome);
        }
        let again = self.media().upload_again(tenant, due.channel_id, media, graph).await;
        let again = again.map_err(failed_upload)?.ok_or(SendOutcome::Unreadable)?;
        Ok(post(graph, due, content, with_file(content, &again.network_id).as_deref()).await)
    }
}

async fn post(graph: &Graph, due: &DueMessage, content: &OutboxContent, json: Option<&str>) -> SendOutcome {
    let Some(json) = json.and_then(|text| RawValue::from_string(text.to_owned()).ok()) else {
        return SendOutcome::Unreadable;
    };
    let message = Prepared {
        recipient: recipient(&due.recipient),
        content: json,
        reply_to: content.context_id.clone(),
        callback_data: due.id.to_string(),
    };
    match graph.send_prepared(&message).await {
        Ok(Sent { message_id, contact, .. }) => {
            let bsuid = contact.and_then(|contact| contact.user_id).filter(|id| is_of_one_person(id));
            SendOutcome::Accepted { network_id: message_id, bsuid }
        }
        Err(error) => SendOutcome::from_error(error),
    }
}

/// The content, with the network's id of the file in place of our id.
fn with_file(content: &OutboxContent, network_id: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(content.content.as_deref()?).ok()?;
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    value[kind.as_str()]["id"] = network_id.into();
    Some(value.to_string())
}

/// True for errors that may be about the file: a member is wrong, or the file cannot be used.
fn is_file_error(code: Option<i32>) -> bool {
    matches!(code, Some(100 | 131_009 | 131_052 | 131_053))
}

/// The outcome of a message whose file could not be uploaded; the message itself has not left. An upload whose answer
/// was lost counts as a fault and is repeated: at worst the network has the file twice. A file that the network refuses
/// makes the message fail.
fn failed_upload(error: crate::messaging::media::UploadError) -> SendOutcome {
    match error {
        crate::messaging::media::UploadError::Network(error) => match SendOutcome::from_error(error) {
            SendOutcome::Unknown(error) => SendOutcome::Fault(error),
            outcome => outcome,
        },
        crate::messaging::media::UploadError::Store(error) => {
            tracing::warn!(%error, "a file cannot be read for sending; trying again");
            SendOutcome::NotTried
        }
    }
}

fn recipient(text: &str) -> Recipient {
    if text.contains('.') { Recipient::Bsuid(text.to_owned()) } else { Recipient::Phone(text.to_owned()) }
}

impl SendOutcome {
    pub(super) fn from_error(error: GraphError) -> Self {
        use channels::graph::Class;
        match error.class {
            Class::Unknown => Self::Unknown(error),
            Class::Retry => Self::Fault(error),
            // Without an HTTP status, the breaker refused the call and no request was sent.
            Class::RetryLater if error.status.is_none() => Self::BreakerOpen(error.retry_after.unwrap_or_default()),
            Class::RetryLater => Self::RateLimited(error),
            Class::Refuse if is_account_error(error.code) => Self::AccountUnavailable(error),
            Class::Refuse if error.code == Some(TEMPLATE_PAUSED) => Self::TemplatePaused,
            Class::Refuse => Self::Refused(error),
        }
    }
}

const TEMPLATE_PAUSED: i32 = 132_015;

/// True for errors of the token, the account or the number. The message is not at fault and must not be lost.
fn is_account_error(code: Option<i32>) -> bool {
    matches!(
        code,
        Some(0 | 3 | 10 | 33 | 102 | 190 | 200..=299 | 131_005 | 131_031 | 131_037 | 131_042 | 131_045 | 133_010)
    )
}
