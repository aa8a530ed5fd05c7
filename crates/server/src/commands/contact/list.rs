//! `switchboard contact list`.

use app::people::contacts::Start;
use domain::people::contacts::ContactView;
use serde_json::Value;

use super::filter::ContactFilterArgs;
use super::show::{as_json, plain};
use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

const JSON: &str = "\
With --json: an array of contacts, as in `switchboard contact show`. To get all contacts, use `switchboard contact \
export`.";
/// Contacts per page that is read.
const PAGE: i64 = 1000;

#[derive(Debug, clap::Args)]
#[command(after_help = JSON)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    #[command(flatten)]
    filter: ContactFilterArgs,
    /// Maximum number of contacts.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    limit: i64,
}

impl List {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let filter = self.filter.filter(&app, &me).await?;
        let names = app.people().contacts().names(&me).await?;
        let (mut found, mut start, mut left) = (Vec::new(), Start::Page(0), self.limit);
        // A short page is not necessarily the last.
        while left > 0 {
            let mut show = |contact: &ContactView<'_>| found.push(as_json(contact, &names));
            let end = app.people().contacts().list(&me, &filter, start, left.min(PAGE), false, &mut show).await?;
            left = self.limit - i64::try_from(found.len()).unwrap_or(i64::MAX);
            let Some(next) = end.next_cursor.and_then(|cursor| app.people().contacts().position(&me, &cursor)) else {
                break;
            };
            start = Start::After(next);
        }
        Ok(context.output.print(&found, || table(&found))?)
    }
}

fn table(contacts: &[Value]) -> String {
    let members = ["id", "phone", "bsuid", "name", "source", "created"];
    let mut table = Table::new(&members);
    for contact in contacts {
        table.row(members.map(|member| plain(&contact[member])));
    }
    table.to_text()
}
