//! Read receipts: shows the person that a message was read (blue ticks), and that the business is typing.

use channels::graph::{Class, GraphError};
use domain::Field;

use super::Conversations;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Cause, Error, Result};

#[boxed::futures]
impl Conversations<'_> {
    /// Marks the person's last message, and those before it, as read on the network. With `typing` the network also
    /// shows that the business is typing, for 25 seconds or until the next message. False when the person has written
    /// nothing. The request is sent at once, without the outbox, and not tried again: the next receipt makes up for a
    /// lost one.
    pub async fn send_receipt(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        typing: bool,
    ) -> Result<bool> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = find_conversation(db, tenant, target).await?;
        let Some(message) = store::messaging::messages::last_received(db, tenant, conversation.id).await? else {
            return Ok(false);
        };
        let opened = self.0.messaging().channels().open(tenant, conversation.channel_id).await?;
        let graph = self.0.messaging().channels().graph(&opened)?;
        graph.mark_read(&message, typing).await.map_err(|error| refused(&error))?;
        Ok(true)
    }
}

fn refused(error: &GraphError) -> Error {
    let cause = if error.class == Class::Refuse { Cause::NetworkRefused } else { Cause::NetworkUnavailable };
    Error::refused(cause, Field::Target, format!("the network did not accept it: {}", error.reason))
}
