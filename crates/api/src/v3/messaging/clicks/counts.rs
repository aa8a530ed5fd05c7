//! `GET /api/ext/v3/clicks/counts`: clicks counted by template, button, day and class.

use app::messaging::clicks::{CountGrouping, CountSearch, GroupCount};
use domain::TemplateId;
use domain::messaging::clicks::ClickClass;

use crate::input::span;
use crate::prelude::*;

const BY: &str = "by";
const NAMES: [&str; 4] = ["template", "button", "day", "class"];
const USUAL: &str = "template,class";

members! {
    pub(crate) query CountClicksQuery from Query {
        /// How to group the counts: any of `template`, `button`, `day` and `class`, separated by commas. Grouping by
        /// `button` also groups by template. Alias: `group_by`.
        #[param(default = "template,class", example = "template,class")]
        by: Option<String> = text["by", "group_by"](),
        /// First day, in UTC. Defaults to 29 days before the last day. Aliases: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// Last day, in UTC, inclusive. Defaults to today. Aliases: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        /// Only clicks on this template, by name or id. Aliases: `template_id`, `template_name`.
        #[param(example = "spring_offer")]
        template: Option<String> = text["template", "template_id", "template_name"](),
    }
}

/// The number of clicks in one group. Only the members that the request groups by are present.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClickCount {
    /// The day, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date", example = "2026-04-24", nullable = false)]
    day: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "spring_offer", nullable = false)]
    template_name: Option<String>,
    /// The button's index, starting at 0. Also absent if the network did not report the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0, nullable = false)]
    button_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    card_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Track it", nullable = false)]
    button_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "human", nullable = false)]
    class: Option<ClickClass>,
    #[schema(example = 42)]
    count: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClickCounts)]
pub(crate) struct ClickCountsShape {
    /// The members that the counts are grouped by.
    #[schema(example = json!(["template", "class"]))]
    by: Vec<&'static str>,
    /// First counted day. `date_from` and `date_to` are both inclusive.
    #[schema(format = "date", example = "2026-04-01")]
    date_from: String,
    #[schema(format = "date", example = "2026-04-30")]
    date_to: String,
    /// Sorted by day, template, button and class.
    counts: Vec<ClickCount>,
    /// The sum of all counts.
    #[schema(example = 57)]
    total: i64,
}

/// Count clicks
///
/// Counts whole UTC days: at most 366, and the last 30 by default. `human` counts each button of each message once; all
/// other hits count as `repeat`, `preview`, `prefetch` or `scanner`.
#[described::path(
    get,
    path = "/api/ext/v3/clicks/counts",
    params(CountClicksQuery),
    responses(
        (status = 200, description = "The counts. Groups without clicks are omitted.", body = ClickCountsShape),
        (status = 404, description = "The template does not exist. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn count_clicks(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<CountClicksQuery>,
) -> ApiResult<Json<ClickCountsShape>> {
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let by = by(asked.by.as_deref())?;
    let filter = CountSearch { template: asked.template, from, to, by };
    let found = state.app.messaging().clicks().counts(&caller, &filter).await?;
    let asked = [by.template, by.button, by.day, by.class];
    Ok(Json(ClickCountsShape {
        by: NAMES.into_iter().zip(asked).filter(|(_, asked)| *asked).map(|(name, _)| name).collect(),
        date_from: date(found.from),
        date_to: date(found.to),
        counts: found.counts.into_iter().map(ClickCount::from).collect(),
        total: found.total,
    }))
}

fn by(asked: Option<&str>) -> ApiResult<CountGrouping> {
    let mut by = CountGrouping::default();
    for name in asked.unwrap_or(USUAL).split(',').map(str::trim) {
        match name {
            "template" => by.template = true,
            "button" => by.button = true,
            "day" => by.day = true,
            "class" => by.class = true,
            _ => return Err(ApiError::invalid(BY, format!("expected any of {}", NAMES.join(", ")))),
        }
    }
    Ok(by)
}

fn date(at: Timestamp) -> String {
    at.to_zoneless().split('T').next().unwrap_or_default().to_owned()
}

impl From<GroupCount> for ClickCount {
    fn from(count: GroupCount) -> Self {
        let (template_id, template_name) = count.template.map_or((None, None), |(id, name)| (Some(id), name));
        Self {
            day: count.day.map(date),
            template_id,
            template_name,
            button_index: count.button,
            card_index: count.card,
            button_text: count.button_text,
            class: count.class,
            count: count.hits,
        }
    }
}
