//! `GET /api/ext/v3/sandbox/people/{person}/inbox`: the messages a person received and wrote.

use sandbox::driver::Inbox;

use super::Driver;
use crate::edge::paths::console_path;
use crate::prelude::*;

const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 500;

members! {
    pub(crate) query InboxQuery from Query {
        /// How many of the newest messages to return, of each side.
        #[param(default = 100, minimum = 1, maximum = 500)]
        limit: Option<i64> = number["limit"](1, MAX_LIMIT),
    }
}

/// Get a person's inbox
///
/// Returns the newest messages the person received, as the phone shows them, and the newest ones the person wrote
/// (`said`). A file's `url` is a path on this server that the same credentials can open.
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/people/{person}/inbox",
    params(
        (
            "person" = String,
            Path,
            description = "The person's phone number, BSUID, username or name.",
            example = "14155550132"
        ),
        InboxQuery
    ),
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
