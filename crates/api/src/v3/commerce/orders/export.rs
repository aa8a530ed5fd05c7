//! `GET /api/ext/v3/orders/export`: orders and their payments as a file.

use app::ActsFor as _;
use app::commerce::orders::OrderSearch;
use app::people::imports::Format;

use super::filter::OrderFilterQuery;
use crate::answer::file_stream;
use crate::prelude::*;

members! {
    pub(crate) query ExportOrdersQuery from Query {
        /// `csv` or `jsonl`. Default: `csv`.
        #[param(value_type = Option<String>, example = "csv")]
        format: Option<Format> = format["format"](),
    }
}

/// Export orders and payments
///
/// Exports all orders that match the list's filters, the most recently created first. JSON Lines contain each order as
/// in `GET /orders/{reference_id}`, with its payment; CSV has one row per order. Amounts are whole numbers; divide them
/// by 100, the offset. A cell that a spreadsheet would execute as a formula is prefixed with `'`.
#[described::path(
    get,
    path = "/api/ext/v3/orders/export",
    params(
        ExportOrdersQuery,
        OrderFilterQuery,
    ),
    responses(
        (
            status = 200,
            description = "The file.",
            content((String = "text/csv"), (String = "application/x-ndjson")),
            headers(("Content-Disposition" = String, description = "The file name.")),
        ),
        (status = 404, description = "The contact does not exist. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn export_orders(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ExportOrdersQuery>,
    FromQuery(filter): FromQuery<OrderFilterQuery>,
) -> ApiResult<Response> {
    let format = asked.format.unwrap_or(Format::Csv);
    let filter = filter.into_filter()?;
    // An unknown contact must be answered before the stream begins, while there is still a status.
    state.app.commerce().orders().list(&caller, &OrderSearch { limit: 1, ..filter.clone() }).await?;
    let name = format!("orders.{}", format.name());
    Ok(file_stream::file(caller.tenant(), format.content_type(), &name, move |chunks| async move {
        state.app.commerce().orders().write(&caller, filter, format, &chunks).await.map(drop)
    }))
}
