//! `switchboard audit verify`.

use std::io::BufReader;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use app::audit::{ChainState, verify_file};
use domain::TenantId;
use domain::audit::ChainPosition;
use serde::Serialize;

use crate::commands::Context;

pub const HELP: &str = "\
Each entry holds a hash over itself and the entry before it. A changed, removed or reordered entry is found, and the command fails.
Without FILE the database is checked. With FILE an export of `switchboard audit export` is checked, without a database or a key.
Keep the head that it prints in another place: with --head SEQ:HASH the same entry must still be in the log later.
With --json: an array of {\"tenant\", \"entries\", \"head\"}; a tenant of an earlier version without a chain has \"unchained\".

Examples:
  switchboard audit verify
  switchboard audit verify --tenant 100138 audit.jsonl";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Verify {
    /// An export to check; default: the database.
    file: Option<PathBuf>,
    /// Only this tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// A head that was printed before; the log must contain that entry.
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
        Ok(context.output.say(&checked, || checked.iter().map(line).collect::<Vec<_>>().join("\n"))?)
    }

    fn check_file(&self, file: &std::path::Path) -> anyhow::Result<Checked> {
        let open = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        let verified = verify_file(BufReader::new(open), self.head).with_context(|| file.display().to_string())?;
        if let Some(tenant) = self.tenant
            && tenant != verified.tenant
        {
            bail!("{} is of tenant {}", file.display(), verified.tenant);
        }
        let head = Some(written(verified.head));
        Ok(Checked { tenant: verified.tenant, entries: verified.entries, head, unchained: None })
    }

    async fn check_database(&self, context: &Context) -> anyhow::Result<Vec<Checked>> {
        let app = context.app().await?;
        if self.head.is_some() && self.tenant.is_none() {
            bail!("--head belongs to one tenant: add --tenant");
        }
        let tenants = match self.tenant {
            Some(tenant) => vec![app.tenants().find(tenant).await?.id],
            None => app.tenants().list().await?.into_iter().map(|tenant| tenant.id).collect(),
        };
        let mut all = Vec::new();
        for tenant in tenants {
            let state = app.audit().verify(&app::Command(tenant), self.head).await?;
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
        Some(head) => format!("tenant {tenant}: {entries} entries, all as they were written\n  head {head}"),
        None => format!("tenant {tenant}: {entries} entries of an earlier version; the next entry begins the chain"),
    }
}
