//! `switchboard order list`.

use serde_json::Value;

use super::filter::OrderFilterArgs;
use super::show::{as_json, money};
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

const JSON: &str = "\
With --json: an array of orders, as in `switchboard order show`. To get all orders, use `switchboard order export`.";
/// Orders per page that is read.
const PAGE: usize = 500;

#[derive(Debug, clap::Args)]
#[command(after_help = JSON)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    #[command(flatten)]
    filter: OrderFilterArgs,
    /// Maximum number of orders.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    limit: u64,
}

impl List {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let mut filter = self.filter.filter();
        let wanted = usize::try_from(self.limit)?;
        let mut found = Vec::new();
        // A short page is not necessarily the last.
        while found.len() < wanted {
            filter.limit = PAGE.min(wanted - found.len());
            let page = app.commerce().orders().list(&me, &filter).await?;
            found.extend(page.orders.iter().map(as_json));
            let Some(next) = page.next else { break };
            filter.after = Some(next);
        }
        Ok(context.output.print(&found, || table(&found))?)
    }
}

fn table(orders: &[Value]) -> String {
    let mut table = Table::new(&["reference", "status", "payment", "total", "target", "created"]);
    for order in orders {
        table.row([
            plain(&order["reference_id"]),
            plain(&order["order"]["status"]),
            plain(&order["payment"]["status"]),
            money(&order["total_amount"], &order["currency"]),
            plain(&order["target"]),
            plain(&order["created"]),
        ]);
    }
    table.to_text()
}
