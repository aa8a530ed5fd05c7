//! Notifications about templates, numbers and the account, and notifications of unknown types.

use channels::webhook::{AccountUpdate, Notification, NumberName, NumberQuality, TemplateCategory, TemplateQuality};

use super::{record, seconds};

#[test]
fn template_status() {
    let read = |name| match record(name).notification {
        Notification::TemplateStatus(status) => status,
        other => panic!("{name}: {other:?}"),
    };
    let approved = read("template_approved");
    assert_eq!((approved.id.as_str(), approved.name.as_str()), ("1689556908129832", "order_confirmation"));
    assert_eq!((approved.language.as_str(), approved.event.as_str()), ("en_US", "APPROVED"));
    assert_eq!((approved.reason, approved.category.as_deref()), (None, Some("UTILITY")));
    let rejected = read("template_rejected");
    assert_eq!(rejected.reason.as_deref(), Some("INVALID_FORMAT"));
    assert!(rejected.detail.unwrap().contains("variable"));
    assert!(read("template_paused").detail.unwrap().contains("3 hours"));
    assert_eq!(record("template_approved").at_entry, Some(seconds(1_776_168_000)));
    assert_eq!(record("template_approved").number, None);
}

#[test]
fn template_quality_and_category() {
    let notification = record("template_quality").notification;
    let scores = |notification: &Notification| match notification {
        Notification::TemplateQuality(TemplateQuality { previous, new, .. }) => {
            (previous.clone().unwrap(), new.clone())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(scores(&notification), ("GREEN".to_owned(), "YELLOW".to_owned()));
    let categories = |name| match record(name).notification {
        Notification::TemplateCategory(TemplateCategory { previous, new, correct, .. }) => (previous, new, correct),
        other => panic!("{name}: {other:?}"),
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(categories("template_category"), (some("UTILITY"), "MARKETING".to_owned(), None));
    assert_eq!(categories("template_category_notice"), (None, "UTILITY".to_owned(), some("MARKETING")));
}

#[test]
fn numbers_and_the_account() {
    let some = |text: &str| Some(text.to_owned());
    let quality = NumberQuality {
        display_phone_number: "14155550100".to_owned(),
        event: "UPGRADE".to_owned(),
        current_limit: some("TIER_10K"),
        previous_limit: some("TIER_1K"),
    };
    assert_eq!(record("number_quality").notification, Notification::NumberQuality(quality));
    let name = NumberName {
        display_phone_number: "14155550100".to_owned(),
        decision: "APPROVED".to_owned(),
        requested_name: some("Kettles & Co"),
        reason: None,
    };
    assert_eq!(record("number_name").notification, Notification::NumberName(name));
    match record("account_restriction").notification {
        Notification::Account(AccountUpdate { event, content }) => {
            assert_eq!(event, "ACCOUNT_RESTRICTION");
            assert!(content.contains("restriction_info"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn other_fields_are_unknown_and_kept() {
    for (name, field) in [
        ("account_alert", "account_alerts"),
        ("smb_message_echo", "smb_message_echoes"),
        ("history", "history"),
        ("group_create", "group_lifecycle_update"),
    ] {
        let record = record(name);
        assert_eq!((&record.notification, record.field.as_str()), (&Notification::Unknown, field), "{name}");
    }
    assert!(record("smb_message_echo").envelope().contains("Written in the app"));
}
