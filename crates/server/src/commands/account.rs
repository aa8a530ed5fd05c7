//! `switchboard account`.

use app::App;
use app::identity::accounts::{Invitation, NewAccount};
use app::identity::installation::InstallationChange;
use clap::{Args, Subcommand};
use domain::identity::accounts::Account;
use domain::identity::one_time_links::LinkPurpose;
use domain::identity::roles::Role;
use domain::{Clock, Field, TenantId, Timestamp};
use serde::Serialize;

use super::password::{Password, PasswordSource};
use super::sandbox::only_tenant;
use super::{Context, values};
use crate::bootstrap;
use crate::output::Table;

const JSON: &str = "With --json: {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}.";
const PASSWORD_JSON: &str = "\
With --json: {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}, and \"password\" if it was generated.";
const LINK_JSON: &str = "\
With --json: {\"account\": {\"id\", \"email\", …}, \"purpose\" (setup or reset), \"url\", \"expires_at\"}.";
const LIST_JSON: &str = "\
With --json: an array of {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create an account.
    ///
    /// If the address already has an account in another tenant, the new password is only for this tenant, until the
    /// owner joins the two. To add the existing account instead, use `add`.
    #[command(after_help = PASSWORD_JSON)]
    Create(Create),
    /// Add an existing account to a tenant; its owner keeps the same password and can switch between tenants.
    #[command(after_help = JSON)]
    Add(Add),
    /// List a tenant's accounts.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Create a link for the account's owner to set a password; it works once, within 24 hours.
    ///
    /// If the account already has a password, setting a new one ends the account's tokens, legacy JWTs and sessions;
    /// setting the first password does not. A new link replaces the previous one.
    #[command(after_help = LINK_JSON)]
    SetupLink(SetupLink),
    /// Set the password; unless it is the account's first, its tokens, legacy JWTs and sessions end immediately.
    #[command(after_help = PASSWORD_JSON)]
    SetPassword(SetPassword),
    /// Change the role; a role other than ADMINISTRATOR or DEVELOPER permanently ends the account's tokens.
    #[command(after_help = JSON)]
    SetRole(SetRole),
    /// Disable the account; its tokens, legacy JWTs and sessions end permanently.
    #[command(after_help = JSON)]
    Disable(AccountArg),
    /// Enable a disabled account; its earlier tokens, legacy JWTs and sessions stay ended.
    #[command(after_help = JSON)]
    Enable(AccountArg),
    /// Remove the account; its tokens, legacy JWTs and sessions end immediately.
    #[command(after_help = JSON)]
    Remove(AccountArg),
    /// End the account's legacy JWTs and sessions everywhere; its API tokens stay valid.
    #[command(after_help = JSON)]
    LogOut(AccountArg),
    /// Remove an account's lost second factors, so that the password alone is enough to log in.
    ///
    /// Removes the authenticator app, all passkeys and the recovery codes. If the tenant requires a second factor, the
    /// owner must add one at the next log-in.
    #[command(after_help = JSON)]
    ResetSecondFactor(AccountArg),
    /// List the accounts that administer the installation: they see its settings and nodes in the console.
    #[command(after_help = LIST_JSON)]
    InstallationAdministrators,
    /// Let an account administer the installation.
    #[command(after_help = JSON)]
    GrantInstallation(InstallationAccount),
    /// Take the right to administer the installation from an account.
    #[command(after_help = JSON)]
    RevokeInstallation(InstallationAccount),
    /// Disable an account in all tenants; its tokens, legacy JWTs and sessions end permanently.
    #[command(after_help = JSON)]
    DisableEverywhere(InstallationAccount),
    /// Enable an account that was disabled in all tenants; its earlier tokens, legacy JWTs and sessions stay ended.
    #[command(after_help = JSON)]
    EnableEverywhere(InstallationAccount),
}

#[derive(Debug, Args)]
pub struct Create {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    /// The e-mail address to log in with.
    #[arg(long, value_parser = values::email)]
    email: String,
    /// ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL.
    #[arg(long, value_parser = values::account_role)]
    role: Role,
    /// The display name; default: the part of the address before the @.
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    password: PasswordSource,
}

#[derive(Debug, Args)]
pub struct Add {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    /// The account's e-mail address.
    #[arg(long, value_parser = values::email)]
    email: String,
    /// ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL.
    #[arg(long, value_parser = values::account_role)]
    role: Role,
    /// The display name in this tenant; default: the part of the address before the @.
    #[arg(long)]
    name: Option<String>,
}

