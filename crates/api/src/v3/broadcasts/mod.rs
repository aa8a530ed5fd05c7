//! Broadcasts: template sends to many, and how far they are.

pub(super) mod cancel;
pub(super) mod list;
pub(super) mod overview;
pub(super) mod recipients;
mod shape;
pub(super) mod show;

use app::broadcasts::Filter;
use app::conversations::{DEPTH, Page};
use domain::time::Moment;

use crate::error::{ApiError, ApiResult, NOT_FOUND};
use crate::input::{PAGE_NUMBER, PAGE_SIZE, Query};

const DATE_FROM: &[&str] = &["date_from", "dateFrom", "start_date"];
const DATE_TO: &[&str] = &["date_to", "dateTo", "end_date"];
const CHANNEL: &[&str] = &["channel"];

/// What has not even the shape of an id is not there.
fn broadcast_id(text: &str) -> ApiResult<domain::BroadcastId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such broadcast"))
}

fn filter(query: &Query) -> ApiResult<Filter> {
    let from = query.moment(DATE_FROM)?.map(Moment::first);
    let to = query.moment(DATE_TO)?.map(Moment::last);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(DATE_FROM[0], "is after date_to"));
    }
    Ok(Filter { from, to, channel: query.take(CHANNEL)?.map(str::to_owned) })
}

fn page(query: &Query) -> ApiResult<Page> {
    let size = query.number(PAGE_SIZE, 1, 100)?.unwrap_or(20);
    let number = query.number(PAGE_NUMBER, 1, DEPTH)?.unwrap_or(1);
    Ok(Page::new(number, size, PAGE_NUMBER[0])?)
}
