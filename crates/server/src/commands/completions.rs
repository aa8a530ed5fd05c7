//! `switchboard completions`.

use clap_complete::Shell;

use super::Context;
use crate::output;

/// Print the completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  switchboard completions bash > /etc/bash_completion.d/switchboard")]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    pub fn run(self, _: &Context, command: &mut clap::Command) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "switchboard", &mut script);
        Ok(output::print(&String::from_utf8(script)?)?)
    }
}
