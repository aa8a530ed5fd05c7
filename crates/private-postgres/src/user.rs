//! The user of the server: PostgreSQL refuses to run as root, so root runs it as `postgres`.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::StartError;

#[derive(Debug, Clone, Copy)]
pub(crate) enum ServerUser {
    Ourselves,
    Other { uid: u32, gid: u32 },
}

impl ServerUser {
    pub(crate) fn choose() -> Result<Self, StartError> {
        if id(&["-u"])? != 0 {
            return Ok(Self::Ourselves);
        }
        Ok(Self::Other { uid: id(&["-u", "postgres"])?, gid: id(&["-g", "postgres"])? })
    }

    /// A command that runs as this user, in a folder that the user may enter.
    pub(crate) fn command(self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder);
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
        command
    }

    pub(crate) fn give(self, path: &Path) -> Result<(), StartError> {
        match self {
            Self::Ourselves => Ok(()),
            Self::Other { uid, gid } => {
                chown(path, Some(uid), Some(gid)).map_err(StartError::during("giving a file to postgres"))
            }
        }
    }

    /// Writes a file into the server's folder, which only this user and root may enter.
    pub(crate) fn write_private(self, path: &Path, content: &str) -> Result<(), StartError> {
        let mut file = fs::OpenOptions::new();
        let opened = file.write(true).create(true).truncate(true).mode(0o600).open(path);
        opened
            .and_then(|mut file| file.write_all(content.as_bytes()))
            .map_err(StartError::during("writing into the server's folder"))?;
        self.give(path)
    }
}

fn id(arguments: &[&str]) -> Result<u32, StartError> {
    let output = Command::new("id").args(arguments).output().map_err(StartError::during("running id"))?;
    String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| {
        StartError::new("running as root, and there is no user `postgres` to run the server as (initdb refuses root)")
    })
}
