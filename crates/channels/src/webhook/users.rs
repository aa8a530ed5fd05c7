//! Notifications about people: changed numbers and BSUIDs, marketing preferences, link clicks.

use super::item::Item;
use super::object::{Object, Parsed};
use super::{LinkClick, Notification, Person, Preference, UserIdChange, people};

/// A change of number or BSUID that arrives as a system message. `None` for other system messages.
///
/// The message's own members name the person before the change, those in `system` after it.
pub(super) fn parse_system_message(item: &Item<'_>) -> Parsed<Option<UserIdChange>> {
    let message = &item.object;
    let Some(system) = message.object("system") else { return Ok(None) };
    let changes = ["user_changed_number", "customer_changed_number", "user_changed_user_id"];
    if !system.text("type").is_some_and(|kind| changes.contains(&kind.as_str())) {
        return Ok(None);
    }
    let was = people::sender(item)?;
    let wa_id = people::phone(system.id("wa_id")?.or(system.id("new_wa_id")?));
    let person = Person {
        wa_id: wa_id.or_else(|| was.wa_id.clone()),
        user_id: system.id("user_id")?.or_else(|| was.user_id.clone()),
        parent_user_id: system.id("parent_user_id")?.or_else(|| was.parent_user_id.clone()),
        username: was.username.clone(),
        name: was.name.clone(),
    };
    if person.has_no_id() {
        return Err(system.fault("wa_id", "the new phone number, or user_id"));
    }
    Ok(Some(UserIdChange {
        previous: previous_ids(&system, &was, &person)?,
        previous_wa_id: was.wa_id.filter(|wa_id| Some(wa_id) != person.wa_id.as_ref()),
        person,
        at: message.need_time("timestamp")?,
        message_id: Some(message.need_id("id")?),
    }))
}

fn previous_ids(system: &Object<'_>, was: &Person, now: &Person) -> Parsed<Vec<String>> {
    let named =
        [system.id("previous_user_id")?, was.user_id.clone(), was.parent_user_id.clone(), previous_id_in_text(system)];
    let mut previous: Vec<String> = Vec::new();
    for id in named.into_iter().flatten() {
        let current = now.user_id.as_ref() == Some(&id) || now.parent_user_id.as_ref() == Some(&id);
        if !current && !previous.contains(&id) {
            previous.push(id);
        }
    }
    Ok(previous)
}

/// The network names the old BSUID only in the text: `… changed from US.1 to US.2`.
fn previous_id_in_text(system: &Object<'_>) -> Option<String> {
    let body = system.text("body")?;
    let (_, change) = body.rsplit_once(" changed from ")?;
    let (old, _) = change.split_once(" to ")?;
    old.trim().parse::<domain::people::bsuid::Bsuid>().ok().map(|old| old.as_str().to_owned())
}

/// `{"user_id": {"previous": …, "current": …}, "parent_user_id": {…}}`
pub(super) fn parse_id_update(item: &Item<'_>) -> Parsed<Notification> {
    let update = &item.object;
    let (previous, current) = pair(update, "user_id")?;
    let (previous_parent, parent) = pair(update, "parent_user_id")?;
    if current.is_none() && parent.is_none() {
        return Err(update.fault("user_id.current", "text"));
    }
    // The contact next to the update may still have the old ids.
    let contact = item.contact.map(|contact| Person { user_id: None, parent_user_id: None, ..contact.clone() });
    let own = Person {
        wa_id: people::phone(update.id("wa_id")?),
        user_id: current,
        parent_user_id: parent,
        ..Person::default()
    };
    Ok(Notification::UserIdChange(UserIdChange {
        person: own.filled_from(contact.as_ref()),
        previous: [previous, previous_parent].into_iter().flatten().collect(),
        previous_wa_id: None,
        at: update.need_time("timestamp")?,
        message_id: None,
    }))
}

/// The previous and the current id. An unchanged parent is a plain string.
fn pair(update: &Object<'_>, name: &str) -> Parsed<(Option<String>, Option<String>)> {
    match update.object(name) {
        Some(ids) => Ok((ids.id("previous")?, ids.id("current")?)),
        None => Ok((None, update.id(name)?)),
    }
}

pub(super) fn parse_preference(item: &Item<'_>) -> Parsed<Notification> {
    let preference = &item.object;
    let value = preference.need_id("value")?.to_ascii_lowercase();
    let own = Person {
        wa_id: people::phone(preference.id("wa_id")?),
        user_id: preference.id("user_id")?,
        parent_user_id: preference.id("parent_user_id")?,
        ..Person::default()
    };
    let person = own.filled_from(item.contact);
    if person.has_no_id() {
        return Err(preference.fault("wa_id", "a phone number, or user_id"));
    }
    let allowed = match value.as_str() {
        "stop" => false,
        "resume" | "signup" => true,
        _ => return Ok(Notification::Unknown),
    };
    Ok(Notification::Preference(Preference {
        person,
        category: preference.need_id("category")?,
        value,
        allowed,
        at: preference.need_time("timestamp")?,
        detail: preference.text("detail"),
    }))
}

pub(super) fn parse_action(item: &Item<'_>) -> Parsed<Notification> {
    let action = &item.object;
    let kind = action.need_id("action_type")?;
    // A landing page view has its data under the same name as the click before it.
    let Some(data) = action.object("marketing_messages_link_click_data") else { return Ok(Notification::Unknown) };
    let own = Person {
        wa_id: people::phone(action.id("wa_id")?),
        user_id: action.id("user_id")?,
        parent_user_id: action.id("parent_user_id")?,
        ..Person::default()
    };
    Ok(Notification::LinkClick(LinkClick {
        person: own.filled_from(item.contact),
        message_id: action.id("message_id")?.or(data.id("message_id")?),
        action: kind,
        click_id: data.id("click_id")?,
        tracking_token: data.text("tracking_token"),
        at: action.need_time("timestamp")?,
        content: item.raw.to_owned(),
    }))
}
