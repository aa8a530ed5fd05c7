//! The control socket: a Unix socket in the data folder through which commands reach the running server.
//!
//! The file has mode 600, so only the server's user can connect; requests need no other credential. The socket is
//! created in a private folder and moved into place, so it is never accessible to other users, not even for a moment. A
//! stale file of a crashed server is replaced; a socket that another server still answers on is left alone, and this
//! server logs a warning and runs without one. The file is removed when the server stops, unless another server has
//! replaced it.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// File name in the data folder.
pub const SOCKET_FILE: &str = "sandbox.sock";

/// The socket file; removed on drop if it is still this server's.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Device and inode, to recognise a file that another server put in its place.
    identity: (u64, u64),
}

#[derive(Debug, thiserror::Error)]
enum SocketError {
    #[error("its path is too long for a socket: choose a shorter path for the data folder")]
    TooLong,
    #[error("another server that runs on this data folder has it")]
    Taken,
    #[error("something else has its name; remove it and start again")]
    NoSocket,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// `None`, with a warning, when no socket can be created.
pub fn bind(folder: &Path) -> Option<(UnixListener, SocketFile)> {
    let path = folder.join(SOCKET_FILE);
    match try_bind(folder, &path) {
        Ok(bound) => Some(bound),
        Err(error) => {
            let file = path.display();
            tracing::warn!(%file, %error, "no control socket: `switchboard sandbox` cannot reach this server");
            None
        }
    }
}

fn try_bind(folder: &Path, path: &Path) -> Result<(UnixListener, SocketFile), SocketError> {
    SocketAddr::from_pathname(path).map_err(|_| SocketError::TooLong)?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check_free(path)?;
    // Created in a private folder and moved when its mode is set, so that it is never accessible to other users, and a
    // stale file is replaced atomically. The final path is the longer one; its length was checked above.
    let private = PrivateFolder::new(folder)?;
    let made = private.0.join("s");
    let listener = UnixListener::bind(&made)?;
    fs::set_permissions(&made, Permissions::from_mode(0o600))?;
    fs::rename(&made, path)?;
    let file = SocketFile { path: path.to_owned(), identity: identity(&path.symlink_metadata()?) };
    Ok((listener, file))
}

/// A stale socket, on which no server answers, counts as free.
fn check_free(path: &Path) -> Result<(), SocketError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(there) if !there.file_type().is_socket() => return Err(SocketError::NoSocket),
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(SocketError::Taken),
        Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.path.symlink_metadata().is_ok_and(|there| identity(&there) == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A folder with mode 700, removed on drop.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn new(folder: &Path) -> io::Result<Self> {
        let private = Self(folder.join(format!(".sb{}", std::process::id())));
        // A crashed process with the same id may have left one.
        let _ = fs::remove_dir_all(&private.0);
        DirBuilder::new().mode(0o700).create(&private.0)?;
        Ok(private)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unusable(folder: &Path) -> String {
        try_bind(folder, &folder.join(SOCKET_FILE)).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn the_socket_file_is_private_and_removed_with_its_server() {
        let folder = testkit::database::fresh_folder().join("made");
        let (_listener, file) = bind(&folder).unwrap();
        let path = folder.join(SOCKET_FILE);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        drop(file);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_left_alone() {
        let folder = testkit::database::fresh_folder();
        let path = folder.join(SOCKET_FILE);
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let (listener, old) = bind(&folder).unwrap();
        assert!(unusable(&folder).contains("another server"));
        UnixStream::connect(&path).unwrap();
        drop(listener);
        let (_listener, _new) = bind(&folder).unwrap();
        drop(old);
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn another_file_is_kept_and_a_long_path_is_an_error() {
        let folder = testkit::database::fresh_folder();
        fs::write(folder.join(SOCKET_FILE), "precious").unwrap();
        assert!(unusable(&folder).contains("something else"));
        assert_eq!(fs::read_to_string(folder.join(SOCKET_FILE)).unwrap(), "precious");
        let deep = folder.join("d".repeat(120));
        assert!(unusable(&deep).contains("too long"));
        assert!(!deep.exists());
        assert!(bind(&deep).is_none());
    }
}
