//! `switchboard contact`.

mod args;
mod change;
mod data;
pub mod export;
mod filter;
mod history;
mod import;
mod list;
pub mod show;

use clap::Subcommand;

use super::Context;
pub use args::ContactArg;

const SHOW_JSON: &str = "\
TARGET is a phone number, a contact id or a BSUID.
With --json: {\"id\", \"phone\", \"bsuid\", \"name\", \"opted_in\", \"allow_broadcast\", \"allow_sms\", \"teams\", \"custom_params\", \
\"parent_bsuid\", \"username\", \"source\", \"blocked\", \"segments\", \"created\", \"last_updated\"}, as in an export.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Import contacts from a CSV or JSON Lines file.
    Import(import::Import),
    /// Export contacts to a CSV or JSON Lines file.
    Export(export::Export),
    /// Export everything about one person to a folder: a JSON Lines file for each table, and the message files.
    #[command(after_help = data::JSON)]
    ExportData(data::ExportData),
    /// List contacts, newest first.
    List(list::List),
    /// Show one contact.
    #[command(after_help = SHOW_JSON)]
    Show(ContactArg),
    /// Show a contact's identities, consents and merges.
    #[command(after_help = history::JSON)]
    History(ContactArg),
    /// Merge two contacts of the same person; the older one is kept.
    #[command(after_help = change::MERGE_JSON)]
    Merge(change::Merge),
    /// Undo a merge.
    #[command(after_help = change::UNMERGE_JSON)]
    Unmerge(change::Unmerge),
    /// Delete a contact, its identities and its history.
    #[command(after_help = change::DELETE_JSON)]
    Delete(change::Delete),
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Import(command) => command.run(context).await,
            Self::Export(command) => command.run(context).await,
            Self::ExportData(command) => command.run(context).await,
            Self::List(command) => command.run(context).await,
            Self::Show(which) => show::run(context, &which).await,
            Self::History(which) => history::run(context, &which).await,
            Self::Merge(command) => command.run(context).await,
            Self::Unmerge(command) => command.run(context).await,
            Self::Delete(command) => command.run(context).await,
        }
    }
}
