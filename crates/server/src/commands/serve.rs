//! `switchboard serve`.

use super::Context;
use crate::ephemeral::{self, EphemeralFolder};
use crate::first_start::Handover;
use crate::{output, settings};

pub fn run(context: &Context, is_ephemeral: bool) -> anyhow::Result<()> {
    crate::allocator::restart_with_options();
    let mut loaded = context.load()?;
    loaded.warnings.iter().for_each(|warning| output::warn(warning));
    if !is_ephemeral {
        let shown = settings::for_console(&loaded);
        return crate::serve::run_blocking(loaded.settings, shown, Handover::Once);
    }
    ephemeral::check(&loaded, "--ephemeral")?;
    // Dropped, and with it removed, when the server has ended, also by an error.
    let folder = EphemeralFolder::create(&std::env::temp_dir())?;
    folder.path().clone_into(&mut loaded.settings.data);
    let shown = settings::for_console(&loaded);
    crate::serve::run_blocking(loaded.settings, shown, Handover::Ephemeral { json: context.output.is_json() })
}
