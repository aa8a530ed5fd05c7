//! The tenant and the person of a command, and the paths and bodies of its requests.

use axum::http::Method;
use clap::Args;
use domain::TenantId;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::client::{self, ControlClient};
use crate::bootstrap;
use crate::commands::Context;
use crate::commands::tenant_arg::{TenantArg, only_tenant};

/// The tenant of the sandbox.
#[derive(Debug, Args)]
pub struct SandboxTenant {
    #[command(flatten)]
    tenant: TenantArg,
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
        Self { tenant: TenantArg::of(tenant) }
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
        let tenant = match self.tenant.given() {
            Some(tenant) => tenant,
            None => only_tenant(&bootstrap::open(&settings, domain::Clock::system()).await?.app).await?,
        };
        ControlClient::new(&settings, tenant).ask(method, path, body).await
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
