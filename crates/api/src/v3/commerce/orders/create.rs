//! `POST /api/ext/v3/orders`: creates an order and sends it to the person who should pay.

use app::commerce::orders::OrderSend;
use domain::commerce::orders::NewOrder;
use domain::messaging::messages::MessageSource;

use super::sent::{OrderSentAnswer, answer};
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::commerce::orders::amount::AmountInput;
use crate::shared::commerce::orders::input::NewOrderContent;
use crate::shared::commerce::orders::message::OrderMessage;
use crate::shared::messaging::messages::dry_run::DRY_RUN;
use crate::shared::messaging::messages::flexible_text::{FlexibleText, non_empty};
use crate::shared::messaging::messages::interactive::HeaderInput;
use crate::shared::messaging::messages::params::ParamInput;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewOrder)]
pub(crate) struct CreateOrderRequest {
    /// A contact's phone number, id or BSUID, or a conversation id, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// Your reference for the order, unique within the tenant. Alias: `referenceId`.
    #[serde(alias = "referenceId")]
    #[schema(example = "order-4711", min_length = 1, max_length = 35, pattern = "^[A-Za-z0-9_.-]+$")]
    reference_id: String,
    /// `digital-goods` or `physical-goods`.
    #[schema(example = "physical-goods")]
    r#type: String,
    /// An ISO 4217 currency code.
    #[schema(example = "INR")]
    currency: String,
    /// `Σ items + tax + shipping − discount`. Alias: `totalAmount`.
    #[serde(alias = "totalAmount")]
    total_amount: AmountInput,
    order: NewOrderContent,
    /// The name of the payment configuration at the network. Without one, payments cannot be looked up. Alias:
    /// `paymentConfiguration`.
    #[serde(alias = "paymentConfiguration")]
    #[schema(example = "shop-upi", max_length = 60, nullable = false)]
    payment_configuration: Option<String>,
    /// `upi`, `payment_gateway:razorpay`, … Alias: `paymentType`.
    #[serde(alias = "paymentType")]
    #[schema(example = "upi", max_length = 60, nullable = false)]
    payment_type: Option<String>,
    /// An image, video or document above the body.
    #[schema(nullable = false)]
    header: Option<HeaderInput>,
    /// The text of a free-form message to a person who wrote in the last 24 hours. Otherwise, use a template.
    #[schema(value_type = Option<String>, example = "Your order is ready to be paid.", max_length = 1024, nullable = false)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    /// Instead of `body`: an approved template with an order button. Alias: `templateName`.
    #[serde(alias = "templateName")]
    #[schema(example = "order_ready", nullable = false)]
    template_name: Option<String>,
    #[schema(example = "en", nullable = false)]
    language: Option<String>,
    /// Values for the template's variables. Aliases: `customParams`, `parameters`.
    #[serde(alias = "customParams", alias = "parameters")]
    #[schema(nullable = false)]
    custom_params: Option<Vec<ParamInput>>,
    /// Your id for the message. Alias: `localMessageId`.
    #[serde(alias = "localMessageId")]
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
}

/// Send an order
///
/// Asks a person to pay: with `body` if the person wrote in the last 24 hours, with `template_name` at any time. `200`
/// means that the order and its message were stored; the payment is reported later by events. Reusing a reference
/// returns `409`.
#[described::path(
    post,
    path = "/api/ext/v3/orders",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    responses(
        (status = 200, description = "The accepted order and its message.", body = OrderSentAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`, `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn create_order(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<CreateOrderRequest>,
) -> ApiResult<Response> {
    let dry_run = query.flag(DRY_RUN)?;
    let sent = match order_send(input, caller.message_source(), dry_run)? {
        Ok(send) => state.app.commerce().orders().create(&caller, send).await.map(OrderWithMessage::from),
        Err(error) => Err(error),
    };
    answer(&state, &caller, dry_run, sent).await
}

fn order_send(input: CreateOrderRequest, source: MessageSource, dry_run: bool) -> ApiResult<app::Result<OrderSend>> {
    let order = NewOrder {
        reference_id: input.reference_id,
        goods: input.r#type,
        currency: input.currency,
        total_amount: Some(input.total_amount.into()),
        order: input.order.into(),
        payment_configuration: non_empty(input.payment_configuration),
        payment_type: non_empty(input.payment_type),
    };
    let message = OrderMessage {
        header: input.header,
        body: input.body,
        footer: input.footer,
        template: input.template_name,
        language: input.language,
        params: input.custom_params,
    };
    Ok(message.either()?.map(|form| OrderSend {
        target: input.target,
        channel: None,
        order,
        form,
        source,
        local_id: non_empty(input.local_message_id),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    }))
}
