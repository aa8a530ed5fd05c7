//! `switchboard audit export`.

use serde_json::json;

use super::owner::LogOwner;
use crate::commands::{Context, file};

const HELP: &str = "\
The export is in JSON Lines: a header, the entries with their numbers and hashes, and an end line. \
`switchboard audit verify FILE` verifies it anywhere.
With --json: {\"file\", \"entries\"}, on standard error if the entries go to standard output.

Examples:
  switchboard audit export --tenant 100138 --output audit.jsonl
  switchboard audit export --installation --output installation.jsonl";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Export {
    #[command(flatten)]
    owner: LogOwner,
    #[command(flatten)]
    target: file::Target,
}

impl Export {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let owner = self.owner.find(&app).await?;
        let produce = |chunks| async move { app.identity().audit().export(&app::Command(owner), &chunks).await };
        let entries = self.target.write(produce).await?;
        let Some(file) = self.target.file() else {
            let result = json!({"file": null, "entries": entries});
            return Ok(context.output.print_to_stderr(&result, || format!("{entries} entries exported"))?);
        };
        let result = json!({"file": file.display().to_string(), "entries": entries});
        Ok(context.output.print(&result, || format!("{entries} entries exported to {}", file.display()))?)
    }
}
