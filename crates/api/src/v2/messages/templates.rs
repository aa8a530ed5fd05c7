//! `POST /{tenantId}/api/v2/sendTemplateMessages`: a template to many.

use app::messages::TemplateSend;
use axum::extract::State;
use axum::response::Response;

use super::sent::{Sent as ManyAnswer, refused, send};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::messages::template::with_one_channel;
use crate::v1::messages::{ManyInput as Input, broadcast, receivers};

/// Send a template to many
///
/// 1 to 1000 receivers. One to whom it cannot be sent does not stop the others.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessages",
    tag = "templates",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("dry_run" = Option<bool>, Query, nullable = false, description = "Say what would happen, and send and store nothing."),
    ),
    request_body(content = Input, content_type = "application/json"),
    responses((status = 200, description = "What becomes of each receiver, or why nothing is sent.", body = ManyAnswer)),
)]
pub(crate) async fn send_template_messages_v2(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let asked = broadcast(&input, Vec::new(), "receivers")?;
    match receivers(&input)? {
        Ok(recipients) => {
            send(&state, &caller, with_one_channel(TemplateSend { recipients, ..asked }), Vec::new()).await
        }
        Err(error) => refused(error, asked.template, asked.dry_run),
    }
}
