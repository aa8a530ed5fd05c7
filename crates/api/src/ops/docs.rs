//! The OpenAPI document. The page that shows it belongs to `web-console`.

use std::sync::OnceLock;

use axum::http::header;

use crate::prelude::*;

/// Get the OpenAPI document
#[described::path(
    get,
    path = "/api/openapi.json",
    tag = "operations",
    responses((status = 200, description = "The document (OpenAPI 3.1).", body = Object, content_type = "application/json")),
)]
pub(crate) async fn openapi_json(State(state): State<ApiState>) -> Response {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| compact(&(state.openapi)()));
    ([(header::CONTENT_TYPE, "application/json")], text.as_str()).into_response()
}

/// JSON without the whitespace between its tokens.
fn compact(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let is_kept = quoted || !c.is_ascii_whitespace();
        quoted ^= *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        is_kept
    };
    json.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whitespace_between_tokens_is_dropped() {
        let json = r#"{ "a b": [ 1,
            "say \"c d\" \\" , "e  f" ] }"#;
        assert_eq!(compact(json), r#"{"a b":[1,"say \"c d\" \\","e  f"]}"#);
    }
}
