//! `switchboard channel`: the numbers over which a tenant talks to people. Secrets are read here and given on; they are
//! never arguments, and never shown again.

mod add;
mod check;
mod list;
mod parked;
mod secrets;

use app::{Actor, App};
use clap::{Args, Subcommand};
use domain::TenantId;

use super::Context;
use crate::output;
pub(super) use check::find_sandbox;
use list::Listed;

const SET_JSON: &str = "With --json: the channel as `switchboard channel list` has it.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a number of the network; says what to enter there.
    Add(add::Add),
    /// List a tenant's channels, without their secrets.
    #[command(after_help = list::JSON)]
    List(Whose),
    /// Make a channel the one that is meant when nobody names one.
    #[command(after_help = SET_JSON)]
    SetDefault(Which),
    /// Replace a channel's secrets; those that are not given stay.
    #[command(after_help = SET_JSON)]
    SetSecrets(SetSecrets),
    /// Ask the network whether a channel works, and say what is wrong.
    #[command(after_help = check::JSON)]
    Check(Which),
    /// Remove a channel and its secrets; calls and messages that went over it stay.
    #[command(after_help = SET_JSON)]
    Remove(Which),
    /// List what arrived and could not be worked off, newest first.
    #[command(after_help = parked::JSON)]
    Parked(parked::List),
    /// Put one of those back to be worked off again.
    #[command(after_help = parked::RETRY_JSON)]
    Retry(parked::Retry),
}

#[derive(Debug, Args)]
pub struct Whose {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
}

#[derive(Debug, Args)]
pub struct Which {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    #[command(flatten)]
    channel: Called,
}

/// A channel, with or without its flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Called {
    /// The channel's name, phone number or id.
    #[arg(value_name = "CHANNEL")]
    at: Option<String>,
    /// The channel's name, phone number or id, by name.
    #[arg(long)]
    channel: Option<String>,
}

#[derive(Debug, Args)]
pub struct SetSecrets {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    secrets: secrets::Sources,
}

impl Which {
    fn called(&self) -> &str {
        self.channel.channel.as_deref().or(self.channel.at.as_deref()).unwrap_or_default()
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Add(command) => command.run(context).await,
            Self::List(Whose { tenant }) => list::run(context, tenant).await,
            Self::SetDefault(which) => set_default(context, &which).await,
            Self::SetSecrets(command) => command.run(context).await,
            Self::Remove(which) => remove(context, &which).await,
            Self::Check(which) => check::run(context, &which).await,
            Self::Parked(command) => command.run(context).await,
            Self::Retry(command) => command.run(context).await,
        }
    }
}

async fn set_default(context: &Context, which: &Which) -> anyhow::Result<()> {
    let (app, urls) = opened(context).await?;
    let channel = app.channels().set_default(&Actor::command(), which.tenant, which.called()).await?;
    let shown = Listed::new(&channel, &urls);
    context.output.say(&shown, || format!("channel {} is the default now", shown.name))?;
    Ok(())
}

async fn remove(context: &Context, which: &Which) -> anyhow::Result<()> {
    let (app, urls) = opened(context).await?;
    let channel = app.channels().remove(&Actor::command(), which.tenant, which.called()).await?;
    let shown = Listed::new(&channel, &urls);
    context.output.say(&shown, || format!("channel {} is removed", shown.name))?;
    Ok(())
}

impl SetSecrets {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, urls) = opened(context).await?;
        let (tenant, called) = (self.which.tenant, self.which.called());
        // Nobody shall type secrets for a channel that is not there.
        let channel = app.channels().find(&app::Command(tenant), called).await?;
        let present = app.channels().open(tenant, channel.id).await;
        let changed = self.secrets.changed(present.ok().map(|opened| opened.secrets))?;
        let channel = app.channels().set_secrets(&Actor::command(), tenant, called, &changed).await?;
        let shown = Listed::new(&channel, &urls);
        output::note(&format!("Check it: switchboard channel check --tenant {tenant} --channel {}", channel.id));
        context.output.say(&shown, || format!("channel {} has its new secrets", shown.name))?;
        Ok(())
    }
}

/// The use cases, and the address that hooks begin with.
async fn opened(context: &Context) -> anyhow::Result<(App, String)> {
    let settings = context.settings()?;
    let app = crate::start::open(&settings, domain::Clock::system()).await?.app;
    Ok((app, settings.public_url()))
}
