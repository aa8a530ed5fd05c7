//! Which orders a list or an export is about: the same filters for both.

use app::orders::Filter;
use domain::time::Moment;

use crate::error::{ApiError, ApiResult};
use crate::input::Query;
use crate::orders::payment::StatusSchema as PaymentStatusSchema;
use crate::orders::shape::StatusSchema;

const STATUS: &[&str] = &["status"];
const PAYMENT_STATUS: &[&str] = &["payment_status", "paymentStatus"];
const TARGET: &[&str] = &["target", "contact", "contact_id"];
const DATE_FROM: &[&str] = &["date_from", "dateFrom", "start_date"];
const DATE_TO: &[&str] = &["date_to", "dateTo", "end_date"];

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    #[param(nullable = false)]
    status: Option<StatusSchema>,
    /// Also accepted: `paymentStatus`.
    #[param(nullable = false)]
    payment_status: Option<PaymentStatusSchema>,
    /// Phone number, BSUID or id of the contact who was asked to pay. Also accepted: `contact`, `contact_id`.
    #[param(example = "14155552671", nullable = false)]
    target: Option<String>,
    /// When the order was made: RFC 3339; without a zone it is UTC; a date alone is its first instant. Also accepted:
    /// `dateFrom`, `start_date`.
    #[param(example = "2026-04-01", nullable = false)]
    date_from: Option<String>,
    /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
    #[param(example = "2026-04-30", nullable = false)]
    date_to: Option<String>,
}

pub(super) fn filter(query: &Query) -> ApiResult<Filter> {
    let date_from = query.moment(DATE_FROM)?.map(Moment::first);
    let date_to = query.moment(DATE_TO)?.map(Moment::last);
    if date_from.zip(date_to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(DATE_FROM[0], "is after date_to"));
    }
    Ok(Filter {
        status: one_of(
            query,
            STATUS,
            "expected pending, processing, partially_shipped, shipped, completed or canceled",
        )?,
        payment_status: one_of(query, PAYMENT_STATUS, "expected pending, captured, failed or refunded")?,
        target: query.take(TARGET)?.map(str::to_owned),
        date_from,
        date_to,
        ..Filter::default()
    })
}

fn one_of<T: std::str::FromStr>(query: &Query, names: &[&str], wrong: &str) -> ApiResult<Option<T>> {
    let Some(text) = query.take(names)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| ApiError::invalid(names[0], wrong))
}
