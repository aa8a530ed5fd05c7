//! The response to order sends and status sends in V1.

use domain::Field;

use super::failure::failure_info;
use crate::error::Spelling;
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::commerce::orders::shape::OrderShape;
use crate::shared::messaging::messages;
use crate::v1::failure::Failure;
use crate::v1::messaging::messages::DryRunV1;
use crate::v1::messaging::messages::shape::MessageShape;

const NAMES: Spelling<'_> = Spelling(&[(Field::CustomParams, "parameters"), (Field::Link, "media.url")]);

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderSentV1<'a> {
    #[schema(example = true)]
    result: bool,
    order: OrderShape<'a>,
    /// Null if no message is sent because the order already has the status and there is no description.
    message: Option<MessageShape>,
    #[serde(flatten)]
    dry_run: Option<DryRunV1>,
}

/// The accepted message or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderSentAnswerV1)]
#[serde(untagged)]
pub(crate) enum OrderSentAnswer<'a> {
    Sent(Box<OrderSentV1<'a>>),
    Failure(Failure),
}

#[derive(Debug, Serialize)]
struct RefusedDryRun {
    result: bool,
    info: String,
    #[serde(flatten)]
    dry_run: DryRunV1,
}

pub(super) async fn answer(
    state: &ApiState,
    caller: &Caller,
    dry_run: bool,
    sent: app::Result<OrderWithMessage>,
) -> ApiResult<Response> {
    match sent {
        Ok(OrderWithMessage { order, message }) => {
            let sent = match message {
                Some(message) => Some(messages::with_context(state, caller, message, dry_run).await),
                None => None,
            };
            let estimated_at = sent.as_ref().and_then(|sent| sent.estimated_at).map(Timestamp::to_rfc3339);
            let done = OrderSentV1 {
                result: true,
                order: OrderShape::from(&order),
                message: sent.as_ref().map(|sent| MessageShape::new(&sent.entry, sent.conversation.as_ref())),
                dry_run: dry_run.then(|| DryRunV1::new(sent.is_some(), estimated_at)),
            };
            Ok(Json(OrderSentAnswer::Sent(Box::new(done))).into_response())
        }
        Err(error) => {
            let info = failure_info(NAMES.error(error))?;
            if dry_run {
                let refused = RefusedDryRun { result: false, info, dry_run: DryRunV1::new(false, None) };
                return Ok(Json(refused).into_response());
            }
            Ok(Json(OrderSentAnswer::Failure(Failure::new(info))).into_response())
        }
    }
}
