//! `switchboard audit verify`.

use std::io::BufReader;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use app::identity::audit::{ChainState, verify_file};
use domain::TenantId;
use domain::identity::audit::ChainPosition;
use serde::Serialize;

use crate::commands::Context;

pub const HELP: &str = "\
Each entry contains a hash of itself and the previous entry. The command fails if an entry was changed, removed or \
reordered.
Without FILE, the command checks the database. With FILE, it checks an export from `switchboard audit export`, and \
needs neither a database nor a key.
Store the printed head elsewhere. Later, --head SEQ:HASH checks that the log still contains that entry.
With --json: an array of {\"tenant\", \"entries\", \"head\"}; a tenant from an earlier version, without a chain, has \
\"unchained\".

Examples:
  switchboard audit verify
  switchboard audit verify --tenant 100138 audit.jsonl";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Verify {
    /// The export to check; default: the database.
    file: Option<PathBuf>,
    /// Only this tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// A head printed by an earlier run; the log must still contain its entry.
    #[arg(long, value_name = "SEQ:HASH", value_parser = head)]
    head: Option<ChainPosition>,
}

/// The result for the audit log of one tenant.
#[derive(Serialize)]
struct Checked {
    tenant: TenantId,
    entries: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchained: Option<i64>,
}

fn head(text: &str) -> Result<ChainPosition, String> {
    let parsed = text.split_once(':').and_then(|(number, hash)| {
        Some(ChainPosition { number: number.parse().ok().filter(|number| *number >= 0)?, hash: hash.parse().ok()? })
    });
    parsed.ok_or_else(|| "expected a number, a colon and 64 hexadecimal digits".to_owned())
}

fn written(head: ChainPosition) -> String {
    format!("{}:{}", head.number, head.hash)
}

impl Verify {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let checked = match &self.file {
            Some(file) => vec![self.check_file(file)?],
            None => self.check_database(context).await?,
        };
        Ok(context.output.print(&checked, || checked.iter().map(line).collect::<Vec<_>>().join("\n"))?)
    }

    fn check_file(&self, file: &std::path::Path) -> anyhow::Result<Checked> {
        let open = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        let verified = verify_file(BufReader::new(open), self.head).with_context(|| file.display().to_string())?;
        if let Some(tenant) = self.tenant
            && tenant != verified.tenant
        {
            bail!("{} belongs to tenant {}", file.display(), verified.tenant);
        }
        let head = Some(written(verified.head));
        Ok(Checked { tenant: verified.tenant, entries: verified.entries, head, unchained: None })
    }

    async fn check_database(&self, context: &Context) -> anyhow::Result<Vec<Checked>> {
        let app = context.app().await?;
        if self.head.is_some() && self.tenant.is_none() {
            bail!("--head applies to one tenant: add --tenant");
        }
        let tenants = match self.tenant {
            Some(tenant) => vec![app.identity().tenants().find(tenant).await?.id],
            None => app.identity().tenants().list().await?.into_iter().map(|tenant| tenant.id).collect(),
        };
        let mut all = Vec::new();
        for tenant in tenants {
            let state = app.identity().audit().verify(&app::Command(tenant), self.head).await?;
            all.push(match state {
                ChainState::Whole { base, head } => {
                    let entries = head.number - base.number;
                    Checked { tenant, entries, head: Some(written(head)), unchained: None }
                }
                ChainState::NotBegun(entries) => Checked { tenant, entries, head: None, unchained: Some(entries) },
                ChainState::Broken(broken) => bail!("the audit log of tenant {tenant} is broken: {broken}"),
            });
        }
        Ok(all)
    }
}

fn line(checked: &Checked) -> String {
    let Checked { tenant, entries, head, .. } = checked;
    match head {
        Some(head) => format!("tenant {tenant}: {entries} entries, all intact\n  head {head}"),
        None => format!("tenant {tenant}: {entries} entries from an earlier version; the next entry starts the chain"),
    }
}
