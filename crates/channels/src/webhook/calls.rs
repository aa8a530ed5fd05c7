//! Call notifications: connect, progress, terminate.

use domain::calls::CallDirection;

use super::item::Item;
use super::object::{Object, Parsed};
use super::{
    CallEvent, CallEventKind, CallOutcome, CallProgress, CallStatusReport, NetworkError, Notification, Person, people,
};

pub(super) fn parse(item: &Item<'_>) -> Parsed<Notification> {
    let call = &item.object;
    let event = match lower(call, "event").as_deref() {
        Some("connect") => CallEventKind::Connect,
        Some("terminate") => CallEventKind::Terminate,
        Some(_) => return Ok(Notification::Unknown),
        None => return Err(call.fault("event", "connect or terminate")),
    };
    let direction = direction(call)?;
    let own = call.first("errors").and_then(|error| NetworkError::parse(&error));
    Ok(Notification::Call(Box::new(CallEvent {
        id: call.need_id("id")?,
        event,
        person: person(item, direction)?,
        direction,
        from: people::phone(call.id("from")?),
        to: people::phone(call.id("to")?),
        at: call.need_time("timestamp")?,
        started: call.time("start_time")?,
        ended: call.time("end_time")?,
        duration: call.integer("duration").filter(|seconds| *seconds >= 0),
        outcome: outcome(call),
        error: own.or_else(|| beside(item)),
        callback_data: call.text("biz_opaque_callback_data"),
        sdp: call.object("session").and_then(|session| session.text("sdp")),
    })))
}

fn lower(call: &Object<'_>, name: &str) -> Option<String> {
    call.text(name).map(|text| text.to_ascii_lowercase())
}

fn direction(call: &Object<'_>) -> Parsed<CallDirection> {
    match call.text("direction").as_deref() {
        Some("USER_INITIATED") => Ok(CallDirection::Inbound),
        Some("BUSINESS_INITIATED") => Ok(CallDirection::Outbound),
        _ => Err(call.fault("direction", "USER_INITIATED or BUSINESS_INITIATED")),
    }
}

fn person(item: &Item<'_>, direction: CallDirection) -> Parsed<Person> {
    let call = &item.object;
    let (phone, user, parent) = match direction {
        CallDirection::Inbound => ("from", "from_user_id", "from_parent_user_id"),
        CallDirection::Outbound => ("to", "to_user_id", "to_parent_user_id"),
    };
    let own = Person {
        wa_id: people::phone(call.id(phone)?),
        user_id: call.id(user)?,
        parent_user_id: call.id(parent)?,
        ..Person::default()
    };
    Ok(own.filled_from(item.contact))
}

fn outcome(call: &Object<'_>) -> Option<CallOutcome> {
    match lower(call, "status")?.as_str() {
        "completed" => Some(CallOutcome::Completed),
        "failed" => Some(CallOutcome::Failed),
        _ => None,
    }
}

/// The first of the `errors` next to a list with a single call.
fn beside(item: &Item<'_>) -> Option<NetworkError> {
    let error = item.errors?.as_array()?.first()?.as_object()?;
    NetworkError::parse(&Object::new(error))
}

pub(super) fn parse_status(item: &Item<'_>) -> Parsed<Notification> {
    let status = &item.object;
    let progress = match lower(status, "status").as_deref() {
        Some("ringing") => CallProgress::Ringing,
        Some("accepted") => CallProgress::Accepted,
        Some("rejected") => CallProgress::Rejected,
        Some(_) => return Ok(Notification::Unknown),
        None => return Err(status.fault("status", "text")),
    };
    Ok(Notification::CallStatus(CallStatusReport {
        id: status.need_id("id")?,
        status: progress,
        at: status.need_time("timestamp")?,
        recipient: people::recipient(item)?,
        callback_data: status.text("biz_opaque_callback_data"),
    }))
}
