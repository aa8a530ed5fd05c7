//! Encoding and decoding of the lines of a backup.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BackupError;
use crate::migrations::MIGRATIONS;
use crate::tables::{Column, ColumnKind};
use crate::{Param, Result, Row};

/// Version of the format. Raised only when older programs cannot read the lines any more.
pub(super) const VERSION: u64 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    pub switchboard_backup: u64,
    pub schema: String,
    pub created_at: String,
    pub key_fingerprint: Option<String>,
}

impl Header {
    /// Fails if this version of Switchboard cannot read the lines after the header.
    pub fn check_format(&self) -> Result<(), BackupError> {
        if self.switchboard_backup == VERSION {
            return Ok(());
        }
        Err(newer(format!("format {}", self.switchboard_backup)))
    }

    pub fn check_schema(&self) -> Result<(), BackupError> {
        if MIGRATIONS.iter().any(|migration| migration.name == self.schema) {
            return Ok(());
        }
        Err(newer(self.schema.clone()))
    }
}

fn newer(found: String) -> BackupError {
    BackupError::Newer { found, known: MIGRATIONS.last().map_or("", |last| last.name) }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableLine {
    pub table: String,
    pub columns: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EndLine {
    pub end: bool,
    pub rows: BTreeMap<String, u64>,
    pub sha256: String,
}

/// A decoded value of a row.
#[derive(Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Cell {
    pub fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(value) => Param::Int(*value),
            Self::Bool(value) => Param::Bool(*value),
            Self::Text(value) => Param::Text(value),
            Self::Bytes(value) => Param::Bytes(value),
        }
    }
}

/// Appends a row of the database as a JSON array; the column `without` is written as null.
pub(super) fn encode_row(columns: &[Column], row: &Row<'_>, without: Option<usize>, line: &mut Vec<u8>) -> Result<()> {
    line.push(b'[');
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        if without == Some(i) || !encode_value(column.kind, row, i, line)? {
            line.extend_from_slice(b"null");
        }
    }
    line.push(b']');
    Ok(())
}

/// Appends the value as JSON. False, and appends nothing, if it is NULL.
fn encode_value(kind: ColumnKind, row: &Row<'_>, i: usize, line: &mut Vec<u8>) -> Result<bool> {
    match kind {
        ColumnKind::Int => row.opt_int(i).map(|value| append(value, line)),
        ColumnKind::Bool => row.opt_bool(i).map(|value| append(value, line)),
        ColumnKind::Text => row.opt_text(i).map(|value| append(value, line)),
        ColumnKind::Bytes => Ok(append(row.opt_bytes(i)?.map(|bytes| STANDARD.encode(bytes)), line)),
    }
}

fn append(value: Option<impl Serialize>, line: &mut Vec<u8>) -> bool {
    // Numbers, booleans and text always serialize, and a vector accepts every byte.
    value.is_some_and(|value| serde_json::to_writer(line, &value).is_ok())
}

/// None if the line is not a row of these columns.
pub(super) fn decode_row(columns: &[&Column], line: &[u8]) -> Option<Vec<Cell>> {
    let values: Vec<Value> = serde_json::from_slice(line).ok()?;
    if values.len() != columns.len() {
        return None;
    }
    columns.iter().zip(values).map(|(column, value)| decode_value(column, value)).collect()
}

fn decode_value(column: &Column, value: Value) -> Option<Cell> {
    match (column.kind, value) {
        (_, Value::Null) => column.nullable.then_some(Cell::Null),
        (ColumnKind::Int, Value::Number(number)) => number.as_i64().map(Cell::Int),
        (ColumnKind::Bool, Value::Bool(value)) => Some(Cell::Bool(value)),
        (ColumnKind::Text, Value::String(text)) => Some(Cell::Text(text)),
        (ColumnKind::Bytes, Value::String(text)) => STANDARD.decode(text).ok().map(Cell::Bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Column = Column { name: "number", kind: ColumnKind::Int, nullable: false, has_default: false };
    const TEXT: Column = Column { name: "text", kind: ColumnKind::Text, nullable: true, has_default: false };
    const BYTES: Column = Column { name: "bytes", kind: ColumnKind::Bytes, nullable: false, has_default: false };
    const BOOL: Column = Column { name: "truth", kind: ColumnKind::Bool, nullable: false, has_default: false };

    #[test]
    fn a_row_is_read_by_the_kinds_of_its_columns() {
        let row = decode_row(&[&INT, &TEXT, &BYTES, &BOOL], br#"[-9223372036854775808,null,"AP8=",true]"#);
        assert_eq!(row.unwrap(), [Cell::Int(i64::MIN), Cell::Null, Cell::Bytes(vec![0, 255]), Cell::Bool(true)]);
    }

    #[test]
    fn a_row_of_another_shape_is_none() {
        for bad in ["[]", "[1,2]", "[null]", "[\"1\"]", "[1.5]", "[9223372036854775808]", "{}", "[1", "[true]"] {
            assert_eq!(decode_row(&[&INT], bad.as_bytes()), None, "{bad}");
        }
        for bad in ["[null]", "[\"not base64\"]", "[1]"] {
            assert_eq!(decode_row(&[&BYTES], bad.as_bytes()), None, "{bad}");
        }
    }
}
