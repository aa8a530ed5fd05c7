//! What happens to payments, and where each ends.

use domain::events::FactKind;
use domain::money::Amount;
use domain::payments::{
    Change, Conflict, Fact, Ledger, Lookup, Money, PaymentInTheWay, Report, Source, Status, Transaction,
    TransactionStatus, changes, told_as,
};
use serde_json::json;

use crate::payments::{
    ASKED, at, canceled, lookup, lookup_of_nothing, marked, ordered, paid, refunded, told, transaction, webhook,
};

fn conflict(facts: &[Fact]) -> Conflict {
    told(facts).conflict.unwrap_or_default()
}

#[test]
fn a_webhook_waits_for_the_look_up() {
    let mut facts = vec![ordered()];
    assert_eq!((told(&facts).status, told(&facts).pending_confirmation), (Status::Pending, None));
    facts.push(webhook(20, Status::Captured, Some(paid("t1", 20))));
    let waiting = told(&facts);
    assert_eq!((waiting.status, waiting.pending_confirmation), (Status::Pending, Some(Status::Captured)));
    assert_eq!(
        (waiting.transactions[0].status, waiting.transactions[0].confirmed),
        (TransactionStatus::Success, false)
    );
    facts.push(lookup(21, Status::Captured, vec![paid("t1", 20)]));
    let state = told(&facts);
    assert_eq!((state.status, state.pending_confirmation, state.conflict), (Status::Captured, None, None));
    assert_eq!((state.captured_at, state.as_of), (Some(at(20)), Some(at(21))));
    assert_eq!(state.sources, [Source::Business, Source::Webhook, Source::Lookup]);
    assert!(state.transactions[0].confirmed);
}

#[test]
fn a_lost_webhook_is_found_and_a_late_one_changes_nothing() {
    let mut facts = vec![ordered(), lookup(900, Status::Captured, vec![paid("t1", 20)])];
    let found = told(&facts);
    assert_eq!((found.status, found.pending_confirmation, found.captured_at), (Status::Captured, None, Some(at(20))));
    facts.push(webhook(20, Status::Captured, Some(paid("t1", 20))));
    assert_eq!(changes(&found, &told(&facts)), []);
}

#[test]
fn a_failed_try_and_a_better_one() {
    let no = || transaction("t0", 10, TransactionStatus::Failed);
    let mut facts = vec![ordered(), webhook(10, Status::Failed, Some(no()))];
    assert_eq!((told(&facts).status, told(&facts).pending_confirmation), (Status::Pending, Some(Status::Failed)));
    facts.push(lookup(11, Status::Failed, vec![no()]));
    assert_eq!((told(&facts).status, told(&facts).pending_confirmation), (Status::Failed, None));
    facts.push(lookup(30, Status::Captured, vec![no(), paid("t1", 20)]));
    let state = told(&facts);
    assert_eq!((state.status, state.conflict), (Status::Captured, None));
    let statuses: Vec<_> = state.transactions.iter().map(|one| (one.id.as_str(), one.status)).collect();
    assert_eq!(statuses, [("t0", TransactionStatus::Failed), ("t1", TransactionStatus::Success)]);
}

#[test]
fn paid_twice_is_shown_and_the_second_is_confirmed_on_its_own() {
    let mut facts = vec![ordered(), lookup(20, Status::Captured, vec![paid("t1", 20)])];
    facts.push(webhook(40, Status::Captured, Some(paid("t2", 40))));
    let state = told(&facts);
    assert_eq!((state.status, state.pending_confirmation), (Status::Captured, Some(Status::Captured)));
    assert_eq!(state.conflict.unwrap().captured_twice, ["t1", "t2"]);
    facts.push(lookup(41, Status::Captured, vec![paid("t1", 20), paid("t2", 40)]));
    let state = told(&facts);
    assert_eq!((state.pending_confirmation, state.conflict.unwrap().captured_twice.len()), (None, 2));
    // One of them goes back: the order is paid still, and what happened is not hidden.
    facts.push(lookup(90, Status::Captured, vec![refunded("t2", 80, None), paid("t1", 20)]));
    let state = told(&facts);
    assert_eq!((state.status, state.conflict.unwrap().captured_twice.len()), (Status::Captured, 2));
    facts.push(lookup(99, Status::Captured, vec![refunded("t1", 95, Some(ASKED))]));
    assert_eq!(told(&facts).status, Status::Refunded);
}

