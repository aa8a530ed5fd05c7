//! The script of each payment outcome: what a look-up at the network shows afterwards, and which reports the network
//! posts when. Pure; `pay_order` stores the result.

use domain::Timestamp;
use serde_json::json;

use super::Outcome;
use crate::core::records::{Amount, Payment, Transaction};

/// Time between two reports of one payment.
const BETWEEN_SECONDS: i64 = 2;

/// A payment webhook to post.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScheduledReport {
    pub status: &'static str,
    pub transaction: Transaction,
    /// When the payment happened.
    pub at: Timestamp,
    /// When the webhook is posted.
    pub reported_at: Timestamp,
}

#[derive(Debug, Clone)]
pub(super) struct Timeline {
    /// The payment as a look-up shows it from now on.
    pub payment: Payment,
    pub reports: Vec<ScheduledReport>,
}

pub(super) struct PaymentScript<'a> {
    pub payment: Payment,
    pub ids: &'a [String; 2],
    pub now: Timestamp,
    /// Delay of the reports in seconds.
    pub after: i64,
}

/// New status of the payment, new transactions, reports.
type Effects = (&'static str, Vec<Transaction>, Vec<ScheduledReport>);

impl PaymentScript<'_> {
    pub fn timeline(mut self, outcome: Outcome) -> Timeline {
        let paid = self.transaction(0, "success");
        let captured = self.report("captured", &paid, 0);
        let (status, new, reports) = match outcome {
            Outcome::Captured | Outcome::Late => ("captured", vec![paid], vec![captured]),
            Outcome::Lost => ("captured", vec![paid], vec![]),
            Outcome::Failed => self.one("failed", "failed"),
            Outcome::Pending => self.one("pending", "pending"),
            Outcome::Disagree => ("pending", vec![self.transaction(0, "pending")], vec![captured]),
            Outcome::OtherAmount => ("captured", vec![self.half(&paid)], vec![captured]),
            Outcome::Twice => self.pay_again(paid, captured),
            Outcome::Refunded => return self.refund(paid, captured),
        };
        status.clone_into(&mut self.payment.status);
        self.payment.transactions.extend(new);
        Timeline { payment: self.payment, reports }
    }

    fn one(&self, status: &'static str, transaction: &str) -> Effects {
        let transaction = self.transaction(0, transaction);
        let report = self.report(status, &transaction, 0);
        (status, vec![transaction], vec![report])
    }

    fn half(&self, paid: &Transaction) -> Transaction {
        let Amount { value, offset } = self.payment.amount;
        Transaction { amount: Some(Amount { value: value / 2, offset }), ..paid.clone() }
    }

    /// Adds one more payment to a paid order, two payments to an unpaid one. A refunded payment does not count as paid.
    fn pay_again(&self, paid: Transaction, captured: ScheduledReport) -> Effects {
        if self.paid_before().is_some() {
            return ("captured", vec![paid], vec![captured]);
        }
        let second = self.transaction(1, "success");
        let again = self.report("captured", &second, BETWEEN_SECONDS);
        ("captured", vec![paid, second], vec![captured, again])
    }

    /// Refunds the first successful transaction without a refund; adds one before if there is none. The payment's
    /// status stays `captured`: the network only adds the refund to the transaction.
    fn refund(mut self, paid: Transaction, captured: ScheduledReport) -> Timeline {
        let at = self.now.plus_seconds(BETWEEN_SECONDS);
        let (index, mut reports) = if let Some(index) = self.paid_before() {
            (index, vec![])
        } else {
            self.payment.transactions.push(paid);
            (self.payment.transactions.len() - 1, vec![captured])
        };
        let refunded = self.refunded(self.payment.transactions[index].clone(), at);
        reports.push(self.report("captured", &refunded, BETWEEN_SECONDS));
        self.payment.transactions[index] = refunded;
        "captured".clone_into(&mut self.payment.status);
        Timeline { payment: self.payment, reports }
    }

    /// Index of the first successful transaction without a refund.
    fn paid_before(&self) -> Option<usize> {
        let kept = |one: &Transaction| one.status == "success" && one.refunds.is_empty();
        self.payment.transactions.iter().position(kept)
    }

    fn transaction(&self, index: usize, status: &str) -> Transaction {
        let (kind, method) = match self.payment.currency.as_str() {
            "INR" => ("razorpay", "upi"),
            "BRL" => ("pix", "pix"),
            _ => ("billdesk", "card"),
        };
        let seconds = self.now.seconds();
        let declined = json!({ "code": "payment_declined", "reason": "Payment was declined" });
        Transaction {
            id: self.ids[index].clone(),
            kind: kind.to_owned(),
            status: status.to_owned(),
            created_timestamp: seconds,
            updated_timestamp: seconds,
            method: Some(method.to_owned()),
            amount: None,
            refunds: Vec::new(),
            error: (status == "failed").then_some(declined),
        }
    }

    fn report(&self, status: &'static str, transaction: &Transaction, later: i64) -> ScheduledReport {
        let at = self.now.plus_seconds(later);
        ScheduledReport { status, transaction: transaction.clone(), at, reported_at: at.plus_seconds(self.after) }
    }

    /// The transaction with a refund of its full amount.
    fn refunded(&self, mut transaction: Transaction, at: Timestamp) -> Transaction {
        transaction.updated_timestamp = at.seconds();
        transaction.refunds = vec![json!({
            "id": format!("rfnd_{}", transaction.id),
            "amount": transaction.amount.unwrap_or(self.payment.amount),
            "speed_processed": "normal",
            "status": "completed",
            "created_timestamp": at.seconds(),
            "updated_timestamp": at.seconds(),
        })];
        transaction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn order() -> Payment {
        Payment {
            reference_id: "order-1".to_owned(),
            configuration: None,
            channel: "507f1f77bcf86cd799439011".parse().unwrap(),
            person: 1,
            message_id: "wamid.1".to_owned(),
            amount: Amount { value: 21_000, offset: 100 },
            currency: "INR".to_owned(),
            status: "pending".to_owned(),
            order_status: "pending".to_owned(),
            transactions: Vec::new(),
        }
    }

    fn play(payment: Payment, ids: [&str; 2], outcome: Outcome, after: i64) -> Timeline {
        let ids = ids.map(str::to_owned);
        PaymentScript { payment, ids: &ids, now: NOW, after }.timeline(outcome)
    }

    fn timeline(outcome: Outcome) -> Timeline {
        play(order(), ["one", "two"], outcome, 0)
    }

    fn reports_of(timeline: &Timeline) -> Vec<(&'static str, i64)> {
        timeline.reports.iter().map(|one| (one.status, one.reported_at.seconds_since(NOW))).collect()
    }

    #[test]
    fn each_outcome_is_stored_and_reported_in_its_own_way() {
        for (outcome, stored, reported) in [
            (Outcome::Captured, ("captured", vec!["success"]), vec![("captured", 0)]),
            (Outcome::Failed, ("failed", vec!["failed"]), vec![("failed", 0)]),
            (Outcome::Pending, ("pending", vec!["pending"]), vec![("pending", 0)]),
            (Outcome::Twice, ("captured", vec!["success", "success"]), vec![("captured", 0), ("captured", 2)]),
            (Outcome::Refunded, ("captured", vec!["success"]), vec![("captured", 0), ("captured", 2)]),
            (Outcome::Late, ("captured", vec!["success"]), vec![("captured", 0)]),
            (Outcome::Lost, ("captured", vec!["success"]), vec![]),
            (Outcome::Disagree, ("pending", vec!["pending"]), vec![("captured", 0)]),
            (Outcome::OtherAmount, ("captured", vec!["success"]), vec![("captured", 0)]),
        ] {
            let timeline = timeline(outcome);
            let statuses: Vec<&str> = timeline.payment.transactions.iter().map(|one| one.status.as_str()).collect();
            assert_eq!((timeline.payment.status.as_str(), statuses), stored, "{outcome:?}");
            assert_eq!(reports_of(&timeline), reported, "{outcome:?}");
        }
        assert_eq!(timeline(Outcome::Refunded).payment.transactions[0].refunds[0]["amount"]["value"], 21_000);
    }

    #[test]
    fn a_late_report_keeps_the_time_of_the_payment() {
        let late = play(order(), ["one", "two"], Outcome::Late, 3600);
        assert_eq!((reports_of(&late), late.reports[0].at), (vec![("captured", 3600)], NOW));
        let both = play(order(), ["one", "two"], Outcome::Twice, 10);
        assert_eq!(reports_of(&both), [("captured", 10), ("captured", 12)]);
    }

    #[test]
    fn a_look_up_shows_another_amount_than_was_reported() {
        let Timeline { payment, reports } = timeline(Outcome::OtherAmount);
        assert_eq!(payment.transactions[0].amount, Some(Amount { value: 10_500, offset: 100 }));
        assert_eq!((payment.amount.value, reports[0].transaction.amount), (21_000, None));
    }

    #[test]
    fn a_paid_order_is_paid_again_or_refunded() {
        let paid = timeline(Outcome::Captured).payment;
        let again = play(paid.clone(), ["three", "four"], Outcome::Twice, 0);
        let ids: Vec<&str> = again.payment.transactions.iter().map(|one| one.id.as_str()).collect();
        assert_eq!((ids, again.reports.len()), (vec!["one", "three"], 1));
        let back = play(paid, ["three", "four"], Outcome::Refunded, 0);
        assert_eq!((back.payment.transactions.len(), back.reports.len()), (1, 1));
        let both = play(again.payment, ["five", "six"], Outcome::Refunded, 0).payment;
        let both = play(both, ["seven", "eight"], Outcome::Refunded, 0).payment;
        assert!(both.transactions.len() == 2 && both.transactions.iter().all(|one| one.refunds.len() == 1));
    }
}
