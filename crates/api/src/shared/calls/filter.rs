//! The filters that the lists and the counts share.

use domain::calls::{CallDirection, CallFilter, OperatorRef};

use crate::input::span;
use crate::prelude::*;

/// The filters as the request has them.
#[derive(Debug)]
pub(crate) struct FilterMembers<'a> {
    pub direction: Option<CallDirection>,
    pub operator: Option<&'a str>,
    pub durations: (Option<i32>, Option<i32>),
    pub dates: (Option<Moment>, Option<Moment>),
}

pub(crate) fn call_filter(asked: &FilterMembers<'_>) -> ApiResult<CallFilter> {
    let (min_duration, max_duration) = (asked.durations.0.map(i64::from), asked.durations.1.map(i64::from));
    if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
        return Err(ApiError::invalid("min_duration", "is greater than max_duration"));
    }
    let (from, to) = span(["start_date", "end_date"], asked.dates.0, asked.dates.1)?;
    let operator = |who: &str| who.parse().map_or_else(|_| OperatorRef::Email(who.to_lowercase()), OperatorRef::Id);
    let operator = asked.operator.map(operator);
    let direction = asked.direction;
    Ok(CallFilter { direction, operator, min_duration, max_duration, from, to, ..CallFilter::default() })
}
