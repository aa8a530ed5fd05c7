//! Typed access to the sandbox's records.

use domain::{TenantId, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::records::{self, Kind, Record};

/// Parses the document of a record; `None` when it has another shape.
pub fn parsed<T: DeserializeOwned>(record: &Record) -> Option<T> {
    serde_json::from_str(&record.doc).ok()
}

pub fn to_record(key: &str, value: &impl Serialize, now: Timestamp) -> Record {
    // Plain data always serializes.
    let doc = domain::to_json(value);
    Record { key: key.to_owned(), doc, updated_at: now }
}

pub async fn read<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: Kind,
    key: &str,
) -> store::Result<Option<T>> {
    Ok(records::get_in(tx, tenant, kind, key).await?.as_ref().and_then(parsed))
}

/// Reads and locks a record that the transaction will write.
pub async fn read_for_update<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: Kind,
    key: &str,
) -> store::Result<Option<T>> {
    Ok(records::get_for_update(tx, tenant, kind, key).await?.as_ref().and_then(parsed))
}

#[boxed::futures]
pub async fn write(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: Kind,
    key: &str,
    value: &(impl Serialize + Sync),
    now: Timestamp,
) -> store::Result<()> {
    records::save(tx, tenant, kind, &to_record(key, value, now)).await
}

/// Record of kind `payment`, by the business's reference id: an order that was sent, and what was paid for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub reference_id: String,
    /// Name of the payment configuration, if the order has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Channel over which the order was sent.
    pub channel: domain::ChannelId,
    /// The person who is to pay, by position in the tenant's list of people.
    pub person: i64,
    /// Id of the message with the order.
    pub message_id: String,
    pub amount: Amount,
    pub currency: String,
    /// `pending`, `captured`, `failed`, `canceled`.
    pub status: String,
    /// Status in the business's last order update: `pending`, `processing`, …
    pub order_status: String,
    #[serde(default)]
    pub transactions: Vec<Transaction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub value: i64,
    pub offset: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    pub id: String,
    /// `upi`, `billdesk`, `razorpay`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// `pending`, `success`, `failed`.
    pub status: String,
    /// Unix seconds.
    pub created_timestamp: i64,
    pub updated_timestamp: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Absent: the amount of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// In the network's format: `{id, amount, status, …}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refunds: Vec<serde_json::Value>,
    /// `{code, reason}` of a failed transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
}

/// Record of kind `call`, by the network's id of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub channel: domain::ChannelId,
    /// The person, by position in the tenant's list of people.
    pub person: i64,
    /// `BUSINESS_INITIATED` or `USER_INITIATED`.
    pub direction: String,
    pub created_at: Timestamp,
    /// When the call is answered; may be in the future.
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_data: Option<String>,
}

/// Record of kind `setting`, key `offline:{position}`: the person's phone is offline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfflinePhone {
    pub since: Timestamp,
}

impl OfflinePhone {
    const PREFIX: &'static str = "offline:";

    pub fn key(person: i64) -> String {
        format!("{}{person}", Self::PREFIX)
    }

    /// The person's position in a key `offline:{position}`; none for the key of another setting.
    pub fn person_of(key: &str) -> Option<i64> {
        key.strip_prefix(Self::PREFIX)?.parse().ok()
    }
}

/// Record of kind `setting`, key `opt_out:{position}`: the person has stopped marketing messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketingOptOut {
    pub since: Timestamp,
}

impl MarketingOptOut {
    pub fn key(person: i64) -> String {
        format!("opt_out:{person}")
    }
}
