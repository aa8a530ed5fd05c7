//! The filters of order lists and exports.

use app::orders::OrderSearch;
use domain::{orders, payments};

use crate::input::span;
use crate::prelude::*;

const STATUS: &str = "expected pending, processing, partially_shipped, shipped, completed or canceled";
const PAYMENT_STATUS: &str = "expected pending, captured, failed or refunded";

members! {
    pub(crate) query OrderFilterQuery from Query {
        /// The start of the range, by creation time: RFC 3339, in UTC if it names no zone; a date means its first
        /// instant. Also accepted: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// The end of the range, inclusive; a date includes the whole day. Also accepted: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        status: Option<orders::OrderStatus> = one_of["status"](STATUS),
        /// Also accepted: `paymentStatus`.
        payment_status: Option<payments::PaymentStatus> = one_of["payment_status", "paymentStatus"](PAYMENT_STATUS),
        /// The person who was asked to pay: phone number, BSUID or contact id. Also accepted: `contact`, `contact_id`.
        #[param(example = "14155552671")]
        target: Option<String> = text["target", "contact", "contact_id"](),
    }
}

impl OrderFilterQuery {
    pub fn into_filter(self) -> ApiResult<OrderSearch> {
        let (date_from, date_to) = span(["date_from", "date_to"], self.date_from, self.date_to)?;
        Ok(OrderSearch {
            status: self.status,
            payment_status: self.payment_status,
            target: self.target,
            date_from,
            date_to,
            ..OrderSearch::default()
        })
    }
}
