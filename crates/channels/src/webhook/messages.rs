//! Messages from people: the members common to all types, and a text for each type.

use super::item::Item;
use super::object::{Object, Parsed};
use super::{Context, Media, Message, NetworkError, Notification, people};

pub(super) fn parse(item: &Item<'_>) -> Parsed<Notification> {
    let message = &item.object;
    let kind = message.need_id("type")?;
    let from = people::sender(item)?;
    if from.has_no_id() {
        return Err(message.fault("from", "a phone number, or from_user_id"));
    }
    Ok(Notification::Message(Box::new(Message {
        id: message.need_id("id")?,
        from,
        at: message.need_time("timestamp")?,
        text: text(message, &kind),
        payload: payload(message, &kind),
        target: target(message, &kind)?,
        media: media(message, &kind)?,
        context: message.object("context").map(|context| parse_context(&context)).transpose()?,
        group_id: message.id("group_id")?,
        error: message.first("errors").and_then(|error| NetworkError::parse(&error)),
        content: item.raw.to_owned(),
        kind,
    })))
}

fn text(message: &Object<'_>, kind: &str) -> Option<String> {
    let content = message.object(kind)?;
    match kind {
        "text" | "system" => content.text("body"),
        "image" | "video" | "audio" | "document" => content.text("caption"),
        "button" | "order" => content.text("text"),
        "reaction" => content.text("emoji"),
        "interactive" => interactive_text(&content),
        "edit" => {
            let edited = content.object("message")?;
            let kind = edited.text("type").filter(|kind| kind != "edit")?;
            text(&edited, &kind)
        }
        _ => None,
    }
}

fn interactive_text(interactive: &Object<'_>) -> Option<String> {
    let kind = interactive.text("type")?;
    let reply = interactive.object(&kind)?;
    match kind.as_str() {
        "nfm_reply" => reply.text("body"),
        "call_permission_reply" => reply.text("response"),
        _ => reply.text("title"),
    }
}

fn payload(message: &Object<'_>, kind: &str) -> Option<String> {
    let content = message.object(kind)?;
    match kind {
        "button" => content.text("payload"),
        "interactive" => {
            let kind = content.text("type")?;
            let reply = content.object(&kind)?;
            if kind == "nfm_reply" { reply.text("response_json") } else { reply.text("id") }
        }
        _ => None,
    }
}

fn target(message: &Object<'_>, kind: &str) -> Parsed<Option<String>> {
    let member = match kind {
        "reaction" => "message_id",
        "edit" | "revoke" => "original_message_id",
        _ => return Ok(None),
    };
    message.object(kind).map_or(Ok(None), |content| content.id(member))
}

fn media(message: &Object<'_>, kind: &str) -> Parsed<Option<Media>> {
    if !matches!(kind, "image" | "video" | "audio" | "document" | "sticker") {
        return Ok(None);
    }
    let Some(content) = message.object(kind) else { return Ok(None) };
    let Some(id) = content.id("id")? else { return Ok(None) };
    Ok(Some(Media {
        id,
        mime_type: content.text("mime_type"),
        sha256: content.text("sha256"),
        filename: content.text("filename"),
        voice: content.flag("voice"),
    }))
}

fn parse_context(context: &Object<'_>) -> Parsed<Context> {
    Ok(Context {
        id: context.id("id")?,
        from: people::phone(context.id("from")?),
        forwarded: context.flag("forwarded"),
        frequently_forwarded: context.flag("frequently_forwarded"),
    })
}
