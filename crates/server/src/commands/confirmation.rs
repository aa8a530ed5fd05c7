//! `--yes`, the same in every command that deletes: without it, the command asks first.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::Args;

use super::password::is_attended;
use crate::output::visible;

#[derive(Debug, Args)]
pub struct Confirmation {
    /// Delete without asking; required if there is no terminal.
    #[arg(long)]
    yes: bool,
}

impl Confirmation {
    /// Asks whether to delete `what`. Fails unless a person at the terminal agrees.
    pub fn ask(&self, what: &str) -> anyhow::Result<()> {
        self.ask_for(&format!("Delete {}? [y/N] ", visible(what)), what, |typed| {
            typed.eq_ignore_ascii_case("y") || typed.eq_ignore_ascii_case("yes")
        })
    }

    /// Asks for the name of what is deleted, so that nothing else is deleted by mistake.
    pub fn ask_for_name(&self, what: &str, name: &str) -> anyhow::Result<()> {
        let prompt = format!("Type the name of {what} ({}) to delete it: ", visible(name));
        self.ask_for(&prompt, what, |typed| typed == name)
    }

    fn ask_for(&self, prompt: &str, what: &str, is_agreed: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        if !is_attended() {
            bail!("without a terminal to ask for confirmation, add --yes to delete {what}");
        }
        let _ = write!(std::io::stderr(), "{prompt}");
        let mut typed = String::new();
        std::io::stdin().read_line(&mut typed).context("cannot read from the terminal")?;
        if !is_agreed(typed.trim()) {
            bail!("nothing was deleted");
        }
        Ok(())
    }
}
