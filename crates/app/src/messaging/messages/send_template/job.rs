//! A request to send a template, and what its transaction needs.

use channels::graph::{OrderDetails, OrderStatus};
use domain::messaging::messages::{MessageOperator, MessageSource, Urgency};
use domain::messaging::templates::Template;
use domain::people::contacts::{CustomParam, TargetRef};
use domain::{BroadcastId, Field, TenantId, Timestamp};

use crate::base::idempotency::IdempotencyScope;
use crate::messaging::Messaging;

pub const MAX_RECIPIENTS: usize = 10_000;

#[derive(Debug, Clone)]
pub struct TemplateSend {
    /// Name, phone number or id of a channel; none for the default channel.
    pub channel: Option<String>,
    /// Name or id of a template.
    pub template: String,
    pub language: Option<String>,
    pub broadcast_name: String,
    pub recipients: Vec<TemplateRecipient>,
    pub scheduled_at: Option<Timestamp>,
    pub source: MessageSource,
    pub dry_run: bool,
    pub fields: SendFields,
}

/// The parts of the request that errors are about. An order and a retry have others than a send.
#[derive(Debug, Clone, Copy)]
pub struct SendFields {
    pub(crate) channel: Field,
    pub(crate) template: Field,
    pub(crate) broadcast_name: Field,
}

impl Default for SendFields {
    fn default() -> Self {
        Self { channel: Field::Channel, template: Field::TemplateName, broadcast_name: Field::BroadcastName }
    }
}

#[derive(Debug, Clone)]
pub struct TemplateRecipient {
    pub target: String,
    /// The part of the recipient that has the target, for errors.
    pub named_by: Field,
    pub local_id: Option<String>,
    pub params: Vec<CustomParam>,
}

/// What an order adds to a template beyond the template's own parts.
#[derive(Debug, Clone)]
pub(crate) enum TemplateExtra {
    /// For the template's order details button.
    Order(Box<OrderDetails>),
    OrderStatus(OrderStatus),
}

#[derive(Debug)]
pub(crate) struct TemplateJob {
    pub(super) messaging: Messaging,
    pub(super) tenant: TenantId,
    pub(super) send: TemplateSend,
    /// The recipients' targets, parsed; none where a target cannot be parsed.
    pub(super) targets: Vec<Option<TargetRef>>,
    pub(super) operator: MessageOperator,
    pub(super) scope: Option<IdempotencyScope>,
    pub(super) broadcast_id: BroadcastId,
    pub(super) extra: Option<TemplateExtra>,
    /// When messages that have not left expire; if absent, after the usual time of the template's urgency.
    pub(super) expires_at: Option<Timestamp>,
    pub(super) now: Timestamp,
}

impl TemplateJob {
    /// Makes the send the retry of a broadcast, with an id and an expiry of its own.
    pub fn retrying(self, broadcast_id: BroadcastId, until: Timestamp) -> Self {
        Self { broadcast_id, expires_at: Some(until), ..self }
    }

    /// Sets the operator to that of an earlier send, if it had one.
    pub fn by(self, operator: Option<MessageOperator>) -> Self {
        let operator = operator.unwrap_or_else(|| self.operator.clone());
        Self { operator, ..self }
    }

    pub(super) fn urgency(template: &Template) -> Urgency {
        template.category.urgency()
    }

    pub(super) fn due_at(&self) -> Timestamp {
        self.send.scheduled_at.unwrap_or(self.now)
    }
}
