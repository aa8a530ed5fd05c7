//! `POST /api/ext/v3/sandbox/people`: adds a simulated person.

use sandbox::people::NewPerson;

use super::Driver;
use super::people::SandboxPerson;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewSandboxPerson {
    #[schema(example = "Kim Larsen", min_length = 1, max_length = 100)]
    name: String,
    /// A valid number. If omitted, the person hides the number.
    #[schema(example = "14155550177")]
    phone: Option<String>,
    /// 3 to 35 characters from `a-z`, `0-9`, `.` and `_`, with at least one letter.
    #[schema(example = "kim.larsen")]
    username: Option<String>,
}

/// Add a person to the sandbox
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people",
    responses(
        (status = 200, description = "The person.", body = SandboxPerson),
        (
            status = 409,
            description = "Reasons: `conflict` (another person or a channel has this number or username).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn add_sandbox_person(
    driver: Driver,
    Json(input): Json<NewSandboxPerson>,
) -> ApiResult<Json<SandboxPerson>> {
    let NewSandboxPerson { name, phone, username } = input;
    let added = driver.sandbox.add_person(driver.tenant, NewPerson { name, phone, username }).await?;
    Ok(Json(added.into()))
}
