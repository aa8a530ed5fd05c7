//! Stories of payments and their final states.

use domain::commerce::money::Amount;
use domain::commerce::payments::{
    CancelRefused, Change, Conflict, Ledger, LookupAnswer, Money, OrderEvent, PaymentFact, PaymentSource,
    PaymentStatus, Transaction, TransactionStatus, WebhookReport, changes, events_of,
};
use serde_json::json;

use crate::payments::{
    ASKED, at, canceled, lookup, lookup_of_nothing, marked, ordered, paid, payment_of, refunded, transaction, webhook,
};

fn conflict(facts: &[PaymentFact]) -> Conflict {
    payment_of(facts).conflict.unwrap_or_default()
}

#[test]
fn a_webhook_waits_for_the_look_up() {
    let mut facts = vec![ordered()];
    assert_eq!((payment_of(&facts).status, payment_of(&facts).pending_confirmation), (PaymentStatus::Pending, None));
    facts.push(webhook(20, PaymentStatus::Captured, Some(paid("t1", 20))));
    let waiting = payment_of(&facts);
    assert_eq!((waiting.status, waiting.pending_confirmation), (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
    assert_eq!(
        (waiting.transactions[0].status, waiting.transactions[0].confirmed),
        (TransactionStatus::Success, false)
    );
    facts.push(lookup(21, PaymentStatus::Captured, vec![paid("t1", 20)]));
    let state = payment_of(&facts);
    assert_eq!((state.status, state.pending_confirmation, state.conflict), (PaymentStatus::Captured, None, None));
    assert_eq!((state.captured_at, state.as_of), (Some(at(20)), Some(at(21))));
    assert_eq!(state.sources, [PaymentSource::Business, PaymentSource::Webhook, PaymentSource::Lookup]);
    assert!(state.transactions[0].confirmed);
}

#[test]
fn a_lost_webhook_is_found_and_a_late_one_changes_nothing() {
    let mut facts = vec![ordered(), lookup(900, PaymentStatus::Captured, vec![paid("t1", 20)])];
    let found = payment_of(&facts);
    assert_eq!(
        (found.status, found.pending_confirmation, found.captured_at),
        (PaymentStatus::Captured, None, Some(at(20)))
    );
    facts.push(webhook(20, PaymentStatus::Captured, Some(paid("t1", 20))));
    assert_eq!(changes(&found, &payment_of(&facts)), []);
}

#[test]
fn a_failed_and_a_successful_attempt() {
    let no = || transaction("t0", 10, TransactionStatus::Failed);
    let mut facts = vec![ordered(), webhook(10, PaymentStatus::Failed, Some(no()))];
    assert_eq!(
        (payment_of(&facts).status, payment_of(&facts).pending_confirmation),
        (PaymentStatus::Pending, Some(PaymentStatus::Failed))
    );
    facts.push(lookup(11, PaymentStatus::Failed, vec![no()]));
    assert_eq!((payment_of(&facts).status, payment_of(&facts).pending_confirmation), (PaymentStatus::Failed, None));
    facts.push(lookup(30, PaymentStatus::Captured, vec![no(), paid("t1", 20)]));
    let state = payment_of(&facts);
    assert_eq!((state.status, state.conflict), (PaymentStatus::Captured, None));
    let statuses: Vec<_> = state.transactions.iter().map(|one| (one.id.as_str(), one.status)).collect();
    assert_eq!(statuses, [("t0", TransactionStatus::Failed), ("t1", TransactionStatus::Success)]);
}

#[test]
fn paid_twice_is_shown_and_the_second_is_confirmed_on_its_own() {
    let mut facts = vec![ordered(), lookup(20, PaymentStatus::Captured, vec![paid("t1", 20)])];
    facts.push(webhook(40, PaymentStatus::Captured, Some(paid("t2", 40))));
    let state = payment_of(&facts);
    assert_eq!((state.status, state.pending_confirmation), (PaymentStatus::Captured, Some(PaymentStatus::Captured)));
    assert_eq!(state.conflict.unwrap().captured_twice, ["t1", "t2"]);
    facts.push(lookup(41, PaymentStatus::Captured, vec![paid("t1", 20), paid("t2", 40)]));
    let state = payment_of(&facts);
    assert_eq!((state.pending_confirmation, state.conflict.unwrap().captured_twice.len()), (None, 2));
    // One of the two payments is returned: the order stays paid, and the conflict stays visible.
    facts.push(lookup(90, PaymentStatus::Captured, vec![refunded("t2", 80, None), paid("t1", 20)]));
    let state = payment_of(&facts);
    assert_eq!((state.status, state.conflict.unwrap().captured_twice.len()), (PaymentStatus::Captured, 2));
    facts.push(lookup(99, PaymentStatus::Captured, vec![refunded("t1", 95, Some(ASKED))]));
    assert_eq!(payment_of(&facts).status, PaymentStatus::Refunded);
}

#[test]
fn refunds_whole_in_parts_and_by_the_business() {
    let capture = lookup(20, PaymentStatus::Captured, vec![paid("t1", 20)]);
    let part = |value| lookup(30, PaymentStatus::Captured, vec![refunded("t1", 30, Some(Amount::new(value)))]);
    for (value, status) in
        [(20_999, PaymentStatus::Captured), (21_000, PaymentStatus::Refunded), (21_001, PaymentStatus::Refunded)]
    {
        assert_eq!(payment_of(&[ordered(), capture.clone(), part(value)]).status, status, "{value}");
    }
    assert_eq!(payment_of(&[ordered(), marked(5, PaymentStatus::Refunded)]).status, PaymentStatus::Refunded);
    let claimed = webhook(30, PaymentStatus::Captured, Some(refunded("t1", 30, None)));
    let state = payment_of(&[ordered(), capture, claimed]);
    assert_eq!((state.status, state.pending_confirmation), (PaymentStatus::Captured, Some(PaymentStatus::Refunded)));
    // A partial refund of an unknown amount is not a full one.
    let mut unknown = refunded("t1", 30, Some(Amount::new(5)));
    unknown.money = None;
    assert_eq!(payment_of(&[lookup(30, PaymentStatus::Captured, vec![unknown])]).status, PaymentStatus::Captured);
}

#[test]
fn canceled_and_paid() {
    let capture = |second| lookup(second + 1, PaymentStatus::Captured, vec![paid("t1", second)]);
    let doubt = conflict(&[ordered(), canceled(30), capture(40)]).captured_after_cancel.unwrap();
    assert_eq!((doubt.canceled_at, doubt.captured_at), (at(30), at(40)));
    // Paid a moment before the cancellation, but reported after it.
    assert!(conflict(&[ordered(), canceled(30), capture(20)]).captured_after_cancel.is_some());
    let back = |second| lookup(99, PaymentStatus::Captured, vec![refunded("t1", second, None)]);
    assert_eq!(payment_of(&[ordered(), capture(20), back(25), canceled(30)]).conflict, None);
    assert!(conflict(&[ordered(), canceled(30), capture(40), back(50)]).captured_after_cancel.is_some());
    assert_eq!(payment_of(&[ordered(), canceled(30)]).conflict, None);
}

#[test]
fn an_order_is_canceled_only_while_unpaid() {
    let pending = transaction("t1", 20, TransactionStatus::Pending);
    let captured = lookup(30, PaymentStatus::Captured, vec![paid("t1", 20)]);
    let back = lookup(40, PaymentStatus::Captured, vec![refunded("t1", 40, None)]);
    for (facts, verdict) in [
        (vec![], Ok(())),
        (vec![lookup(20, PaymentStatus::Failed, vec![])], Ok(())),
        (vec![lookup(20, PaymentStatus::Pending, vec![pending])], Err(CancelRefused::UnderWay)),
        (vec![webhook(20, PaymentStatus::Captured, None)], Err(CancelRefused::UnderWay)),
        (vec![captured.clone()], Err(CancelRefused::Captured)),
        (vec![captured, back], Ok(())),
    ] {
        let facts = [vec![ordered()], facts].concat();
        assert_eq!(payment_of(&facts).check_cancel(), verdict, "{facts:?}");
    }
}

#[test]
fn another_amount_or_currency() {
    let with = |amount: Amount, currency: Option<&str>| {
        let money = Some(Money { amount, currency: currency.map(str::to_owned) });
        let report = WebhookReport { at: at(20), status: PaymentStatus::Captured, money, transaction: None };
        conflict(&[PaymentFact::Webhook(report), ordered()])
    };
    assert_eq!(with(ASKED, Some("INR")), Conflict::default());
    assert_eq!(with(Amount { value: 210_000, offset: 1000 }, None), Conflict::default());
    assert_eq!(with(Amount::new(20_999), Some("INR")).other_amount, [Amount::new(20_999)]);
    assert_eq!(with(Amount { value: 21_000, offset: 1 }, None).other_amount.len(), 1);
    assert_eq!(with(Amount { value: 21_000, offset: 0 }, None).other_amount.len(), 1);
    assert_eq!(with(ASKED, Some("USD")).other_currency, ["USD"]);
    let of_transaction =
        Transaction { money: Some(Money { amount: Amount::new(-21_000), currency: None }), ..paid("t1", 20) };
    let doubt = conflict(&[ordered(), webhook(20, PaymentStatus::Captured, Some(of_transaction))]);
    assert_eq!(doubt.other_amount, [Amount::new(-21_000)]);
}

#[test]
fn a_look_up_disagrees_only_after_it_had_time() {
    let claim = webhook(20, PaymentStatus::Captured, Some(paid("t1", 20)));
    let says = |second| lookup(second, PaymentStatus::Pending, vec![transaction("t1", 20, TransactionStatus::Pending)]);
    assert_eq!(payment_of(&[ordered(), claim.clone(), says(79)]).conflict, None);
    let facts = [ordered(), claim.clone(), says(79), says(80)];
    let state = payment_of(&facts);
    assert_eq!((state.status, state.pending_confirmation), (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
    assert_eq!(state.conflict.unwrap().lookup_disagrees.unwrap().status, Some(PaymentStatus::Pending));
    assert_eq!(conflict(&[ordered(), claim.clone(), lookup_of_nothing(99)]).lookup_disagrees.unwrap().status, None);
    // A later look-up agrees, and the conflict is gone.
    let agrees = lookup(200, PaymentStatus::Captured, vec![paid("t1", 20)]);
    assert_eq!(payment_of(&[&facts[..], std::slice::from_ref(&agrees)].concat()).conflict, None);
    // A newer look-up no longer shows the capture: the payment stays captured, with a conflict.
    let state = payment_of(&[ordered(), agrees, says(300)]);
    assert_eq!((state.status, state.conflict.unwrap().lookup_disagrees.is_some()), (PaymentStatus::Captured, true));
    // A second payment that the look-up does not list.
    let one = lookup(20, PaymentStatus::Captured, vec![paid("t1", 20)]);
    let again = webhook(40, PaymentStatus::Captured, Some(paid("t2", 40)));
    let later = lookup(100, PaymentStatus::Captured, vec![paid("t1", 20)]);
    assert!(conflict(&[ordered(), one, again, later]).lookup_disagrees.is_some());
    // Marked as paid by an operator (in cash, for example): the network's look-up shows nothing, and that is no
    // conflict.
    assert_eq!(payment_of(&[ordered(), marked(20, PaymentStatus::Captured), says(300)]).conflict, None);
}

#[test]
fn a_payment_without_an_order() {
    assert_eq!(payment_of(&[]), Ledger::default().state());
    assert_eq!(
        (payment_of(&[]).status, payment_of(&[]).as_of, payment_of(&[]).amount),
        (PaymentStatus::Pending, None, None)
    );
    // A report that arrives before the order counts once the order exists.
    let early = webhook(20, PaymentStatus::Captured, Some(paid("t1", 20)));
    assert_eq!(payment_of(std::slice::from_ref(&early)).amount, None);
    assert_eq!(payment_of(&[early.clone(), ordered()]), payment_of(&[ordered(), early]));
}

#[test]
fn a_transaction_without_a_status() {
    let silent = || Transaction { status: None, ..paid("t1", 20) };
    let state = |fact| payment_of(&[ordered(), fact]).transactions[0].status;
    assert_eq!(state(webhook(20, PaymentStatus::Captured, Some(silent()))), TransactionStatus::Success);
    assert_eq!(state(webhook(20, PaymentStatus::Failed, Some(silent()))), TransactionStatus::Failed);
    assert_eq!(state(lookup(20, PaymentStatus::Captured, vec![silent()])), TransactionStatus::Pending);
}

#[test]
fn events_of_a_story() {
    let steps = [
        (ordered(), vec![]),
        (webhook(20, PaymentStatus::Captured, Some(paid("t1", 20))), vec![OrderEvent::OrderUpdated]),
        (webhook(20, PaymentStatus::Captured, Some(paid("t1", 20))), vec![]),
        (lookup_of_nothing(21), vec![]),
        (
            lookup(22, PaymentStatus::Captured, vec![paid("t1", 20)]),
            vec![OrderEvent::PaymentCaptured, OrderEvent::OrderUpdated],
        ),
        (lookup(23, PaymentStatus::Captured, vec![paid("t1", 20)]), vec![]),
        (webhook(40, PaymentStatus::Captured, Some(paid("t2", 40))), vec![OrderEvent::OrderUpdated]),
        (lookup(41, PaymentStatus::Captured, vec![paid("t1", 20), paid("t2", 40)]), vec![OrderEvent::OrderUpdated]),
        (canceled(45), vec![OrderEvent::OrderUpdated]),
        (marked(50, PaymentStatus::Refunded), vec![OrderEvent::OrderUpdated]),
    ];
    let mut ledger = Ledger::default();
    for (place, (fact, expected)) in steps.iter().enumerate() {
        let before = ledger.state();
        ledger.apply(fact);
        assert_eq!(&events_of(&changes(&before, &ledger.state())), expected, "step {place}");
    }
    assert_eq!(
        changes(&payment_of(&[]), &payment_of(&[marked(5, PaymentStatus::Captured)])),
        [Change::Captured, Change::Status]
    );
}

#[test]
fn statuses_of_the_network() {
    for (word, status) in [
        ("new", Some(PaymentStatus::Pending)),
        ("pending", Some(PaymentStatus::Pending)),
        ("canceled", Some(PaymentStatus::Pending)),
        ("failed", Some(PaymentStatus::Failed)),
        ("captured", Some(PaymentStatus::Captured)),
        ("refunded", Some(PaymentStatus::Refunded)),
        ("CAPTURED", None),
        ("", None),
        ("paid", None),
    ] {
        assert_eq!(PaymentStatus::from_network(word), status, "{word}");
    }
    assert_eq!(TransactionStatus::from_network("completed"), Some(TransactionStatus::Success));
    assert_eq!(TransactionStatus::from_network("captured"), None);
}

#[test]
fn a_payment_is_serialized_for_the_api() {
    let failed = Transaction {
        method: Some("upi".to_owned()),
        error: Some(serde_json::from_value(json!({ "code": "U30", "reason": "Debit has failed" })).unwrap()),
        ..transaction("t0", 10, TransactionStatus::Failed)
    };
    let facts = [
        ordered(),
        canceled(15),
        lookup(90, PaymentStatus::Captured, vec![failed, refunded("t1", 80, Some(Amount::new(1))), paid("t2", 85)]),
        PaymentFact::Lookup(LookupAnswer { at: at(95), found: None }),
    ];
    let shown = serde_json::to_value(payment_of(&facts)).unwrap();
    let amount = json!({ "value": 21_000, "offset": 100 });
    let (ten, eighty) = ("2026-04-12T13:20:10.000Z", "2026-04-12T13:21:20.000Z");
    let last = "2026-04-12T13:21:25.000Z";
    assert_eq!(
        shown,
        json!({
            "status": "captured",
            "amount": amount,
            "currency": "INR",
            "transactions": [
                { "id": "t0", "type": "razorpay", "status": "failed", "confirmed": true, "method": "upi",
                  "error": { "code": "U30", "reason": "Debit has failed" }, "created": ten, "updated": ten },
                { "id": "t1", "type": "razorpay", "status": "success", "confirmed": true, "amount": amount,
                  "created": eighty, "updated": eighty,
                  "refunds": [{ "id": "rfnd_t1", "status": "success", "amount": { "value": 1, "offset": 100 } }] },
                { "id": "t2", "type": "razorpay", "status": "success", "confirmed": true,
                  "created": last, "updated": last },
            ],
            "conflict": {
                "captured_twice": ["t1", "t2"],
                "captured_after_cancel": { "canceled_at": "2026-04-12T13:20:15.000Z", "captured_at": last },
            },
            "captured_at": eighty,
            "as_of": "2026-04-12T13:21:35.000Z",
            "sources": ["business", "lookup"],
        })
    );
}

#[test]
fn a_returned_payment_at_the_instant_of_the_cancellation_is_no_conflict() {
    let facts = |paid_at| {
        let back = lookup(99, PaymentStatus::Captured, vec![refunded("t1", paid_at, None)]);
        payment_of(&[ordered(), canceled(30), back])
    };
    assert_eq!((facts(29).conflict, facts(30).conflict), (None, None));
    assert!(facts(31).conflict.is_some());
}

#[test]
fn transaction_statuses_of_the_network() {
    for (word, status) in [
        ("pending", Some(TransactionStatus::Pending)),
        ("failed", Some(TransactionStatus::Failed)),
        ("success", Some(TransactionStatus::Success)),
        ("completed", Some(TransactionStatus::Success)),
        ("Success", None),
        ("", None),
    ] {
        assert_eq!(TransactionStatus::from_network(word), status, "{word}");
    }
    assert_eq!(PaymentStatus::from_network("success"), Some(PaymentStatus::Captured));
}

#[test]
fn a_ledger_says_whether_a_fact_was_new() {
    let mut ledger = Ledger::default();
    assert!(ledger.apply(&ordered()) && !ledger.apply(&ordered()));
    assert!(ledger.apply(&canceled(30)) && ledger.apply(&canceled(40)), "a later word is new");
    assert!(!ledger.apply(&canceled(35)), "one between the two is not");
}

#[test]
fn successful_partial_refunds_add_up() {
    use domain::commerce::payments::Refund;
    let part = |id: &str, value, status| Refund { id: id.to_owned(), status, amount: Some(Amount::new(value)) };
    let with = |refunds: Vec<Refund>| {
        payment_of(&[ordered(), lookup(30, PaymentStatus::Captured, vec![Transaction { refunds, ..paid("t1", 20) }])])
            .status
    };
    let (yes, no) = (TransactionStatus::Success, TransactionStatus::Failed);
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 1000, yes)]), PaymentStatus::Refunded, "what was asked for");
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 999, yes)]), PaymentStatus::Captured);
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 1000, no)]), PaymentStatus::Captured);
    assert_eq!(with(vec![part("a", 21_000, no)]), PaymentStatus::Captured);
    assert_eq!(with(vec![]), PaymentStatus::Captured);
}

#[test]
fn the_latest_details_of_a_transaction_are_shown() {
    let method = |second, method: &str| {
        let one = Transaction { method: Some(method.to_owned()), kind: None, ..paid("t1", second) };
        lookup(second, PaymentStatus::Captured, vec![one])
    };
    let state = payment_of(&[ordered(), method(50, "card"), method(40, "upi")]);
    let shown = &state.transactions[0];
    assert_eq!((shown.method.as_deref(), shown.created, shown.updated), (Some("card"), Some(at(40)), Some(at(50))));
    assert_eq!(state.captured_at, Some(at(40)), "the earliest time counts");
}

#[test]
fn another_time_of_the_same_conflict_is_no_change() {
    let paid_at = |second, asked_at| lookup(asked_at, PaymentStatus::Captured, vec![paid("t1", second)]);
    let before = payment_of(&[ordered(), canceled(30), paid_at(40, 50)]);
    let after = payment_of(&[ordered(), canceled(30), paid_at(40, 50), paid_at(38, 60)]);
    assert_ne!(before.conflict, after.conflict, "the earlier time is shown");
    assert_eq!(changes(&before, &after), []);
}
