//! Read marks and typing indicators for a message of a person. A typing indicator has no effect of its own: every such
//! request marks the message as read.

use app::messaging::channels::OpenedChannel;
use store::platform::sandbox::messages;

use crate::graph::answer;
use crate::graph::error::{GraphError, GraphResult, Refusal};
use crate::graph::parts::{Checked, Part};
use crate::{Reply, Sandbox};

#[derive(Debug)]
pub struct Mark {
    message_id: String,
}

impl Mark {
    pub fn parse(root: &Part<'_>) -> Checked<Self> {
        root.word("status", &["read"])?;
        if let Some(typing) = root.opt_object("typing_indicator")? {
            typing.word("type", &["text"])?;
        }
        Ok(Self { message_id: root.text("message_id")?.to_owned() })
    }
}

pub async fn post(sandbox: &Sandbox, opened: OpenedChannel, mark: Mark) -> GraphResult<Reply> {
    let input = (opened.tenant, opened.channel.id, mark.message_id, sandbox.now());
    let marked = sandbox.db().write(input, |tx, (tenant, channel, id, now)| {
        Box::pin(async move {
            let known = messages::by_id_in(tx, *tenant, *channel, id).await?.filter(|message| message.from_person);
            let Some(message) = known else {
                return Err(Refusal::from(GraphError::invalid("message_id", "there is no message with this id")));
            };
            let read_at = message.read_at.or(Some(*now));
            messages::set_times(tx, *tenant, *channel, id, message.received_at, read_at).await?;
            Ok(())
        })
    });
    marked.await.map(|()| answer::success())
}
