//! `switchboard tour`: shows in five steps what the server does, on a server of its own that leaves nothing behind.
//!
//! The command starts a real server on a data folder that is removed at the end, and a receiver of webhooks, both on
//! loopback addresses, and drives the server by HTTP requests alone. It succeeds only if every step did what its title
//! says: each step checks the answers that it shows, and the first one that differs ends the tour with an error that
//! names the step.
//!
//! Only a file that `--config` names changes the settings. Neither the environment nor a config file in the working
//! directory has an effect, so the tour never touches the database, the ports or the accounts of another server.

mod client;
mod receiver;
mod show;
mod stage;
mod steps;
mod text;
mod verification;

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use app::identity::accounts::NewAccount;
use domain::identity::passwords;
use domain::identity::roles::Role;
use tokio::sync::oneshot;

use super::Context;
use crate::ephemeral::{self, EphemeralFolder};
use crate::output::Output;
use crate::serve::{self, Running, Signals};
use crate::settings::{self, Flags, Settings, Source};
use client::Client;
use receiver::WebhookReceiver;
use show::{ConsoleLinks, StepView};
use stage::{LogIn, Stage};
use steps::Step;

pub const HELP: &str = "\
Examples:
  switchboard tour
  switchboard tour --no-pause
  switchboard tour --open

The exit code is 0 only if every step succeeds; otherwise the error names the step and says what went wrong.
With --json, each step prints {\"step\", \"name\", \"title\", \"about\", \"done\", \"requests\"}; requests lists \
{\"method\", \"url\", \"headers\", \"body\", \"curl\", \"status\", \"answer\"}, or {\"command\", \"status\", \"answer\"} \
for what a command does.
The step event adds \"received\" {\"url\", \"headers\", \"body\"} and \"verification\" {\"secret\", \"signed_content\", \
\"computed\", \"received\", \"verified\"}.
With --open, a last line has {\"url\", \"log_in\", \"conversation\", \"phone\", \"delivery\"}.
The tour uses the default settings, except those set in the --config file.";

/// The loopback network, where the receiver listens.
const LOOPBACK: &str = "127.0.0.0/8";
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);
const EMAIL: &str = "tour@example.com";
/// How long blocking tasks may take to end after the server has stopped.
const LAST_TASKS: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub struct Tour {
    /// Keep the server running after the last step, until Ctrl-C, and print a one-time link to log in to the console.
    #[arg(long)]
    open: bool,
    /// Do not wait for Enter after each step. Without a terminal, the tour never waits.
    #[arg(long)]
    no_pause: bool,
    /// The loopback address to listen on; default: a free port on 127.0.0.1.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
}

impl Tour {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // Dropped, and with it removed, when the server has ended, also by an error or by a signal.
        let folder = EphemeralFolder::create(&std::env::temp_dir())?;
        let settings = self.settings(context, folder.path())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("cannot start the runtime")?;
        let outcome = runtime.block_on(self.guide(context.output, &settings));
        runtime.shutdown_timeout(LAST_TASKS);
        outcome
    }

    fn settings(&self, context: &Context, folder: &Path) -> anyhow::Result<Settings> {
        let Flags { config, data, database, .. } = context.flags.clone();
        let here = std::env::current_dir().context("cannot find the working directory")?;
        // The folder of the tour has no config file, so that the one in the working directory is not found.
        let base = if config.is_some() { here.as_path() } else { folder };
        let flags = Flags { config, data, database, listen: self.listen.clone(), ..Flags::default() };
        let loaded = settings::load(&flags, [], base)?;
        ephemeral::check(&loaded, "`switchboard tour`")?;
        let is_default = |key: &str| loaded.sources.get(key).is_none_or(|source| *source == Source::Default);
        let (free_port, no_ranges) = (is_default("listen"), is_default("webhooks.allow_private"));
        let mut settings = loaded.settings;
        folder.clone_into(&mut settings.data);
        settings.public_url = None;
        if free_port {
            settings.listen = ANY_PORT;
        }
        if !settings.listen.ip().is_loopback() {
            bail!("listen: {} is not a loopback address, and the tour serves only this machine", settings.listen);
        }
        if no_ranges {
            settings.webhooks.allow_private.push(LOOPBACK.parse()?);
        }
        Ok(settings)
    }

    /// Runs the steps on a new server, and stops the server.
    async fn guide(&self, output: Output, settings: &Settings) -> anyhow::Result<()> {
        let mut signals = Signals::new(false)?;
        let running = serve::start(settings).await?;
        let outcome = tokio::select! {
            outcome = self.show(output, &running) => outcome,
            name = signals.stop() => Err(anyhow::anyhow!("stopped by {name} before the last step was complete")),
        };
        if let (Ok(_stage), true) = (&outcome, self.open) {
            signals.stop().await;
        }
        let outcome = outcome.map(drop);
        tokio::select! {
            () = running.stop() => {}
            _ = signals.stop() => {}
        }
        outcome
    }

    /// Whether a person reads along.
    fn pauses(&self, output: Output) -> bool {
        !self.no_pause && !output.is_json() && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Runs all steps. The receiver, which is part of the stage, must live as long as the server.
    async fn show(&self, output: Output, running: &Running) -> anyhow::Result<Stage> {
        let mut stage = stage(running).await?;
        show::introduction(output, &running.url)?;
        for (index, step) in Step::ALL.into_iter().enumerate() {
            show::heading(output, index, step)?;
            let outcome = step.run(&mut stage).await;
            show::step(output, &StepView::new(index, step, stage.take_report(), outcome.is_ok()))?;
            outcome.with_context(|| format!("step {} ({}) failed", index + 1, step.title()))?;
            if index + 1 < Step::ALL.len() && self.pauses(output) {
                wait_for_enter().await?;
            }
        }
        if self.open {
            let links = ConsoleLinks::new(running, &stage)?;
            show::links(output, &links)?;
            open_in_browser(&links);
        } else {
            show::end(output)?;
        }
        Ok(stage)
    }
}

/// An account to log in with, the receiver and the client.
async fn stage(running: &Running) -> anyhow::Result<Stage> {
    let tenant = running.first.as_ref().context("the new database already has a tenant")?.tenant;
    let password = passwords::random();
    let account = NewAccount {
        email: EMAIL.to_owned(),
        name: Some("Tour".to_owned()),
        role: Role::Administrator,
        password: Some(password.clone()),
    };
    running.app.identity().accounts().create(&app::Command(tenant), account).await?;
    let log_in = LogIn { email: EMAIL, password };
    Ok(Stage::new(Client::new(&running.url)?, WebhookReceiver::start().await?, log_in))
}

/// Waits until a person at the terminal presses Enter. A thread reads, because a read of the terminal cannot be
/// cancelled and must not delay the end of the process.
async fn wait_for_enter() -> anyhow::Result<()> {
    show::prompt()?;
    let (pressed, wait) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = io::stdin().read_line(&mut line);
        let _ = pressed.send(());
    });
    let _ = wait.await;
    Ok(())
}

/// Opens the log-in link in the browser of the person at the terminal. A machine without a browser has the printed
/// link.
fn open_in_browser(links: &ConsoleLinks) {
    if !io::stdout().is_terminal() {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = tokio::process::Command::new(program);
    command.arg(links.log_in()).stdin(std::process::Stdio::null());
    let _ = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn();
}
