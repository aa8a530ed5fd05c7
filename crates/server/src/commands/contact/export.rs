//! `switchboard contact export`. A file under its final name is complete (`file.rs`).

use app::people::imports::{Format, NotAFormat};
use serde_json::json;

use super::filter::ContactFilterArgs;
use crate::commands::tenant_arg::TenantArg;
use crate::commands::{Context, file};

const HELP: &str = "\
Exports the oldest contacts first, with one column per attribute; importing the file elsewhere creates the same \
contacts. Cells that a spreadsheet would execute as formulas are prefixed with ', which an import removes.
With --json: {\"file\", \"format\", \"contacts\"}, on standard error if the contacts go to standard output.

Example:
  switchboard contact export --tenant 100138 --output contacts.csv --attribute '[{\"name\":\"city\",\"operator\":\"==\",\"value\":\"Berlin\"}]'";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Export {
    #[command(flatten)]
    tenant: TenantArg,
    /// csv or jsonl. Default: detected from the file name, or csv.
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    #[command(flatten)]
    target: file::Target,
    #[command(flatten)]
    filter: ContactFilterArgs,
}

pub fn format(text: &str) -> Result<Format, NotAFormat> {
    text.parse()
}

impl Export {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let format = self.format.or_else(|| Format::of_file(self.target.file()?)).unwrap_or(Format::Csv);
        let filter = self.filter.filter(&app, &me).await?;
        let produce = |chunks| async move { app.people().contacts().export(&me, &filter, format, &chunks).await };
        let contacts = self.target.write(produce).await?;
        let Some(file) = self.target.file() else {
            let result = json!({"file": null, "format": format.name(), "contacts": contacts});
            return Ok(context.output.print_to_stderr(&result, || format!("{contacts} contacts exported"))?);
        };
        let result = json!({"file": file.display().to_string(), "format": format.name(), "contacts": contacts});
        Ok(context.output.print(&result, || format!("{contacts} contacts exported to {}", file.display()))?)
    }
}
