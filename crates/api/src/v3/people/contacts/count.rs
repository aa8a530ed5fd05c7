//! `GET /api/ext/v3/contacts/count`: counts all contacts, or those created in a time range or matching filters.

use super::list::ContactFilterQuery;
use crate::input::span;
use crate::prelude::*;

members! {
    pub(crate) query CountContactsQuery from Query {
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom"](),
        /// End of the range, inclusive. A date alone includes the whole day.
        #[param(value_type = Option<String>, example = "2026-04-30T12:00:00Z")]
        date_to: Option<Moment> = moment["date_to", "dateTo"](),
    }
}

/// A range that includes every contact.
const ALWAYS: (Timestamp, Timestamp) = (Timestamp::from_micros(0), Timestamp::from_seconds(u32::MAX as i64));

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactCount {
    #[schema(example = 1204, minimum = 0)]
    contact_count: i64,
}

/// Count contacts
///
/// Counts all contacts, or only those created in a time range (both ends inclusive) that match the contact list's
/// filters. The count is exact.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/count",
    params(CountContactsQuery, ContactFilterQuery),
    responses(
        (status = 200, description = "The number of contacts.", body = ContactCount),
        (status = 503, description = "Reasons: `still_counting`, `unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn count_contacts(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<CountContactsQuery>,
    FromQuery(narrowed): FromQuery<ContactFilterQuery>,
) -> ApiResult<Json<ContactCount>> {
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let limited = from.is_some() || to.is_some();
    let between = limited.then(|| (from.unwrap_or(ALWAYS.0), to.unwrap_or(ALWAYS.1)));
    let filter = narrowed.into_filter(&state, &caller).await?;
    let contact_count = state.app.people().contacts().count(&caller, between, filter).await?;
    Ok(Json(ContactCount { contact_count }))
}
