//! `switchboard serve`.

use super::Context;

pub fn run(context: &Context) -> anyhow::Result<()> {
    crate::serve::run_blocking(context.settings()?)
}
