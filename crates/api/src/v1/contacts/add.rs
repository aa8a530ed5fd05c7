//! `POST /{tenantId}/api/v1/addContact/{whatsappNumber}`

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::contacts::CustomParam;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::{ContactShape, ParamShape};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput};
use crate::v1::failure::{Failure, or_failure};

#[derive(Debug, ToSchema)]
#[schema(as = NewContactV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    #[schema(example = "Ada Lovelace", max_length = 256)]
    name: Option<String>,
    #[schema(rename = "customParams")]
    custom_params: Option<Vec<ParamShape>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Added {
    #[schema(example = true)]
    result: bool,
    contact: ContactShape,
}

/// Either it worked or it says why not, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a description of two answers")]
pub(crate) enum Answer {
    Added(Box<Added>),
    Failure(Failure),
}

/// Add a contact
///
/// The same number again updates the contact. What cannot be done is told with `result: false`.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/addContact/{whatsappNumber}",
    tag = "contacts",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("whatsappNumber" = String, Path, description = "With country code, with or without `+`.", example = "14155552671"),
    ),
    request_body(content = Option<Input>, description = "Name and attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why not.", body = Answer)),
)]
pub(crate) async fn add_contact(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Response> {
    let (_, number) = path;
    let name = input.text("name")?.unwrap_or_default();
    let params: Vec<CustomParam> = input.json("customParams")?.unwrap_or_default();
    let added = state.app.contacts().add(&caller, &number, &name, params).await;
    or_failure(added.map(|contact| Json(Added { result: true, contact: contact.into() }).into_response()))
}
