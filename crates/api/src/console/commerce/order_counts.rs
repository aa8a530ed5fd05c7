//! `GET /console/api/order-counts`: orders and their amounts by day, payment and currency.

use domain::commerce::money::{Amount, OFFSET};
use domain::commerce::orders::PaymentStage;
use domain::commerce::payments::PaymentStatus;
use domain::messaging::clicks::start_of_day;

use crate::console::guard::SignedIn;
use crate::input::span;
use crate::prelude::*;

members! {
    pub(crate) query CountOrdersQuery from Query {
        /// Start of the range by creation time, in RFC 3339 format. UTC is assumed if no offset is given; a date alone
        /// means the start of that day. If omitted, all orders are counted.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from"](),
        /// End of the range, inclusive. A date alone includes the whole day.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to"](),
    }
}

/// Orders of one day with the same payment status, stage and currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderCount)]
pub(crate) struct OrderCountShape {
    /// The day of creation, in UTC.
    #[schema(format = "date", example = "2026-04-24")]
    day: String,
    payment_status: PaymentStatus,
    payment_stage: PaymentStage,
    #[schema(example = "EUR")]
    currency: String,
    #[schema(example = 3)]
    orders: i64,
    /// The sum of the orders' totals.
    total: Amount,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderCounts {
    counts: Vec<OrderCountShape>,
    /// False if there are more than 50,000 orders: then the newest ones were counted.
    is_complete: bool,
}

/// Count orders
#[described::path(
    get,
    path = "/console/api/order-counts",
    params(CountOrdersQuery),
    responses((status = 200, description = "The counts. Groups without orders are omitted.", body = OrderCounts)),
)]
pub(crate) async fn count_orders(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromQuery(asked): FromQuery<CountOrdersQuery>,
) -> ApiResult<Json<OrderCounts>> {
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let ends = (from.unwrap_or(Timestamp::from_micros(i64::MIN)), to.unwrap_or(Timestamp::from_micros(i64::MAX)));
    let found = state.app.commerce().orders().counts(&signed_in, ends).await?;
    let mut counts = found.counts;
    counts.sort_by_key(|one| one.day);
    let shapes = counts.into_iter().map(|one| OrderCountShape {
        day: start_of_day(one.day).to_zoneless().split('T').next().unwrap_or_default().to_owned(),
        payment_status: one.payment_status,
        payment_stage: one.stage,
        currency: one.currency,
        orders: one.orders,
        total: Amount { value: one.total, offset: OFFSET },
    });
    Ok(Json(OrderCounts { counts: shapes.collect(), is_complete: found.is_complete }))
}
