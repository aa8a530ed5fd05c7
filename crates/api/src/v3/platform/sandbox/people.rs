//! `GET /api/ext/v3/sandbox/people`: the people of the tenant's sandbox.

use sandbox::people::PersonView;

use super::Driver;
use crate::prelude::*;

list!(SandboxPeople { "people": SandboxPerson });

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SandboxPerson {
    #[schema(example = "Ada Winter")]
    name: String,
    /// Digits only; null if the person hides the number.
    #[schema(example = "14155550132")]
    phone: Option<String>,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    #[schema(example = "ada.winter")]
    username: Option<String>,
    /// False while the person's phone is offline; absent otherwise.
    #[serde(skip_serializing_if = "is_online")]
    #[schema(value_type = Option<bool>, nullable = false, example = false)]
    online: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_online(online: &bool) -> bool {
    *online
}

impl From<PersonView> for SandboxPerson {
    fn from(person: PersonView) -> Self {
        let PersonView { name, phone, bsuid, username, online } = person;
        Self { name, phone, bsuid, username, online }
    }
}

/// Get the sandbox's people
///
/// The first person has a phone number.
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/people",
    responses((status = 200, description = "All people in the sandbox.", body = SandboxPeople)),
)]
pub(crate) async fn list_sandbox_people(driver: Driver) -> ApiResult<Json<SandboxPeople>> {
    let shown = driver.sandbox.people(driver.tenant).await?;
    Ok(Json(List::from_rows(shown.people)))
}
