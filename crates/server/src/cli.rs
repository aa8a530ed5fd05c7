//! The command line: commands, flags and exit codes. The work is done in `commands`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::commands::serve::Keeping;
use crate::commands::{self, Context};
use crate::output::{self, Output};
use crate::settings::Flags;

const EXAMPLES: &str = "\
Examples:
  switchboard                                      start the server on 127.0.0.1:8080, with data in ./data
  switchboard serve --listen 0.0.0.0:8080 --database postgres://switchboard@db/switchboard
  switchboard serve --data /srv/switchboard --create
  switchboard tour                                 show step by step what Switchboard does
  switchboard serve --ephemeral --json             start a temporary server for tests
  switchboard tenant create --id 100138 --name Acme --plan business
  switchboard account create --email admin@example.com --role ADMINISTRATOR
  switchboard token create --account admin@example.com --name ci --scope api
  switchboard channel check Support
  switchboard contact import contacts.csv --dry-run
  switchboard sandbox person list
  switchboard listen --forward-to http://127.0.0.1:9000/hook
  switchboard trigger message
  switchboard backup switchboard.backup

Commands use the same database as a running server, and their changes take effect there immediately. --tenant is \
optional if there is only one tenant. Commands that delete ask first; --yes answers.
Exit codes: 0 success, 1 failure, 2 wrong usage. A failure prints one line on standard error. With --json:
  {\"error\": {\"kind\", \"message\", \"parameter\"}}
where kind is usage, settings, invalid, not_found, conflict, forbidden, refused, limit, unavailable or failure.";

/// Self-hosted business messaging: the server and the commands to manage it.
///
/// Without a command, Switchboard starts the server.
#[derive(Debug, Parser)]
#[command(name = "switchboard", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    serve: ServeArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options that may come before or after any command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// The data folder, which holds the embedded database and the secret key.
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// The PostgreSQL database to use instead of the embedded one.
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
    /// The config file.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<String>,
    /// Print JSON: results on standard output, failures on standard error.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Options for serve")]
struct ServeArgs {
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// The URL at which clients reach the server.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Keep the data in a temporary folder, removed when the server stops. For tests: with --json, the server prints
    /// its addresses and credentials as one line on standard output.
    #[arg(long, conflicts_with = "create")]
    ephemeral: bool,
    /// Create an installation in the folder of --data if there is none. Without this option, a missing or empty folder
    /// is refused, because its disk may not be mounted. The default folder is created without it.
    #[arg(long)]
    create: bool,
}

impl ServeArgs {
    fn keeping(&self) -> Keeping {
        match (self.ephemeral, self.create) {
            (true, _) => Keeping::Ephemeral,
            (false, true) => Keeping::Create,
            (false, false) => Keeping::Installed,
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server (the default command).
    Serve(ServeArgs),
    /// Show step by step what Switchboard does, on a temporary server that is removed afterwards.
    #[command(after_help = commands::tour::HELP)]
    Tour(commands::tour::Tour),
    /// Create, list, show, update, suspend, export and delete tenants.
    #[command(subcommand)]
    Tenant(commands::tenant::Command),
    /// Create, list, show, update and delete accounts: the users who log in, handle conversations and own tokens.
    #[command(subcommand)]
    Account(commands::account::Command),
    /// Create, list, show, renew and revoke API tokens.
    #[command(subcommand)]
    Token(commands::token::Command),
    /// Create, list, show, update, check and delete channels: the business's phone numbers.
    #[command(subcommand)]
    Channel(commands::channel::Command),
    /// List, show and delete templates, and synchronize them with the network.
    #[command(subcommand)]
    Template(commands::template::Command),
    /// Import, export, list, show, merge and delete contacts.
    #[command(subcommand)]
    Contact(commands::contact::Command),
    /// List, show and export orders and their payments.
    #[command(subcommand)]
    Order(commands::order::Command),
    /// Create, list, show, update, test and delete webhooks, and list their deliveries.
    #[command(subcommand)]
    Webhook(commands::webhook::Command),
    /// List and retry events that Switchboard could not process.
    #[command(subcommand)]
    Event(commands::event::Command),
    /// Forward events to an address on this machine as they happen.
    #[command(after_help = commands::listen::HELP)]
    Listen(commands::listen::Listen),
    /// Trigger an event: in the sandbox if it can cause the event, otherwise as a test event to a webhook.
    #[command(after_help = commands::trigger::HELP)]
    Trigger(commands::trigger::Trigger),
    /// Deliver an event to a webhook again.
    #[command(after_help = commands::resend::HELP)]
    Resend(commands::resend::Resend),
    /// List clicks on tracked links, and reclassify them after the rules change.
    #[command(subcommand)]
    Click(commands::click::Command),
    /// Control simulated people who receive, write, tap, call and pay; no network account needed.
    #[command(subcommand)]
    Sandbox(commands::sandbox::Command),
    /// List, verify and export the audit log: who created, changed and revoked what.
    #[command(subcommand)]
    Audit(commands::audit::Command),
    /// List the nodes: the servers that use this database.
    #[command(subcommand)]
    Node(commands::node::Command),
    /// Print the OpenAPI document.
    Openapi(commands::openapi::Openapi),
    /// Check the embedded database for damage.
    #[command(after_help = commands::check::HELP)]
    Check,
    /// Migrate the database to this version's schema; starting the server does the same.
    Migrate(commands::migrate::Migrate),
    /// Back up the whole database to one file; servers can keep running.
    Backup(commands::backup::Backup),
    /// Replace the database's contents with a backup.
    Restore(commands::restore::Restore),
    /// Add synthetic data for trials and benchmarks.
    #[command(subcommand)]
    Seed(commands::seed::Command),
    /// Print the completion script for a shell.
    Completions(commands::completions::Completions),
    /// Show the settings, their documentation or a sample file.
    #[command(subcommand, after_long_help = crate::settings::help_text())]
    Config(commands::config::Command),
    /// Print the version.
    Version,
}

/// Runs the process: parses arguments, executes the command, returns the exit code.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let output = Output::new(arguments.iter().any(|argument| argument == "--json"));
    let outcome = match Cli::try_parse_from(arguments).and_then(Cli::checked) {
        Ok(cli) => cli.run(output),
        Err(error) => return output::usage(output, &error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => output::failure(output, &error),
    }
}

impl Cli {
    /// Flags of `serve` may come before it, because it is the default command. Before another command they would have
    /// no effect, so they are refused.
    fn checked(self) -> Result<Self, clap::Error> {
        let serves = matches!(self.command, None | Some(Command::Serve(_)));
        let ServeArgs { listen, public_url, ephemeral, create } = &self.serve;
        if !serves && (listen.is_some() || public_url.is_some() || *ephemeral || *create) {
            let message =
                "--listen, --public-url, --ephemeral and --create are for `switchboard serve`, not for this command";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        Ok(self)
    }

    fn run(self, output: Output) -> anyhow::Result<()> {
        let Self { global, serve, command } = self;
        let mut flags = Flags {
            config: global.config,
            listen: serve.listen,
            public_url: serve.public_url,
            data: global.data,
            database: global.database,
        };
        let default = ServeArgs { listen: None, public_url: None, ephemeral: false, create: false };
        let mut command = command.unwrap_or(Command::Serve(default));
        if let Command::Serve(own) = &mut command {
            own.ephemeral |= serve.ephemeral;
            own.create |= serve.create;
            flags.listen = own.listen.clone().or(flags.listen);
            flags.public_url = own.public_url.clone().or(flags.public_url);
        }
        command.run(&Context::new(output, flags))
    }
}

impl Command {
    fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Serve(serve) => commands::serve::run(context, serve.keeping()),
            Self::Tour(tour) => tour.run(context),
            Self::Tenant(command) => context.block_on(command.run(context)),
            Self::Account(command) => context.block_on(command.run(context)),
            Self::Token(command) => context.block_on(command.run(context)),
            Self::Channel(command) => context.block_on(command.run(context)),
            Self::Template(command) => context.block_on(command.run(context)),
            Self::Contact(command) => context.block_on(command.run(context)),
            Self::Order(command) => context.block_on(command.run(context)),
            Self::Click(command) => context.block_on(command.run(context)),
            Self::Webhook(command) => context.block_on(command.run(context)),
            Self::Event(command) => context.block_on(command.run(context)),
            Self::Listen(command) => context.block_on(command.run(context)),
            Self::Trigger(command) => context.block_on(command.run(context)),
            Self::Resend(command) => context.block_on(command.run(context)),
            Self::Sandbox(command) => context.block_on(command.run(context)),
            Self::Audit(command) => context.block_on(command.run(context)),
            Self::Node(command) => context.block_on(command.run(context)),
            Self::Openapi(command) => command.run(context),
            Self::Check => commands::check::run(context),
            Self::Migrate(command) => context.block_on(command.run(context)),
            Self::Backup(command) => context.block_on(command.run(context)),
            Self::Restore(command) => context.block_on(command.run(context)),
            Self::Seed(command) => context.block_on(command.run(context)),
            Self::Completions(command) => command.run(context, &mut Cli::command()),
            Self::Config(command) => command.run(context),
            Self::Version => commands::version(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_flags_stand_anywhere_and_those_of_serve_only_there() {
        for line in [
            "switchboard --json tenant list --data x",
            "switchboard tenant --config f list --json",
            "switchboard --listen 127.0.0.1:0",
            "switchboard --listen 127.0.0.1:0 serve --public-url http://x",
            "switchboard --ephemeral serve --json",
            "switchboard --create --data x",
            "switchboard migrate --create --data x",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).and_then(Cli::checked).is_ok(), "{line}");
        }
        for line in [
            "switchboard --listen 127.0.0.1:0 tenant list",
            "switchboard --ephemeral tenant list",
            "switchboard --create tenant list",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).and_then(Cli::checked).is_err(), "{line}");
        }
    }

    /// All commands below `command`, each with its path.
    fn collect(path: &str, command: &clap::Command, into: &mut Vec<(String, clap::Command)>) {
        for one in command.get_subcommands() {
            let name = format!("{path} {}", one.get_name()).trim().to_owned();
            collect(&name, one, into);
            into.push((name, one.clone()));
        }
    }

    #[test]
    fn commands_have_one_vocabulary() {
        let mut all = Vec::new();
        collect("", &Cli::command(), &mut all);
        for (name, command) in &all {
            let option = |id: &str| command.get_arguments().find(|argument| argument.get_id().as_str() == id);
            let verb = name.rsplit(' ').next().unwrap();
            assert!(!["add", "remove", "edit", "change", "get", "new"].contains(&verb), "{name}");
            assert!(!["add-", "set-", "remove-"].iter().any(|prefix| verb.starts_with(prefix)), "{name}");
            assert!(option("force").is_none(), "{name}: --replace overwrites");
            let is_deletion = verb == "delete" && name != "sandbox fault delete";
            // The events that `trigger` makes up may reach production systems.
            assert_eq!(option("yes").is_some(), is_deletion || name == "trigger", "{name}");
            let tenant = option("tenant").filter(|tenant| tenant.get_long().is_some());
            assert!(tenant.is_none_or(|tenant| !tenant.is_required_set()), "{name}: there may be only one tenant");
        }
        for thing in ["tenant", "account", "channel", "webhook"] {
            for verb in ["create", "list", "show", "update", "delete"] {
                assert!(all.iter().any(|(name, _)| *name == format!("{thing} {verb}")), "{thing} {verb}");
            }
        }
    }
}
