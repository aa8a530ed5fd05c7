//! `PUT /api/ext/v3/orders/{reference_id}/status`: how an order goes on, told to the person.

use app::messages::Source;
use app::orders::StatusSend;
use axum::extract::State;
use axum::response::Response;
use domain::orders::Status;
use serde::Deserialize;
use utoipa::ToSchema;

use super::sent::{OrderSentAnswer, answer};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody, Query};
use crate::messages::dry_run::DRY_RUN;
use crate::messages::flexible_text::{FlexibleText, non_empty};
use crate::messages::params::ParamInput;
use crate::orders::OrderWithMessage;
use crate::orders::message::OrderMessage;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewOrderStatus)]
pub(crate) struct SetOrderStatusRequest {
    /// Where the order is now.
    #[schema(value_type = Status, example = "shipped")]
    status: String,
    /// A few words to it, shown with the order.
    #[schema(example = "On its way with the evening post.", max_length = 120, nullable = false)]
    description: Option<String>,
    /// What the person reads, in the 24 hours after having written; otherwise a template is needed.
    #[schema(value_type = Option<String>, example = "Your order is on its way.", max_length = 1024, nullable = false)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    /// In place of `body`: an approved template of the network's kind for this. Also accepted: `templateName`.
    #[serde(alias = "templateName")]
    #[schema(example = "order_news", nullable = false)]
    template_name: Option<String>,
    #[schema(example = "en", nullable = false)]
    language: Option<String>,
    /// The values of the template's variables. Also accepted: `customParams`, `parameters`.
    #[serde(alias = "customParams", alias = "parameters")]
    #[schema(value_type = Option<Vec<ParamShape>>, nullable = false)]
    custom_params: Option<Vec<ParamInput>>,
}

/// Set an order's status
///
/// And tell the person. An order goes forward only: `pending`, `processing`, `partially_shipped`, `shipped`, `completed`;
/// `canceled` is possible until something has left, and not while it is paid or being paid. Any other move is a 409. The same
/// status again is no move: it is told where there is a `description`, and otherwise nothing happens.
#[utoipa::path(
    put,
    path = "/api/ext/v3/orders/{reference_id}/status",
    tag = "orders",
    params(
        ("reference_id" = String, Path, description = "The business's own name of the order.", example = "order-4711"),
        ("dry_run" = Option<bool>, Query, nullable = false, description = "Say what would happen, and send and store nothing."),
    ),
    request_body = SetOrderStatusRequest,
    responses(
        (status = 200, description = "The order as it is now, and the message.", body = OrderSentAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_order_status(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(reference): FromPath<String>,
    query: Query,
    JsonBody(input): JsonBody<SetOrderStatusRequest>,
) -> ApiResult<Response> {
    let dry_run = query.flag(DRY_RUN)?;
    let said = OrderMessage {
        header: None,
        body: input.body,
        footer: input.footer,
        template: input.template_name,
        language: input.language,
        params: input.custom_params,
    };
    let sent = match said.either()? {
        Ok(via) => {
            let description = non_empty(input.description);
            let send = StatusSend { reference, status: input.status, description, via, source: Source::Api, dry_run };
            state.app.orders().set_status(&caller, send).await.map(OrderWithMessage::from)
        }
        Err(error) => Err(error),
    };
    answer(&state, &caller, dry_run, sent).await
}
