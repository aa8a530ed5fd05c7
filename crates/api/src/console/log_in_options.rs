//! `GET /console/api/log-in-options`: what the log-in page offers besides a password.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::ApiState;

#[derive(Serialize)]
pub(crate) struct LogInOptions {
    /// Whether a link that resets a lost password can be requested by mail.
    password_reset: bool,
    oidc: Vec<OidcOption>,
}

/// An OpenID Connect provider. A log-in at it begins at `/console/oidc/{id}`.
#[derive(Serialize)]
struct OidcOption {
    id: String,
    name: String,
}

pub(crate) async fn show_log_in_options(State(state): State<ApiState>) -> Json<LogInOptions> {
    let providers = state.app.oidc_log_ins();
    let option = |(id, name): (&str, &str)| OidcOption { id: id.to_owned(), name: name.to_owned() };
    Json(LogInOptions {
        password_reset: state.app.one_time_links().are_mailed(),
        oidc: providers.providers().map(option).collect(),
    })
}
