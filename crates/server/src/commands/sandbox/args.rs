//! The tenant and the person of a command, and the paths and bodies of its requests.

use axum::http::Method;
use clap::Args;
use domain::{Place, TenantId};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::client::{self, ControlClient};
use crate::bootstrap;
use crate::commands::Context;

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
    pub tenant: SandboxTenant,
    /// The person's phone number, BSUID or username.
    #[arg(long)]
    person: String,
}

impl SandboxTenant {
    pub fn new(tenant: TenantId) -> Self {
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
        // Checked first: the error is the same whether or not there is an installation.
        client::check_socket(&settings)?;
        let tenant = match self.tenant {
            Some(tenant) => tenant,
            None => only_tenant(&bootstrap::open(&settings, domain::Clock::system()).await?.app).await?,
        };
        ControlClient::new(&settings, tenant).ask(method, path, body).await
    }
}

pub async fn only_tenant(app: &app::App) -> anyhow::Result<TenantId> {
    let ids: Vec<TenantId> = app.identity().tenants().list().await?.into_iter().map(|tenant| tenant.id).collect();
    match ids[..] {
        [only] => Ok(only),
        [] => Err(app::Error::NotFound(app::Thing::Tenant).into()),
        _ => {
            let some: Vec<String> = ids.iter().take(5).map(ToString::to_string).collect();
            let message = format!("there are several tenants: name one with --tenant ({}, …)", some.join(", "));
            Err(app::Error::invalid(Place::named("tenant"), message).into())
        }
    }
}

impl SandboxPerson {
    /// Path of an operation on this person.
    pub fn path(&self, what: &str) -> String {
        format!("people/{}/{what}", segment(&self.person))
    }
}

/// Percent-encodes a text as one segment of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// An object of the members that are not null.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let present = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(name, value)| (name.to_owned(), value)).collect())
}
