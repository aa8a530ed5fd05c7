//! `switchboard channel`: the phone numbers of a tenant. Secrets are never arguments and are never printed again.

mod args;
mod check;
mod create;
mod list;
mod open;
mod parked;
mod secrets;

use clap::{Args, Subcommand};

use super::Context;
use super::confirmation::Confirmation;
use super::tenant_arg::TenantArg;
use crate::output;
pub use args::ChannelArg;
pub(super) use check::find_sandbox;
use list::ChannelView;
use open::opened;

const ONE_JSON: &str = "With --json: the channel, as in `switchboard channel list`.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a channel for a phone number of a network, and print what to enter there.
    Create(create::Create),
    /// List a tenant's channels, without their secrets.
    #[command(after_help = list::JSON)]
    List(TenantArg),
    /// Show one channel, without its secrets.
    #[command(after_help = ONE_JSON)]
    Show(ChannelArg),
    /// Make a channel the default, or replace its secrets; those you do not provide stay unchanged.
    #[command(after_help = ONE_JSON)]
    Update(Update),
    /// Delete a channel and its secrets; its calls and messages are kept.
    #[command(after_help = ONE_JSON)]
    Delete(Delete),
    /// Check with the network whether a channel works.
    #[command(after_help = check::JSON)]
    Check(ChannelArg),
    /// List and retry parked records: inbound data that could not be applied.
    #[command(subcommand)]
    Parked(parked::Command),
}

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    which: ChannelArg,
    /// Make the channel the default for requests that do not name one.
    #[arg(long)]
    default: bool,
    #[command(flatten)]
    secrets: secrets::Sources,
}

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    which: ChannelArg,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => command.run(context).await,
            Self::List(tenant) => list::run(context, &tenant).await,
            Self::Show(which) => list::show(context, &which).await,
            Self::Update(command) => command.run(context).await,
            Self::Delete(command) => command.run(context).await,
            Self::Check(which) => check::run(context, &which).await,
            Self::Parked(command) => command.run(context).await,
        }
    }
}

impl Delete {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, urls) = opened(context).await?;
        let (me, called) = (self.which.tenant.caller(&app).await?, self.which.name());
        let found = app.messaging().channels().find(&me, called).await?;
        self.confirmation.ask(&format!("channel {} ({})", found.name, found.phone_number))?;
        let channel = app.messaging().channels().remove(&me, called).await?;
        let shown = ChannelView::new(&channel, &urls);
        context.output.print(&shown, || format!("channel {} deleted", shown.name))?;
        Ok(())
    }
}

impl Update {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, urls) = opened(context).await?;
        let (me, called) = (self.which.tenant.caller(&app).await?, self.which.name());
        // Checked first, so that no secrets are typed for a channel that does not exist.
        let mut channel = app.messaging().channels().find(&me, called).await?;
        let mut done = Vec::new();
        if !self.default || self.secrets.is_given()? {
            let present = app.messaging().channels().open(me.0, channel.id).await;
            let changed = self.secrets.changed(present.ok().map(|opened| opened.secrets))?;
            channel = app.messaging().channels().set_secrets(&me, called, &changed).await?;
            output::print_notice(&format!("Check it: switchboard channel check {} --tenant {}", channel.id, me.0));
            done.push("has new secrets");
        }
        if self.default {
            channel = app.messaging().channels().set_default(&me, called).await?;
            done.push("is now the default");
        }
        let shown = ChannelView::new(&channel, &urls);
        context.output.print(&shown, || format!("channel {} {}", shown.name, done.join(" and ")))?;
        Ok(())
    }
}
