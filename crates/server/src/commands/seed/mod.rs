//! `switchboard seed`: synthetic data for trials and benchmarks. The same seed gives the same data.

mod call_state;
pub mod contacts;
mod generator;
mod numbers;
mod people;
mod plan;
mod rhythm;
mod staff;
mod write;

use clap::{Args, Subcommand};
use domain::Timestamp;

pub use plan::Plan;
pub use write::{Seeded, fill};

use super::tenant_arg::TenantArg;
use super::{Context, progress, values};
use plan::start_of_hour;

const CALLS: &str = "\
Adds calls over the 180 days before --until, mostly during office hours. The same --rng gives the same calls, so \
running the command again adds nothing. The operators are accounts of the tenant, without passwords.
With --json: {\"tenant\", \"rng\", \"count\", \"added\", \"operators\", \"until\", \"seconds\"}.

Example:
  switchboard seed calls --tenant 100001 --count 1000000 --rng 7";

const CONTACTS: &str = "\
Adds contacts spread evenly over the 180 days before --until, with the attributes city and tier. The same --rng gives \
the same contacts, so running the command again adds nothing.
With --json: {\"tenant\", \"rng\", \"count\", \"added\", \"until\", \"seconds\"}.

Example:
  switchboard seed contacts --tenant 100001 --count 1000000 --rng 7";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add calls to a tenant's call log.
    #[command(after_help = CALLS)]
    Calls(Calls),
    /// Add contacts to a tenant.
    #[command(after_help = CONTACTS)]
    Contacts(contacts::Contacts),
}

#[derive(Debug, Args)]
pub struct Calls {
    #[command(flatten)]
    tenant: TenantArg,
    /// How many calls to add.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    count: u64,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    rng: u64,
    /// End of the period: a date (its last instant, UTC) or an RFC 3339 time. Default: the start of this hour.
    #[arg(long, value_name = "DATE", value_parser = values::expiry)]
    until: Option<Timestamp>,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let calls = match self {
            Self::Calls(calls) => calls,
            Self::Contacts(contacts) => return contacts.run(context).await,
        };
        let app = context.app().await?;
        let until = calls.until.unwrap_or_else(|| start_of_hour(app.now()));
        let tenant = calls.tenant.find(&app).await?;
        let plan = Plan { tenant, count: calls.count, seed: calls.rng, until };
        let bar = progress::bar(Some(plan.count), "calls");
        let begun = std::time::Instant::now();
        let seeded = fill(&app, plan, |done| bar.set_position(done)).await;
        bar.finish_and_clear();
        print_summary(context, plan, &seeded?, begun.elapsed())
    }
}

fn print_summary(context: &Context, plan: Plan, seeded: &Seeded, took: std::time::Duration) -> anyhow::Result<()> {
    let seconds = took.as_secs_f64();
    let result = serde_json::json!({
        "tenant": plan.tenant,
        "rng": plan.seed,
        "count": plan.count,
        "added": seeded.added,
        "operators": seeded.operators,
        "until": plan.until.to_rfc3339(),
        "seconds": (seconds * 1000.0).round() / 1000.0,
    });
    context.output.print(&result, || {
        let Seeded { added, operators } = seeded;
        format!("{added} of {} calls added with {operators} operators in {seconds:.1} s", plan.count)
    })?;
    Ok(())
}
