//! Clicks on tracked links: hit by hit, and counted.

pub(super) mod counts;
pub(super) mod list;
mod shape;

use domain::Timestamp;
use domain::time::Moment;

use crate::error::{ApiError, ApiResult};
use crate::input::Query;

const TEMPLATE: &[&str] = &["template", "template_id", "template_name"];
const DATE_FROM: &[&str] = &["date_from", "dateFrom", "start_date"];
const DATE_TO: &[&str] = &["date_to", "dateTo", "end_date"];

type Span = (Option<Timestamp>, Option<Timestamp>);

fn span(query: &Query) -> ApiResult<Span> {
    let from = query.moment(DATE_FROM)?.map(Moment::first);
    let to = query.moment(DATE_TO)?.map(Moment::last);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(DATE_FROM[0], "is after date_to"));
    }
    Ok((from, to))
}
