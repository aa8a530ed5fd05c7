//! `switchboard order export`. A file under its final name is complete (`file.rs`).

use app::people::imports::Format;
use serde_json::json;

use super::filter::OrderFilterArgs;
use crate::commands::contact::export::format;
use crate::commands::tenant_arg::TenantArg;
use crate::commands::{Context, file};

const HELP: &str = "\
Exports the newest orders first, with the same filters as `switchboard order list`. In JSON Lines, each line is an \
order with its payment, as in `switchboard order show`; CSV has one row per order. Amounts are whole numbers, to be \
divided by the offset. Cells that a spreadsheet would execute as formulas are prefixed with '.
With --json: {\"file\", \"format\", \"orders\"}, on standard error if the orders go to standard output.

Example:
  switchboard order export --tenant 100138 --output paid.csv --payment-status captured --date-from 2026-04-01";

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
    filter: OrderFilterArgs,
}

impl Export {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let format = self.format.or_else(|| Format::of_file(self.target.file()?)).unwrap_or(Format::Csv);
        let filter = self.filter.filter();
        let produce = |chunks| async move { app.commerce().orders().write(&me, filter, format, &chunks).await };
        let orders = self.target.write(produce).await?;
        let Some(file) = self.target.file() else {
            let result = json!({"file": null, "format": format.name(), "orders": orders});
            return Ok(context.output.print_to_stderr(&result, || format!("{orders} orders exported"))?);
        };
        let result = json!({"file": file.display().to_string(), "format": format.name(), "orders": orders});
        Ok(context.output.print(&result, || format!("{orders} orders exported to {}", file.display()))?)
    }
}
