//! `GET /console/oidc/{id}/callback`: the provider redirects the browser here. Checks the provider's answer and begins
//! a session.

use app::identity::credentials::oidc::log_in::ProviderAnswer;
use app::identity::sessions::{LIFETIME_SECONDS, LogInSource};
use axum::http::{HeaderMap, StatusCode, header};

use super::failed::failed;
use crate::console::cookie;
use crate::console::guard::{FromLogIn, without_caching};
use crate::prelude::*;

pub(crate) async fn finish_log_in(
    State(state): State<ApiState>,
    FromPath(id): FromPath<String>,
    FromLogIn(source): FromLogIn,
    headers: HeaderMap,
    query: Query,
) -> Response {
    let finished = finish(&state, &id, &source, &headers, &query).await;
    // A log-in that succeeded or was refused cannot use its state again. Only an internal error leaves the cookie.
    let finished = finished.and_then(|response| cookie::clear_log_in_state(&state, response));
    match finished {
        Ok(response) => without_caching(response),
        Err(error) => without_caching(error.into_response()),
    }
}

async fn finish(
    state: &ApiState,
    id: &str,
    source: &LogInSource,
    headers: &HeaderMap,
    query: &Query,
) -> ApiResult<Response> {
    let answer = ProviderAnswer {
        state: query.text(&["state"])?,
        code: query.text(&["code"])?,
        error: query.text(&["error"])?,
        issuer: query.text(&["iss"])?,
    };
    let begun = cookie::log_in_state_in(state, headers);
    let log_ins = state.app.identity().oidc_log_ins();
    match log_ins.finish(id, answer, begun, &state.settings.public_url, source).await {
        Ok(finished) => {
            let to_console = (StatusCode::SEE_OTHER, [(header::LOCATION, finished.next)]);
            cookie::set(state, finished.value.reveal(), LIFETIME_SECONDS, to_console)
        }
        Err(failure) => failed(failure).map_err(ApiError::from),
    }
}
