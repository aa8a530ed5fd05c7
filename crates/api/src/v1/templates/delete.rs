//! `DELETE /{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}`, in all languages or in one.

use app::templates::TemplateSelector;
use axum::Json;
use axum::extract::State;
use domain::TemplateId;
use serde::Serialize;
use utoipa::ToSchema;

use super::failure::{TemplateFailure, or_template_failure};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplatesDeletedV1)]
pub(crate) struct TemplatesDeleted {
    #[schema(example = true)]
    ok: bool,
    result: DeletedTemplates,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeletedTemplatesV1)]
pub(crate) struct DeletedTemplates {
    /// The first of `ids`.
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: TemplateId,
    #[schema(example = "DELETED")]
    status: &'static str,
    /// One for each language.
    #[schema(value_type = Vec<String>)]
    ids: Vec<TemplateId>,
}

/// The outcome or the failure, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum DeleteTemplatesAnswer {
    Deleted(TemplatesDeleted),
    Failure(TemplateFailure),
}

impl From<TemplateFailure> for DeleteTemplatesAnswer {
    fn from(failure: TemplateFailure) -> Self {
        Self::Failure(failure)
    }
}

/// Delete a template in all languages
///
/// Failures are answered with `ok: false`.
#[utoipa::path(
    delete,
    path = "/{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}",
    tag = "templates",
    params(
        ("wabaId" = String, Path, description = "The network account.", example = "102290129340398"),
        ("name" = String, Path, description = "The template's name.", example = "order_update"),
    ),
    responses((status = 200, description = "The deleted templates, or the reason for the failure.", body = inline(DeleteTemplatesAnswer))),
)]
pub(crate) async fn delete_whatsapp_template(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath((_tenant, account_id, name)): FromPath<(String, String, String)>,
) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    delete(&state, &caller, TemplateSelector::Name { account_id, name, language: None }).await
}

/// Delete a template in one language
///
/// Failures are answered with `ok: false`.
#[utoipa::path(
    delete,
    path = "/{tenantId}/api/v1/whatsApp/templates/{wabaId}/{name}/{language}",
    tag = "templates",
    params(
        ("wabaId" = String, Path, description = "The network account.", example = "102290129340398"),
        ("name" = String, Path, description = "The template's name.", example = "order_update"),
        ("language" = String, Path, description = "The language's code.", example = "en_US"),
    ),
    responses((status = 200, description = "The deleted templates, or the reason for the failure.", body = inline(DeleteTemplatesAnswer))),
)]
pub(crate) async fn delete_whatsapp_template_language(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath((_tenant, account_id, name, language)): FromPath<(String, String, String, String)>,
) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    delete(&state, &caller, TemplateSelector::Name { account_id, name, language: Some(language) }).await
}

async fn delete(state: &ApiState, caller: &Caller, which: TemplateSelector) -> ApiResult<Json<DeleteTemplatesAnswer>> {
    let deleted = state.app.templates().delete(caller, which).await;
    or_template_failure(deleted.and_then(|templates| {
        let ids: Vec<TemplateId> = templates.iter().map(|template| template.id).collect();
        let id = *ids.first().ok_or(app::Error::NotFound(app::Thing::Template))?;
        Ok(DeleteTemplatesAnswer::Deleted(TemplatesDeleted {
            ok: true,
            result: DeletedTemplates { id, status: "DELETED", ids },
        }))
    }))
}
