//! What became of messages and payments; errors of the account.

use channels::webhook::{Amount, PaymentReport, Status, What};
use domain::messages::State;
use serde_json::{Value, json};

use super::bodies::change;
use super::{only_of, record, seconds};

fn status(name: &str) -> Status {
    match record(name).what {
        What::Status(status) => *status,
        other => panic!("{name}: {other:?}"),
    }
}

fn payment(name: &str) -> PaymentReport {
    match record(name).what {
        What::Payment(payment) => *payment,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn each_state() {
    let cases = [
        ("status_sent", State::Sent, "sent"),
        ("status_delivered", State::Delivered, "delivered"),
        ("status_read", State::Read, "read"),
        ("status_played", State::Read, "played"),
        ("status_failed", State::Failed, "failed"),
    ];
    for (name, state, reported) in cases {
        let status = status(name);
        assert_eq!((status.state, status.reported.as_str()), (state, reported), "{name}");
        assert_eq!(status.recipient.wa_id.as_deref(), Some("14155552671"), "{name}");
        assert!(status.id.starts_with("wamid."), "{name}");
    }
}

#[test]
fn sent_carries_callback_data_price_and_conversation() {
    let sent = status("status_sent");
    assert_eq!(sent.at, seconds(1_776_162_691));
    assert_eq!(sent.callback_data.as_deref(), Some("message=665f1c"));
    let pricing: Value = serde_json::from_str(&sent.pricing.unwrap()).unwrap();
    assert_eq!(pricing["category"], "utility");
    let conversation: Value = serde_json::from_str(&sent.conversation.unwrap()).unwrap();
    assert_eq!(conversation["origin"]["type"], "utility");
    assert_eq!(sent.error, None);
}

#[test]
fn failed_says_why() {
    let error = status("status_failed").error.unwrap();
    assert_eq!(error.code, 131_047);
    assert_eq!(error.title.as_deref(), Some("Re-engagement message"));
    assert!(error.details.unwrap().contains("24 hours"));
}

#[test]
fn recipients_without_a_number_and_in_groups() {
    let recipient = status("status_delivered_username").recipient;
    assert_eq!((recipient.wa_id, recipient.user_id.as_deref()), (None, Some("US.20719906280354112233")));
    assert_eq!(recipient.username.as_deref(), Some("grace.hopper"));
    let grouped = status("status_group");
    assert!(grouped.group_id.unwrap().starts_with("Y2Fw"));
    assert_eq!(grouped.recipient.wa_id.as_deref(), Some("14155552671"));
}

#[test]
fn payments() {
    let captured = payment("payment_captured");
    assert_eq!((captured.reference_id.as_str(), captured.status.as_str()), ("order-2026-0417", "captured"));
    assert_eq!(captured.amount, Some(Amount { value: 2150, offset: 100 }));
    assert_eq!(captured.currency.as_deref(), Some("BRL"));
    let transaction = captured.transaction.unwrap();
    assert_eq!(transaction.id.as_deref(), Some("tx-88120045"));
    assert_eq!((transaction.kind.as_deref(), transaction.status.as_deref()), (Some("pix"), Some("success")));
    let failed = payment("payment_failed").transaction.unwrap();
    assert_eq!(failed.error.as_deref(), Some("Debit has failed"));
}

#[test]
fn errors_of_the_account() {
    match record("errors").what {
        What::Error(error) => assert_eq!(error.code, 130_429),
        other => panic!("{other:?}"),
    }
}

#[test]
fn states_and_kinds_that_are_new_to_us_are_unknown() {
    let base =
        json!({"id": "wamid.1", "status": "sent", "timestamp": 1_776_160_861, "recipient_id": 14_155_552_671_i64});
    for (member, word) in [("status", "deleted"), ("status", "warning"), ("type", "poll")] {
        let mut status = base.clone();
        status[member] = word.into();
        assert_eq!(only_of(&change("messages", &json!({"statuses": [status]}))).what, What::Unknown, "{word}");
    }
    match only_of(&change("messages", &json!({"statuses": [base]}))).what {
        What::Status(status) => assert_eq!(status.recipient.wa_id.as_deref(), Some("14155552671")),
        other => panic!("{other:?}"),
    }
}
