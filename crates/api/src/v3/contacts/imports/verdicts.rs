//! `GET /api/ext/v3/contacts/imports/{id}/verdicts`: the outcome of each row.

use app::ActsFor as _;
use app::contacts::import::Format;
use axum::extract::State;
use axum::response::Response;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::v3::contacts::stream;

/// Get the verdicts of an import
///
/// JSON Lines: `{"row", "verdict"}` for each row so far. The verdict is `created`, `updated`, `unchanged` or
/// `rejected`; rejected rows also have `column` and `reason`. Rows are numbered as in a spreadsheet: the header of a
/// CSV file is row 1.
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/imports/{id}/verdicts",
    tag = "contacts",
    params(("id" = String, Path, description = "The import.", example = "507f1f77bcf86cd799439011")),
    responses(
        (status = 200, description = "A line for each row.", body = String, content_type = "application/x-ndjson"),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_contact_import_verdicts(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Response> {
    let import = state.app.contacts().import(&caller, super::id(&id)?).await?;
    let name = format!("verdicts-{id}.jsonl");
    Ok(stream::file(caller.tenant(), Format::Jsonl.content_type(), &name, move |chunks| async move {
        state.app.contacts().verdicts(&caller, import.id, &chunks).await
    }))
}
