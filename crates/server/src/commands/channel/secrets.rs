//! Sources of a channel's secrets: files, environment variables or a prompt. Never arguments, which other users of the
//! machine could read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use app::messaging::channels::Secrets;
use clap::Args;
use domain::Place;
use domain::identity::passwords;
use zeroize::Zeroizing;

use crate::commands::password::{asked, is_attended};
use crate::settings::CHANNEL_VARIABLES;

type Secret = Zeroizing<String>;

/// Secrets in the order of `NAMES`.
type Given = [Option<Secret>; 3];

const NAMES: [&str; 3] = ["access_token", "app_secret", "verify_token"];
const PROMPTS: [&str; 3] = ["Access token", "App secret", "Verify token"];
const VERIFY_TOKEN: usize = 2;
/// Bytes that are read of a secret file; the rest of a longer one is ignored.
const MAX_BYTES: u64 = 8 * 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Secrets, each from a file, a variable or a prompt")]
pub struct Sources {
    /// A file with the access token. Without it, SWITCHBOARD_CHANNEL_ACCESS_TOKEN is used.
    #[arg(long = "access-token-file", value_name = "FILE")]
    access_token: Option<PathBuf>,
    /// A file with the app secret, which signs the network's posts. Without it, SWITCHBOARD_CHANNEL_APP_SECRET is used.
    #[arg(long = "app-secret-file", value_name = "FILE")]
    app_secret: Option<PathBuf>,
    /// A file with the verify token. Without it, SWITCHBOARD_CHANNEL_VERIFY_TOKEN is used.
    #[arg(long = "verify-token-file", value_name = "FILE")]
    verify_token: Option<PathBuf>,
}

impl Sources {
    /// Secrets of a new channel, and whether the verify token was generated: its value is free to choose, so it may be
    /// left out. At a terminal, prompts for the others that are missing.
    pub fn for_new_channel(&self) -> anyhow::Result<(Secrets, bool)> {
        let mut given = self.given()?;
        let is_generated = given[VERIFY_TOKEN].is_none();
        given[VERIFY_TOKEN].get_or_insert_with(generate);
        for index in (0..VERIFY_TOKEN).filter(|_| is_attended()) {
            if given[index].is_none() {
                given[index] = typed(&format!("{}: ", PROMPTS[index]))?;
            }
        }
        Ok((complete(given)?, is_generated))
    }

    /// Secrets of a new sandbox channel; missing ones are generated.
    pub fn for_sandbox_channel(&self) -> anyhow::Result<Secrets> {
        complete(self.given()?.map(|secret| secret.or_else(|| Some(generate()))))
    }

    /// The given secrets, and the present ones where none is given; without present ones all three are required. At a
    /// terminal, prompts for all three if none is given.
    pub fn changed(&self, present: Option<Secrets>) -> anyhow::Result<Secrets> {
        let mut given = self.given()?;
        if given.iter().all(Option::is_none) && is_attended() {
            for (secret, prompt) in given.iter_mut().zip(PROMPTS) {
                *secret = typed(&format!("{prompt} (leave empty to keep the current one): "))?;
            }
        }
        if given.iter().all(Option::is_none) {
            return Err(missing(0));
        }
        if let Some(Secrets { access_token, app_secret, verify_token }) = present {
            for (secret, present) in given.iter_mut().zip([access_token, app_secret, verify_token]) {
                secret.get_or_insert(present);
            }
        }
        complete(given)
    }

    /// Whether a secret is given in a file or a variable.
    pub fn is_given(&self) -> anyhow::Result<bool> {
        Ok(self.given()?.iter().any(Option::is_some))
    }

    fn given(&self) -> anyhow::Result<Given> {
        let files = [&self.access_token, &self.app_secret, &self.verify_token];
        let mut given = Given::default();
        for (index, file) in files.into_iter().enumerate() {
            given[index] = match file {
                Some(file) => Some(from_file(file).with_context(|| format!("{}: {}", NAMES[index], file.display()))?),
                None => from_variable(CHANNEL_VARIABLES[index])?,
            };
        }
        Ok(given)
    }
}

fn complete([access_token, app_secret, verify_token]: Given) -> anyhow::Result<Secrets> {
    Ok(Secrets {
        access_token: access_token.ok_or_else(|| missing(0))?,
        app_secret: app_secret.ok_or_else(|| missing(1))?,
        verify_token: verify_token.ok_or_else(|| missing(VERIFY_TOKEN))?,
    })
}

fn missing(index: usize) -> anyhow::Error {
    let (name, variable) = (NAMES[index], CHANNEL_VARIABLES[index]);
    let flag = name.replace('_', "-");
    anyhow!(app::Error::invalid(
        Place::named(name),
        format!("provide it with --{flag}-file FILE, in {variable}, or at a terminal")
    ))
}

fn generate() -> Secret {
    Secret::new(passwords::random())
}

fn from_file(file: &Path) -> anyhow::Result<Secret> {
    let mut text = Secret::new(String::new());
    let read = File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read > MAX_BYTES) {
        bail!("{} has more than {MAX_BYTES} bytes: it is not a channel secret", file.display());
    }
    Ok(Secret::new(text.trim().to_owned()))
}

fn from_variable(name: &str) -> anyhow::Result<Option<Secret>> {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let text = value.into_string().map_err(|_| anyhow!("{name} is not UTF-8"))?;
    Ok(Some(Secret::new(text)))
}

/// `None` when nothing was typed.
fn typed(prompt: &str) -> anyhow::Result<Option<Secret>> {
    let text = Secret::new(asked(prompt)?);
    let text = Secret::new(text.trim().to_owned());
    Ok(Some(text).filter(|text| !text.is_empty()))
}
