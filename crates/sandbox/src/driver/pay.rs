//! A person pays an order, in one of the ways in which that goes right or wrong.

use app::{Error, Result};
use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use store::sandbox::records::{self as rows, Kind};

use super::Place;
use crate::core::records::{self, Payment, Transaction, parsed};
use crate::notices::statuses;
use crate::{Person, Sandbox, schedule};

const LATE_SECONDS: i64 = 3600;
/// Between two reports of one payment.
const BETWEEN_SECONDS: i64 = 2;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pay {
    /// The id of the message that asks for it.
    pub message: Option<String>,
    /// Without this and `message`: the newest order that is not paid.
    pub reference_id: Option<String>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Captured,
    Failed,
    Pending,
    /// Two payments for one order.
    Twice,
    /// Paid, and given back.
    Refunded,
    /// Paid at once, reported after an hour.
    Late,
    /// Paid and never reported.
    Lost,
    /// Reported as paid, while a look-up says that it is not.
    Disagree,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paid {
    pub reference_id: String,
    pub message: String,
    pub outcome: Outcome,
    /// What a look-up answers from now on.
    pub status: String,
    /// Ids of the payment's transactions.
    pub transactions: Vec<String>,
}

/// A webhook about the payment.
#[derive(Debug, Clone, PartialEq)]
struct Report {
    status: &'static str,
    transaction: Transaction,
    /// When it happened, and when the network tells.
    at: Timestamp,
    told: Timestamp,
}

/// What happens is worked out before anything is stored.
#[derive(Debug, Clone)]
struct Course {
    payment: Payment,
    reports: Vec<Report>,
}

struct Till<'a> {
    payment: Payment,
    ids: &'a [String; 2],
    now: Timestamp,
}

impl Till<'_> {
    fn transaction(&self, place: usize, status: &str) -> Transaction {
        let (kind, method) = match self.payment.currency.as_str() {
            "INR" => ("razorpay", "upi"),
            "BRL" => ("pix", "pix"),
            _ => ("billdesk", "card"),
        };
        let seconds = self.now.seconds();
        Transaction {
            id: self.ids[place].clone(),
            kind: kind.to_owned(),
            status: status.to_owned(),
            created_timestamp: seconds,
            updated_timestamp: seconds,
            method: Some(method.to_owned()),
            refunds: Vec::new(),
            error: (status == "failed")
                .then(|| json!({ "code": "payment_declined", "reason": "Payment was declined" })),
        }
    }

    fn report(&self, status: &'static str, transaction: &Transaction, after: i64) -> Report {
        let at = self.now.plus_seconds(after);
        Report { status, transaction: transaction.clone(), at, told: at }
    }

    fn refunded(&self, mut transaction: Transaction, at: Timestamp) -> Transaction {
        transaction.updated_timestamp = at.seconds();
        transaction.refunds = vec![json!({
            "id": format!("rfnd_{}", transaction.id),
            "amount": self.payment.amount,
            "speed_processed": "normal",
            "status": "completed",
            "created_timestamp": at.seconds(),
            "updated_timestamp": at.seconds(),
        })];
        transaction
    }

    fn course(mut self, outcome: Outcome) -> Course {
        let paid = self.transaction(0, "success");
        let captured = self.report("captured", &paid, 0);
        let (status, new, reports) = match outcome {
            Outcome::Captured => ("captured", vec![paid], vec![captured]),
            Outcome::Lost => ("captured", vec![paid], vec![]),
            Outcome::Late => {
                let told = self.now.plus_seconds(LATE_SECONDS);
                ("captured", vec![paid], vec![Report { told, ..captured }])
            }
            Outcome::Failed => self.one("failed", "failed"),
            Outcome::Pending => self.one("pending", "pending"),
            Outcome::Disagree => ("pending", vec![self.transaction(0, "pending")], vec![captured]),
            Outcome::Twice => {
                let second = self.transaction(1, "success");
                let again = self.report("captured", &second, BETWEEN_SECONDS);
                ("captured", vec![paid, second], vec![captured, again])
            }
            Outcome::Refunded => return self.given_back(paid, captured),
        };
        status.clone_into(&mut self.payment.status);
        self.payment.transactions.extend(new);
        Course { payment: self.payment, reports }
    }

    fn one(&self, status: &'static str, transaction: &str) -> (&'static str, Vec<Transaction>, Vec<Report>) {
        let transaction = self.transaction(0, transaction);
        let report = self.report(status, &transaction, 0);
        (status, vec![transaction], vec![report])
    }

    /// What is paid already is given back; what is not is paid first. The network keeps the status and adds the refund.
    fn given_back(mut self, paid: Transaction, captured: Report) -> Course {
        let at = self.now.plus_seconds(BETWEEN_SECONDS);
        let before = self.payment.transactions.iter().position(|one| one.status == "success");
        let (place, mut reports) = if let Some(place) = before {
            (place, vec![])
        } else {
            self.payment.transactions.push(paid);
            (self.payment.transactions.len() - 1, vec![captured])
        };
        let refunded = self.refunded(self.payment.transactions[place].clone(), at);
        reports.push(self.report("captured", &refunded, BETWEEN_SECONDS));
        self.payment.transactions[place] = refunded;
        "captured".clone_into(&mut self.payment.status);
        Course { payment: self.payment, reports }
    }
}

