//! `switchboard migrate`: applies missing migrations, and distributes the tables of a Citus database on request.

use anyhow::bail;
use domain::Clock;
use serde_json::{Value, json};
use store::base::citus::{self, DistributionPlan, DistributionStep};

use super::{Context, progress};
use crate::bootstrap::{self, Creation, OpenedInstallation};

/// Shards of each table: more than workers, so that tenants can be spread over workers that are added later.
const SHARDS: u32 = 32;
const HELP: &str = "\
With --distribute, a PostgreSQL with the extension citus gets every table distributed by tenant, and the rows of the \
installation (tenant 0: accounts, sessions, leases) placed on the coordinator. Stop all servers first. Each table is one \
transaction: an interrupted command can be run again and does what is missing. On a database that is distributed it \
changes nothing, or places tenant 0 on the coordinator again after the shards were rebalanced. Tables that later \
versions add are distributed by their migration.
With --dry-run, prints the steps and changes nothing: the database must have this version's schema.
With --json: {\"applied\", \"schema\"}; with --distribute also \"shards\", \"workers\" and \"steps\": an array of {\"step\", \
\"table\", \"rows\"}, where rows is an estimate.";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Migrate {
    /// Create an installation if there is none: the data folder, the database's schema and the secret key.
    #[arg(long)]
    create: bool,
    /// Distribute the tables over the workers of a Citus cluster, by tenant.
    #[arg(long)]
    distribute: bool,
    /// Print the steps of --distribute without performing them.
    #[arg(long, requires = "distribute", conflicts_with = "create")]
    dry_run: bool,
    /// Number of shards of each table, when --distribute distributes them first; it bounds the number of workers.
    #[arg(long, value_name = "COUNT", requires = "distribute", default_value_t = SHARDS,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    shards: u32,
}

impl Migrate {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        if self.dry_run {
            let plan = citus::plan_distribution(&bootstrap::database(&context.settings()?)?, self.shards).await?;
            return Ok(context.output.print(&plan_json(&plan, json!({})), || planned(&plan))?);
        }
        let creation = if self.create { Creation::Allowed } else { Creation::NotRequested };
        // Opening migrates the database.
        let opened = bootstrap::open_or_create(&context.settings()?, Clock::system(), creation).await?;
        let schema = store::migrations::MIGRATIONS.last().map_or("its beginning", |migration| migration.name);
        let result = json!({"applied": opened.applied, "schema": schema});
        let migrated = match opened.applied.len() {
            0 => format!("nothing to do: the schema is at {schema}"),
            count => format!("the schema is at {schema} (migrations applied: {count})"),
        };
        if !self.distribute {
            return Ok(context.output.print(&result, || migrated)?);
        }
        let plan = distribute(&opened, self.shards).await?;
        Ok(context.output.print(&plan_json(&plan, result), || format!("{migrated}\n{}", performed(&plan)))?)
    }
}

/// Performs the missing steps and returns them.
async fn distribute(opened: &OpenedInstallation, shards: u32) -> anyhow::Result<DistributionPlan> {
    let plan = citus::plan_distribution(&opened.db, shards).await?;
    if plan.steps.is_empty() {
        return Ok(plan);
    }
    let alive: Vec<_> = opened.app.platform().nodes().await?.into_iter().filter(|node| node.alive).collect();
    if let Some(first) = alive.first() {
        bail!(
            "{} servers use this database (one of them at {}): stop them first. A server that was killed counts for 15 \
             seconds",
            alive.len(),
            first.address
        );
    }
    let stopped = progress::on_interrupt();
    let bar = progress::bar(Some(plan.steps.len() as u64), "distributing");
    for (done, step) in plan.steps.iter().enumerate() {
        if stopped.load(std::sync::atomic::Ordering::Relaxed) {
            bail!("interrupted after {done} of {} steps: run the command again to do the rest", plan.steps.len());
        }
        bar.set_message(describe(step));
        citus::perform_step(&opened.db, &plan, step).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(plan)
}

fn describe(step: &DistributionStep) -> String {
    match step {
        DistributionStep::Distribute { table, .. } => format!("distribute {table}"),
        DistributionStep::SeparateInstallation => "give tenant 0 a shard of its own".to_owned(),
        DistributionStep::PlaceInstallation => "place tenant 0 on the coordinator".to_owned(),
    }
}

fn planned(plan: &DistributionPlan) -> String {
    if plan.steps.is_empty() {
        return "nothing to do: the database is distributed".to_owned();
    }
    let line = |step: &DistributionStep| match step {
        DistributionStep::Distribute { rows, .. } if *rows > 0 => format!("{} (about {rows} rows)", describe(step)),
        _ => describe(step),
    };
    let lines: Vec<String> = plan.steps.iter().map(line).collect();
    let workers = plan.cluster.workers().count();
    format!("{}\n{} steps, {} shards on {workers} workers", lines.join("\n"), plan.steps.len(), plan.shards)
}

fn performed(plan: &DistributionPlan) -> String {
    match plan.steps.len() {
        0 => "nothing to do: the database is distributed".to_owned(),
        steps => format!("the database is distributed over {} workers ({steps} steps)", plan.cluster.workers().count()),
    }
}

fn plan_json(plan: &DistributionPlan, mut result: Value) -> Value {
    let step = |step: &DistributionStep| match step {
        DistributionStep::Distribute { table, rows } => json!({"step": "distribute", "table": table, "rows": rows}),
        DistributionStep::SeparateInstallation => json!({"step": "separate_installation"}),
        DistributionStep::PlaceInstallation => json!({"step": "place_installation"}),
    };
    result["shards"] = plan.shards.into();
    result["workers"] = plan.cluster.workers().map(|worker| worker.address.to_string()).collect();
    result["steps"] = plan.steps.iter().map(step).collect();
    result
}
