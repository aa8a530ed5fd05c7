//! Files whose bytes are outside the database. Those of the folder are saved as if they were in the database, so that a
//! backup holds them and can be restored anywhere. Those of a bucket stay there: their rows are saved, and the summary
//! counts them.
//!
//! A file is written once and deleted a day after it was removed at the earliest, so that a backup finds the bytes of
//! every row in its snapshot. Only the files of an erased person are deleted at once; a running backup counts them as
//! lost.

use std::fs::File;
use std::io::{self, Read as _, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::messaging::messages::FileStore;
use domain::{MediaId, TenantId};

use super::BackupError;
use super::write::Writer;
use crate::base::tables::TableShape;
use crate::{Result, Row};

/// Opens the bytes of a file in the folder.
pub type OpenFolderFile = Box<dyn Fn(TenantId, MediaId) -> io::Result<File> + Send>;

/// How many bytes of a file one row of `media_pieces` holds; the last row may hold fewer.
const PIECE_BYTES: u64 = 256 << 10;
pub(super) const TABLE: &str = "media";
pub(super) const PIECES: &str = "media_pieces";

/// Files that a backup meets outside the database.
pub(super) struct OutsideFiles {
    open: Option<OpenFolderFile>,
    in_folder: Vec<(TenantId, MediaId)>,
    /// Files in a bucket, or in the folder when there is no function to open them.
    pub elsewhere: u64,
    /// Files whose bytes are missing in the folder; they are not in the backup.
    pub lost: u64,
}

/// How a row of `media` is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SavedAs {
    ItIs,
    /// With NULL in the column at this index: the bytes follow as rows of `media_pieces`.
    InDatabase(usize),
    Nothing,
}

impl OutsideFiles {
    pub fn new(open: Option<OpenFolderFile>) -> Self {
        Self { open, in_folder: Vec::new(), elsewhere: 0, lost: 0 }
    }

    pub fn judge(&mut self, table: &TableShape, row: &Row<'_>) -> Result<SavedAs> {
        let at = |name: &str| table.columns.iter().position(|column| column.name == name).unwrap_or_default();
        let store = row.opt_text(at("store"))?.and_then(|name| name.parse::<FileStore>().ok());
        let Some(open) = self.open.as_ref().filter(|_| store == Some(FileStore::Folder)) else {
            self.elsewhere += u64::from(store.is_some());
            return Ok(SavedAs::ItIs);
        };
        let is_readable = row.opt_bool(at("complete"))? == Some(true) && row.is_null(at("removed_at"))?;
        if !is_readable {
            return Ok(SavedAs::Nothing);
        }
        let (tenant, id): (TenantId, MediaId) =
            (TenantId::from_number(row.opt_int(at("tenant_id"))?.unwrap_or_default()), row.id(at("id"))?);
        let size = row.opt_int(at("size"))?.and_then(|size| u64::try_from(size).ok());
        let found = open(tenant, id).and_then(|file| file.metadata()).map(|file| file.len()).ok();
        if found.is_none() || found != size {
            self.lost += 1;
            return Ok(SavedAs::Nothing);
        }
        self.in_folder.push((tenant, id));
        Ok(SavedAs::InDatabase(at("store")))
    }

    /// Writes the bytes of the folder's files as rows of `media_pieces`.
    pub fn write(&mut self, table: &TableShape, writer: &mut Writer<impl Write>) -> Result<(), BackupError> {
        let Some(open) = &self.open else { return Ok(()) };
        for (tenant, id) in &self.in_folder {
            let mut file = match open(*tenant, *id) {
                Ok(file) => file,
                // The person was erased since the snapshot.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.lost += 1;
                    continue;
                }
                Err(error) => return Err(BackupError::File(error)),
            };
            for place in 0_i64.. {
                let mut piece = Vec::new();
                (&mut file).take(PIECE_BYTES).read_to_end(&mut piece).map_err(BackupError::File)?;
                if piece.is_empty() {
                    break;
                }
                let row = (tenant.number(), STANDARD.encode(id.bytes()), place, STANDARD.encode(&piece));
                writer.values(table, &row)?;
            }
        }
        Ok(())
    }
}
