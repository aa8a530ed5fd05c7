//! Files in a folder: `<folder>/<tenant>/<last two digits of the id>/<id>`, mode 0600 in folders of mode 0700.
//!
//! A file is written under the name `<id>.part`, synced and renamed; then its folder is synced. So a name without
//! `.part` is a whole file, also after a power failure. Every call runs on a blocking thread.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use domain::{MediaId, TenantId};
use futures_util::Stream;
use futures_util::stream::try_unfold;

use super::pieces::PIECE_BYTES;

/// The path of a file in the folder.
pub fn path_in(folder: &Path, tenant: TenantId, id: MediaId) -> PathBuf {
    let name = id.to_string();
    let shelf = name.get(name.len().saturating_sub(2)..).unwrap_or_default();
    folder.join(tenant.to_string()).join(shelf).join(&name)
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct FolderWriter {
    path: PathBuf,
    /// None while a piece is written, and after a failure.
    file: Option<File>,
}

impl FolderWriter {
    pub async fn create(folder: &Path, tenant: TenantId, id: MediaId) -> io::Result<Self> {
        let path = path_in(folder, tenant, id);
        let part = part_of(&path);
        let file = blocking(move || {
            if let Some(parent) = part.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
            }
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(part)
        });
        Ok(Self { file: Some(file.await?), path })
    }

    pub async fn write(&mut self, piece: Vec<u8>) -> io::Result<()> {
        let mut file = self.file.take().ok_or_else(broken)?;
        let written = blocking(move || file.write_all(&piece).map(|()| file));
        self.file = Some(written.await?);
        Ok(())
    }

    /// Completes the file. When this returns, the file survives a power failure.
    pub async fn finish(&mut self) -> io::Result<()> {
        let (file, path) = (self.file.take().ok_or_else(broken)?, self.path.clone());
        blocking(move || {
            file.sync_all()?;
            fs::rename(part_of(&path), &path)?;
            path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
        })
        .await
    }
}

/// Deletes a file, complete or partly written. Succeeds if there is none.
pub(super) async fn delete(folder: &Path, tenant: TenantId, id: MediaId) -> io::Result<()> {
    let path = path_in(folder, tenant, id);
    blocking(move || {
        for name in [part_of(&path), path] {
            match fs::remove_file(name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    })
    .await
}

/// The bytes of a file; one piece is in memory at a time.
pub(super) fn stream(
    folder: &Path,
    tenant: TenantId,
    id: MediaId,
) -> impl Stream<Item = io::Result<Bytes>> + Send + use<> {
    let path = path_in(folder, tenant, id);
    try_unfold(None, move |file: Option<File>| {
        let path = path.clone();
        blocking(move || {
            let mut file = match file {
                Some(file) => file,
                None => File::open(path)?,
            };
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            (&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
            Ok((!piece.is_empty()).then(|| (Bytes::from(piece), Some(file))))
        })
    })
}

fn part_of(path: &Path) -> PathBuf {
    path.with_extension("part")
}

fn broken() -> io::Error {
    io::Error::other("an earlier write of this file failed")
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(io::Error::other("the task failed")))
}
