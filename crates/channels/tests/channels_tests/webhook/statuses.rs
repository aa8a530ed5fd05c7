//! Statuses of messages and payments, and errors of the account.

use channels::webhook::{Amount, Notification, PaymentReport, Refund, Status};
use domain::messaging::messages::MessageState;
use serde_json::{Value, json};

use super::bodies::change;
use super::{only_of, record, seconds};

fn status(name: &str) -> Status {
    match record(name).notification {
        Notification::Status(status) => *status,
        other => panic!("{name}: {other:?}"),
    }
}

fn payment(name: &str) -> PaymentReport {
    match record(name).notification {
        Notification::Payment(payment) => *payment,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn each_state() {
    let cases = [
        ("status_sent", MessageState::Sent, "sent"),
        ("status_delivered", MessageState::Delivered, "delivered"),
        ("status_read", MessageState::Read, "read"),
        ("status_played", MessageState::Read, "played"),
        ("status_failed", MessageState::Failed, "failed"),
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
    assert_eq!(
        (transaction.created, transaction.updated),
        (Some(seconds(1_776_160_700)), Some(seconds(1_776_160_790)))
    );
    let failed = payment("payment_failed").transaction.unwrap();
    let error = failed.error.unwrap();
    assert_eq!((error.code.as_deref(), error.reason.as_deref()), (Some("U30"), Some("Debit has failed")));
}

#[test]
fn refunded_payments() {
    let report = payment("payment_refunded");
    let transaction = report.transaction.unwrap();
    assert_eq!((report.status.as_str(), transaction.status.as_deref()), ("captured", Some("success")));
    assert_eq!((transaction.method.as_deref(), transaction.currency.as_deref()), (Some("upi"), Some("INR")));
    assert_eq!(transaction.amount, Some(Amount { value: 21_000, offset: 100 }));
    let refund = |id: &str, status: &str, value| Refund {
        id: id.to_owned(),
        status: status.to_owned(),
        amount: Some(Amount { value, offset: 100 }),
    };
    let refunds = [refund("rfnd_Kx81", "completed", 20_000), refund("rfnd_Kx82", "pending", 1000)];
    assert_eq!(transaction.refunds, refunds);
}

/// The notification of a payment in which the value at `pointer`, inside of the status object, is replaced.
fn with(pointer: &str, value: &Value) -> Notification {
    let mut status = json!({"id": "wamid.1", "type": "payment", "status": "captured", "timestamp": "1776163118",
        "recipient_id": "14155552671", "payment": {"reference_id": "order-1", "currency": "INR",
        "amount": {"value": 100, "offset": 100}, "transaction": {"id": "t1", "type": "upi", "status": "success",
        "amount": {"value": 100, "offset": 100}, "method": {"type": "upi"}, "refunds": [{"id": "r1",
        "status": "completed", "amount": {"value": 100, "offset": 100}}]}}});
    *status.pointer_mut(pointer).unwrap() = value.clone();
    only_of(&change("messages", &json!({"statuses": [status]}))).notification
}

#[test]
fn malformed_amounts_are_poison() {
    for (pointer, value) in [
        ("/payment/amount", json!(100)),
        ("/payment/amount/value", json!(100.5)),
        ("/payment/amount/value", json!(-1)),
        ("/payment/amount/value", json!("9223372036854775808")),
        ("/payment/amount/offset", json!(0)),
        ("/payment/transaction/amount/value", json!("much")),
        ("/payment/transaction/refunds/0/amount/value", json!(-100)),
        ("/payment/transaction/refunds/0/id", json!(null)),
        ("/payment/transaction/refunds/0", json!("r1")),
        ("/payment/transaction/refunds", json!({})),
        ("/payment/reference_id", json!("")),
        ("/status", json!({})),
    ] {
        let place = pointer[1..].replace("/0", "[0]").replace('/', ".");
        match with(pointer, &value) {
            Notification::Poison { reason } => assert!(reason.contains(&place), "{pointer} {value}: {reason}"),
            other => panic!("{pointer} {value}: {other:?}"),
        }
    }
}

#[test]
fn absent_members_of_a_payment() {
    for pointer in [
        "/payment/amount",
        "/payment/currency",
        "/payment/transaction",
        "/payment/transaction/refunds",
        "/payment/transaction/method",
        "/payment/transaction/amount",
        "/payment/transaction/id",
    ] {
        assert!(matches!(with(pointer, &json!(null)), Notification::Payment(_)), "{pointer}");
    }
    let Notification::Payment(report) = with("/payment/transaction/method", &json!("card")) else { panic!() };
    assert_eq!(report.transaction.unwrap().method.as_deref(), Some("card"));
}

#[test]
fn errors_of_the_account() {
    match record("errors").notification {
        Notification::Error(error) => assert_eq!(error.code, 130_429),
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_states_and_kinds_are_unknown() {
    let base =
        json!({"id": "wamid.1", "status": "sent", "timestamp": 1_776_160_861, "recipient_id": 14_155_552_671_i64});
    for (member, word) in [("status", "deleted"), ("status", "warning"), ("type", "poll")] {
        let mut status = base.clone();
        status[member] = word.into();
        assert_eq!(
            only_of(&change("messages", &json!({"statuses": [status]}))).notification,
            Notification::Unknown,
            "{word}"
        );
    }
    match only_of(&change("messages", &json!({"statuses": [base]}))).notification {
        Notification::Status(status) => assert_eq!(status.recipient.wa_id.as_deref(), Some("14155552671")),
        other => panic!("{other:?}"),
    }
}