/// What the transaction needs.
struct Wanted {
    place: Place,
    reference_id: String,
    outcome: Outcome,
    ids: [String; 2],
    keys: [String; 2],
    now: Timestamp,
}

impl Sandbox {
    pub async fn pay(&self, tenant: TenantId, person: &str, pay: Pay) -> Result<Paid> {
        let person = self.find(tenant, person).await?;
        let ids = [self.ids().transaction(), self.ids().transaction()];
        self.pays_as(ids, tenant, person, pay).await
    }

    /// Nothing is new when the order has a transaction with the first of these ids.
    pub(crate) async fn pays_as(&self, ids: [String; 2], tenant: TenantId, person: Person, pay: Pay) -> Result<Paid> {
        let payment = self.order(tenant, &person, &pay).await?;
        let opened = self.app().channels().opened(tenant, payment.channel).await?;
        let key = || self.due_key(&payment.reference_id);
        let wanted = Wanted {
            place: Place { tenant, channel: opened.channel, person },
            outcome: pay.outcome,
            ids,
            keys: [key(), key()],
            reference_id: payment.reference_id.clone(),
            now: self.now(),
        };
        let payment = self.db().write(wanted, |tx, wanted| Box::pin(paid(tx, wanted))).await?;
        self.wake();
        Ok(Paid {
            transactions: payment.transactions.iter().map(|one| one.id.clone()).collect(),
            reference_id: payment.reference_id,
            message: payment.message_id,
            outcome: pay.outcome,
            status: payment.status,
        })
    }

    /// The order that is meant: of this person.
    async fn order(&self, tenant: TenantId, person: &Person, pay: &Pay) -> Result<Payment> {
        let mut records = rows::list(self.db(), tenant, Kind::Payment).await?;
        records.sort_by_key(|record| std::cmp::Reverse(record.updated_at));
        let named = pay.message.is_some() || pay.reference_id.is_some();
        let meant = |payment: &Payment| {
            let is = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
            payment.person == person.position
                && is(&pay.message, &payment.message_id)
                && is(&pay.reference_id, &payment.reference_id)
                && (named || payment.status != "captured")
        };
        let found = records.iter().filter_map(parsed::<Payment>).find(meant);
        found.ok_or(Error::NotFound("order"))
    }
}

async fn paid(tx: &mut Tx<'_>, wanted: &Wanted) -> Result<Payment> {
    let Wanted { place, reference_id, outcome, ids, keys, now } = wanted;
    let held = records::held::<Payment>(tx, place.tenant, Kind::Payment, reference_id).await?;
    let payment = held.ok_or(Error::NotFound("order"))?;
    if payment.transactions.iter().any(|one| one.id == ids[0]) {
        return Ok(payment);
    }
    let again = matches!(outcome, Outcome::Twice | Outcome::Refunded);
    if payment.status == "captured" && !again {
        return Err(Error::conflict("outcome", "this order is paid: it can be paid twice or refunded"));
    }
    let Course { payment, reports } = Till { payment, ids, now: *now }.course(*outcome);
    records::write(tx, place.tenant, Kind::Payment, reference_id, &payment, *now).await?;
    for (report, key) in reports.iter().zip(keys) {
        let Report { status, transaction, at, told } = report;
        let change = statuses::payment(&place.line(), &place.who(), &payment, Some(transaction), status, *at);
        schedule(tx, place.tenant, payment.channel, *told, key, &change).await?;
    }
    Ok(payment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::records::Amount;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn course(outcome: Outcome) -> Course {
        let ids = ["one".to_owned(), "two".to_owned()];
        let payment = Payment {
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
        };
        Till { payment, ids: &ids, now: NOW }.course(outcome)
    }

    #[test]
    fn each_outcome_is_stored_and_told_in_its_own_way() {
        for (outcome, stored, told) in [
            (Outcome::Captured, ("captured", vec!["success"]), vec![("captured", 0)]),
            (Outcome::Failed, ("failed", vec!["failed"]), vec![("failed", 0)]),
            (Outcome::Pending, ("pending", vec!["pending"]), vec![("pending", 0)]),
            (Outcome::Twice, ("captured", vec!["success", "success"]), vec![("captured", 0), ("captured", 2)]),
            (Outcome::Refunded, ("captured", vec!["success"]), vec![("captured", 0), ("captured", 2)]),
            (Outcome::Late, ("captured", vec!["success"]), vec![("captured", 3600)]),
            (Outcome::Lost, ("captured", vec!["success"]), vec![]),
            (Outcome::Disagree, ("pending", vec!["pending"]), vec![("captured", 0)]),
        ] {
            let Course { payment, reports } = course(outcome);
            let statuses: Vec<&str> = payment.transactions.iter().map(|one| one.status.as_str()).collect();
            assert_eq!((payment.status.as_str(), statuses), stored, "{outcome:?}");
            let reported: Vec<_> = reports.iter().map(|one| (one.status, one.told.seconds_since(NOW))).collect();
            assert_eq!(reported, told, "{outcome:?}");
        }
        assert_eq!(course(Outcome::Late).reports[0].at, NOW);
        assert_eq!(course(Outcome::Refunded).payment.transactions[0].refunds[0]["amount"]["value"], 21_000);
    }
}
