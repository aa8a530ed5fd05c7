//! `switchboard serve`.

use super::Context;
use crate::{output, settings};

pub fn run(context: &Context) -> anyhow::Result<()> {
    let loaded = context.load()?;
    loaded.warnings.iter().for_each(|warning| output::warn(warning));
    let shown = settings::shown(&loaded);
    crate::serve::run_blocking(loaded.settings, shown)
}
