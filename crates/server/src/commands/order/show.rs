//! `switchboard order show`, and the text form of an order.

use app::commerce::orders::{OrderView, write_order_line};
use serde_json::Value;

use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

const JSON: &str = "\
With --json: {\"reference_id\", \"type\", \"currency\", \"total_amount\", \"order\", \"payment_configuration\", \"payment_type\", \
\"target\", \"created\", \"updated\", \"provenance\", \"payment\"}, as in the API.";

#[derive(Debug, clap::Args)]
#[command(after_help = JSON)]
pub struct Show {
    /// The business's reference id for the order.
    reference: String,
    #[command(flatten)]
    tenant: TenantArg,
}

impl Show {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let found = as_json(&app.commerce().orders().find(&me, &self.reference).await?);
        Ok(context.output.print(&found, || text(&found))?)
    }
}

/// An order as JSON, as a line of the export has it.
pub fn as_json(order: &OrderView) -> Value {
    let mut line = Vec::new();
    write_order_line(&mut line, order);
    serde_json::from_slice(&line).unwrap_or_default()
}

/// An amount such as `279.50 INR`, computed without floating point; empty if it is no amount.
pub fn money(amount: &Value, currency: &Value) -> String {
    let (Some(value), Some(offset)) = (amount["value"].as_i64(), amount["offset"].as_i64().filter(|one| *one > 0))
    else {
        return String::new();
    };
    let sign = if value < 0 { "-" } else { "" };
    let (value, offset) = (value.unsigned_abs(), offset.unsigned_abs());
    let digits = usize::try_from(offset.ilog10()).unwrap_or_default();
    format!("{sign}{}.{:0digits$} {}", value / offset, value % offset, plain(currency))
}

fn text(order: &Value) -> String {
    let mut table = Table::new(&["what", "value"]);
    let (content, payment, currency) = (&order["order"], &order["payment"], &order["currency"]);
    let mut row = |what: &str, value: String| {
        if !value.is_empty() {
            table.row([what.to_owned(), value]);
        }
    };
    for member in ["reference_id", "type", "target", "payment_configuration", "payment_type", "created", "updated"] {
        row(member, plain(&order[member]));
    }
    row("status", plain(&content["status"]));
    for item in content["items"].as_array().into_iter().flatten() {
        let price = if item["sale_amount"].is_null() { &item["amount"] } else { &item["sale_amount"] };
        row("item", format!("{} × {} at {}", plain(&item["quantity"]), plain(&item["name"]), money(price, currency)));
    }
    for member in ["tax", "shipping", "discount"] {
        row(member, money(&content[member], currency));
    }
    row("total", money(&order["total_amount"], currency));
    for member in ["status", "pending_confirmation", "conflict", "captured_at", "as_of", "sources"] {
        row(&format!("payment {member}"), plain(&payment[member]));
    }
    table.to_text()
}