#[test]
fn refunds_whole_in_parts_and_by_the_business() {
    let capture = lookup(20, Status::Captured, vec![paid("t1", 20)]);
    let part = |value| lookup(30, Status::Captured, vec![refunded("t1", 30, Some(Amount::new(value)))]);
    for (value, status) in [(20_999, Status::Captured), (21_000, Status::Refunded), (21_001, Status::Refunded)] {
        assert_eq!(told(&[ordered(), capture.clone(), part(value)]).status, status, "{value}");
    }
    assert_eq!(told(&[ordered(), marked(5, Status::Refunded)]).status, Status::Refunded);
    let claimed = webhook(30, Status::Captured, Some(refunded("t1", 30, None)));
    let state = told(&[ordered(), capture, claimed]);
    assert_eq!((state.status, state.pending_confirmation), (Status::Captured, Some(Status::Refunded)));
    // Nobody can tell whether a part of an unknown amount is all of it.
    let mut unknown = refunded("t1", 30, Some(Amount::new(5)));
    unknown.money = None;
    assert_eq!(told(&[lookup(30, Status::Captured, vec![unknown])]).status, Status::Captured);
}

#[test]
fn canceled_and_paid() {
    let capture = |second| lookup(second + 1, Status::Captured, vec![paid("t1", second)]);
    let doubt = conflict(&[ordered(), canceled(30), capture(40)]).captured_after_cancel.unwrap();
    assert_eq!((doubt.canceled_at, doubt.captured_at), (at(30), at(40)));
    // Paid a moment before, learnt of after it: the money is here all the same.
    assert!(conflict(&[ordered(), canceled(30), capture(20)]).captured_after_cancel.is_some());
    let back = |second| lookup(99, Status::Captured, vec![refunded("t1", second, None)]);
    assert_eq!(told(&[ordered(), capture(20), back(25), canceled(30)]).conflict, None);
    assert!(conflict(&[ordered(), canceled(30), capture(40), back(50)]).captured_after_cancel.is_some());
    assert_eq!(told(&[ordered(), canceled(30)]).conflict, None);
}

#[test]
fn what_may_be_canceled() {
    let pending = transaction("t1", 20, TransactionStatus::Pending);
    let captured = lookup(30, Status::Captured, vec![paid("t1", 20)]);
    let back = lookup(40, Status::Captured, vec![refunded("t1", 40, None)]);
    for (facts, verdict) in [
        (vec![], Ok(())),
        (vec![lookup(20, Status::Failed, vec![])], Ok(())),
        (vec![lookup(20, Status::Pending, vec![pending])], Err(PaymentInTheWay::UnderWay)),
        (vec![webhook(20, Status::Captured, None)], Err(PaymentInTheWay::UnderWay)),
        (vec![captured.clone()], Err(PaymentInTheWay::Captured)),
        (vec![captured, back], Ok(())),
    ] {
        let facts = [vec![ordered()], facts].concat();
        assert_eq!(told(&facts).check_cancel(), verdict, "{facts:?}");
    }
}

#[test]
fn another_amount_or_currency() {
    let with = |amount: Amount, currency: Option<&str>| {
        let money = Some(Money { amount, currency: currency.map(str::to_owned) });
        let report = Report { at: at(20), status: Status::Captured, money, transaction: None };
        conflict(&[Fact::Webhook(report), ordered()])
    };
    assert_eq!(with(ASKED, Some("INR")), Conflict::default());
    assert_eq!(with(Amount { value: 210_000, offset: 1000 }, None), Conflict::default());
    assert_eq!(with(Amount::new(20_999), Some("INR")).other_amount, [Amount::new(20_999)]);
    assert_eq!(with(Amount { value: 21_000, offset: 1 }, None).other_amount.len(), 1);
    assert_eq!(with(Amount { value: 21_000, offset: 0 }, None).other_amount.len(), 1);
    assert_eq!(with(ASKED, Some("USD")).other_currency, ["USD"]);
    let of_transaction =
        Transaction { money: Some(Money { amount: Amount::new(-21_000), currency: None }), ..paid("t1", 20) };
    let doubt = conflict(&[ordered(), webhook(20, Status::Captured, Some(of_transaction))]);
    assert_eq!(doubt.other_amount, [Amount::new(-21_000)]);
}

