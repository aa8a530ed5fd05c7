//! Whether a missing installation may be created, and the errors of a folder or database that must not become one.
//!
//! A wrong path and a disk that is not mounted look like an empty place. To start there would hide the installation and
//! accept data in its stead, so an installation is created only on request: with `--create`, in the default folder, and
//! by a server in an empty PostgreSQL database, which an operator has made for it.

use std::path::PathBuf;

use crate::keys::KEY_FILE;
use crate::settings::{Loaded, Settings, Source};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// For commands, which work on an installation that exists.
    Never,
    /// The command can create an installation, but was not told to.
    NotRequested,
    Allowed,
}

/// Why a folder or database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum InstallationError {
    #[error("{place}: there is no installation here; {hint}")]
    Absent { place: String, hint: String },
    #[error(
        "data {}: secret.key is here, but its database is missing or empty. Check that its disk is mounted, or restore \
         a backup; if there never was a database, remove secret.key",
        folder.display()
    )]
    KeyAlone { folder: PathBuf },
    #[error(
        "{}: the secret key is missing, but its database exists. Put the file back, or set the key as secret_key; \
         without it, no token or stored secret in this database can be used",
        file.display()
    )]
    KeyMissing { file: PathBuf },
    #[error(
        "{} belongs to user {owner}, and this process runs as user {own}: run it as {owner} (sudo -u {owner} …), or \
         change the owner with chown",
        path.display()
    )]
    Foreign { path: PathBuf, owner: String, own: String },
    #[error("data {}: {holder} uses this folder; stop it first, or use another folder", folder.display())]
    InUse { folder: PathBuf, holder: String },
    #[error(
        "{place}: the database is damaged: {fault}. `switchboard check` lists all faults; restore a backup into an \
         empty folder"
    )]
    Damaged { place: String, fault: String },
}

impl InstallationError {
    /// `kind` of the error that a command prints.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "not_found",
            Self::KeyAlone { .. } | Self::InUse { .. } => "conflict",
            Self::KeyMissing { .. } | Self::Damaged { .. } => "failure",
            Self::Foreign { .. } => "forbidden",
        }
    }
}

impl Creation {
    /// What holds for a server and for a restore without `--create`.
    pub fn without_option(loaded: &Loaded) -> Self {
        let is_default = loaded.sources.get("data").is_none_or(|source| *source == Source::Default);
        if is_default || loaded.settings.database.is_some() { Self::Allowed } else { Self::NotRequested }
    }

    /// Fails unless a missing or empty database may become a new installation.
    pub(super) fn check(self, settings: &Settings) -> Result<(), InstallationError> {
        let remedy = match self {
            Self::Allowed => return Ok(()),
            Self::NotRequested => "or add --create to create a new installation",
            Self::Never => "or create one with `switchboard serve --create`",
        };
        let check = match settings.database {
            Some(_) => "check the address of the database",
            None => "check the path, and that its disk is mounted",
        };
        Err(InstallationError::Absent { place: describe(settings), hint: format!("{check}, {remedy}") })
    }
}

/// The key file of an embedded database, unless another key is configured.
pub(super) fn key_file(settings: &Settings) -> Option<PathBuf> {
    let is_configured = settings.secret_key.is_some() || settings.secret_key_file.is_some();
    (settings.database.is_none() && !is_configured).then(|| settings.data.join(KEY_FILE))
}

/// Names the database in error messages, without the password.
pub(super) fn describe(settings: &Settings) -> String {
    match &settings.database {
        Some(url) => format!("database {}", url.masked()),
        None => format!("data {}", settings.data.display()),
    }
}
