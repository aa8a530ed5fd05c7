//! `switchboard order`.

mod export;
mod filter;
mod list;
mod show;

use clap::Subcommand;

use super::Context;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List orders, newest first.
    List(list::List),
    /// Show one order and its payment.
    Show(show::Show),
    /// Export orders and payments to a CSV or JSON Lines file.
    Export(export::Export),
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(command) => command.run(context).await,
            Self::Show(command) => command.run(context).await,
            Self::Export(command) => command.run(context).await,
        }
    }
}
