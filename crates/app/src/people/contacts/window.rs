//! The range of ids that contacts of a filter can have.

use domain::people::contacts::ContactFilter;
use domain::{Id, Timestamp};
use store::people::contacts::Window;

/// The range of ids of contacts created between two times.
pub(super) fn made_between((first, last): (Timestamp, Timestamp)) -> Window {
    Window { from: Some(Id::first_of_second(first)), before: Some(Id::first_of_second(last.plus_seconds(1))) }
}

pub(super) fn window(filter: &ContactFilter) -> Window {
    filter.created.map(made_between).unwrap_or_default()
}
