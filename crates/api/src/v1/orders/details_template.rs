//! `POST /{tenantId}/api/v1/order_details_template`: an order, sent to anybody with a template.

use axum::extract::State;
use axum::response::Response;
use utoipa::ToSchema;

use super::asked::{order, template};
use super::sent::{SentAnswer, answer};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::orders::Told;
use crate::orders::amount::AmountShape;
use crate::orders::input::ContentInput;
use crate::orders::shape::GoodsSchema;
use crate::v1::messages::{InQuery, Over, Tenant};

#[derive(Debug, ToSchema)]
#[schema(as = OrderDetailsTemplateV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    /// With country code, with or without `+`; `target` wins.
    #[schema(rename = "whatsappNumber", example = "14155552671")]
    whatsapp_number: Option<String>,
    /// The business's own name of the order, unique in the tenant. Also accepted: `referenceId`.
    #[schema(example = "order-4711", min_length = 1, max_length = 35)]
    reference_id: String,
    r#type: GoodsSchema,
    /// ISO 4217.
    #[schema(example = "INR")]
    currency: String,
    /// `Σ items + tax + shipping − discount`. Also accepted: `totalAmount`.
    total_amount: AmountShape,
    order: ContentInput,
    /// The name under which the network knows how the business is paid; without one no payment can be looked up.
    #[schema(example = "shop-upi", max_length = 60)]
    payment_configuration: Option<String>,
    #[schema(example = "upi", max_length = 60)]
    payment_type: Option<String>,
    /// An approved template with a button for the order. Also accepted: `templateName`.
    #[schema(example = "order_ready")]
    template_name: String,
    #[schema(example = "en")]
    language: Option<String>,
    /// An array, or a string that holds one as JSON.
    parameters: Option<Vec<ParamShape>>,
    #[schema(rename = "localMessageId", max_length = 64)]
    local_message_id: Option<String>,
}

/// Send an order with a template
///
/// To anybody; an unknown contact is made. `result: true` means that order and message are stored together.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/order_details_template",
    tag = "orders",
    params(Tenant, InQuery, Over),
    request_body(content = Input, content_type = "application/json"),
    responses(
        (status = 200, description = "The order and its message, accepted, or why not.", body = SentAnswer),
        (status = 409, description = "The reference is taken. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_order_details_template(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let sent = match template(&input)? {
        Ok(via) => state.app.orders().create(&caller, order(&input, via)?).await.map(Told::from),
        Err(error) => Err(error),
    };
    answer(&state, &caller, input.dry_run()?, sent).await
}
