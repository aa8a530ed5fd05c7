//! Opens the application with the public URL that goes into the channels' hook addresses.

use app::App;

use crate::commands::Context;

/// The application, and the public URL: the one that the last started server has saved, which may differ from the
/// settings of this command; before a first start, that of the settings.
pub(super) async fn opened(context: &Context) -> anyhow::Result<(App, String)> {
    let settings = context.settings()?;
    let app = crate::bootstrap::open(&settings, domain::Clock::system()).await?.app;
    let public_url = app.saved_public_url().await?.unwrap_or_else(|| settings.public_url());
    Ok((app, public_url))
}
