//! `POST /{tenantId}/api/v1/updateContactAttributesForMultiContacts`: all of them, or none.

use app::contacts::AttributeUpdate;
use axum::extract::State;
use axum::response::Response;
use domain::contacts::CustomParam;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape::{ContactShape, push};
use crate::ApiState;
use crate::contacts::{ListBody, ParamShape};
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{LegacyInput, Named, Scalar, required};
use crate::v1::failure::{Failure, or_failure};

const MAX_CONTACTS: usize = 1000;

#[derive(Debug, ToSchema)]
#[schema(as = AttributesOfManyV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    #[schema(min_items = 1, max_items = 1000)]
    contacts: Vec<Entry>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AttributesOfOneV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// With country code, with or without `+`.
    #[schema(value_type = Option<String>, example = "14155552671")]
    whatsapp_number: Option<Scalar>,
    /// Wins over `whatsappNumber`: a phone number, a contact id or a BSUID.
    #[schema(value_type = Option<String>)]
    target: Option<Scalar>,
    #[schema(value_type = Option<Vec<ParamShape>>)]
    custom_params: Option<Vec<CustomParam>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdatedContactsV1)]
pub(crate) struct Updated {
    #[schema(example = true)]
    result: bool,
    contact_list: Vec<ContactShape<'static>>,
}

/// Either it worked or it says why not, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdatedContactsAnswer)]
#[serde(untagged)]
#[expect(dead_code, reason = "a description of two answers")]
pub(crate) enum Answer {
    Updated(Updated),
    Failure(Failure),
}

/// Change attributes of many contacts
///
/// 1 to 1000 contacts: all of them are changed, or none, and `info` says which one could not be.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributesForMultiContacts",
    tag = "contacts",
    params(("tenantId" = String, Path, description = "The tenant.", example = "100001")),
    request_body(content = Input, content_type = "application/json"),
    responses((status = 200, description = "The contacts in the order of the request, or why not.", body = Answer)),
)]
pub(crate) async fn update_contact_attributes_for_multi_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let entries: Vec<Entry> = required("contacts", input.json("contacts")?)?;
    if !(1..=MAX_CONTACTS).contains(&entries.len()) {
        let message = format!("expected 1 to {MAX_CONTACTS} contacts");
        return or_failure(Err(app::Error::invalid("contacts", message)));
    }
    let updates = entries.into_iter().enumerate().map(|(i, entry)| update(i, entry)).collect::<ApiResult<_>>()?;
    let changed = state.app.contacts().update_listed(&caller, "contacts", updates).await;
    or_failure(changed.map(|contacts| {
        let mut body = ListBody::new("{\"result\":true,\"contact_list\":[", i64::try_from(contacts.len()).unwrap_or(0));
        for contact in &contacts {
            push(&mut body, contact);
        }
        body.close("]}")
    }))
}

fn update(i: usize, entry: Entry) -> ApiResult<AttributeUpdate> {
    let named = Named::of(entry.target, entry.whatsapp_number);
    let Named { member, target } = required(&format!("contacts[{i}].whatsappNumber"), named)?;
    Ok(AttributeUpdate { target, member, custom_params: entry.custom_params.unwrap_or_default() })
}
