//! Lists an account's templates by page.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Timestamp;
use serde_json::{Value, json};

use super::review::{account, template_to_json};
use crate::core::template::{self, Template};
use crate::graph::access::Key;
use crate::graph::answer;
use crate::graph::error::{GraphError, GraphResult};
use crate::graph::parts::Checked;
use crate::graph::request::GraphRequest;
use crate::{Reply, Sandbox};

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 250;
/// Maximum number of templates of an account, as the summary reports it; the sandbox does not enforce it.
const MAX_TEMPLATES: usize = 6000;

pub async fn list(sandbox: &Sandbox, key: &Key, request: &GraphRequest, account_id: &str) -> GraphResult<Reply> {
    let opened = account(sandbox, key, account_id).await?;
    let page = Page::parse(request)?;
    let input = (opened.tenant, account_id.to_owned());
    let read = sandbox.db().write(input, |tx, (tenant, account)| Box::pin(template::list(tx, *tenant, account)));
    let mut templates = read.await?;
    let now = sandbox.now();
    let (count, translated) = (templates.len(), are_translated(&templates));
    templates.retain(|template| wanted(request, template, now));
    let mut answer = page.to_json(request, &templates, now)?;
    if let Some(members) = request.query.get("summary") {
        let summary = json!({
            "total_count": templates.len(),
            "message_template_count": count,
            "message_template_limit": MAX_TEMPLATES,
            "are_translations_complete": translated,
        });
        answer["summary"] = answer::only(summary, Some(members));
    }
    Ok(answer::ok(&answer))
}

/// Whether every name of a template exists in every language that any template has.
fn are_translated(templates: &[Template]) -> bool {
    let names: BTreeSet<&str> = templates.iter().map(|template| template.name.as_str()).collect();
    let languages: BTreeSet<&str> = templates.iter().map(|template| template.language.as_str()).collect();
    names.len() * languages.len() == templates.len()
}

/// Whether a template passes the filters of the query. `name` and `name_or_content` match any part of its name.
fn wanted(request: &GraphRequest, template: &Template, now: Timestamp) -> bool {
    let is = |member: &str, has: &str| request.query.get(member).is_none_or(|wanted| wanted.eq_ignore_ascii_case(has));
    let named = request.query.get("name").or(request.query.get("name_or_content"));
    named.is_none_or(|name| template.name.contains(name.as_str()))
        && is("status", template.status(now))
        && is("language", &template.language)
        && is("category", &template.category)
        && is("quality_score", &template.quality)
}

struct Page {
    limit: usize,
    after: Option<String>,
    before: Option<String>,
}

impl Page {
    fn parse(request: &GraphRequest) -> Checked<Self> {
        let limit = request.query.get("limit").map_or(Ok(DEFAULT_LIMIT), |text| text.parse());
        let limit = limit.map_err(|_| GraphError::parameter("Param limit must be an integer"))?;
        if limit == 0 {
            return Err(GraphError::parameter("Param limit must be at least 1"));
        }
        Ok(Self { limit: limit.min(MAX_LIMIT), after: cursor(request, "after")?, before: cursor(request, "before")? })
    }

    fn to_json(&self, request: &GraphRequest, templates: &[Template], now: Timestamp) -> Checked<Value> {
        let position_of = |id: &String| {
            let position = templates.iter().position(|template| template.id == *id);
            position.ok_or_else(|| GraphError::parameter("Invalid cursor"))
        };
        let (start, end) = match (&self.after, &self.before) {
            (Some(after), _) => (position_of(after)? + 1, usize::MAX),
            (None, Some(before)) => {
                let end = position_of(before)?;
                (end.saturating_sub(self.limit), end)
            }
            (None, None) => (0, usize::MAX),
        };
        let end = end.min(start.saturating_add(self.limit)).min(templates.len());
        let page = templates.get(start..end).unwrap_or_default();
        let fields = request.query.get("fields");
        let data: Vec<Value> =
            page.iter().map(|template| answer::only(template_to_json(template, now), fields)).collect();
        let mut answer = json!({ "data": data });
        if let (Some(first), Some(last)) = (page.first(), page.last()) {
            let after = spelled(&last.id);
            answer["paging"] = json!({ "cursors": { "before": spelled(&first.id), "after": after } });
            if end < templates.len() {
                answer["paging"]["next"] = json!(next(request, &after));
            }
        }
        Ok(answer)
    }
}

/// URL of the next page: the query of the request with the cursor `after`, without the access token.
fn next(request: &GraphRequest, after: &str) -> String {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    let left_out = ["access_token", "after", "before"];
    let kept = request.query.iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
    let mut url = format!("{}/{}/{}?", request.origin(), request.version, request.segments.join("/"));
    for (name, value) in kept {
        url.extend([name.as_str(), "="].into_iter().chain(utf8_percent_encode(value, NON_ALPHANUMERIC)).chain(["&"]));
    }
    url + "after=" + after
}

fn spelled(id: &str) -> String {
    URL_SAFE_NO_PAD.encode(id)
}

fn cursor(request: &GraphRequest, member: &str) -> Checked<Option<String>> {
    let Some(text) = request.query.get(member).filter(|text| !text.is_empty()) else { return Ok(None) };
    let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.map(Some).ok_or_else(|| GraphError::parameter("Invalid cursor"))
}
