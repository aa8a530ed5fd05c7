//! `GET /api/ext/v3/sandbox/people/{person}/inbox`: the messages that a person received.

use sandbox::driver::Inbox;

use super::Driver;
use crate::console::operations::console_path;
use crate::prelude::*;

const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 500;

members! {
    pub(crate) query InboxQuery from Query {
        /// The number of newest messages to return.
        #[param(default = 100, minimum = 1, maximum = 500)]
        limit: Option<i64> = number["limit"](1, MAX_LIMIT),
    }
}

/// Get a person's inbox
///
/// The newest messages that the person received, as the phone shows them. The `url` of a file is a path of this server
/// that the same credentials open.
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/people/{person}/inbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132"), InboxQuery),
    responses((status = 200, description = "The messages.", body = Inbox)),
)]
pub(crate) async fn get_sandbox_inbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    FromQuery(asked): FromQuery<InboxQuery>,
) -> ApiResult<Json<Inbox>> {
    let limit = asked.limit.unwrap_or(DEFAULT_LIMIT);
    let mut inbox = driver.sandbox.inbox(driver.tenant, &person, limit).await?;
    if driver.by_session {
        inbox.map_file_urls(console_path);
    }
    Ok(Json(inbox))
}
