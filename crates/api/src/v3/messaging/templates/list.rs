//! `GET /api/ext/v3/messageTemplates`

use domain::messaging::templates::TemplateFilter;

use super::shape::TemplateShape;
use crate::input::{PageQuery, comma_separated};
use crate::prelude::*;

members! {
    pub(crate) query ListTemplatesQuery from Query {
        /// Only templates in this channel's account, by the channel's id, name or phone number.
        #[param(example = "Support")]
        channel: Option<String> = text["channel"](),
        /// Part of the name.
        #[param(example = "order")]
        name: Option<String> = text["name"](),
        /// Any of these, separated by commas: `DRAFT`, `PENDING`, `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`.
        #[param(example = "APPROVED,PAUSED")]
        status: Option<String> = text["status"](),
        /// Any of these, separated by commas: `MARKETING`, `UTILITY`, `AUTHENTICATION`.
        #[param(example = "UTILITY")]
        category: Option<String> = text["category"](),
        /// Language codes, separated by commas.
        #[param(example = "en_US,de")]
        language: Option<String> = text["language"](),
        /// Any of these, separated by commas: `GREEN`, `YELLOW`, `RED`, `UNKNOWN`.
        #[param(example = "YELLOW,RED")]
        quality: Option<String> = text["quality"](),
    }
}

/// The network's ratings of a template.
const QUALITIES: [&str; 4] = ["GREEN", "YELLOW", "RED", "UNKNOWN"];

impl ListTemplatesQuery {
    fn filter(&self, position: &PageNumber) -> ApiResult<TemplateFilter> {
        let status = |word: &str| word.to_ascii_uppercase().parse().ok();
        let category = |word: &str| word.to_ascii_uppercase().parse().ok();
        let language = |word: &str| domain::messaging::templates::languages::code(word).map(str::to_owned);
        let quality =
            |word: &str| QUALITIES.into_iter().find(|known| known.eq_ignore_ascii_case(word)).map(str::to_owned);
        Ok(TemplateFilter {
            name: self.name.clone(),
            statuses: comma_separated("status", self.status.as_deref(), status)?,
            categories: comma_separated("category", self.category.as_deref(), category)?,
            languages: comma_separated("language", self.language.as_deref(), language)?,
            qualities: comma_separated("quality", self.quality.as_deref(), quality)?,
            limit: position.page_size,
            offset: (position.page_number - 1) * position.page_size,
            ..TemplateFilter::default()
        })
    }
}

pub(crate) type TemplatePage = Page<TemplateShape, PageNumber, TemplateTotal>;

rows!(TemplateShape: "templates" in TemplatePage, "One page of templates.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateTotal {
    #[schema(example = 42, minimum = 0)]
    total: i64,
}

/// Get templates
///
/// Returns templates, the most recently created first. Deleted templates are omitted.
#[described::path(
    get,
    path = "/api/ext/v3/messageTemplates",
    params(ListTemplatesQuery, PageQuery),
    responses(
        (status = 200, description = "One page of templates.", body = TemplatePage),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_message_templates(
    Gated(state, caller): Gated,
    FromQuery(page): FromQuery<PageQuery>,
    FromQuery(asked): FromQuery<ListTemplatesQuery>,
) -> ApiResult<Json<TemplatePage>> {
    let position = PageNumber::from(page);
    let filter = asked.filter(&position)?;
    let found = state.app.messaging().templates().list(&caller, asked.channel.as_deref(), filter).await?;
    let templates = found.templates.into_iter().map(TemplateShape::from);
    Ok(Json(Page::new(templates, position).with(TemplateTotal { total: found.total })))
}
