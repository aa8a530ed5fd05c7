//! `switchboard tenant move`.

use app::App;
use domain::TenantId;
use indicatif::ProgressBar;
use serde_json::json;
use store::base::citus::{self, MoveProgress, MoveStep, ServerAddress, TenantMove, TransferMode};

use super::Context;
use crate::commands::progress;

pub(super) const MOVE_HELP: &str = "\
For a database that `switchboard migrate --distribute` has distributed. The tenant gets a shard of its own, unless it \
has one, and the shard moves with all tables. Servers keep running; the tenant's writes go on until the last moment. \
That needs wal_level = logical on all servers of the cluster, and where PostgreSQL has the setting, \
output_plugin_libraries with citus; with --block-writes neither is needed. An interrupted move can be run again. \
`switchboard node list` shows the workers.
With --json: {\"tenant\", \"from\", \"to\", \"separated\", \"moved\", \"dry_run\"}; separated says \
whether the tenant shared its shard before.";

#[derive(Debug, clap::Args)]
pub struct Move {
    /// The tenant's id.
    #[arg(value_name = "ID")]
    tenant: TenantId,
    /// The worker that is to have the tenant.
    #[arg(long, value_name = "HOST:PORT")]
    to: ServerAddress,
    /// Let writes wait while rows are copied: those of the tenant, and of tenants that share its shard.
    #[arg(long)]
    block_writes: bool,
    /// Print what would be done without doing it.
    #[arg(long)]
    dry_run: bool,
}

impl Move {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let tenant = app.identity().tenants().find(self.tenant).await?.id;
        let plan = citus::plan_move(app.db(), tenant, &self.to).await?;
        if !self.dry_run {
            let mode = if self.block_writes { TransferMode::BlockWrites } else { TransferMode::Online };
            let bar = progress::byte_bar(1);
            citus::move_tenant(app.db(), &plan, mode, &|progress| show(&bar, &plan, &progress)).await?;
            bar.finish_and_clear();
        }
        let result = json!({
            "tenant": tenant, "from": plan.from.to_string(), "to": plan.to.to_string(),
            "separated": plan.separates, "moved": plan.moves, "dry_run": self.dry_run,
        });
        Ok(context.output.print(&result, || describe(&plan, self.dry_run))?)
    }
}

fn show(bar: &ProgressBar, plan: &TenantMove, progress: &MoveProgress) {
    let [copied, total] = [progress.copied, progress.total].map(|bytes| u64::try_from(bytes).unwrap_or_default());
    bar.set_length(total.max(1));
    bar.set_position(copied.min(total));
    bar.set_message(step_text(plan, progress));
}

/// What is done now, for the bar.
fn step_text(plan: &TenantMove, progress: &MoveProgress) -> String {
    let TenantMove { tenant, to, separates, .. } = plan;
    let step = match (progress.step, separates) {
        (MoveStep::Separate, _) => format!("1 of 2: giving tenant {tenant} a shard of its own"),
        (MoveStep::Copy, true) => format!("2 of 2: moving tenant {tenant} to {to}"),
        (MoveStep::Copy, false) => format!("moving tenant {tenant} to {to}"),
    };
    match &progress.phase {
        Some(phase) => format!("{step}, {phase}"),
        None => step,
    }
}

fn describe(plan: &TenantMove, dry_run: bool) -> String {
    let TenantMove { tenant, from, to, separates, moves, .. } = plan;
    if !moves {
        return format!("nothing to do: tenant {tenant} is on {to}");
    }
    let verb = if dry_run { "would move" } else { "moved" };
    let separated = if *separates { ", with a shard of its own" } else { "" };
    format!("tenant {tenant} {verb} from {from} to {to}{separated}")
}