/// An account of the installation, whatever its tenants.
#[derive(Debug, Args)]
pub struct InstallationAccount {
    /// The account's e-mail address.
    #[arg(value_name = "EMAIL", value_parser = values::email)]
    email: String,
}

#[derive(Debug, Args)]
pub struct List {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
}

#[derive(Debug, Args)]
pub struct SetupLink {
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// The account's e-mail address or id; optional if the tenant has only one administrator.
    #[arg(value_name = "EMAIL")]
    at: Option<String>,
    /// Same as the EMAIL argument.
    #[arg(long, alias = "account", conflicts_with = "at")]
    email: Option<String>,
}

#[derive(Debug, Args)]
pub struct SetPassword {
    #[command(flatten)]
    account: AccountArg,
    #[command(flatten)]
    password: PasswordSource,
}

#[derive(Debug, Args)]
pub struct SetRole {
    #[command(flatten)]
    account: AccountArg,
    /// ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL.
    #[arg(long, value_parser = values::account_role)]
    role: Role,
}

#[derive(Debug, Args)]
pub struct AccountArg {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    #[command(flatten)]
    name: AccountName,
}

/// An account by e-mail address or id, as an argument or with a flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct AccountName {
    /// The account's e-mail address or id.
    #[arg(value_name = "EMAIL")]
    at: Option<String>,
    /// Same as the EMAIL argument.
    #[arg(long, alias = "account")]
    email: Option<String>,
}

impl AccountArg {
    fn name(&self) -> &str {
        self.name.email.as_deref().or(self.name.at.as_deref()).unwrap_or_default()
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => command.run(context).await,
            Self::Add(command) => command.run(context).await,
            Self::List(List { tenant }) => {
                let all = context.app().await?.identity().accounts().list(&app::Command(tenant)).await?;
                list(context, &all)
            }
            Self::InstallationAdministrators => {
                let all = context.app().await?.identity().accounts().installation_administrators().await?;
                list(context, &all)
            }
            Self::GrantInstallation(which) => {
                which.change(context, InstallationChange::Grant, "administers the installation").await
            }
            Self::RevokeInstallation(which) => {
                which.change(context, InstallationChange::Revoke, "no longer administers the installation").await
            }
            Self::DisableEverywhere(which) => {
                which.change(context, InstallationChange::Disable, "disabled in all tenants").await
            }
            Self::EnableEverywhere(which) => which.change(context, InstallationChange::Enable, "enabled").await,
            Self::SetPassword(command) => command.run(context).await,
            Self::SetupLink(command) => command.run(context).await,
            other => other.change(context).await,
        }
    }

    /// Runs the commands that need no other input than the account, or the account and a role.
    async fn change(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let accounts = app.identity().accounts();
        let me = |which: &AccountArg| app::Command(which.tenant);
        let (account, done) = match &self {
            Self::SetRole(SetRole { account: which, role }) => {
                (accounts.set_role(&me(which), which.name(), *role).await?, "has a new role")
            }
            Self::Disable(which) => (accounts.set_disabled(&me(which), which.name(), true).await?, "disabled"),
            Self::Enable(which) => (accounts.set_disabled(&me(which), which.name(), false).await?, "enabled"),
            Self::Remove(which) => (accounts.remove(&me(which), which.name()).await?, "removed"),
            Self::LogOut(which) => {
                (accounts.log_out_everywhere(&me(which), which.name()).await?, "logged out everywhere")
            }
            Self::ResetSecondFactor(which) => {
                let (account, removed) = app.identity().second_factors().reset(&me(which), which.name()).await?;
                (account, if removed > 0 { "no longer has a second factor" } else { "had no second factor" })
            }
            _ => return Ok(()),
        };
        context.wait_for_servers(&app).await;
        context.output.print(&account, || format!("account {} ({}) {done}", account.email, account.role))?;
        Ok(())
    }
}

impl Create {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        // Checked first, so that no password is typed for a tenant that does not exist.
        app.identity().tenants().find(self.tenant).await?;
        let password = self.password.read()?;
        let new =
            NewAccount { email: self.email, name: self.name, role: self.role, password: Some(password.value.clone()) };
        let made = app.identity().accounts().create(&app::Command(self.tenant), new).await?;
        print_with_password(context, &made, password, "created")
    }
}

