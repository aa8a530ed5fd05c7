//! Where the pages before and after one of a V1 list are.

use axum::http::Uri;
use serde::Serialize;
use utoipa::ToSchema;

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

/// What a page is followed by.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next<'a> {
    Nothing,
    /// The page with the next number, which begins behind this place where there is one.
    Page(Option<&'a str>),
}

impl Link {
    pub(super) fn new(uri: &Uri, number: i64, size: i64, next: Next<'_>, total: i64) -> Self {
        let at = |number: i64, cursor: Option<&str>| {
            let query = uri.query().unwrap_or_default().split('&').filter(|pair| !is_place(pair));
            let kept = query.fold(String::new(), |kept, pair| kept + pair + "&");
            let cursor = cursor.map(|cursor| format!("cursor={cursor}&")).unwrap_or_default();
            format!("{}?{kept}{cursor}pageSize={size}&pageNumber={number}", uri.path())
        };
        Self {
            prev_page: (number > 1).then(|| at(number - 1, None)),
            next_page: match next {
                Next::Nothing => None,
                Next::Page(cursor) => Some(at(number + 1, cursor)),
            },
            page_number: number,
            page_size: size,
            total,
        }
    }
}

/// What says where a page is, and not what is on it.
fn is_place(pair: &str) -> bool {
    pair.is_empty() || ["pageSize", "pageNumber", "cursor"].contains(&pair.split('=').next().unwrap_or_default())
}
