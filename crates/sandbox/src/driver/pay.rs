//! A person pays an order, in one of the ways in which that goes right or wrong.

mod till;

use app::{Error, Result, Thing};
use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::sandbox::people::Person;
use store::sandbox::records::{self as rows, Kind};

use super::Place;
use crate::core::records::{self, Payment, parsed};
use crate::notices::payments;
use crate::{Sandbox, schedule};
use till::{Course, Report, Till};

const LATE_SECONDS: u32 = 3600;
const LATEST_SECONDS: u32 = 7 * 24 * 3600;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pay {
    /// The id of the message that asks for it.
    pub message: Option<String>,
    /// Without this and `message`: the newest order that is not paid.
    pub reference_id: Option<String>,
    pub outcome: Outcome,
    /// The network tells after so many seconds: up to a week. Without it at once, and after an hour what is `late`.
    pub after_seconds: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxOutcome)]
pub enum Outcome {
    #[default]
    Captured,
    Failed,
    Pending,
    /// Two payments for one order; of one that is paid, the second.
    Twice,
    /// Paid, and given back.
    Refunded,
    /// Paid at once, reported later.
    Late,
    /// Paid and never reported.
    Lost,
    /// Reported as paid, while a look-up says that it is not.
    Disagree,
    /// Reported as paid, while a look-up shows half of the amount.
    OtherAmount,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SandboxPaid)]
pub struct Paid {
    #[schema(example = "order-42")]
    pub reference_id: String,
    /// The id of the message that asked for it.
    pub message: String,
    pub outcome: Outcome,
    /// What a look-up answers from now on.
    #[schema(example = "captured")]
    pub status: String,
    /// Ids of the payment's transactions.
    pub transactions: Vec<String>,
}

impl Pay {
    /// Seconds until the network tells.
    fn after(&self) -> Result<i64> {
        let usual = if self.outcome == Outcome::Late { LATE_SECONDS } else { 0 };
        match self.after_seconds {
            Some(_) if self.outcome == Outcome::Lost => {
                Err(Error::invalid("after_seconds", "what is lost is never told"))
            }
            Some(seconds) if seconds > LATEST_SECONDS => {
                Err(Error::invalid("after_seconds", format!("at most {LATEST_SECONDS}, a week")))
            }
            seconds => Ok(seconds.unwrap_or(usual).into()),
        }
    }
}

/// What the transaction needs.
struct Wanted {
    place: Place,
    reference_id: String,
    outcome: Outcome,
    after: i64,
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
        let after = pay.after()?;
        let payment = self.order(tenant, &person, &pay).await?;
        let opened = self.app().channels().open(tenant, payment.channel).await?;
        let key = || self.due_key(&payment.reference_id);
        let wanted = Wanted {
            place: Place { tenant, channel: opened.channel, person },
            outcome: pay.outcome,
            after,
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
        found.ok_or(Error::NotFound(Thing::Order))
    }
}

async fn paid(tx: &mut Tx<'_>, wanted: &Wanted) -> Result<Payment> {
    let Wanted { place, reference_id, outcome, after, ids, keys, now } = wanted;
    let held = records::held::<Payment>(tx, place.tenant, Kind::Payment, reference_id).await?;
    let payment = held.ok_or(Error::NotFound(Thing::Order))?;
    if payment.transactions.iter().any(|one| one.id == ids[0]) {
        return Ok(payment);
    }
    let again = matches!(outcome, Outcome::Twice | Outcome::Refunded);
    if payment.status == "captured" && !again {
        return Err(Error::conflict("outcome", "this order is paid: it can be paid twice or refunded"));
    }
    let Course { payment, reports } = Till { payment, ids, now: *now, after: *after }.course(*outcome);
    records::write(tx, place.tenant, Kind::Payment, reference_id, &payment, *now).await?;
    for (report, key) in reports.iter().zip(keys) {
        let Report { status, transaction, at, told } = report;
        let change = payments::told(&place.line(), &place.who(), &payment, transaction, status, *at);
        schedule(tx, place.tenant, payment.channel, *told, key, &change).await?;
    }
    Ok(payment)
}