#[test]
fn a_look_up_disagrees_only_after_it_had_time() {
    let claim = webhook(20, Status::Captured, Some(paid("t1", 20)));
    let says = |second| lookup(second, Status::Pending, vec![transaction("t1", 20, TransactionStatus::Pending)]);
    assert_eq!(told(&[ordered(), claim.clone(), says(79)]).conflict, None);
    let facts = [ordered(), claim.clone(), says(79), says(80)];
    let state = told(&facts);
    assert_eq!((state.status, state.pending_confirmation), (Status::Pending, Some(Status::Captured)));
    assert_eq!(state.conflict.unwrap().lookup_disagrees.unwrap().status, Some(Status::Pending));
    assert_eq!(conflict(&[ordered(), claim.clone(), lookup_of_nothing(99)]).lookup_disagrees.unwrap().status, None);
    // It comes round, and the doubt is gone.
    let agrees = lookup(200, Status::Captured, vec![paid("t1", 20)]);
    assert_eq!(told(&[&facts[..], std::slice::from_ref(&agrees)].concat()).conflict, None);
    // It takes back what it said: captured stays, and the doubt is shown.
    let state = told(&[ordered(), agrees, says(300)]);
    assert_eq!((state.status, state.conflict.unwrap().lookup_disagrees.is_some()), (Status::Captured, true));
    // A second payment that the look-up does not list.
    let one = lookup(20, Status::Captured, vec![paid("t1", 20)]);
    let again = webhook(40, Status::Captured, Some(paid("t2", 40)));
    let later = lookup(100, Status::Captured, vec![paid("t1", 20)]);
    assert!(conflict(&[ordered(), one, again, later]).lookup_disagrees.is_some());
    // Paid in cash: the network need not know.
    assert_eq!(told(&[ordered(), marked(20, Status::Captured), says(300)]).conflict, None);
}

#[test]
fn what_is_not_known_yet() {
    assert_eq!(told(&[]), Ledger::default().state());
    assert_eq!((told(&[]).status, told(&[]).as_of, told(&[]).amount), (Status::Pending, None, None));
    // A report before the order, as happens when another system made it: it fits once the order is there.
    let early = webhook(20, Status::Captured, Some(paid("t1", 20)));
    assert_eq!(told(std::slice::from_ref(&early)).amount, None);
    assert_eq!(told(&[early.clone(), ordered()]), told(&[ordered(), early]));
}

#[test]
fn a_transaction_without_a_word_of_its_own() {
    let silent = || Transaction { status: None, ..paid("t1", 20) };
    let state = |fact| told(&[ordered(), fact]).transactions[0].status;
    assert_eq!(state(webhook(20, Status::Captured, Some(silent()))), TransactionStatus::Success);
    assert_eq!(state(webhook(20, Status::Failed, Some(silent()))), TransactionStatus::Failed);
    assert_eq!(state(lookup(20, Status::Captured, vec![silent()])), TransactionStatus::Pending);
}

#[test]
fn events_of_a_story() {
    let steps = [
        (ordered(), vec![]),
        (webhook(20, Status::Captured, Some(paid("t1", 20))), vec![FactKind::OrderUpdated]),
        (webhook(20, Status::Captured, Some(paid("t1", 20))), vec![]),
        (lookup_of_nothing(21), vec![]),
        (lookup(22, Status::Captured, vec![paid("t1", 20)]), vec![FactKind::PaymentCaptured, FactKind::OrderUpdated]),
        (lookup(23, Status::Captured, vec![paid("t1", 20)]), vec![]),
        (webhook(40, Status::Captured, Some(paid("t2", 40))), vec![FactKind::OrderUpdated]),
        (lookup(41, Status::Captured, vec![paid("t1", 20), paid("t2", 40)]), vec![FactKind::OrderUpdated]),
        (canceled(45), vec![FactKind::OrderUpdated]),
        (marked(50, Status::Refunded), vec![FactKind::OrderUpdated]),
    ];
    let mut ledger = Ledger::default();
    for (place, (fact, expected)) in steps.iter().enumerate() {
        let before = ledger.state();
        ledger.learn(fact);
        assert_eq!(&told_as(&changes(&before, &ledger.state())), expected, "step {place}");
    }
    assert_eq!(changes(&told(&[]), &told(&[marked(5, Status::Captured)])), [Change::Captured, Change::Status]);
}

