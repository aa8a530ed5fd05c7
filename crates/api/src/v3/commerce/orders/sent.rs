//! The response to order sends and status sends in V3: the order and its message, or the result of a dry run.

use domain::Field;

use crate::error::Spelling;
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::commerce::orders::shape::OrderShape;
use crate::shared::messaging::messages;
use crate::shared::messaging::messages::dry_run::why_not;
use crate::shared::messaging::messages::problem::ProblemShape;
use crate::v3::messaging::messages::shape::MessageShape;

#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = OrderSent)]
pub(crate) struct OrderSentAnswer<'a> {
    /// The updated order. Absent if a dry run finds that the request would be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    order: Option<OrderShape<'a>>,
    /// Absent if no message is sent because the order already has the status and there is no description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<MessageShape>,
    /// When the message is expected to be sent. Absent once it has been sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    estimated_at: Option<String>,
    /// True for a dry run: nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    /// For a dry run: whether a message would be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    would_send: Option<bool>,
    /// For a dry run: why nothing would be sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ProblemShape>,
}

const NAMES: Spelling<'_> = Spelling(&[(Field::Link, "media.url")]);

pub(super) async fn answer(
    state: &ApiState,
    caller: &Caller,
    dry_run: bool,
    sent: app::Result<OrderWithMessage>,
) -> ApiResult<Response> {
    let marked = dry_run.then_some(true);
    match sent {
        Ok(OrderWithMessage { order, message }) => {
            let sent = match message {
                Some(message) => Some(messages::with_context(state, caller, message, dry_run).await),
                None => None,
            };
            let estimated_at = sent.as_ref().and_then(|sent| sent.estimated_at);
            Ok(Json(OrderSentAnswer {
                order: Some(OrderShape::from(&order)),
                message: sent.as_ref().map(|sent| MessageShape::new(&sent.entry, sent.conversation.as_ref())),
                estimated_at: estimated_at.map(Timestamp::to_rfc3339),
                dry_run: marked,
                would_send: dry_run.then_some(sent.is_some()),
                errors: Vec::new(),
            })
            .into_response())
        }
        Err(error) if dry_run => {
            let errors = vec![why_not(NAMES.error(error))?];
            Ok(Json(OrderSentAnswer { dry_run: marked, would_send: Some(false), errors, ..OrderSentAnswer::default() })
                .into_response())
        }
        Err(error) => Err(NAMES.error(error).into()),
    }
}
