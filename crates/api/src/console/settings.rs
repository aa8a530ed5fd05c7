//! `GET /console/api/settings`: the settings in force with their sources, for administrators. Secrets are masked.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::{ApiState, ShownSetting};

#[derive(Serialize)]
pub(crate) struct SettingsReport {
    settings: Vec<ShownSetting>,
}

pub(crate) async fn show_settings(State(state): State<ApiState>) -> Json<SettingsReport> {
    Json(SettingsReport { settings: state.settings.shown_settings.clone() })
}
