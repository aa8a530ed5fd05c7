//! `POST /{tenantId}/api/v1/order_details_template`: sends an order with a template, to any person.

use std::mem::take;

use super::requests::{order_send, template};
use super::sent::{OrderSentAnswer, answer};
use crate::input::{LegacyInput, about_person};
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::messaging::messages::params::ParamInput;
use crate::v1::messaging::messages::{NumberInQuery, SendQuery};

order_send! {
    OrderDetailsTemplateV1, SendOrderTemplateRequest {
        /// An array, or a string containing a JSON array.
        parameters: Option<Vec<ParamInput>> = json["parameters", "customParams", "custom_params"](),
        /// An approved template with an order button. Alias: `templateName`.
        #[schema(example = "order_ready")]
        template_name: String = required_text["template_name", "templateName", "elementName"](),
        #[schema(example = "en")]
        language: Option<String> = text["language"](),
    }
}

/// Send an order with a template
///
/// Sends an order to any person. An unknown contact is created. `result: true` means that the order and its message
/// were stored.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/order_details_template",
    tag = "orders",
    params(NumberInQuery, SendQuery),
    request_body(content = SendOrderTemplateRequest, content_type = "application/json"),
    responses(
        (
            status = 200,
            description = "The accepted order and its message, or why it was refused.",
            body = OrderSentAnswer
        ),
        (status = 409, description = "The reference is in use. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_order_details_template(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    let mut asked = SendOrderTemplateRequest::parse(&input)?;
    let (dry_run, named_by) = (asked.dry_run.unwrap_or_default(), asked.person.named_by);
    let form = template(take(&mut asked.template_name), asked.language.take(), asked.parameters.take());
    let sent = state.app.commerce().orders().create(&caller, asked.into_send(form)).await.map(OrderWithMessage::from);
    answer(&state, &caller, dry_run, sent.map_err(about_person(named_by))).await
}
