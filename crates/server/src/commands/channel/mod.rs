//! `switchboard channel`: the phone numbers of a tenant. Secrets are never arguments and are never printed again.

mod add;
mod args;
mod check;
mod list;
mod open;
mod parked;
mod secrets;

use clap::{Args, Subcommand};
use domain::TenantId;

use super::Context;
use crate::output;
pub use args::ChannelArg;
pub(super) use check::find_sandbox;
use list::ChannelView;
use open::opened;

const SET_JSON: &str = "With --json: the channel, as in `switchboard channel list`.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a phone number from a network, and print what to enter there.
    Add(add::Add),
    /// List a tenant's channels, without their secrets.
    #[command(after_help = list::JSON)]
    List(TenantArg),
    /// Make a channel the default for requests that do not name one.
    #[command(after_help = SET_JSON)]
    SetDefault(ChannelArg),
    /// Replace a channel's secrets; those you do not provide stay unchanged.
    #[command(after_help = SET_JSON)]
    SetSecrets(SetSecrets),
    /// Check with the network whether a channel works.
    #[command(after_help = check::JSON)]
    Check(ChannelArg),
    /// Remove a channel and its secrets; its calls and messages are kept.
    #[command(after_help = SET_JSON)]
    Remove(ChannelArg),
    /// List parked records: inbound data that could not be applied, newest first.
    #[command(after_help = parked::JSON)]
    Parked(parked::List),
    /// Try again to apply a parked record.
    #[command(after_help = parked::RETRY_JSON)]
    Retry(parked::Retry),
}

#[derive(Debug, Args)]
pub struct TenantArg {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
}

#[derive(Debug, Args)]
pub struct SetSecrets {
    #[command(flatten)]
    which: ChannelArg,
    #[command(flatten)]
    secrets: secrets::Sources,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Add(command) => command.run(context).await,
            Self::List(TenantArg { tenant }) => list::run(context, tenant).await,
            Self::SetDefault(which) => set_default(context, &which).await,
            Self::SetSecrets(command) => command.run(context).await,
            Self::Remove(which) => remove(context, &which).await,
            Self::Check(which) => check::run(context, &which).await,
            Self::Parked(command) => command.run(context).await,
            Self::Retry(command) => command.run(context).await,
        }
    }
}

async fn set_default(context: &Context, which: &ChannelArg) -> anyhow::Result<()> {
    let (app, urls) = opened(context).await?;
    let channel = app.messaging().channels().set_default(&app::Command(which.tenant), which.name()).await?;
    let shown = ChannelView::new(&channel, &urls);
    context.output.print(&shown, || format!("channel {} is now the default", shown.name))?;
    Ok(())
}

async fn remove(context: &Context, which: &ChannelArg) -> anyhow::Result<()> {
    let (app, urls) = opened(context).await?;
    let channel = app.messaging().channels().remove(&app::Command(which.tenant), which.name()).await?;
    let shown = ChannelView::new(&channel, &urls);
    context.output.print(&shown, || format!("channel {} removed", shown.name))?;
    Ok(())
}

impl SetSecrets {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, urls) = opened(context).await?;
        let (tenant, called) = (self.which.tenant, self.which.name());
        let me = app::Command(tenant);
        // Checked first, so that no secrets are typed for a channel that does not exist.
        let channel = app.messaging().channels().find(&me, called).await?;
        let present = app.messaging().channels().open(tenant, channel.id).await;
        let changed = self.secrets.changed(present.ok().map(|opened| opened.secrets))?;
        let channel = app.messaging().channels().set_secrets(&me, called, &changed).await?;
        let shown = ChannelView::new(&channel, &urls);
        output::print_notice(&format!(
            "Check it: switchboard channel check --tenant {tenant} --channel {}",
            channel.id
        ));
        context.output.print(&shown, || format!("channel {} has new secrets", shown.name))?;
        Ok(())
    }
}
