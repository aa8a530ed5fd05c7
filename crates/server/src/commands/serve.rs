//! `switchboard serve`.

use super::Context;
use crate::bootstrap::Creation;
use crate::ephemeral::{self, EphemeralFolder};
use crate::first_start::Handover;
use crate::settings;

/// Where the server keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// In an installation that exists, or in the default folder.
    Installed,
    /// The same, and a missing installation is created wherever the settings say.
    Create,
    /// In a temporary folder.
    Ephemeral,
}

pub fn run(context: &Context, keeping: Keeping) -> anyhow::Result<()> {
    crate::allocator::restart_with_options();
    let mut loaded = context.load_with_warnings()?;
    if keeping != Keeping::Ephemeral {
        let is_requested = keeping == Keeping::Create;
        let creation = if is_requested { Creation::Allowed } else { Creation::without_option(&loaded) };
        let shown = settings::for_console(&loaded);
        return crate::serve::run_blocking(loaded.settings, shown, Handover::Once, creation);
    }
    ephemeral::check(&loaded, "--ephemeral")?;
    // Dropped, and with it removed, when the server has ended, also by an error.
    let folder = EphemeralFolder::create(&std::env::temp_dir())?;
    folder.path().clone_into(&mut loaded.settings.data);
    let shown = settings::for_console(&loaded);
    let handover = Handover::Ephemeral { json: context.output.is_json() };
    crate::serve::run_blocking(loaded.settings, shown, handover, Creation::Allowed)
}
