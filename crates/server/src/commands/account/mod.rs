//! `switchboard account`.

mod link;

use app::App;
use app::identity::accounts::{Invitation, NewAccount};
use app::identity::installation::InstallationChange;
use clap::{Args, Subcommand};
use domain::identity::accounts::{Account, AccountDetails};
use domain::identity::roles::Role;
use serde::Serialize;

use super::confirmation::Confirmation;
use super::password::{Password, PasswordSource};
use super::tenant_arg::TenantArg;
use super::{Context, values};
use crate::output::Table;

const JSON: &str = "With --json: {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}.";
const PASSWORD_JSON: &str = "\
With --json: {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}, and \"password\" if it was generated.";
const LIST_JSON: &str = "\
With --json: an array of {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\"}.";
const SHOW_JSON: &str = "\
With --json: {\"id\", \"email\", \"name\", \"role\", \"disabled\", \"created_at\", \"has_password\", \"has_second_factor\", \
\"last_log_in_at\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create an account, or add an existing one to a tenant.
    ///
    /// If the address already has an account in another tenant, the new password is only for this tenant, until the
    /// owner joins the two. With --existing, the owner keeps the same password and can switch between tenants.
    #[command(after_help = PASSWORD_JSON)]
    Create(Create),
    /// List a tenant's accounts, or those that administer the installation.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Show one account.
    #[command(after_help = SHOW_JSON)]
    Show(AccountArg),
    /// Change the role or the name in a tenant, or the right to administer the installation.
    ///
    /// A role other than ADMINISTRATOR or DEVELOPER permanently ends the account's tokens. Accounts that administer the
    /// installation see its settings and nodes in the console.
    #[command(after_help = JSON)]
    Update(Update),
    /// Delete the account; its tokens, legacy JWTs and sessions end immediately.
    #[command(after_help = JSON)]
    Delete(Delete),
    /// Disable the account; its tokens, legacy JWTs and sessions end permanently.
    #[command(after_help = JSON)]
    Disable(Extent),
    /// Enable a disabled account; its earlier tokens, legacy JWTs and sessions stay ended.
    #[command(after_help = JSON)]
    Enable(Extent),
    /// Create a link for the account's owner to set a password; it works once, within 24 hours.
    ///
    /// If the account already has a password, setting a new one ends the account's tokens, legacy JWTs and sessions;
    /// setting the first password does not. A new link replaces the previous one.
    #[command(after_help = link::JSON)]
    SetupLink(link::SetupLink),
    /// Set a new password; unless it is the account's first, its tokens, legacy JWTs and sessions end immediately.
    #[command(after_help = PASSWORD_JSON)]
    ResetPassword(ResetPassword),
    /// Remove an account's lost second factors, so that the password alone is enough to log in.
    ///
    /// Removes the authenticator app, all passkeys and the recovery codes. If the tenant requires a second factor, the
    /// owner must add one at the next log-in.
    #[command(after_help = JSON)]
    ResetSecondFactor(AccountArg),
    /// End the account's legacy JWTs and sessions everywhere; its API tokens stay valid.
    #[command(after_help = JSON)]
    LogOut(AccountArg),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantArg,
    /// The e-mail address to log in with.
    #[arg(long, value_parser = values::email)]
    email: String,
    /// ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL.
    #[arg(long, value_parser = values::account_role)]
    role: Role,
    /// The display name; default: the part of the address before the @.
    #[arg(long)]
    name: Option<String>,
    /// Add the existing account of this address to the tenant, with its password.
    #[arg(long, conflicts_with = "password_stdin")]
    existing: bool,
    #[command(flatten)]
    password: PasswordSource,
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    /// List the accounts that administer the installation.
    #[arg(long, conflicts_with = "tenant")]
    installation: bool,
}

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    account: AccountArg,
    #[command(flatten)]
    change: Change,
}

/// One change of an account.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Change {
    /// ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL.
    #[arg(long, value_parser = values::account_role)]
    role: Option<Role>,
    /// The name by which colleagues in the tenant know the account's owner.
    #[arg(long)]
    name: Option<String>,
    /// Whether the account administers the installation.
    #[arg(long, value_name = "BOOL", conflicts_with = "tenant")]
    installation_administrator: Option<bool>,
}

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    account: AccountArg,
    #[command(flatten)]
    confirmation: Confirmation,
}

/// An account in one tenant or in all.
#[derive(Debug, Args)]
pub struct Extent {
    #[command(flatten)]
    account: AccountArg,
    /// In all tenants of the account.
    #[arg(long, conflicts_with = "tenant")]
    everywhere: bool,
}

#[derive(Debug, Args)]
pub struct ResetPassword {
    #[command(flatten)]
    account: AccountArg,
    #[command(flatten)]
    password: PasswordSource,
}

#[derive(Debug, Args)]
pub struct AccountArg {
    #[command(flatten)]
    tenant: TenantArg,
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

