//! The page of a failed log-in at an OpenID Connect provider: one sentence with the reason, and a link back to the
//! log-in.

use app::identity::credentials::oidc::log_in::LogInFailure;
use axum::http::{StatusCode, header};

use crate::prelude::*;

/// Imitates the look of the console. The page is not one of the console's own, and loads no other file.
const STYLE: &str = "\
    body{margin:0;min-height:100vh;display:grid;place-items:center;font:14px/1.45 system-ui,sans-serif;\
    color:light-dark(#17202b,#e8edf3);background:light-dark(#f6f7f9,#171c24)}\
    main{max-width:380px;margin:16px;padding:24px;border:1px solid light-dark(#e1e5ea,#2a323e);border-radius:8px;\
    background:light-dark(#fff,#12161c);overflow-wrap:anywhere}\
    h1{margin:0;font-size:18px}a{color:light-dark(#0b6e5f,#37c3a6)}";
/// Content security policy. It allows one style only, by its SHA-256 hash: `STYLE`.
const POLICY: &str = "default-src 'none'; style-src 'sha256-NK6AZfhT7VP/FSfTIzzh1wUTV1pr4Xo2Q10uSbkeuF8='; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Returns the page for a failed log-in. A failure of the server itself is returned as an error, for the usual JSON
/// answer.
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
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Log-in failed</title><style>{STYLE}</style></head>\
         <body><main><h1>Log-in failed</h1><p>{}.</p><p><a href=\"/console/log-in\">Back to the log-in</a></p></main>\
         </body></html>\n",
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
