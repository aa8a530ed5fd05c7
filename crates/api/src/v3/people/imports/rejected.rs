//! `GET /api/ext/v3/contacts/imports/{id}/rejected`: the rejected rows, to correct and import again.

use app::ActsFor as _;
use app::people::imports::Format;
use domain::ImportId;

use crate::answer::file_stream;
use crate::prelude::*;

/// Get an import's rejected rows
///
/// Returns the rejected rows in the format of the imported file and with its header, preceded by `error_row`,
/// `error_column` and `error`. Imports ignore these columns, so you can upload the corrected file as it is. A cell that
/// a spreadsheet would execute as a formula is prefixed with `'`, which an import removes.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/imports/{id}/rejected",
    responses(
        (status = 200, description = "The file.", content((String = "text/csv"), (String = "application/x-ndjson"))),
    ),
)]
pub(crate) async fn get_contact_import_rejected(
    Gated(state, caller): Gated,
    Path((id,)): Path<(ImportId,)>,
) -> ApiResult<Response> {
    let import = state.app.people().contacts().import(&caller, id).await?;
    let format = import.format.parse().unwrap_or(Format::Csv);
    let name = format!("rejected-{id}.{}", format.name());
    Ok(file_stream::file(caller.tenant(), format.content_type(), &name, move |chunks| async move {
        state.app.people().contacts().rejected(&caller, import.id, &chunks).await
    }))
}
