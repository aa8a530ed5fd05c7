//! Statuses of sent messages, and errors of the account.

use domain::messaging::messages::MessageState;

use super::item::Item;
use super::object::{Object, Parsed};
use super::people::{is_for_group, recipient};
use super::{NetworkError, Notification, Status};

pub(super) fn parse(item: &Item<'_>) -> Parsed<Notification> {
    let status = &item.object;
    let reported = status.need_id("status")?;
    let Some(state) = state(&reported) else { return Ok(Notification::Unknown) };
    Ok(Notification::Status(Box::new(Status {
        id: status.need_id("id")?,
        state,
        reported,
        at: status.need_time("timestamp")?,
        recipient: recipient(item)?,
        group_id: group(status)?,
        callback_data: status.text("biz_opaque_callback_data"),
        error: status.first("errors").and_then(|error| NetworkError::parse(&error)),
        pricing: status.json("pricing"),
        conversation: status.json("conversation"),
    })))
}

fn state(reported: &str) -> Option<MessageState> {
    match reported {
        "sent" => Some(MessageState::Sent),
        "delivered" => Some(MessageState::Delivered),
        "read" | "played" => Some(MessageState::Read),
        "failed" => Some(MessageState::Failed),
        _ => None,
    }
}

/// The id of the group that a message was sent to. A status for a whole group has the group as its recipient.
fn group(status: &Object<'_>) -> Parsed<Option<String>> {
    status.id(if is_for_group(status) { "recipient_id" } else { "group_id" })
}

pub(super) fn parse_error(item: &Item<'_>) -> Parsed<Notification> {
    NetworkError::parse(&item.object)
        .map(Notification::Error)
        .ok_or_else(|| item.object.fault("code", "a whole number"))
}

impl NetworkError {
    pub(super) fn parse(error: &Object<'_>) -> Option<Self> {
        let data = error.object("error_data");
        Some(Self {
            code: error.integer("code")?,
            title: error.text("title"),
            message: error.text("message"),
            details: data.and_then(|data| data.text("details")),
            href: error.text("href"),
        })
    }
}
