//! The lock on a data folder with an embedded database: one server at a time.
//!
//! Two servers on one folder would both deliver every event, because leases on SQLite are made for one server. The
//! operating system holds the lock on an open file, so it ends with its process, also after `kill -9`. The file names
//! its holder, for the error of a second server. It stays when the server stops: if it were removed, two other servers
//! could each lock a file of this name. Commands take no lock: they work beside a server.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use rustix::io::Errno;

use super::creation::InstallationError;
use crate::ownership;

/// File name in the data folder.
const LOCK_FILE: &str = "server.lock";

/// Held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    pub fn take(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(LOCK_FILE);
        let cannot = || format!("{}: cannot lock the data folder", path.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(|error| ownership::explain(&path, error)).with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let (folder, holder) = (folder.to_owned(), holder(&file));
                return Err(InstallationError::InUse { folder, holder }.into());
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                tracing::warn!(
                    folder = %folder.display(),
                    "the file system of the data folder has no locks: make sure that no second server uses the folder"
                );
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        // The lock holds also where the disk has no room for the name.
        if let Err(error) = write_name(&mut file) {
            tracing::debug!(%error, "the lock of the data folder does not name this process");
        }
        Ok(Self { _file: file })
    }
}

/// Whether the file system cannot lock files, as some FUSE, 9p and CIFS mounts.
fn has_no_locks(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(|error| [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOLCK].contains(&error))
}

/// Names the process that holds the lock. It may not have written its name yet.
fn holder(file: &File) -> String {
    let name = io::read_to_string(file).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "another server".to_owned() } else { format!("another server ({name})") }
}

/// Process id and machine: in containers that share a folder, the id alone would not tell them apart.
fn write_name(file: &mut File) -> io::Result<()> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = format!("process {} on {}", std::process::id(), host.trim());
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", name.trim_end_matches(" on "))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_system_without_locks_is_told_from_one_that_fails() {
        for (error, has_none) in [
            (Errno::NOSYS, true),
            (Errno::OPNOTSUPP, true),
            (Errno::NOLCK, true),
            (Errno::IO, false),
            (Errno::ACCESS, false),
        ] {
            assert_eq!(has_no_locks(&error.into()), has_none, "{error}");
        }
    }

    #[test]
    fn a_second_lock_names_the_holder_and_is_taken_once_the_first_is_gone() {
        let folder = testkit::database::fresh_folder();
        let first = FolderLock::take(&folder).unwrap();
        let mode = folder.join(LOCK_FILE).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let refused = FolderLock::take(&folder).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        FolderLock::take(&folder).unwrap();
    }
}
