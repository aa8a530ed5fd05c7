//! `GET /console/api/settings`: the settings in force with their sources, for administrators. Secrets are masked.

use crate::prelude::*;
use crate::state::ShownSetting;

list!(Settings { "settings": ShownSetting });

/// Get the settings in force
#[described::path(
    get,
    path = "/console/api/settings",
    responses((status = 200, description = "The settings with their sources. Secrets are masked.", body = Settings)),
)]
pub(crate) async fn show_settings(State(state): State<ApiState>) -> Json<Settings> {
    Json(List::from_rows(state.settings.shown_settings.clone()))
}
