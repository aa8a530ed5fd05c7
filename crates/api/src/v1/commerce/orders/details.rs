//! `POST /{tenantId}/api/v1/order_details`: sends an order to a person who wrote in the last 24 hours.

use std::mem::take;

use app::commerce::orders::MessageForm;

use super::requests::order_send;
use super::sent::{OrderSentAnswer, answer};
use crate::input::{LegacyInput, about_person};
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::messaging::messages::interactive::{HeaderInput, Names, header};
use crate::v1::messaging::messages::{NumberInQuery, SendQuery};

order_send! {
    OrderDetailsV1, SendOrderRequest {
        /// An image, video or document above the body.
        header: Option<HeaderInput> = value["header"](),
        #[schema(example = "Your order is ready to be paid.", max_length = 1024)]
        body: String = required_flexible_text["body"](),
        #[schema(max_length = 60)]
        footer: Option<String> = flexible_text["footer"](),
    }
}

impl SendOrderRequest {
    fn take_message_form(&mut self) -> app::Result<MessageForm> {
        let (body, footer) = (take(&mut self.body), self.footer.take());
        header(self.header.take(), &Names::FLAT).map(|header| MessageForm::Free { header, body, footer })
    }
}

/// Send an order
///
/// Sends an order to a person who wrote in the last 24 hours. Otherwise, `info` says that the ticket has expired; use
/// `order_details_template` instead. `result: true` means that the order and its message were stored.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/order_details",
    tag = "orders",
    params(NumberInQuery, SendQuery),
    request_body(content = SendOrderRequest, content_type = "application/json"),
    responses(
        (
            status = 200,
            description = "The accepted order and its message, or why it was refused.",
            body = OrderSentAnswer
        ),
        (status = 409, description = "The reference is in use. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_order_details(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let mut asked = SendOrderRequest::parse(&input)?;
    let (dry_run, named_by) = (asked.dry_run.unwrap_or_default(), asked.person.named_by);
    let sent = match asked.take_message_form() {
        Ok(form) => {
            state.app.commerce().orders().create(&caller, asked.into_send(form)).await.map(OrderWithMessage::from)
        }
        Err(error) => Err(error),
    };
    answer(&state, &caller, dry_run, sent.map_err(about_person(named_by))).await
}