#[test]
fn words_of_the_network() {
    for (word, status) in [
        ("new", Some(Status::Pending)),
        ("pending", Some(Status::Pending)),
        ("canceled", Some(Status::Pending)),
        ("failed", Some(Status::Failed)),
        ("captured", Some(Status::Captured)),
        ("refunded", Some(Status::Refunded)),
        ("CAPTURED", None),
        ("", None),
        ("paid", None),
    ] {
        assert_eq!(Status::of_network(word), status, "{word}");
    }
    assert_eq!(TransactionStatus::of_network("completed"), Some(TransactionStatus::Success));
    assert_eq!(TransactionStatus::of_network("captured"), None);
}

#[test]
fn as_it_is_shown() {
    let failed = Transaction {
        method: Some("upi".to_owned()),
        error: Some(serde_json::from_value(json!({ "code": "U30", "reason": "Debit has failed" })).unwrap()),
        ..transaction("t0", 10, TransactionStatus::Failed)
    };
    let facts = [
        ordered(),
        canceled(15),
        lookup(90, Status::Captured, vec![failed, refunded("t1", 80, Some(Amount::new(1))), paid("t2", 85)]),
        Fact::Lookup(Lookup { at: at(95), found: None }),
    ];
    let shown = serde_json::to_value(told(&facts)).unwrap();
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
fn money_of_the_very_instant_of_the_cancellation_that_went_back_is_in_order() {
    let facts = |paid_at| {
        let back = lookup(99, Status::Captured, vec![refunded("t1", paid_at, None)]);
        told(&[ordered(), canceled(30), back])
    };
    assert_eq!((facts(29).conflict, facts(30).conflict), (None, None));
    assert!(facts(31).conflict.is_some());
}

#[test]
fn words_of_the_network_for_transactions() {
    for (word, status) in [
        ("pending", Some(TransactionStatus::Pending)),
        ("failed", Some(TransactionStatus::Failed)),
        ("success", Some(TransactionStatus::Success)),
        ("completed", Some(TransactionStatus::Success)),
        ("Success", None),
        ("", None),
    ] {
        assert_eq!(TransactionStatus::of_network(word), status, "{word}");
    }
    assert_eq!(Status::of_network("success"), Some(Status::Captured));
}

#[test]
fn a_ledger_says_whether_a_fact_was_new() {
    let mut ledger = Ledger::default();
    assert!(ledger.learn(&ordered()) && !ledger.learn(&ordered()));
    assert!(ledger.learn(&canceled(30)) && ledger.learn(&canceled(40)), "a later word is new");
    assert!(!ledger.learn(&canceled(35)), "one between the two is not");
}

#[test]
fn refunds_of_several_parts_add_up_and_only_those_that_went_through() {
    use domain::payments::Refund;
    let part = |id: &str, value, status| Refund { id: id.to_owned(), status, amount: Some(Amount::new(value)) };
    let with = |refunds: Vec<Refund>| {
        told(&[ordered(), lookup(30, Status::Captured, vec![Transaction { refunds, ..paid("t1", 20) }])]).status
    };
    let (yes, no) = (TransactionStatus::Success, TransactionStatus::Failed);
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 1000, yes)]), Status::Refunded, "what was asked for");
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 999, yes)]), Status::Captured);
    assert_eq!(with(vec![part("a", 20_000, yes), part("b", 1000, no)]), Status::Captured);
    assert_eq!(with(vec![part("a", 21_000, no)]), Status::Captured);
    assert_eq!(with(vec![]), Status::Captured);
}

#[test]
fn what_each_look_up_last_said_of_a_transaction_is_shown() {
    let method = |second, method: &str| {
        let one = Transaction { method: Some(method.to_owned()), kind: None, ..paid("t1", second) };
        lookup(second, Status::Captured, vec![one])
    };
    let state = told(&[ordered(), method(50, "card"), method(40, "upi")]);
    let shown = &state.transactions[0];
    assert_eq!((shown.method.as_deref(), shown.created, shown.updated), (Some("card"), Some(at(40)), Some(at(50))));
    assert_eq!(state.captured_at, Some(at(40)), "the earliest time counts");
}

#[test]
fn another_time_of_the_same_doubt_is_no_change() {
    let paid_at = |second, asked_at| lookup(asked_at, Status::Captured, vec![paid("t1", second)]);
    let before = told(&[ordered(), canceled(30), paid_at(40, 50)]);
    let after = told(&[ordered(), canceled(30), paid_at(40, 50), paid_at(38, 60)]);
    assert_ne!(before.conflict, after.conflict, "the earlier time is shown");
    assert_eq!(changes(&before, &after), []);
}
