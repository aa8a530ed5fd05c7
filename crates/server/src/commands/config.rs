//! `switchboard config`.

use clap::Subcommand;

use super::Context;
use crate::{output, settings};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the settings in force, each with its source; secrets are masked.
    #[command(
        after_help = "With --json: {\"config_file\", \"settings\": {\"<key>\": {\"value\", \"source\", \"from\"}}, \
                            \"warnings\"}."
    )]
    Show,
    /// Print a config file with every setting and its default, commented out.
    Sample,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let text = match self {
            Self::Show => settings::render(&context.load()?, context.output.is_json()),
            Self::Sample => settings::sample_toml(),
        };
        Ok(output::print(&text)?)
    }
}
