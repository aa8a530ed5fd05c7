//! `POST /{tenantId}/api/v1/sendTemplateMessageCSV`: a template to a file of people.

use axum::extract::{Request, State};
use axum::response::Response;
use utoipa::ToSchema;

use super::template::broadcast;
use super::templates::{ManyAnswer, send};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{LegacyInput, MAX_RECIPIENTS_BODY, required};
use crate::messages::csv::{FILE, recipients};
use crate::v1::failure::or_failure;

#[derive(Debug, ToSchema)]
#[schema(as = TemplateCsvV1)]
#[expect(dead_code, reason = "a description of a form that is read part by part")]
pub(crate) struct Form {
    #[schema(value_type = String, format = Binary)]
    whatsapp_numbers_csv: Vec<u8>,
    #[schema(example = "order_update")]
    template_name: String,
    #[schema(example = "May orders", max_length = 200)]
    broadcast_name: String,
    channel_number: Option<String>,
}

/// Send a template to a file of people
///
/// A CSV file: one column says who (`phone`, `whatsappNumber`, … or the first), `localMessageId` may be another, and every
/// other column is a value of the template by name. Without a heading the order of the columns counts. At most 10 000
/// rows and 8 MiB.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessageCSV",
    tag = "templates",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("dry_run" = Option<bool>, Query, nullable = false, description = "Say what would happen, and send and store nothing."),
    ),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses((status = 200, description = "What becomes of each receiver, or why nothing is sent.", body = ManyAnswer)),
)]
pub(crate) async fn send_template_message_csv(
    State(state): State<ApiState>,
    caller: Caller,
    request: Request,
) -> ApiResult<Response> {
    let input = LegacyInput::read_up_to(request, &state, MAX_RECIPIENTS_BODY).await?;
    let file = required(FILE, input.verbatim(FILE))?;
    match recipients(file) {
        Ok(recipients) => send(&state, &caller, broadcast(&input, recipients, FILE)?).await,
        Err(error) => or_failure(Err(error)),
    }
}