    async fn change_in_installation(
        &self,
        context: &Context,
        change: InstallationChange,
        done: &str,
    ) -> anyhow::Result<()> {
        let app = context.app().await?;
        let changed = app.identity().accounts().change_in_installation(self.name(), change).await?;
        context.wait_for_servers(&app).await;
        context.output.print(&changed, || format!("account {} {done}", changed.email))?;
        Ok(())
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => command.run(context).await,
            Self::List(command) => command.run(context).await,
            Self::Show(which) => show(context, &which).await,
            Self::Update(command) => command.run(context).await,
            Self::Delete(command) => command.run(context).await,
            Self::Disable(Extent { account, everywhere: true }) => {
                account.change_in_installation(context, InstallationChange::Disable, "disabled in all tenants").await
            }
            Self::Enable(Extent { account, everywhere: true }) => {
                account.change_in_installation(context, InstallationChange::Enable, "enabled").await
            }
            Self::ResetPassword(command) => command.run(context).await,
            Self::SetupLink(command) => command.run(context).await,
            other => other.change(context).await,
        }
    }

    /// Runs the commands that need no other input than the account.
    async fn change(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let accounts = app.identity().accounts();
        let (account, done) = match &self {
            Self::Disable(Extent { account, .. }) => {
                let me = account.tenant.caller(&app).await?;
                (accounts.set_disabled(&me, account.name(), true).await?, "disabled")
            }
            Self::Enable(Extent { account, .. }) => {
                let me = account.tenant.caller(&app).await?;
                (accounts.set_disabled(&me, account.name(), false).await?, "enabled")
            }
            Self::LogOut(which) => {
                let me = which.tenant.caller(&app).await?;
                (accounts.log_out_everywhere(&me, which.name()).await?, "logged out everywhere")
            }
            Self::ResetSecondFactor(which) => {
                let me = which.tenant.caller(&app).await?;
                let (account, removed) = app.identity().second_factors().reset(&me, which.name()).await?;
                (account, if removed > 0 { "no longer has a second factor" } else { "had no second factor" })
            }
            _ => return Ok(()),
        };
        print_changed(context, &app, &account, done).await
    }
}

async fn print_changed(context: &Context, app: &App, account: &Account, done: &str) -> anyhow::Result<()> {
    context.wait_for_servers(app).await;
    context.output.print(account, || format!("account {} ({}) {done}", account.email, account.role))?;
    Ok(())
}

impl Create {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        // Checked first, so that no password is typed for a tenant that does not exist.
        let me = self.tenant.caller(&app).await?;
        if self.existing {
            let new = Invitation { email: self.email, name: self.name, role: self.role };
            let added = app.identity().accounts().add(&me, new).await?;
            context
                .output
                .print(&added, || format!("account {} ({}) added to tenant {}", added.email, added.role, me.0))?;
            return Ok(());
        }
        let password = self.password.read()?;
        let new =
            NewAccount { email: self.email, name: self.name, role: self.role, password: Some(password.value.clone()) };
        let made = app.identity().accounts().create(&me, new).await?;
        print_with_password(context, &made, password, "created")
    }
}

impl List {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let accounts = app.identity().accounts();
        let all = if self.installation {
            accounts.installation_administrators().await?
        } else {
            accounts.list(&self.tenant.caller(&app).await?).await?
        };
        list(context, &all)
    }
}

async fn show(context: &Context, which: &AccountArg) -> anyhow::Result<()> {
    let app = context.app().await?;
    let me = which.tenant.caller(&app).await?;
    let found = app.identity().accounts().find_details(&me, which.name()).await?;
    Ok(context.output.print(&found, || details(&found))?)
}

fn details(found: &AccountDetails) -> String {
    let AccountDetails { account, has_password, has_second_factor, last_log_in_at } = found;
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let mut table = Table::new(&["what", "value"]);
    for (what, value) in [
        ("id", account.id.to_string()),
        ("email", account.email.clone()),
        ("name", account.name.clone()),
        ("role", account.role.to_string()),
        ("state", state(account).to_owned()),
        ("password", yes(*has_password)),
        ("second factor", yes(*has_second_factor)),
        ("last log-in", last_log_in_at.map(domain::Timestamp::to_rfc3339).unwrap_or_default()),
        ("created", account.created_at.to_rfc3339()),
    ] {
        table.row([what.to_owned(), value]);
    }
    table.to_text()
}

impl Update {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let Self { account, change: Change { role, name, installation_administrator } } = self;
        match installation_administrator {
            Some(true) => {
                let done = "administers the installation";
                return account.change_in_installation(context, InstallationChange::Grant, done).await;
            }
            Some(false) => {
                let done = "no longer administers the installation";
                return account.change_in_installation(context, InstallationChange::Revoke, done).await;
            }
            None => {}
        }
        let app = context.app().await?;
        let me = account.tenant.caller(&app).await?;
        let accounts = app.identity().accounts();
        if let Some(role) = role {
            let changed = accounts.set_role(&me, account.name(), role).await?;
            print_changed(context, &app, &changed, "has a new role").await?;
        }
        if let Some(name) = name {
            let changed = accounts.rename(&me, account.name(), &name).await?;
            print_changed(context, &app, &changed, "has a new name").await?;
        }
        Ok(())
    }
}

impl Delete {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let me = self.account.tenant.caller(&app).await?;
        let found = app.identity().accounts().find(&me, self.account.name()).await?;
        self.confirmation.ask(&format!("account {} ({})", found.email, found.role))?;
        let deleted = app.identity().accounts().remove(&me, self.account.name()).await?;
        print_changed(context, &app, &deleted, "deleted").await
    }
}

impl ResetPassword {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app: App = context.app().await?;
        let (me, who) = (self.account.tenant.caller(&app).await?, self.account.name());
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
            table.row([
                account.id.to_string(),
                account.email.clone(),
                account.name.clone(),
                account.role.to_string(),
                state(account).to_owned(),
                account.created_at.to_rfc3339(),
            ]);
        }
        table.to_text()
    })?;
    Ok(())
}

fn state(account: &Account) -> &'static str {
    if account.disabled { "disabled" } else { "active" }
}
