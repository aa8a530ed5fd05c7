//! `POST /{tenantId}/api/v1/order_status_template`: how an order goes on, told with a template.

use axum::extract::State;
use axum::response::Response;
use utoipa::ToSchema;

use super::asked::{status, template};
use super::sent::{SentAnswer, answer};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::orders::Told;
use crate::orders::shape::StatusSchema;
use crate::v1::messages::Tenant;

#[derive(Debug, ToSchema)]
#[schema(as = OrderStatusTemplateV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    /// Also accepted: `referenceId`.
    #[schema(example = "order-4711")]
    reference_id: String,
    /// Also accepted: inside `order`.
    status: StatusSchema,
    /// A few words to it, shown with the order. Also accepted: inside `order`.
    #[schema(example = "On its way with the evening post.", max_length = 120)]
    description: Option<String>,
    /// An approved template. Also accepted: `templateName`.
    #[schema(example = "order_news")]
    template_name: String,
    #[schema(example = "en")]
    language: Option<String>,
    /// An array, or a string that holds one as JSON.
    parameters: Option<Vec<ParamShape>>,
}

/// Set an order's status with a template
///
/// And tell the person who was asked to pay it, whenever that person wrote last. An order goes forward only; a move that
/// makes no sense is a 409.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/order_status_template",
    tag = "orders",
    params(
        Tenant,
        ("dry_run" = Option<bool>, Query, nullable = false, description = "Say what would happen, and send and store nothing."),
    ),
    request_body(content = Input, content_type = "application/json"),
    responses(
        (status = 200, description = "The order as it is now and the message, or why not.", body = SentAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "The order cannot become this. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_order_status_template(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let sent = match template(&input)? {
        Ok(via) => state.app.orders().set_status(&caller, status(&input, via)?).await.map(Told::from),
        Err(error) => Err(error),
    };
    answer(&state, &caller, input.dry_run()?, sent).await
}
