//! `switchboard sandbox`: drives the simulated people of a running server through its control socket. The commands send
//! requests to the sandbox API and print the answers; the server does the work.

mod act;
mod args;
pub mod client;
mod faults;
mod inbox;
mod network;
mod people;

use clap::Subcommand;

pub use super::tenant_arg::only_tenant;
pub use args::{SandboxPerson, SandboxTenant, segment};

use super::Context;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create and list simulated people.
    #[command(subcommand)]
    Person(people::Command),
    /// Show the messages that a person has received.
    #[command(after_help = inbox::JSON)]
    Inbox(inbox::Inbox),
    /// Send a message as a person.
    #[command(after_help = act::JSON)]
    Say(act::Say),
    /// Tap a button as a person.
    #[command(after_help = act::JSON)]
    Tap(act::Tap),
    /// Open a button's link as a person, in the phone's browser.
    #[command(after_help = act::JSON)]
    Open(act::Open),
    /// Call the business as a person.
    #[command(after_help = act::JSON)]
    Call(act::Call),
    /// Pay an order as a person.
    #[command(after_help = act::JSON)]
    Pay(act::Pay),
    /// Stop or resume marketing messages as a person.
    #[command(after_help = act::JSON)]
    Prefer(act::Prefer),
    /// Take a person's phone offline, or bring it back online.
    #[command(after_help = act::PHONE_JSON)]
    Phone(act::Phone),
    /// Create, list and delete faults: failures that happen once or several times.
    #[command(subcommand)]
    Fault(faults::Command),
    /// Review a template, as the network does.
    #[command(after_help = act::JSON)]
    Review(network::Review),
    /// Register or unregister a number with the network, or change the state of its access token.
    #[command(after_help = network::NUMBER_JSON)]
    Number(network::Number),
    /// Delete files at the network, as it does 30 days after an upload and 7 days after a person sent a file.
    #[command(after_help = network::FORGET_JSON)]
    ForgetMedia(network::ForgetMedia),
    /// Choose what people do on their own.
    #[command(after_help = act::JSON)]
    Scenario(network::Scenario),
    /// Post any webhook, for events the sandbox does not simulate.
    #[command(after_help = act::JSON)]
    Inject(network::Inject),
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Person(command) => command.run(context).await,
            Self::Inbox(command) => command.run(context).await,
            Self::Say(command) => command.run(context).await,
            Self::Tap(command) => command.run(context).await,
            Self::Open(command) => command.run(context).await,
            Self::Call(command) => command.run(context).await,
            Self::Pay(command) => command.run(context).await,
            Self::Prefer(command) => command.run(context).await,
            Self::Phone(command) => command.run(context).await,
            Self::Fault(command) => command.run(context).await,
            Self::Review(command) => command.run(context).await,
            Self::Number(command) => command.run(context).await,
            Self::ForgetMedia(command) => command.run(context).await,
            Self::Scenario(command) => command.run(context).await,
            Self::Inject(command) => command.run(context).await,
        }
    }
}
