//! A person pays an order, with one of several outcomes.

mod outcome;
mod payment_script;

use app::{Error, Result, Thing};
use domain::{Field, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox;
use store::platform::sandbox::people::Person;
use store::platform::sandbox::records::Kind;

use super::ActingPerson;
use crate::core::records::{self, Payment, parsed};
use crate::notices::payments;
use crate::{Sandbox, schedule};
use payment_script::{PaymentScript, ScheduledReport, Timeline};

pub use outcome::Outcome;

const LATE_SECONDS: u32 = 3600;
const LATEST_SECONDS: u32 = 7 * 24 * 3600;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pay {
    /// The id of the message with the order.
    pub message: Option<String>,
    /// The business's id of the order. Without this and `message`: the unpaid order that changed last.
    pub reference_id: Option<String>,
    pub outcome: Outcome,
    /// Delay of the network's report in seconds, up to a week. Default 0; 3600 for `late`. Not allowed for `lost`.
    pub after_seconds: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxPaid)]
pub struct Paid {
    #[schema(example = "order-42")]
    pub reference_id: String,
    /// The id of the message with the order.
    pub message: String,
    pub outcome: Outcome,
    /// The payment status that look-ups return from now on.
    #[schema(example = "captured")]
    pub status: String,
    /// Ids of the payment's transactions.
    pub transactions: Vec<String>,
}

impl Pay {
    /// Delay of the report in seconds.
    fn after(&self) -> Result<i64> {
        let default_seconds = if self.outcome == Outcome::Late { LATE_SECONDS } else { 0 };
        match self.after_seconds {
            Some(_) if self.outcome == Outcome::Lost => {
                Err(Error::invalid(Field::AfterSeconds, "a lost report is never delivered, so it cannot have a delay"))
            }
            Some(seconds) if seconds > LATEST_SECONDS => {
                Err(Error::invalid(Field::AfterSeconds, format!("at most {LATEST_SECONDS}, a week")))
            }
            seconds => Ok(seconds.unwrap_or(default_seconds).into()),
        }
    }
}

/// Input of the transaction that pays an order.
struct PaymentRequest {
    actor: ActingPerson,
    reference_id: String,
    outcome: Outcome,
    after: i64,
    ids: [String; 2],
    keys: [String; 2],
    now: Timestamp,
}

#[boxed::futures]
impl Sandbox {
    pub async fn pay(&self, tenant: TenantId, person: &str, pay: Pay) -> Result<Paid> {
        let person = self.find_online(tenant, person).await?;
        let ids = [self.ids().transaction(), self.ids().transaction()];
        self.pay_with_ids(ids, tenant, person, pay).await
    }

    /// Pays an order, with these ids for the new transactions. Idempotent: has no effect when the order already has a
    /// transaction with the first id.
    pub(crate) async fn pay_with_ids(
        &self,
        ids: [String; 2],
        tenant: TenantId,
        person: Person,
        pay: Pay,
    ) -> Result<Paid> {
        let after = pay.after()?;
        let payment = self.order(tenant, &person, &pay).await?;
        let opened = self.app().messaging().channels().open(tenant, payment.channel).await?;
        let key = || self.due_key(&payment.reference_id);
        let request = PaymentRequest {
            actor: ActingPerson { tenant, channel: opened.channel, person },
            outcome: pay.outcome,
            after,
            ids,
            keys: [key(), key()],
            reference_id: payment.reference_id.clone(),
            now: self.now(),
        };
        let payment = self.db().write(request, |tx, request| Box::pin(pay_order(tx, request))).await?;
        self.wake();
        Ok(Paid {
            transactions: payment.transactions.iter().map(|one| one.id.clone()).collect(),
            reference_id: payment.reference_id,
            message: payment.message_id,
            outcome: pay.outcome,
            status: payment.status,
        })
    }

    /// Finds the order that `pay` names; without a name the person's unpaid order that changed last.
    async fn order(&self, tenant: TenantId, person: &Person, pay: &Pay) -> Result<Payment> {
        let mut records = sandbox::records::list(self.db(), tenant, Kind::Payment).await?;
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
        found.ok_or(Error::NotFound(Thing::Order))
    }
}

async fn pay_order(tx: &mut Tx<'_>, request: &PaymentRequest) -> Result<Payment> {
    let PaymentRequest { actor, reference_id, outcome, after, ids, keys, now } = request;
    let payment = records::read_for_update::<Payment>(tx, actor.tenant, Kind::Payment, reference_id).await?;
    let payment = payment.ok_or(Error::NotFound(Thing::Order))?;
    if payment.transactions.iter().any(|one| one.id == ids[0]) {
        return Ok(payment);
    }
    let again = matches!(outcome, Outcome::Twice | Outcome::Refunded);
    if payment.status == "captured" && !again {
        return Err(Error::conflict(Field::Outcome, "this order is paid: it can be paid twice or refunded"));
    }
    let Timeline { payment, reports } = PaymentScript { payment, ids, now: *now, after: *after }.timeline(*outcome);
    records::write(tx, actor.tenant, Kind::Payment, reference_id, &payment, *now).await?;
    for (report, key) in reports.iter().zip(keys) {
        let ScheduledReport { status, transaction, at, reported_at } = report;
        let change =
            payments::payment_status(&actor.number(), &actor.webhook_contact(), &payment, transaction, status, *at);
        schedule(tx, actor.tenant, payment.channel, *reported_at, key, &change).await?;
    }
    Ok(payment)
}
