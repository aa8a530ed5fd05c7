//! Writes and compresses the lines of a backup, counts rows and computes the checksum.

use std::collections::BTreeMap;
use std::io::{self, Write};

use domain::base::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::format::{EndLine, TableLine, encode_row};
use crate::Row;
use crate::base::tables::TableShape;

pub(super) struct Writer<W: Write> {
    out: GzEncoder<W>,
    checksum: Sha256,
    line: Vec<u8>,
    rows: BTreeMap<String, u64>,
    written: u64,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Self {
        // Fast compression: a server may run on the same machine, and a better level saves only about a tenth.
        let out = GzEncoder::new(out, Compression::fast());
        Self { out, checksum: Sha256::new(), line: Vec::new(), rows: BTreeMap::new(), written: 0 }
    }

    /// Writes a line that is not a row: header, table or end.
    pub fn mark(&mut self, mark: &impl Serialize) -> Result<(), BackupError> {
        serde_json::to_writer(&mut self.line, mark).map_err(|error| BackupError::Write(error.into()))?;
        self.end_line().map_err(BackupError::Write)
    }

    pub fn table(&mut self, table: &TableShape) -> Result<(), BackupError> {
        self.rows.insert(table.name.to_owned(), 0);
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        self.mark(&TableLine { table: table.name.to_owned(), columns })
    }

    /// Writes a row, without the value of one column if that is given. Returns the number of rows written so far, of
    /// all tables.
    pub fn row(&mut self, table: &TableShape, row: &Row<'_>, without: Option<usize>) -> Result<u64, BackupError> {
        encode_row(&table.columns, row, without, &mut self.line)
            .map_err(|source| BackupError::Row { table: table.name, source })?;
        self.end_row(table)
    }

    /// Writes a row that was not read from the database.
    pub fn values(&mut self, table: &TableShape, values: &impl Serialize) -> Result<u64, BackupError> {
        serde_json::to_writer(&mut self.line, values).map_err(|error| BackupError::Write(error.into()))?;
        self.end_row(table)
    }

    fn end_row(&mut self, table: &TableShape) -> Result<u64, BackupError> {
        self.end_line().map_err(BackupError::Write)?;
        if let Some(rows) = self.rows.get_mut(table.name) {
            *rows += 1;
        }
        self.written += 1;
        Ok(self.written)
    }

    /// Writes the end line, flushes, and returns the number of rows of each table.
    pub fn finish(mut self) -> Result<BTreeMap<String, u64>, BackupError> {
        let sha256 = hex::encode(self.checksum.finalize_reset());
        let end = EndLine { end: true, rows: std::mem::take(&mut self.rows), sha256 };
        self.mark(&end)?;
        self.out.finish().and_then(|mut out| out.flush()).map_err(BackupError::Write)?;
        Ok(end.rows)
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.checksum.update(&self.line);
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }
}
