//! `GET /console/api/log-in-options`: what the log-in page offers in addition to a password.

use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct LogInOptions {
    /// Whether a link to reset a lost password can be requested by mail.
    password_reset: bool,
    oidc: Vec<OidcOption>,
}

/// An OpenID Connect provider. Logging in with it begins at `/console/oidc/{id}`.
#[derive(Serialize, ToSchema)]
struct OidcOption {
    id: String,
    name: String,
}

/// Get log-in options
#[described::path(
    get,
    path = "/console/api/log-in-options",
    responses((status = 200, description = "What the log-in page offers in addition to a password.", body = LogInOptions)),
)]
pub(crate) async fn show_log_in_options(State(state): State<ApiState>) -> Json<LogInOptions> {
    let providers = state.app.identity().oidc_log_ins();
    let option = |(id, name): (&str, &str)| OidcOption { id: id.to_owned(), name: name.to_owned() };
    Json(LogInOptions {
        password_reset: state.app.identity().one_time_links().are_mailed(),
        oidc: providers.providers().map(option).collect(),
    })
}
