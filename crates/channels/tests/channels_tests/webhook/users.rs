//! Changed ids of people, their marketing preferences, and their clicks on links.

use channels::webhook::{Notification, Preference, UserIdChange};

use super::{record, seconds};

fn id_change(name: &str) -> UserIdChange {
    match record(name).notification {
        Notification::UserIdChange(change) => change,
        other => panic!("{name}: {other:?}"),
    }
}

fn preference(name: &str) -> Preference {
    match record(name).notification {
        Notification::Preference(preference) => preference,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn another_number() {
    let change = id_change("system_changed_number");
    assert_eq!(change.previous_wa_id.as_deref(), Some("14155552671"));
    assert_eq!(change.person.wa_id.as_deref(), Some("14155552999"));
    assert_eq!(change.person.user_id.as_deref(), Some("US.30045511226677889900"));
    assert!(change.message_id.unwrap().starts_with("wamid."));
    assert_eq!(change.previous, Vec::<String>::new());
}

#[test]
fn another_bsuid_named_in_the_text() {
    let change = id_change("system_changed_user_id");
    assert_eq!(change.person.user_id.as_deref(), Some("US.40088112233445566778"));
    assert_eq!(change.previous, ["US.20719906280354112233"]);
    assert_eq!((change.person.wa_id, change.previous_wa_id), (None, None));
}

#[test]
fn another_bsuid_named_in_members() {
    let change = id_change("user_id_update");
    assert_eq!(change.person.user_id.as_deref(), Some("US.30045511226677889900"));
    assert_eq!(change.person.parent_user_id.as_deref(), Some("US.ENT.11815799212886849999"));
    assert_eq!(change.person.wa_id.as_deref(), Some("14155552671"));
    assert_eq!(change.person.name.as_deref(), Some("Ada Lovelace"));
    assert_eq!(change.previous, ["US.13491208655302741918", "US.ENT.11815799212886844830"]);
    assert_eq!(change.message_id, None);
}

#[test]
fn preferences() {
    let stop = preference("preference_stop");
    assert_eq!((stop.allowed, stop.value.as_str(), stop.category.as_str()), (false, "stop", "marketing_messages"));
    assert_eq!(stop.person.wa_id.as_deref(), Some("14155552671"));
    assert_eq!(stop.at, seconds(1_776_163_728));
    assert!(stop.detail.is_some());
    let resume = preference("preference_resume");
    assert!(resume.allowed);
    assert_eq!((resume.person.wa_id, resume.person.username.as_deref()), (None, Some("grace.hopper")));
}

#[test]
fn link_clicks() {
    match record("link_click").notification {
        Notification::LinkClick(click) => {
            assert_eq!(click.action, "marketing_messages_link_click");
            assert_eq!(click.click_id.as_deref(), Some("ARAkLkA8rmlFeiCktEJQ"));
            assert_eq!(click.tracking_token.as_deref(), Some("dHJhY2tpbmc"));
            assert!(click.content.contains("\"cta\""));
        }
        other => panic!("{other:?}"),
    }
}
