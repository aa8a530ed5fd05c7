//! `GET /{tenantId}/api/v1/getMessageTemplates`, and the same operation of V2.

use axum::extract::OriginalUri;
use axum::http::Uri;
use domain::messaging::templates::TemplateFilter;

use super::shape::TemplateShape;
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::v1::link::TemplateLink;

/// Large, because clients request all templates in one page.
const MAX_PAGE_SIZE: i64 = 1000;
const DEFAULT_PAGE_SIZE: i64 = 100;

members! {
    pub(crate) query ListTemplatesQuery from LegacyInput {
        /// Templates per page, at most 1000; larger values are capped. Defaults to 100.
        #[param(rename = "pageSize", value_type = Option<i32>, minimum = 1, example = 100)]
        page_size: Option<i64> = page_size["pageSize"](MAX_PAGE_SIZE),
        /// Page number, starting at 1; 0 also means the first page.
        #[param(rename = "pageNumber", value_type = Option<i32>, minimum = 0, maximum = 1_000_000, example = 1)]
        page_number: Option<i64> = page_number["pageNumber"](1_000_000),
        /// Part of the name.
        name: Option<String> = text["name"](),
        /// Only templates in this network account.
        #[param(rename = "wabaId")]
        waba_id: Option<String> = text["wabaId"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplatesV1 {
    #[schema(example = "success")]
    result: &'static str,
    message_templates: Vec<TemplateShape>,
    link: TemplateLink,
}

/// Declares the operation under the path of one version.
macro_rules! get_message_templates {
    ($operation:ident, $path:literal) => {
        /// Get templates
        ///
        /// Returns templates, the most recently created first. Deleted templates are omitted.
        #[described::path(
                                    get,
                                    path = $path,
                                    tag = "templates",
                                    params(ListTemplatesQuery),
                                    responses((status = 200, description = "One page of templates.", body = TemplatesV1)),
                                )]
        pub(crate) async fn $operation(
            Gated(state, caller): Gated,
            OriginalUri(uri): OriginalUri,
            input: LegacyInput,
        ) -> ApiResult<Json<TemplatesV1>> {
            page(&state, &caller, &uri, ListTemplatesQuery::parse(&input)?).await
        }
    };
}

get_message_templates!(get_message_templates, "/{tenantId}/api/v1/getMessageTemplates");
get_message_templates!(get_message_templates_v2, "/{tenantId}/api/v2/getMessageTemplates");

async fn page(state: &ApiState, caller: &Caller, uri: &Uri, asked: ListTemplatesQuery) -> ApiResult<Json<TemplatesV1>> {
    let size = asked.page_size.unwrap_or(DEFAULT_PAGE_SIZE);
    let number = asked.page_number.unwrap_or(1);
    let filter = TemplateFilter {
        account_id: asked.waba_id,
        name: asked.name,
        limit: size,
        offset: (number - 1) * size,
        ..TemplateFilter::default()
    };
    let page = state.app.messaging().templates().list(caller, None, filter).await?;
    let message_templates = page.templates.into_iter().map(TemplateShape::from).collect();
    Ok(Json(TemplatesV1 {
        result: "success",
        message_templates,
        link: TemplateLink::new(uri, number, size, page.total),
    }))
}
