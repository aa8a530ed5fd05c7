//! `GET /console/oidc/{id}?next=`: redirects the browser to the provider. `next` is the page to open after the log-in.

use app::identity::credentials::oidc::log_in::LIFETIME_SECONDS;
use axum::http::{StatusCode, header};

use super::failed::failed;
use crate::console::cookie;
use crate::console::guard::without_caching;
use crate::prelude::*;

pub(crate) async fn begin_log_in(
    State(state): State<ApiState>,
    FromPath(id): FromPath<String>,
    query: Query,
) -> Response {
    match begin(&state, &id, &query).await {
        Ok(response) => without_caching(response),
        Err(error) => without_caching(error.into_response()),
    }
}

async fn begin(state: &ApiState, id: &str, query: &Query) -> ApiResult<Response> {
    let next = query.take(&["next"])?;
    let begun = state.app.identity().oidc_log_ins().begin(id, next, &state.settings.public_url).await;
    match begun {
        Ok(begun) => {
            let to_provider = (StatusCode::SEE_OTHER, [(header::LOCATION, begun.provider_url)]);
            cookie::set_log_in_state(state, &begun.cookie, LIFETIME_SECONDS, to_provider)
        }
        Err(failure) => failed(failure).map_err(ApiError::from),
    }
}
