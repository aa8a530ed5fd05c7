//! The commands: each parses its arguments, calls one use case and prints the result. Rules are in `app` and `domain`.

pub mod account;
pub mod audit;
pub mod backup;
pub mod channel;
pub mod check;
pub mod click;
pub mod completions;
pub mod config;
mod confirmation;
pub mod contact;
pub mod event;
pub mod file;
pub mod listen;
pub mod migrate;
pub mod node;
pub mod openapi;
pub mod order;
mod password;
pub mod progress;
pub mod resend;
pub mod restore;
mod row_files;
pub mod sandbox;
pub mod seed;
pub mod serve;
pub mod template;
pub mod tenant;
mod tenant_arg;
pub mod token;
pub mod tour;
pub mod trigger;
mod values;
pub mod webhook;

use std::pin::Pin;

use anyhow::Context as _;
use app::App;
use domain::Clock;

use crate::bootstrap;
use crate::output::{self, Output};
use crate::settings::{self, Flags, Loaded};

/// Shared by all commands: output format and settings.
#[derive(Debug)]
pub struct Context {
    pub output: Output,
    flags: Flags,
}

impl Context {
    pub fn new(output: Output, flags: Flags) -> Self {
        Self { output, flags }
    }

    pub fn load(&self) -> anyhow::Result<Loaded> {
        let here = std::env::current_dir().context("cannot find the working directory")?;
        Ok(settings::load(&self.flags, std::env::vars_os(), &here)?)
    }

    /// Loads the settings with their sources and prints their warnings.
    pub fn load_with_warnings(&self) -> anyhow::Result<Loaded> {
        let loaded = self.load()?;
        loaded.warnings.iter().for_each(|warning| output::warn(warning));
        Ok(loaded)
    }

    /// Loads the settings and prints their warnings.
    pub fn settings(&self) -> anyhow::Result<settings::Settings> {
        Ok(self.load_with_warnings()?.settings)
    }

    /// Opens the application on the configured database, which must hold an installation.
    pub async fn app(&self) -> anyhow::Result<App> {
        Ok(bootstrap::open(&self.settings()?, Clock::system()).await?.app)
    }

    /// Sleeps for the longest time that a running server takes to notice a change of credentials, so that the change is
    /// in force when the command returns.
    pub async fn wait_for_servers(&self, app: &App) {
        tokio::time::sleep(app::identity::credentials::token_cache::noticed_within(app.db().engine())).await;
    }

    /// Boxes `work`, because the compiler generates the runtime's code once for every type of future.
    pub fn block_on(&self, work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
        let work: Pin<Box<dyn Future<Output = _>>> = Box::pin(work);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.context("cannot start the runtime")?.block_on(work)
    }
}

pub fn version(context: &Context) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let result = serde_json::json!({"name": "switchboard", "version": version});
    Ok(context.output.print(&result, || format!("switchboard {version}"))?)
}
