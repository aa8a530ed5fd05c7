//! Sources of a password: standard input, a prompt, or a random one. Never an argument, which other users of the
//! machine could read.

use std::io::{IsTerminal as _, Read as _};

use anyhow::{Context as _, bail};
use domain::Field;
use domain::identity::passwords;

#[derive(Debug, clap::Args)]
pub struct PasswordSource {
    /// Read the password from standard input. Without this flag, the command prompts for it; without a terminal, it
    /// generates a random password and prints it once.
    #[arg(long)]
    password_stdin: bool,
}

/// A password, and whether it was generated and must be printed.
#[derive(Debug)]
pub struct Password {
    pub value: String,
    pub generated: bool,
}

impl PasswordSource {
    pub fn read(&self) -> anyhow::Result<Password> {
        if self.password_stdin {
            return Ok(Password { value: from_stdin()?, generated: false });
        }
        if is_attended() {
            return Ok(Password { value: from_terminal()?, generated: false });
        }
        Ok(Password { value: passwords::random(), generated: true })
    }
}

/// The password on standard input, without the line break that `echo` adds.
fn from_stdin() -> anyhow::Result<String> {
    let longest = u64::try_from(passwords::MAX_BYTES)? + 3;
    let mut text = String::new();
    std::io::stdin().take(longest).read_to_string(&mut text).context("cannot read the password from standard input")?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn from_terminal() -> anyhow::Result<String> {
    let first = asked("Password: ")?;
    passwords::check(&first, &[]).map_err(|error| app::Error::invalid(Field::Password, error))?;
    if asked("Repeat the password: ")? != first {
        bail!("the passwords do not match: run the command again");
    }
    Ok(first)
}

/// Whether the command runs at a terminal and can prompt.
pub fn is_attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Prompts for a line without echoing it.
pub fn asked(prompt: &str) -> anyhow::Result<String> {
    let terminal = console::Term::stderr();
    terminal.write_str(prompt)?;
    terminal.read_secure_line().context("cannot read from the terminal")
}
