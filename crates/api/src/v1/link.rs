//! Links to the pages before and after a page of a V1 or V2 list.

use axum::http::Uri;

use crate::prelude::*;

/// Links to the pages before and after a page of contacts or messages.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Link {
    prev_page: Option<String>,
    next_page: Option<String>,
    page_number: i64,
    page_size: i64,
    /// The exact number of rows that match the filters.
    total: i64,
}

/// Links to the pages before and after a page of templates.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateLink)]
pub(crate) struct TemplateLink {
    prev_page: Option<String>,
    next_page: Option<String>,
    page_number: i64,
    page_size: i64,
    total: i64,
}

/// Whether a page follows.
#[derive(Debug, Clone, Copy)]
pub(super) enum NextPage<'a> {
    None,
    /// The page with the next number. If there is a cursor, that page begins at the cursor.
    Follows(Option<&'a str>),
}

impl Link {
    pub(super) fn new(uri: &Uri, number: i64, size: i64, next: NextPage<'_>, total: i64) -> Self {
        let page = |number, cursor| page_address(uri, &["pageSize", "pageNumber", "cursor"], number, size, cursor);
        let next_page = match next {
            NextPage::None => None,
            NextPage::Follows(cursor) => Some(page(number + 1, cursor)),
        };
        let prev_page = (number > 1).then(|| page(number - 1, None));
        Self { prev_page, next_page, page_number: number, page_size: size, total }
    }
}

impl TemplateLink {
    pub(super) fn new(uri: &Uri, number: i64, size: i64, total: i64) -> Self {
        let page = |number| page_address(uri, &["pageSize", "pageNumber"], number, size, None);
        let next_page = (number.saturating_mul(size) < total).then(|| page(number + 1));
        Self {
            prev_page: (number > 1).then(|| page(number - 1)),
            next_page,
            page_number: number,
            page_size: size,
            total,
        }
    }
}

/// The request's own address for another page. `replaced` are the parameters that say which page it is; all others
/// stay, because they say what is listed.
fn page_address(uri: &Uri, replaced: &[&str], number: i64, size: i64, cursor: Option<&str>) -> String {
    let pairs = uri.query().unwrap_or_default().split('&');
    let is_kept = |pair: &&str| !pair.is_empty() && !replaced.contains(&pair.split('=').next().unwrap_or_default());
    let kept = pairs.filter(is_kept).fold(String::new(), |kept, pair| kept + pair + "&");
    let cursor = cursor.map(|cursor| format!("cursor={cursor}&")).unwrap_or_default();
    format!("{}?{kept}{cursor}pageSize={size}&pageNumber={number}", uri.path())
}
