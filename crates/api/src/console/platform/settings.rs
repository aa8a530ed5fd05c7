//! `GET /console/api/settings`: the settings in force with their sources, for administrators of the installation.
//! Secrets are masked.

use crate::console::guard::SignedIn;
use crate::error::ROLE_DENIED;
use crate::prelude::*;
use crate::state::ShownSetting;

list!(Settings { "settings": ShownSetting });

/// Get the settings in force
#[described::path(
    get,
    path = "/console/api/settings",
    responses((status = 200, description = "The settings with their sources. Secrets are masked.", body = Settings)),
)]
pub(crate) async fn show_settings(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<Settings>> {
    if !state.app.identity().sessions().administers_installation(&signed_in).await? {
        return Err(ApiError::new(ROLE_DENIED, "Only administrators of the installation can see its settings"));
    }
    Ok(Json(List::from_rows(state.settings.shown_settings.clone())))
}
