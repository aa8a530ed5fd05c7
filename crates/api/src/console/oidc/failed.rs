//! The page of a log-in that failed: one sentence, and the way back.

use app::credentials::oidc::log_in::LogInFailure;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A failure of the server itself gets the answer of every other operation.
pub(super) fn failed(failure: LogInFailure) -> Result<Response, app::Error> {
    let status = match failure {
        LogInFailure::UnknownProvider => StatusCode::NOT_FOUND,
        LogInFailure::State => StatusCode::BAD_REQUEST,
        LogInFailure::Refused(_)
        | LogInFailure::Token(..)
        | LogInFailure::EmailNotVerified(_)
        | LogInFailure::NoAccount => StatusCode::FORBIDDEN,
        LogInFailure::Unavailable(_) => StatusCode::BAD_GATEWAY,
        LogInFailure::Other(error) => return Err(error),
    };
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Log-in failed</title></head><body>\
         <h1>Log-in failed</h1><p>{}.</p><p><a href=\"/console/log-in\">Back to the log-in</a></p></body></html>\n",
        escaped(&failure.to_string())
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    Ok((status, headers, page).into_response())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        assert_eq!(escaped("<a href='x'>\"&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
    }
}
