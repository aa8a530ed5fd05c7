//! `switchboard openapi`.

use std::path::PathBuf;

use anyhow::Context as _;

use super::Context;
use crate::output;

/// Print the OpenAPI document.
#[derive(Debug, clap::Args)]
#[command(after_help = "Needs neither settings nor a database. The document is always JSON, with or without --json.")]
pub struct Openapi {
    /// Write to a file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Openapi {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let document = api::openapi();
        let Some(path) = self.output else { return Ok(output::print(&document)?) };
        std::fs::write(&path, document.as_ref()).with_context(|| format!("cannot write {}", path.display()))?;
        let result = serde_json::json!({"file": path, "bytes": document.len()});
        context.output.print(&result, || format!("OpenAPI document written to {}", path.display()))?;
        Ok(())
    }
}
