//! `DELETE /{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}`, in all languages or in one.

use app::messaging::templates::TemplateSelector;
use domain::TemplateId;

use super::failure::{TemplateFailureV1, or_template_failure};
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplatesDeletedV1 {
    #[schema(example = true)]
    ok: bool,
    result: DeletedTemplatesV1,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedTemplatesV1 {
    /// The first of `ids`.
    id: TemplateId,
    #[schema(example = "DELETED")]
    status: &'static str,
    /// One per language.
    ids: Vec<TemplateId>,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum DeleteTemplatesAnswer {
    Deleted(TemplatesDeletedV1),
    Failure(TemplateFailureV1),
}

impl From<TemplateFailureV1> for DeleteTemplatesAnswer {
    fn from(failure: TemplateFailureV1) -> Self {
        Self::Failure(failure)
    }
}

/// Delete a template in all languages
///
/// Failures return `ok: false`.
#[described::path(
    delete,
    path = "/{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}",
    tag = "templates",
    params(
        ("wabaId" = String, Path, description = "The network account's id.", example = "102290129340398"),
        ("name" = String, Path, description = "The template's name.", example = "order_update"),
    ),
    responses((
        status = 200,
        description = "The deleted templates, or why the request failed.",
        body = inline(DeleteTemplatesAnswer)
    )),
)]
pub(crate) async fn delete_whatsapp_template(
    Gated(state, caller): Gated,
    FromPath((_tenant, account_id, name)): FromPath<(String, String, String)>,
) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    delete(&state, &caller, TemplateSelector::Name { account_id, name, language: None }).await
}

/// Delete a template in one language
///
/// Failures return `ok: false`.
#[described::path(
    delete,
    path = "/{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}/{language}",
    tag = "templates",
    params(
        ("wabaId" = String, Path, description = "The network account's id.", example = "102290129340398"),
        ("name" = String, Path, description = "The template's name.", example = "order_update"),
        ("language" = String, Path, description = "The language code.", example = "en_US"),
    ),
    responses((
        status = 200,
        description = "The deleted templates, or why the request failed.",
        body = inline(DeleteTemplatesAnswer)
    )),
)]
pub(crate) async fn delete_whatsapp_template_language(
    Gated(state, caller): Gated,
    FromPath((_tenant, account_id, name, language)): FromPath<(String, String, String, String)>,
) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    delete(&state, &caller, TemplateSelector::Name { account_id, name, language: Some(language) }).await
}

async fn delete(state: &ApiState, caller: &Caller, which: TemplateSelector) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    let deleted = state.app.messaging().templates().delete(caller, which).await;
    or_template_failure(deleted.and_then(|templates| {
        let ids: Vec<TemplateId> = templates.iter().map(|template| template.id).collect();
        let id = *ids.first().ok_or(app::Error::NotFound(app::Thing::Template))?;
        Ok(DeleteTemplatesAnswer::Deleted(TemplatesDeletedV1 {
            ok: true,
            result: DeletedTemplatesV1 { id, status: "DELETED", ids },
        }))
    }))
}
