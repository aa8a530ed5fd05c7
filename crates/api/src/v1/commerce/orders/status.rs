//! `POST /{tenantId}/api/v1/order_status`: changes an order's status and sends it to a person who wrote in the last 24
//! hours.

use std::mem::take;

use app::commerce::orders::MessageForm;

use super::requests::status_send;
use super::sent::{OrderSentAnswer, answer};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::interactive::{HeaderInput, Names, header};

status_send! {
    OrderStatusV1, SendOrderStatusRequest {
        #[schema(ignore)]
        header: Option<HeaderInput> = value["header"](),
        #[schema(example = "Your order is on its way.", max_length = 1024)]
        body: String = required_flexible_text["body"](),
        #[schema(max_length = 60)]
        footer: Option<String> = flexible_text["footer"](),
    }
}

impl SendOrderStatusRequest {
    fn take_message_form(&mut self) -> app::Result<MessageForm> {
        let (body, footer) = (take(&mut self.body), self.footer.take());
        header(self.header.take(), &Names::FLAT).map(|header| MessageForm::Free { header, body, footer })
    }
}

/// Set an order's status
///
/// Sends the new status to the person who was asked to pay, if that person wrote in the last 24 hours. A status only
/// moves forward; a change that is not allowed returns `409`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/order_status",
    tag = "orders",
    params(DryRunQuery),
    request_body(content = SendOrderStatusRequest, content_type = "application/json"),
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
pub(crate) async fn send_order_status(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let mut asked = SendOrderStatusRequest::parse(&input)?;
    let dry_run = asked.dry_run.unwrap_or_default();
    let sent = match asked.take_message_form() {
        Ok(form) => {
            state.app.commerce().orders().set_status(&caller, asked.into_send(form)).await.map(OrderWithMessage::from)
        }
        Err(error) => Err(error),
    };
    answer(&state, &caller, dry_run, sent).await
}
