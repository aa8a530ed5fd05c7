//! `GET /api/ext/v3/contacts/imports/{id}/verdicts`: the outcome of each row.

use app::ActsFor as _;
use app::people::imports::Format;
use domain::ImportId;

use crate::answer::file_stream;
use crate::prelude::*;

/// Get an import's verdicts
///
/// Returns JSON Lines: `{"row", "verdict"}` for each row so far. The verdict is `created`, `updated`, `unchanged` or
/// `rejected`; rejected rows also have `column` and `reason`. Rows are numbered as in a spreadsheet: the header of a
/// CSV file is row 1.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/imports/{id}/verdicts",
    responses((status = 200, description = "One line per row.", body = String, content_type = "application/x-ndjson")),
)]
pub(crate) async fn get_contact_import_verdicts(
    Gated(state, caller): Gated,
    Path((id,)): Path<(ImportId,)>,
) -> ApiResult<Response> {
    let import = state.app.people().contacts().import(&caller, id).await?;
    let name = format!("verdicts-{id}.jsonl");
    Ok(file_stream::file(caller.tenant(), Format::Jsonl.content_type(), &name, move |chunks| async move {
        state.app.people().contacts().verdicts(&caller, import.id, &chunks).await
    }))
}
