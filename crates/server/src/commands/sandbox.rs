//! `switchboard sandbox`: drives the simulated people of a running server through its control socket. The commands send
//! requests to the sandbox API and print the answers; the server does the work.

mod act;
pub mod client;
mod faults;
mod inbox;
mod network;
mod people;

use axum::http::Method;
use clap::{Args, Subcommand};
use domain::TenantId;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::Context;
use crate::bootstrap;
use client::ControlClient;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the sandbox's people.
    #[command(after_help = people::JSON)]
    People(SandboxTenant),
    /// Add a person.
    #[command(after_help = people::ADD_JSON)]
    AddPerson(people::Add),
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
    /// Add a fault: a failure that happens once or several times.
    #[command(after_help = faults::HELP)]
    Fail(faults::Fail),
    /// List or clear faults.
    #[command(after_help = faults::LIST_JSON)]
    Faults(faults::Faults),
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

/// The tenant of the sandbox.
#[derive(Debug, Args)]
pub struct SandboxTenant {
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
}

/// One person of a tenant's sandbox.
#[derive(Debug, Args)]
pub struct SandboxPerson {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The person's phone number, BSUID or username.
    #[arg(long)]
    person: String,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::People(tenant) => people::list(context, &tenant).await,
            Self::AddPerson(command) => command.run(context).await,
            Self::Inbox(command) => command.run(context).await,
            Self::Say(command) => command.run(context).await,
            Self::Tap(command) => command.run(context).await,
            Self::Open(command) => command.run(context).await,
            Self::Call(command) => command.run(context).await,
            Self::Pay(command) => command.run(context).await,
            Self::Prefer(command) => command.run(context).await,
            Self::Phone(command) => command.run(context).await,
            Self::Fail(command) => command.run(context).await,
            Self::Faults(command) => command.run(context).await,
            Self::Review(command) => command.run(context).await,
            Self::Number(command) => command.run(context).await,
            Self::ForgetMedia(command) => command.run(context).await,
            Self::Scenario(command) => command.run(context).await,
            Self::Inject(command) => command.run(context).await,
        }
    }
}

impl SandboxTenant {
    pub fn of(tenant: TenantId) -> Self {
        Self { tenant: Some(tenant) }
    }

    pub async fn ask(
        &self,
        context: &Context,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let settings = context.settings()?;
        // Checked before the database is opened, because opening would create a missing one.
        client::check_socket(&settings)?;
        let tenant = match self.tenant {
            Some(tenant) => tenant,
            None => only_tenant(&bootstrap::open(&settings, domain::Clock::system()).await?.app).await?,
        };
        ControlClient::new(&settings, tenant).ask(method, path, body).await
    }
}

pub async fn only_tenant(app: &app::App) -> anyhow::Result<TenantId> {
    let ids: Vec<TenantId> = app.tenants().list().await?.into_iter().map(|tenant| tenant.id).collect();
    match ids[..] {
        [only] => Ok(only),
        [] => Err(app::Error::NotFound(app::Thing::Tenant).into()),
        _ => {
            let some: Vec<String> = ids.iter().take(5).map(ToString::to_string).collect();
            let message = format!("there are several tenants: name one with --tenant ({}, …)", some.join(", "));
            Err(app::Error::invalid("tenant", message).into())
        }
    }
}

impl SandboxPerson {
    /// Path of an operation on this person.
    fn path(&self, what: &str) -> String {
        format!("people/{}/{what}", segment(&self.person))
    }
}

/// Percent-encodes a text as one segment of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// An object of the members that are not null.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let present = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(name, value)| (name.to_owned(), value)).collect())
}
