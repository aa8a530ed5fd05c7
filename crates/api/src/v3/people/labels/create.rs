//! `POST /api/ext/v3/labels`: creates a label.

use app::people::labels::LabelRequest;

use super::shape::LabelShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewLabel {
    /// Must be unique, ignoring case.
    #[schema(example = "vip", min_length = 1, max_length = 50)]
    name: String,
    /// `gray` (the default), `red`, `orange`, `amber`, `green`, `teal`, `blue`, `purple` or `pink`.
    #[schema(example = "amber", nullable = false)]
    color: Option<String>,
}

/// Parses the colour and builds the request.
pub(super) fn label_request(name: Option<String>, color: Option<&str>) -> ApiResult<LabelRequest> {
    let color = color.map(domain::people::labels::check_color).transpose();
    let color = color.map_err(|error| ApiError::invalid("color", error))?;
    Ok(LabelRequest { name, color })
}

/// Create a label
///
/// A tenant can have at most 500 labels; creating another returns `429` with the reason `limit_reached`.
#[described::path(
    post,
    path = "/api/ext/v3/labels",
    responses(
        (status = 200, description = "The label.", body = LabelShape),
        (status = 409, description = "Reasons: `conflict` (another label has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_label(
    Gated(state, caller): Gated,
    Json(input): Json<NewLabel>,
) -> ApiResult<Json<LabelShape>> {
    let request = label_request(Some(input.name), input.color.as_deref())?;
    Ok(Json(state.app.people().labels().create(&caller, request).await?.into()))
}
