//! `GET /api/ext/v3/contacts/export`: exports contacts as a file.

use app::ActsFor as _;
use app::people::imports::Format;

use super::list::ContactFilterQuery;
use crate::answer::file_stream;
use crate::prelude::*;

members! {
    pub(crate) query ExportContactsQuery from Query {
        /// `csv` or `jsonl`.
        #[param(value_type = Option<String>, default = "csv", example = "csv")]
        format: Option<Format> = format["format"](),
    }
}

/// Export contacts
///
/// Exports all contacts that match the filters, oldest first, as a file that `POST /contacts/import` accepts. CSV files
/// have one column per attribute, named `attribute.NAME` if the plain name has another meaning. A cell that a
/// spreadsheet would execute as a formula is prefixed with `'`, which an import removes.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/export",
    params(ExportContactsQuery, ContactFilterQuery),
    responses((
        status = 200,
        description = "The file.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
        headers(("Content-Disposition" = String, description = "The file name.")),
    )),
)]
pub(crate) async fn export_contacts(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ExportContactsQuery>,
    FromQuery(filter): FromQuery<ContactFilterQuery>,
) -> ApiResult<Response> {
    let format = asked.format.unwrap_or(Format::Csv);
    let filter = filter.into_filter(&state, &caller).await?;
    let name = format!("contacts.{}", format.name());
    Ok(file_stream::file(caller.tenant(), format.content_type(), &name, move |chunks| async move {
        state.app.people().contacts().export(&caller, &filter, format, &chunks).await.map(drop)
    }))
}
