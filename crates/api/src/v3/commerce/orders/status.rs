//! `PUT /api/ext/v3/orders/{reference_id}/status`: changes an order's status and sends it to the person.

use app::commerce::orders::OrderStatusSend;
use domain::commerce::orders::OrderStatus;

use super::sent::{OrderSentAnswer, answer};
use crate::prelude::*;
use crate::shared::commerce::orders::OrderWithMessage;
use crate::shared::commerce::orders::message::OrderMessage;
use crate::shared::messaging::messages::dry_run::DRY_RUN;
use crate::shared::messaging::messages::flexible_text::{FlexibleText, non_empty};
use crate::shared::messaging::messages::params::ParamInput;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewOrderStatus {
    /// The new status.
    #[schema(value_type = OrderStatus, example = "shipped")]
    status: String,
    /// A short text about the new status, shown to the person with the order. If given, the message is sent even if the
    /// status is unchanged.
    #[schema(example = "On its way with the evening post.", max_length = 120, nullable = false)]
    description: Option<String>,
    /// The text of a free-form message to a person who wrote in the last 24 hours. Otherwise, use a template.
    #[schema(value_type = Option<String>, example = "Your order is on its way.", max_length = 1024, nullable = false)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    /// Instead of `body`: an approved template of the network's type for order statuses. Alias: `templateName`.
    #[serde(alias = "templateName")]
    #[schema(example = "order_news", nullable = false)]
    template_name: Option<String>,
    #[schema(example = "en", nullable = false)]
    language: Option<String>,
    /// Values for the template's variables. Aliases: `customParams`, `parameters`.
    #[serde(alias = "customParams", alias = "parameters")]
    #[schema(nullable = false)]
    custom_params: Option<Vec<ParamInput>>,
}

/// Set an order's status
///
/// Sends the new status to the person who was asked to pay. A status only moves forward: `pending`, `processing`,
/// `partially_shipped`, `shipped`, `completed`. An order can be `canceled` until something was shipped, but not while
/// it is paid or being paid. Any other change returns `409`. Setting the same status again sends a message if there is
/// a `description`; otherwise, nothing happens.
#[described::path(
    put,
    path = "/api/ext/v3/orders/{reference_id}/status",
    params(
        ("reference_id" = String, Path, description = "Your reference for the order.", example = "order-4711"),
        (
            "dry_run" = Option<bool>,
            Query,
            nullable = false,
            description = "Dry run: returns what would happen without sending or storing anything."
        ),
    ),
    responses(
        (status = 200, description = "The updated order and the message.", body = OrderSentAnswer),
        (status = 409, description = "Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_order_status(
    Gated(state, caller): Gated,
    FromPath(reference): FromPath<String>,
    query: Query,
    Json(input): Json<NewOrderStatus>,
) -> ApiResult<Response> {
    let dry_run = query.flag(DRY_RUN)?;
    let message = OrderMessage {
        header: None,
        body: input.body,
        footer: input.footer,
        template: input.template_name,
        language: input.language,
        params: input.custom_params,
    };
    let sent = match message.either()? {
        Ok(form) => {
            let description = non_empty(input.description);
            let send = OrderStatusSend {
                reference,
                status: input.status,
                description,
                form,
                source: caller.message_source(),
                dry_run,
            };
            state.app.commerce().orders().set_status(&caller, send).await.map(OrderWithMessage::from)
        }
        Err(error) => Err(error),
    };
    answer(&state, &caller, dry_run, sent).await
}
