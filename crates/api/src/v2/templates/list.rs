//! `GET /{tenantId}/api/v2/getMessageTemplates`

use axum::Json;
use axum::extract::{OriginalUri, State};

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::v1::templates::list::{Listed, page};

/// Get templates
///
/// The newest first, without those that were deleted.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v2/getMessageTemplates",
    tag = "templates",
    params(
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 1000, example = 100, nullable = false, description = "Templates on a page; 100 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 1_000_000, example = 1, nullable = false, description = "Pages count from 1."),
        ("name" = Option<String>, Query, nullable = false, description = "Part of the name."),
        ("wabaId" = Option<String>, Query, nullable = false, description = "Only templates of this account of the network."),
    ),
    responses((status = 200, description = "One page of templates.", body = Listed)),
)]
pub(crate) async fn get_message_templates_v2(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Json<Listed>> {
    page(&state, &caller, &uri, &input).await
}
