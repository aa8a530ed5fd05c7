//! `GET /api/ext/v3/clicks`: hits on tracked links, the newest first.

use app::clicks::Filter;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::{ClassSchema, ClickShape, SourceSchema};
use super::{TEMPLATE, span};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::Query;

const LIMIT: &[&str] = &["limit", "page_size", "pageSize"];
const MESSAGE: &[&str] = &["message", "message_id"];
const TARGET: &[&str] = &["target", "contact", "contact_id"];
const CLASS: &[&str] = &["class"];
const SOURCE: &[&str] = &["source"];
const BUTTON: &[&str] = &["button", "button_index"];
const CARD: &[&str] = &["card", "card_index"];
const CURSOR: &[&str] = &["cursor"];

const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Maximum number of clicks to return.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(nullable = false)]
    cursor: Option<String>,
    /// Name or id of a template; a name means it in all languages. Also accepted: `template_id`, `template_name`.
    #[param(example = "spring_offer", nullable = false)]
    template: Option<String>,
    /// Id of a message. Also accepted: `message_id`.
    #[param(example = "69eb4e9a1f0c2d3e4a5b6c03", nullable = false)]
    message: Option<String>,
    /// Phone number, BSUID or id of the contact that got the message. Also accepted: `contact`, `contact_id`.
    #[param(example = "14155552671", nullable = false)]
    target: Option<String>,
    #[param(nullable = false)]
    class: Option<ClassSchema>,
    #[param(nullable = false)]
    source: Option<SourceSchema>,
    /// The button's place, from 0. Also accepted: `button_index`.
    #[param(minimum = 0, maximum = 254, example = 0, nullable = false)]
    button: Option<i32>,
    /// The card's place, from 0. Also accepted: `card_index`.
    #[param(minimum = 0, maximum = 254, nullable = false)]
    card: Option<i32>,
    /// RFC 3339; without a zone it is UTC; a date alone is its first instant. Also accepted: `dateFrom`, `start_date`.
    #[param(example = "2026-04-01", nullable = false)]
    date_from: Option<String>,
    /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
    #[param(example = "2026-04-30", nullable = false)]
    date_to: Option<String>,
}

/// One page of clicks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClickPage {
    clicks: Vec<ClickShape>,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i64,
    has_more: bool,
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Get clicks
///
/// Every request for a tracked link and every click that the network reported, the newest first; people and machines are
/// told apart by `class`. What a template, a message or dates ask for is found at once; for the rest a page looks at a
/// bounded number of clicks, may be short, and goes on by its `next_cursor`.
#[utoipa::path(
    get,
    path = "/api/ext/v3/clicks",
    tag = "clicks",
    params(Parameters),
    responses(
        (status = 200, description = "One page of clicks.", body = ClickPage),
        (status = 404, description = "There is no such template or contact. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_clicks(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<ClickPage>> {
    let limit = query.number(LIMIT, 1, MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let page = state.app.clicks().list(&caller, &filter(&query, limit)?).await?;
    Ok(Json(ClickPage {
        clicks: page.clicks.into_iter().map(ClickShape::from).collect(),
        limit,
        has_more: page.next_cursor.is_some(),
        next_cursor: page.next_cursor,
    }))
}

fn filter(query: &Query, limit: i64) -> ApiResult<Filter> {
    let (from, to) = span(query)?;
    let text = |names| query.take(names).map(|text| text.map(str::to_owned));
    Ok(Filter {
        template: text(TEMPLATE)?,
        message: parsed(query, MESSAGE, "expected a message's id")?,
        target: text(TARGET)?,
        class: parsed(query, CLASS, "expected human, repeat, preview, prefetch or scanner")?,
        source: parsed(query, SOURCE, "expected redirect or network")?,
        button: place(query, BUTTON)?,
        card: place(query, CARD)?,
        from,
        to,
        cursor: text(CURSOR)?,
        limit: usize::try_from(limit).unwrap_or(1),
    })
}

fn parsed<T: std::str::FromStr>(query: &Query, names: &[&str], wrong: &str) -> ApiResult<Option<T>> {
    let Some(text) = query.take(names)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| ApiError::invalid(names[0], wrong))
}

fn place(query: &Query, names: &[&str]) -> ApiResult<Option<u8>> {
    Ok(query.number(names, 0, 254)?.and_then(|number| u8::try_from(number).ok()))
}
