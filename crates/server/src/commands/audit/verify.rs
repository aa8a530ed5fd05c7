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
Without FILE, the command checks the database: the logs of all tenants and the installation's own log. With FILE, it \
checks an export from `switchboard audit export`, and needs neither a database nor a key.
Store the printed head elsewhere. Later, --head SEQ:HASH checks that the log still contains that entry.
With --json: an array of {\"tenant\", \"entries\", \"head\"}, where the installation's log has the tenant null; a \
tenant from an earlier version, without a chain, has \"unchained\".

Examples:
  switchboard audit verify
  switchboard audit verify --installation
  switchboard audit verify --tenant 100138 audit.jsonl";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Verify {
    /// The export to check; default: the database.
    file: Option<PathBuf>,
    /// Only this tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// Only the log of the installation itself.
    #[arg(long, conflicts_with = "tenant")]
    installation: bool,
    /// A head printed by an earlier run; the log must still contain its entry.
    #[arg(long, value_name = "SEQ:HASH", value_parser = head)]
    head: Option<ChainPosition>,
}

/// The result for one audit log.
#[derive(Serialize)]
struct Checked {
    /// None for the log of the installation.
    tenant: Option<TenantId>,
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

    /// The log that the options name, if they name one.
    fn owner(&self) -> Option<TenantId> {
        if self.installation { Some(TenantId::INSTALLATION) } else { self.tenant }
    }

    fn check_file(&self, file: &std::path::Path) -> anyhow::Result<Checked> {
        let open = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        let verified = verify_file(BufReader::new(open), self.head).with_context(|| file.display().to_string())?;
        if self.owner().is_some_and(|owner| owner != verified.tenant) {
            bail!("{} belongs to {}", file.display(), name(verified.tenant));
        }
        let head = Some(written(verified.head));
        Ok(Checked { tenant: tenant_of(verified.tenant), entries: verified.entries, head, unchained: None })
    }

    async fn check_database(&self, context: &Context) -> anyhow::Result<Vec<Checked>> {
        let app = context.app().await?;
        if self.head.is_some() && self.owner().is_none() {
            bail!("--head applies to one log: add --tenant or --installation");
        }
        let owners = match (self.tenant, self.installation) {
            (_, true) => vec![TenantId::INSTALLATION],
            (Some(tenant), _) => vec![app.identity().tenants().find(tenant).await?.id],
            (None, false) => {
                let tenants = app.identity().tenants().list().await?.into_iter().map(|tenant| tenant.id);
                tenants.chain([TenantId::INSTALLATION]).collect()
            }
        };
        let mut all = Vec::new();
        for owner in owners {
            let state = app.identity().audit().verify(&app::Command(owner), self.head).await?;
            let tenant = tenant_of(owner);
            all.push(match state {
                ChainState::Whole { base, head } => {
                    let entries = head.number - base.number;
                    Checked { tenant, entries, head: Some(written(head)), unchained: None }
                }
                // A new installation has no entries of its own.
                ChainState::NotBegun(0) if tenant.is_none() && !self.installation => continue,
                ChainState::NotBegun(entries) => Checked { tenant, entries, head: None, unchained: Some(entries) },
                ChainState::Broken(broken) => bail!("the audit log of {} is broken: {broken}", name(owner)),
            });
        }
        Ok(all)
    }
}

/// None for the installation.
fn tenant_of(owner: TenantId) -> Option<TenantId> {
    (owner != TenantId::INSTALLATION).then_some(owner)
}

fn name(owner: TenantId) -> String {
    tenant_of(owner).map_or_else(|| "the installation".to_owned(), |tenant| format!("tenant {tenant}"))
}

fn line(checked: &Checked) -> String {
    let owner = name(checked.tenant.unwrap_or(TenantId::INSTALLATION));
    let entries = if checked.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", checked.entries) };
    match &checked.head {
        None if checked.entries == 0 => format!("{owner}: no entries"),
        Some(head) => format!("{owner}: {entries}, all intact\n  head {head}"),
        None => format!("{owner}: {entries} from an earlier version; the next entry starts the chain"),
    }
}
