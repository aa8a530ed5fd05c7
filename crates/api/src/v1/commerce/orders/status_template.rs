//! `POST /{tenantId}/api/v1/order_status_template`: changes an order's status and sends it with a template.

use std::mem::take;

use super::requests::{status_send, template};
use super::sent::{OrderSentAnswer, answer};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::params::ParamInput;

status_send! {
    OrderStatusTemplateV1, SendOrderStatusTemplateRequest {
        /// An array, or a string containing a JSON array.
        parameters: Option<Vec<ParamInput>> = json["parameters", "customParams", "custom_params"](),
        /// An approved template. Alias: `templateName`.
        #[schema(example = "order_news")]
        template_name: String = required_text["template_name", "templateName", "elementName"](),
        #[schema(example = "en")]
        language: Option<String> = text["language"](),
    }
}

/// Set an order's status with a template
///
/// Sends the new status to the person who was asked to pay. A status only moves forward; a change that is not allowed
/// returns `409`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/order_status_template",
    tag = "orders",
    params(DryRunQuery),
    request_body(content = SendOrderStatusTemplateRequest, content_type = "application/json"),
    responses(
        (
            status = 200,
            description = "The updated order and the message, or why the change was refused.",
            body = OrderSentAnswer
        ),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "The order cannot change to this status. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_order_status_template(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let mut asked = SendOrderStatusTemplateRequest::parse(&input)?;
    let dry_run = asked.dry_run.unwrap_or_default();
    let form = template(take(&mut asked.template_name), asked.language.take(), asked.parameters.take());
    let sent =
        state.app.commerce().orders().set_status(&caller, asked.into_send(form)).await.map(OrderWithMessage::from);
    answer(&state, &caller, dry_run, sent).await
}
