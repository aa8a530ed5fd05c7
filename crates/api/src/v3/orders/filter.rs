//! Which orders a list or an export is about: the same filters for both.

use app::orders::Filter;
use domain::time::Moment;
use domain::{orders, payments};

use crate::error::ApiResult;
use crate::input::{Query, members, span};

const STATUS: &str = "expected pending, processing, partially_shipped, shipped, completed or canceled";
const PAYMENT_STATUS: &str = "expected pending, captured, failed or refunded";

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct OrderFilterQuery from Query {
        /// When the order was made: RFC 3339; without a zone it is UTC; a date alone is its first instant. Also accepted:
        /// `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01", nullable = false)]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30", nullable = false)]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        #[param(nullable = false)]
        status: Option<orders::Status> = one_of["status"](STATUS),
        /// Also accepted: `paymentStatus`.
        #[param(nullable = false)]
        payment_status: Option<payments::Status> = one_of["payment_status", "paymentStatus"](PAYMENT_STATUS),
        /// Phone number, BSUID or id of the contact who was asked to pay. Also accepted: `contact`, `contact_id`.
        #[param(example = "14155552671", nullable = false)]
        target: Option<String> = text["target", "contact", "contact_id"](),
    }
}

impl OrderFilterQuery {
    pub fn into_filter(self) -> ApiResult<Filter> {
        let (date_from, date_to) = span(["date_from", "date_to"], self.date_from, self.date_to)?;
        Ok(Filter {
            status: self.status,
            payment_status: self.payment_status,
            target: self.target,
            date_from,
            date_to,
            ..Filter::default()
        })
    }
}
