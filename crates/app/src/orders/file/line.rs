//! An order as a line of JSON: what the API shows of it.

use domain::orders::Order;
use domain::payments::Payment;
use domain::time::as_rfc3339;
use domain::{ChannelId, ContactId, MessageId, Timestamp};
use serde::Serialize;

use crate::orders::Shown;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    order: &'a Order,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated: Timestamp,
    provenance: Provenance<'a>,
    payment: &'a Payment,
}

#[derive(Serialize)]
struct Provenance<'a> {
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_email: Option<&'a str>,
    channel_id: ChannelId,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_id: Option<ContactId>,
    message_id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_status: Option<&'static str>,
}

/// Adds an order as a line of JSON Lines.
pub fn put(out: &mut Vec<u8>, shown: &Shown) {
    let order = &shown.order;
    let operator = order.operator.as_ref();
    let line = Line {
        order: &order.doc,
        target: shown.target.as_deref(),
        created: order.created_at,
        updated: order.updated_at,
        provenance: Provenance {
            source: operator.map_or("", |operator| operator.source.name()),
            operator_email: operator.and_then(|operator| operator.email.as_deref()),
            channel_id: order.channel_id,
            contact_id: order.contact_id,
            message_id: order.message_id,
            message_status: shown.message_state.map(domain::messages::MessageState::name),
        },
        payment: &shown.payment,
    };
    // Writing texts and numbers into memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, &line);
    out.push(b'\n');
}
