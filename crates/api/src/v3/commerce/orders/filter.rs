//! Filters for order lists and exports.

use app::commerce::orders::OrderSearch;
use domain::commerce::{orders, payments};

use crate::input::span;
use crate::prelude::*;

const STATUS: &str = "expected pending, processing, partially_shipped, shipped, completed or canceled";
const PAYMENT_STATUS: &str = "expected pending, captured, failed or refunded";
const PAYMENT_STAGE: &str = "expected paid, to_confirm, waiting, failed, refunded or canceled";

members! {
    pub(crate) query OrderFilterQuery from Query {
        /// Start of the range by creation time, in RFC 3339 format. UTC is assumed if no offset is given; a date alone
        /// means the start of that day. Aliases: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// End of the range, inclusive. A date alone includes the whole day. Aliases: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        status: Option<orders::OrderStatus> = one_of["status"](STATUS),
        /// Only orders with this payment status. Alias: `paymentStatus`.
        payment_status: Option<payments::PaymentStatus> = one_of["payment_status", "paymentStatus"](PAYMENT_STATUS),
        /// Only orders at this stage of payment. Unlike `payment_status`, it tells payments that a webhook reported and
        /// no look-up has confirmed (`to_confirm`) and unpaid canceled orders (`canceled`) from those that wait for a
        /// payment (`waiting`). Alias: `paymentStage`.
        #[param(inline)]
        payment_stage: Option<orders::PaymentStage> = one_of["payment_stage", "paymentStage"](PAYMENT_STAGE),
        /// The person who was asked to pay: phone number, BSUID or contact id. Aliases: `contact`, `contact_id`.
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
            stage: self.payment_stage,
            target: self.target,
            date_from,
            date_to,
            ..OrderSearch::default()
        })
    }
}
