//! How V1 says that something about an order cannot be. What is wrong with the order itself has the status that it has in
//! V3: a sum that is off is a 400, a taken reference or a senseless move a 409, an unknown reference a 404. What keeps the
//! message from being sent is told as by every send of V1: 200 with `result: false`.

use app::Error;

use crate::error::{ApiError, ApiResult};
use crate::v1::failure::info;

/// Members of an order, by the beginning of their paths.
const OF_ORDERS: [&str; 8] =
    ["reference_id", "type", "currency", "total_amount", "order", "payment_configuration", "payment_type", "status"];

/// What `info` says; an error when it has a status of its own.
pub(super) fn failure_info(error: Error) -> ApiResult<String> {
    if is_of_the_order(&error) { Err(ApiError::from(error)) } else { info(error) }
}

fn is_of_the_order(error: &Error) -> bool {
    match error {
        Error::NotFound(app::Thing::Order) => true,
        Error::Invalid { parameter, .. } | Error::Conflict { parameter, .. } => {
            let first = parameter.split(['.', '[']).next().unwrap_or_default();
            OF_ORDERS.contains(&first)
        }
        _ => false,
    }
}
