//! `GET /{tenantId}/api/v1/getContacts`

use app::contacts::ContactFilter;
use axum::Json;
use axum::extract::{OriginalUri, State};
use domain::Timestamp;
use domain::contacts::Condition;
use domain::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::LegacyInput;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Contacts {
    #[schema(example = "success")]
    result: &'static str,
    contact_list: Vec<ContactShape>,
    link: Link,
}

/// Where the pages before and after are.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Link {
    prev_page: Option<String>,
    next_page: Option<String>,
    page_number: i64,
    page_size: i64,
    /// Exact without a filter; with one it is counted up to 10 000.
    total: i64,
}

/// One condition as clients send it.
#[derive(Debug, Deserialize)]
struct Attribute {
    name: String,
    operator: String,
    #[serde(default)]
    value: Option<String>,
}

/// Get contacts
///
/// Newest first. `attribute` holds conditions, all of which must be met.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getContacts",
    tag = "contacts",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 100, example = 20, nullable = false, description = "Contacts on a page; 20 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 1_000_000, example = 1, nullable = false, description = "Pages count from 1."),
        ("name" = Option<String>, Query, nullable = false, description = "Part of the name, in any letter case, or of the number."),
        ("attribute" = Option<String>, Query, nullable = false, description = "JSON: `[{\"name\":\"city\",\"operator\":\"==\",\"value\":\"Berlin\"}]`. Operators: `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid`, `invalid`."),
        ("createdDate" = Option<String>, Query, nullable = false, example = "2026-04-24", description = "The day on which the contact was made (UTC): `YYYY-MM-DD` or `MM-DD-YYYY`."),
    ),
    responses((status = 200, description = "One page of contacts.", body = Contacts)),
)]
pub(crate) async fn get_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Json<Contacts>> {
    let size = input.number("pageSize", 1, 100)?.unwrap_or(20);
    let number = input.number("pageNumber", 1, 1_000_000)?.unwrap_or(1);
    let filter = ContactFilter {
        name: input.text("name")?,
        conditions: conditions(&input)?,
        created: input.text("createdDate")?.map(|text| created(&text)).transpose()?,
    };
    let page = state.app.contacts().page(&caller, &filter, number - 1, size).await?;
    let link = |number: i64| format!("{}?pageSize={size}&pageNumber={number}", uri.path());
    Ok(Json(Contacts {
        result: "success",
        contact_list: page.contacts.into_iter().map(ContactShape::from).collect(),
        link: Link {
            prev_page: (number > 1).then(|| link(number - 1)),
            next_page: (number.saturating_mul(size) < page.total).then(|| link(number + 1)),
            page_number: number,
            page_size: size,
            total: page.total,
        },
    }))
}

fn conditions(input: &LegacyInput) -> ApiResult<Vec<Condition>> {
    let attributes: Vec<Attribute> = input.json("attribute")?.unwrap_or_default();
    let condition = |(i, attribute): (usize, Attribute)| {
        let operator = attribute.operator.parse().map_err(|()| {
            let known = "expected contain, notContain, exist, notExist, ==, !=, valid or invalid";
            ApiError::invalid(format!("attribute[{i}].operator"), known)
        })?;
        Ok(Condition { name: attribute.name, operator, value: attribute.value.unwrap_or_default() })
    };
    attributes.into_iter().enumerate().map(condition).collect()
}

/// Both orders of the date are in use by clients.
fn created(text: &str) -> ApiResult<(Timestamp, Timestamp)> {
    let turned = match text.split('-').collect::<Vec<_>>().as_slice() {
        [month, day, year] if year.len() == 4 => format!("{year}-{month}-{day}"),
        _ => text.to_owned(),
    };
    match Moment::parse(&turned) {
        Ok(Moment::Day { first, last }) => Ok((first, last)),
        _ => Err(ApiError::invalid("createdDate", "expected a date such as 2026-04-24 or 04-24-2026")),
    }
}
