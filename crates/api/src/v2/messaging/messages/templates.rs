//! `POST /{tenantId}/api/v2/sendTemplateMessages`: sends a template to many people.

use super::sent::{TemplateSentAnswer, to_many};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::v1::messaging::messages::{RECEIVERS, SendTemplatesRequest};

/// Send a template to many people
///
/// Sends a template to 1 to 1000 receivers. A refused receiver does not stop the others.
#[described::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessages",
    tag = "templates",
    params(DryRunQuery),
    request_body(content = SendTemplatesRequest, content_type = "application/json"),
    responses((
        status = 200,
        description = "The outcome for each receiver, or why nothing is sent.",
        body = TemplateSentAnswer
    )),
)]
pub(crate) async fn send_template_messages_v2(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let mut asked = SendTemplatesRequest::parse(&input)?;
    let broadcast = asked.broadcast(DryRunQuery::is_set(&input)?);
    to_many(&state, &caller, broadcast, asked.take_receivers(), RECEIVERS).await
}
