//! One page of calls, newest first.

use app::Principal;
use domain::CallId;
use domain::calls::{CallFilter, CallView};

use crate::answer::list_body::ListBody;
use crate::prelude::*;

pub(crate) const MAX_LIMIT: i32 = 100;
const DEFAULT_LIMIT: i32 = 20;
/// The usual length of a call's JSON text, for sizing the answer.
const USUAL_CALL_BYTES: usize = 720;

pub(crate) type CallPage<'a> = Page<CallView<'a>, CallPosition>;

rows!(CallView<'_>: "calls" in CallPage, "One page of the call log.");

/// The position in a list with offsets and cursors.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallPosition {
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i32,
    #[schema(example = 0, minimum = 0)]
    offset: i32,
    has_more: bool,
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
    /// The number of calls that match the filters. Present only if `include_total` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    total: Option<i64>,
}

/// Which part of the list to return, as the request has it.
#[derive(Debug)]
pub(crate) struct PageMembers<'a> {
    pub limit: Option<i32>,
    pub offset: Option<i32>,
    pub cursor: Option<&'a str>,
    pub with_total: bool,
    /// Whether each call has the present names of its contact.
    pub with_people: bool,
}

/// Returns a page of the calls that the filter allows; with a `target`, of those with this contact.
pub(crate) async fn call_page(
    state: &ApiState,
    principal: &Principal,
    target: Option<&str>,
    filter: CallFilter,
    asked: &PageMembers<'_>,
) -> ApiResult<Response> {
    let calls = state.app.calls();
    let (limit, offset) = (asked.limit.unwrap_or(DEFAULT_LIMIT), asked.offset.unwrap_or(0));
    let after = position(state, principal, asked)?;
    let filter = CallFilter { after, offset: offset.into(), limit: limit.into(), ..filter };
    let mut body = ListBody::new(usize::try_from(limit).unwrap_or(0), USUAL_CALL_BYTES);
    let mut found = Vec::new();
    let mut show = |call: &str| {
        if asked.with_people {
            found.push(call.to_owned());
        } else {
            body.push_json(call);
        }
    };
    let end = match target {
        Some(target) => calls.list_of_contact(principal, target, filter, &mut show).await?,
        None => calls.list(principal, filter, asked.with_total, &mut show).await?,
    };
    for call in calls.with_people(principal, found).await? {
        body.push_json(&call);
    }
    let position =
        CallPosition { limit, offset, has_more: end.has_more, next_cursor: end.next_cursor, total: end.total };
    Ok(body.into_response(&CallPage::around_rows(position)))
}

fn position(
    state: &ApiState,
    principal: &Principal,
    asked: &PageMembers<'_>,
) -> ApiResult<Option<(Timestamp, CallId)>> {
    let Some(text) = asked.cursor else { return Ok(None) };
    if asked.offset.is_some() {
        return Err(ApiError::invalid("cursor", "cannot be combined with offset"));
    }
    let position = state.app.calls().position(principal, text);
    position.map(Some).ok_or_else(|| ApiError::invalid("cursor", "expected a next_cursor from this list"))
}
