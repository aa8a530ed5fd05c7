//! `GET /api/ext/v3/contacts/export`: contacts as a file.

use app::contacts::import::Format;
use axum::extract::State;
use axum::response::Response;

use super::{list, stream};
use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::Query;

const FORMAT: &[&str] = &["format"];

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// `csv` or `jsonl`.
    #[param(default = "csv", example = "csv", nullable = false)]
    format: Option<String>,
    /// Part of the name, in any letter case, of the number or of the handle.
    #[param(example = "lovelace", nullable = false)]
    search: Option<String>,
    /// JSON: `[{"name":"city","operator":"==","value":"Berlin"}]`; all conditions must hold. Operators: `contain`,
    /// `notContain`, `exist`, `notExist`, `==`, `!=`, `valid`, `invalid`.
    #[param(nullable = false)]
    attribute: Option<String>,
    /// Only contacts of the segment with this id or name.
    #[param(nullable = false)]
    segment: Option<String>,
}

/// Export contacts
///
/// Everything that the filters allow, oldest first, as a file that `POST /contacts/import` reads. CSV has a column for
/// each attribute, named like it; `attribute.NAME` where the name means something else. A cell that a spreadsheet would
/// run as a formula has a `'` in front, which an import takes off again.
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/export",
    tag = "contacts",
    params(Parameters),
    responses((
        status = 200,
        description = "The file.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
        headers(("Content-Disposition" = String, description = "The name of the file.")),
    )),
)]
pub(crate) async fn export_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Response> {
    let format = format_of(&query)?.unwrap_or(Format::Csv);
    let filter = list::filter(&state, &caller, &query).await?;
    let name = format!("contacts.{}", format.name());
    Ok(stream::file(format.content_type(), &name, move |chunks| async move {
        state.app.contacts().export(&caller, &filter, format, &chunks).await.map(drop)
    }))
}

pub(in crate::v3) fn format_of(query: &Query) -> ApiResult<Option<Format>> {
    let format = query.take(FORMAT)?.map(str::parse).transpose();
    format.map_err(|error| ApiError::invalid(FORMAT[0], error))
}
