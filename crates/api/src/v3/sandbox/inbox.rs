//! `GET /api/ext/v3/sandbox/people/{person}/inbox`: what reached somebody, as their phone shows it.

use axum::Json;
use sandbox::driver::Inbox;

use super::Driver;
use super::schema::SandboxInbox;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, Query};

const LIMIT: &[&str] = &["limit"];
const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 500;

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// The newest so many.
    #[param(default = 100, minimum = 1, maximum = 500, nullable = false)]
    limit: Option<i64>,
}

/// Get a person's inbox
#[utoipa::path(
    get,
    path = "/api/ext/v3/sandbox/people/{person}/inbox",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132"), Parameters),
    responses(
        (status = 200, description = "The messages.", body = SandboxInbox),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_sandbox_inbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    query: Query,
) -> ApiResult<Json<Inbox>> {
    let limit = query.number(LIMIT, 1, MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    Ok(Json(driver.sandbox.inbox(driver.tenant, &person, limit).await?))
}