impl Add {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let new = Invitation { email: self.email, name: self.name, role: self.role };
        let added = app.identity().accounts().add(&app::Command(self.tenant), new).await?;
        context
            .output
            .print(&added, || format!("account {} ({}) added to tenant {}", added.email, added.role, self.tenant))?;
        Ok(())
    }
}

impl InstallationAccount {
    async fn change(self, context: &Context, change: InstallationChange, done: &str) -> anyhow::Result<()> {
        let app = context.app().await?;
        let changed = app.identity().accounts().change_in_installation(&self.email, change).await?;
        context.wait_for_servers(&app).await;
        context.output.print(&changed, || format!("account {} {done}", changed.email))?;
        Ok(())
    }
}

impl SetPassword {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app: App = context.app().await?;
        let (me, who) = (app::Command(self.account.tenant), self.account.name());
        let had_password = app.identity().accounts().find_details(&me, who).await?.has_password;
        let password = self.password.read()?;
        let changed = app.identity().accounts().set_password(&me, who, password.value.clone()).await?;
        context.wait_for_servers(&app).await;
        let done = if had_password {
            "has a new password; its tokens, legacy JWTs and sessions have ended"
        } else {
            "has its first password"
        };
        print_with_password(context, &changed, password, done)
    }
}

#[derive(Serialize)]
struct LinkAnswer<'a> {
    account: &'a Account,
    purpose: LinkPurpose,
    url: String,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    expires_at: Timestamp,
}

impl SetupLink {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let settings = context.settings()?;
        let app = bootstrap::open(&settings, Clock::system()).await?.app;
        let tenant = match self.tenant {
            Some(tenant) => tenant,
            None => only_tenant(&app).await?,
        };
        let who = match self.email.or(self.at) {
            Some(who) => who,
            None => only_administrator(&app, tenant).await?,
        };
        let issued = app.identity().one_time_links().issue(&app::Command(tenant), &who).await?;
        let answer = LinkAnswer {
            account: &issued.account.account,
            purpose: issued.purpose,
            url: issued.code.url(&settings.public_url()),
            expires_at: issued.expires_at,
        };
        context.output.print(&answer, || {
            let what = if issued.purpose == LinkPurpose::Reset { "a new password" } else { "the first password" };
            format!(
                "The owner of {} can set {what} with this link. It works once, until {}:\n\n  {}",
                answer.account.email,
                answer.expires_at.to_rfc3339(),
                answer.url
            )
        })?;
        Ok(())
    }
}

/// Id of the tenant's only active administrator; an error if there are none or several.
async fn only_administrator(app: &App, tenant: TenantId) -> anyhow::Result<String> {
    let mut all = app.identity().accounts().list(&app::Command(tenant)).await?;
    all.retain(|account| account.role == Role::Administrator && account.is_active());
    match all.as_slice() {
        [only] => Ok(only.id.to_string()),
        [] => Err(app::Error::NotFound(app::Thing::Account).into()),
        _ => Err(app::Error::invalid(Field::Email, "the tenant has several administrators: name one").into()),
    }
}

#[derive(Serialize)]
struct WithPassword<'a> {
    #[serde(flatten)]
    account: &'a Account,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'a str>,
}

fn print_with_password(context: &Context, account: &Account, password: Password, done: &str) -> anyhow::Result<()> {
    let password = password.generated.then_some(password.value);
    let result = WithPassword { account, password: password.as_deref() };
    context.output.print(&result, || {
        let shown_once =
            password.as_ref().map(|value| format!("\npassword: {value}\nIt is shown only once: save it now."));
        format!("account {} ({}) {done}{}", account.email, account.role, shown_once.unwrap_or_default())
    })?;
    Ok(())
}

fn list(context: &Context, all: &[Account]) -> anyhow::Result<()> {
    context.output.print(&all, || {
        let mut table = Table::new(&["id", "email", "name", "role", "state", "created"]);
        for account in all {
            let state = if account.disabled { "disabled" } else { "active" };
            table.row([
                account.id.to_string(),
                account.email.clone(),
                account.name.clone(),
                account.role.to_string(),
                state.to_owned(),
                account.created_at.to_rfc3339(),
            ]);
        }
        table.to_text()
    })?;
    Ok(())
}
