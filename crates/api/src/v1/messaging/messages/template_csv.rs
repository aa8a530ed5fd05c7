//! `POST /{tenantId}/api/v1/sendTemplateMessageCSV`: sends a template to the people in a CSV file.

use axum::extract::Request;

use super::broadcast::template_send;
use super::templates::{TemplatesAnswerV1, refused, send};
use crate::input::{LegacyInput, MAX_RECIPIENTS_BODY};
use crate::prelude::*;
use crate::shared::messaging::messages::csv::{FILE, recipients};
use crate::shared::messaging::messages::dry_run::DryRunQuery;

template_send! {
    TemplateCsvV1, TemplateFile {
        #[schema(value_type = String, format = Binary)]
        whatsapp_numbers_csv: String = verbatim["whatsapp_numbers_csv"](),
        channel_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
    }
}

/// Send a template to the people in a CSV file
///
/// The column with the number has a heading such as `phone` or `whatsappNumber`; if there is none, the first column is
/// used. A `localMessageId` column is optional, and every other column is a template value by name. If the file has no
/// headings, values are matched by order. At most 10 000 rows and 8 MiB.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessageCSV",
    tag = "templates",
    params(DryRunQuery),
    request_body(content = TemplateFile, content_type = "multipart/form-data"),
    responses((
        status = 200,
        description = "The outcome for each receiver, or why nothing is sent.",
        body = TemplatesAnswerV1
    )),
)]
pub(crate) async fn send_template_message_csv(Gated(state, caller): Gated, request: Request) -> ApiResult<Response> {
    let input = LegacyInput::read_up_to(request, &state, MAX_RECIPIENTS_BODY).await?;
    let asked = TemplateFile::parse(&input)?;
    match recipients(&asked.whatsapp_numbers_csv) {
        Ok(recipients) => {
            send(&state, &caller, asked.broadcast(DryRunQuery::is_set(&input)?).to(recipients)?, FILE).await
        }
        Err(error) => refused(error),
    }
}
