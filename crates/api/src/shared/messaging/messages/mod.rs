//! What the send operations of all versions share: accepting a message, files in forms, values of templates,
//! recipients, and interactive messages.

pub(crate) mod csv;
mod discard;
pub(crate) mod dry_run;
pub(crate) mod flexible_text;
pub(crate) mod interactive;
pub(crate) mod params;
pub(crate) mod problem;
pub(crate) mod template;
pub(crate) mod upload;

use app::inbox::conversations::HistoryEntry;
use app::messaging::messages::{AcceptedSessionMessage, SessionBody, SessionSend};
use domain::Place;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{Message, Urgency, check_text, files};

use crate::prelude::*;
pub(crate) use discard::discard;

/// A message that was accepted, or would be in a dry run.
#[derive(Debug)]
pub(crate) struct AcceptedMessage {
    pub entry: HistoryEntry,
    pub conversation: Option<Conversation>,
    /// When the message is expected to be sent. None if it has been sent already, or if the estimate failed.
    pub estimated_at: Option<Timestamp>,
}

/// Accepts a message to one person. After a refusal, a dry run or a repeated request its file is deleted again, unless
/// another message or a canned reply uses it.
pub(crate) async fn send(state: &ApiState, caller: &Caller, asked: SessionSend) -> app::Result<AcceptedMessage> {
    let (dry_run, file) = (asked.dry_run, asked.body.media_id);
    let sent = match state.app.messaging().messages().send(caller, asked).await {
        Ok(AcceptedSessionMessage { message, .. }) => Ok(with_context(state, caller, message, dry_run).await),
        Err(error) => Err(error),
    };
    // A repeated request under its idempotency key gets the first message, which has the first request's file.
    let used = sent.as_ref().ok().filter(|_| !dry_run).and_then(|sent| sent.entry.message.media_id);
    if let Some(file) = file.filter(|file| used != Some(*file)) {
        discard(state, caller, file).await;
    }
    sent
}

/// Adds conversation, file, operator and expected sending time to an accepted message, for the answer. A failed look-up
/// leaves members out: the message is accepted, so the answer must not be an error.
pub(crate) async fn with_context(
    state: &ApiState,
    caller: &Caller,
    message: Message,
    dry_run: bool,
) -> AcceptedMessage {
    let estimate = if dry_run {
        let queue = state
            .app
            .messaging()
            .estimate_queue(caller, message.channel_id, Urgency::Service, message.created_at)
            .await;
        queue.map(|queue| Some(queue.send_time(0)))
    } else {
        state.app.messaging().estimate_send_time(caller, message.id).await
    };
    let estimated_at = estimate.unwrap_or_else(|error| {
        tracing::warn!(%error, "the sending time of a message could not be estimated");
        None
    });
    match state.app.inbox().conversations().history_entry(caller, message.clone()).await {
        Ok((entry, conversation)) => AcceptedMessage { entry, conversation, estimated_at },
        Err(error) => {
            tracing::warn!(%error, "the details of an accepted message could not be read");
            AcceptedMessage { entry: bare(message), conversation: None, estimated_at }
        }
    }
}

fn bare(message: Message) -> HistoryEntry {
    HistoryEntry { message, data: None, file: None, template: None, operator_name: None }
}

/// Checks the text and makes it a message.
pub(crate) fn text(member: &str, text: String) -> app::Result<SessionBody> {
    check_text(&text).map_err(|wrong| app::Error::invalid(Place::named(member), wrong))?;
    Ok(SessionBody::text(text))
}

/// Checks the caption of a file.
pub(crate) fn check_caption(member: &str, caption: Option<&str>) -> app::Result<()> {
    caption.map_or(Ok(()), |caption| {
        files::check_caption(caption).map_err(|problem| app::Error::invalid(Place::named(member), problem))
    })
}

/// Makes a stored file a message. The caption is dropped for kinds of files with which the network shows none.
pub(crate) fn file(file: &app::messaging::media::StoredFile, caption: Option<String>) -> SessionBody {
    let caption = caption.filter(|_| file.kind.takes_caption());
    SessionBody {
        content: app::messaging::media::content(file, caption.as_deref()),
        text: caption,
        media_id: Some(file.id),
    }
}
