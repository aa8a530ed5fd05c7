//! The bytes of an import: a local file, or the stored pieces of an upload.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use domain::base::hex;
use domain::{ImportId, TenantId};
use sha2::{Digest as _, Sha256};
use store::Db;

use super::problem::BadFile;

/// Size of a piece in bytes.
pub(super) const PIECE: usize = 256 << 10;

#[derive(Debug)]
pub(super) enum ByteSource {
    File(File),
    Pieces { db: Db, tenant: TenantId, import: ImportId, at: u64 },
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("the file cannot be read: {0}")]
    File(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl ByteSource {
    pub fn seek(&mut self, to: u64) -> Result<(), Unreadable> {
        match self {
            Self::File(file) => file.seek(SeekFrom::Start(to)).map(drop)?,
            Self::Pieces { at, .. } => *at = to,
        }
        Ok(())
    }

    /// Appends the next bytes and returns their number, 0 at the end. Blocks, so it must run on a blocking thread.
    pub fn read(&mut self, into: &mut Vec<u8>) -> Result<usize, Unreadable> {
        match self {
            Self::File(file) => Ok(file.by_ref().take(PIECE as u64).read_to_end(into)?),
            Self::Pieces { db, tenant, import, at } => {
                let (number, skip) = (*at / PIECE as u64, *at % PIECE as u64);
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                let read = store::people::imports::piece(db, *tenant, *import, number);
                let piece = tokio::runtime::Handle::current().block_on(read)?.unwrap_or_default();
                let rest = piece.get(usize::try_from(skip).unwrap_or(0)..).unwrap_or_default();
                into.extend_from_slice(rest);
                *at += rest.len() as u64;
                Ok(rest.len())
            }
        }
    }
}

/// Recognizes UTF-16 and UTF-32 by their byte order mark.
fn other_encoding(beginning: &[u8]) -> Option<BadFile> {
    match beginning {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(BadFile::Encoding("UTF-32")),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(BadFile::Encoding("UTF-16")),
        _ => None,
    }
}

/// Checksum, size and first bytes of a file, computed as it is read or uploaded.
#[derive(Debug, Default)]
pub(super) struct FileDigest {
    hash: Sha256,
    pub bytes: u64,
    nul_at: Option<u64>,
    /// The first `BEGINNING` bytes.
    pub beginning: Vec<u8>,
}

const BEGINNING: usize = 64;

impl FileDigest {
    pub fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        if self.nul_at.is_none() {
            self.nul_at = memchr::memchr(0, bytes).map(|at| self.bytes + at as u64);
        }
        self.bytes += bytes.len() as u64;
        let more = BEGINNING - self.beginning.len();
        self.beginning.extend(bytes.iter().take(more));
    }

    /// Why the file is refused: it is empty, or no UTF-8 text. A NUL byte means that; a byte order mark of another
    /// encoding gives the better message, so it is checked first.
    pub fn problem(&self) -> Option<BadFile> {
        if self.bytes == 0 {
            return Some(BadFile::Empty);
        }
        other_encoding(&self.beginning).or(self.nul_at.map(|at| BadFile::Nul(at + 1)))
    }

    pub fn fingerprint(&self) -> String {
        hex::encode(self.hash.clone().finalize())
    }
}
