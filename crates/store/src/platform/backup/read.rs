//! Reads the lines of a backup. Reaching the end line means that row counts and checksum are right.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};

use domain::base::hex;
use flate2::bufread::GzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::format::{EndLine, Header, TableLine};

/// Bytes of an uncompressed line: far more than any row needs. Bounds the memory that a malicious file can use.
const LONGEST_LINE: u64 = 256 << 20;

pub(super) struct Reader<R: Read> {
    lines: BufReader<GzDecoder<BufReader<R>>>,
    checksum: Sha256,
    line: Vec<u8>,
    table: String,
    rows: BTreeMap<String, u64>,
}

/// A line after the header.
pub(super) enum BackupLine<'a> {
    Table(TableLine),
    Row(&'a [u8]),
    /// Returned only if counts and checksum are right and nothing follows.
    End(BTreeMap<String, u64>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OtherLine {
    Table(TableLine),
    End(EndLine),
}

impl<R: Read> Reader<R> {
    /// Opens a backup and reads its header.
    pub fn open(input: R) -> Result<(Header, Self), BackupError> {
        let lines = BufReader::new(GzDecoder::new(BufReader::new(input)));
        let (checksum, rows) = (Sha256::new(), BTreeMap::new());
        let mut reader = Self { lines, checksum, line: Vec::new(), table: String::new(), rows };
        reader.next_line()?;
        reader.checksum.update(&reader.line);
        let header = serde_json::from_slice(&reader.line).map_err(|_| BackupError::NotABackup)?;
        Ok((header, reader))
    }

    pub fn next(&mut self) -> Result<BackupLine<'_>, BackupError> {
        self.next_line()?;
        if self.line.starts_with(b"[") {
            self.checksum.update(&self.line);
            let Some(rows) = self.rows.get_mut(&self.table) else {
                return Err(BackupError::damaged("a row comes before any table"));
            };
            *rows += 1;
            return Ok(BackupLine::Row(&self.line));
        }
        match serde_json::from_slice(&self.line) {
            Ok(OtherLine::Table(line)) => self.begin_table(line),
            Ok(OtherLine::End(end)) => self.end(end),
            Err(_) => Err(BackupError::damaged("a line does not belong to a backup")),
        }
    }

    /// Reads to the end without parsing, so that the decoder compares its own checksum.
    pub fn skip_all(&mut self) -> Result<(), BackupError> {
        io::copy(&mut self.lines, &mut io::sink()).map(drop).map_err(wrong)
    }

    fn begin_table(&mut self, line: TableLine) -> Result<BackupLine<'_>, BackupError> {
        self.checksum.update(&self.line);
        self.table.clone_from(&line.table);
        if self.rows.insert(line.table.clone(), 0).is_some() {
            return Err(BackupError::damaged(format!("table {} appears twice", line.table)));
        }
        Ok(BackupLine::Table(line))
    }

    fn end(&mut self, end: EndLine) -> Result<BackupLine<'_>, BackupError> {
        if hex::encode(self.checksum.finalize_reset()) != end.sha256 {
            return Err(BackupError::damaged("the checksum is wrong"));
        }
        if self.rows != end.rows {
            return Err(BackupError::damaged("the row count is wrong"));
        }
        self.nothing_follows()?;
        Ok(BackupLine::End(end.rows))
    }

    /// Reading past the end also makes the decoder compare its own checksum.
    fn nothing_follows(&mut self) -> Result<(), BackupError> {
        let nothing = self.lines.fill_buf().map_err(wrong)?.is_empty()
            && self.lines.get_mut().get_mut().fill_buf().map_err(wrong)?.is_empty();
        if nothing { Ok(()) } else { Err(BackupError::damaged("something follows its end")) }
    }

    fn next_line(&mut self) -> Result<(), BackupError> {
        self.line.clear();
        (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut self.line).map_err(wrong)?;
        if self.line.ends_with(b"\n") { Ok(()) } else { Err(BackupError::damaged("it ends too early")) }
    }
}

/// The kind of a decoder's error shows whether the data is damaged; other errors are about the file.
fn wrong(error: io::Error) -> BackupError {
    match error.kind() {
        io::ErrorKind::InvalidInput if error.to_string().contains("gzip header") => BackupError::NotABackup,
        io::ErrorKind::UnexpectedEof => BackupError::damaged("it ends too early"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => BackupError::damaged(error.to_string()),
        _ => BackupError::Read(error),
    }
}
