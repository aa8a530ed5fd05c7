//! What the send operations of all versions share: a message on its way and what is shown of it, files in forms, values
//! of templates, recipients, and messages with something to tap.

pub(crate) mod csv;
pub(crate) mod dry_run;
pub(crate) mod flexible_text;
pub(crate) mod interactive;
pub(crate) mod params;
pub(crate) mod problem;
pub(crate) mod template;
pub(crate) mod upload;

use app::conversations::Entry;
use app::messages::{Operator, SessionBody, SessionSend, SessionSent};
use domain::conversations::Conversation;
use domain::messages::Message;
use domain::messages::{Urgency, check_text, files};
use domain::{MediaId, Timestamp};

use crate::ApiState;
use crate::gate::Caller;

/// A message that was accepted, or would be.
#[derive(Debug)]
pub(crate) struct AcceptedMessage {
    pub entry: Entry,
    pub conversation: Option<Conversation>,
    /// When it is likely to leave; none when it has left.
    pub estimated_at: Option<Timestamp>,
}

/// Accepts a message to one person. A file that nothing came of is taken away again.
pub(crate) async fn send(state: &ApiState, caller: &Caller, asked: SessionSend) -> app::Result<AcceptedMessage> {
    let (dry_run, file) = (asked.dry_run, asked.body.media_id);
    let sent = match state.app.messages().send(caller, asked).await {
        Ok(SessionSent { message, .. }) => Ok(with_context(state, caller, message, dry_run).await),
        Err(error) => Err(error),
    };
    // The same request again, under its key, has the file of the first.
    let used = sent.as_ref().ok().filter(|_| !dry_run).and_then(|sent| sent.entry.message.media_id);
    if let Some(file) = file.filter(|file| used != Some(*file)) {
        discard(state, caller, file).await;
    }
    sent
}

/// Should this not come to pass, the sweep finds the file.
pub(crate) async fn discard(state: &ApiState, caller: &Caller, file: MediaId) {
    if let Err(error) = state.app.media().discard(caller.tenant(), file).await {
        tracing::warn!(%error, "a file that no message has could not be taken away");
    }
}

/// It is accepted: what cannot be looked up about it is left out, and nobody is told that it failed.
pub(crate) async fn with_context(
    state: &ApiState,
    caller: &Caller,
    message: Message,
    dry_run: bool,
) -> AcceptedMessage {
    let estimate = if dry_run {
        let queue = state.app.queue(caller.tenant(), message.channel_id, Urgency::Service, message.created_at).await;
        queue.map(|queue| Some(queue.leaves_at(0)))
    } else {
        state.app.leaves_at(caller.tenant(), message.id).await
    };
    let estimated_at = estimate.unwrap_or_else(|error| {
        tracing::warn!(%error, "when a message leaves could not be estimated");
        None
    });
    match state.app.conversations().shown(caller, message.clone()).await {
        Ok((entry, conversation)) => AcceptedMessage { entry, conversation, estimated_at },
        Err(error) => {
            tracing::warn!(%error, "what is shown of a message could not be read");
            AcceptedMessage { entry: bare(message), conversation: None, estimated_at }
        }
    }
}

fn bare(message: Message) -> Entry {
    let operator = Operator::read(message.operator.as_deref());
    Entry { message, file_name: None, operator, operator_name: None }
}

/// A text that is a message of its own.
pub(crate) fn text(member: &str, text: String) -> app::Result<SessionBody> {
    check_text(&text).map_err(|wrong| app::Error::invalid(member, wrong))?;
    Ok(SessionBody::text(text))
}

/// What may stand below a file.
pub(crate) fn checked_caption(member: &str, caption: Option<&str>) -> app::Result<()> {
    caption.map_or(Ok(()), |caption| files::check_caption(caption).map_err(|flaw| app::Error::invalid(member, flaw)))
}

/// A file, with the caption where the network shows one.
pub(crate) fn file(file: &app::media::File, caption: Option<String>) -> SessionBody {
    let caption = caption.filter(|_| file.kind.takes_caption());
    SessionBody { content: app::media::content(file, caption.as_deref()), text: caption, media_id: Some(file.id) }
}

/// The name of a member in another version's spelling: `custom_params[0].name` is `parameters[0].name`.
pub(crate) fn renamed(path: &str, from: &str, to: &str) -> String {
    match path.strip_prefix(from) {
        Some(rest) if rest.is_empty() || rest.starts_with(['[', '.']) => format!("{to}{rest}"),
        _ => path.to_owned(),
    }
}
