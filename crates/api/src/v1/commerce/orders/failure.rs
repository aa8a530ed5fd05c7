//! Failures of order operations in V1. Errors of the order itself have the same status as in V3: 400 for a wrong sum,
//! 409 for a reference that is in use or a status that cannot follow, 404 for an unknown reference. Errors of the
//! message are answered as by every send of V1: 200 with `result: false`.

use app::Error;
use domain::Field;

use crate::prelude::*;
use crate::v1::failure::info;

/// The text of `info` for an error of the message. An error of the order itself is returned as an error.
pub(super) fn failure_info(error: Error) -> ApiResult<String> {
    if is_of_the_order(&error) { Err(ApiError::from(error)) } else { info(error) }
}

fn is_of_the_order(error: &Error) -> bool {
    match error {
        Error::NotFound(app::Thing::Order) => true,
        Error::Invalid { place, .. } | Error::Conflict { place, .. } => matches!(
            place.first_field(),
            Some(
                Field::ReferenceId
                    | Field::Type
                    | Field::Currency
                    | Field::TotalAmount
                    | Field::Order
                    | Field::PaymentConfiguration
                    | Field::PaymentType
                    | Field::Status
            )
        ),
        _ => false,
    }
}
