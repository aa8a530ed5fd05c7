//! Encoding and decoding of the lines of a backup.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BackupError;
use crate::base::tables::{Column, ColumnKind};
use crate::migrations::{BASELINE, MIGRATIONS};
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
        if self.schema.as_str() < BASELINE {
            return Err(BackupError::BeforeBaseline(self.schema.clone()));
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
pub(super) fn decode_row(columns: &[Column], line: &[u8]) -> Option<Vec<Param<'static>>> {
    let values: Vec<Value> = serde_json::from_slice(line).ok()?;
    if values.len() != columns.len() {
        return None;
    }
    columns.iter().zip(values).map(|(column, value)| decode_value(column, value)).collect()
}

fn decode_value(column: &Column, value: Value) -> Option<Param<'static>> {
    match (column.kind, value) {
        (_, Value::Null) => column.nullable.then_some(Param::Null),
        (ColumnKind::Int, Value::Number(number)) => number.as_i64().map(Param::Int),
        (ColumnKind::Bool, Value::Bool(value)) => Some(Param::Bool(value)),
        (ColumnKind::Text, Value::String(text)) => Some(Param::Owned(text)),
        (ColumnKind::Bytes, Value::String(text)) => STANDARD.decode(text).ok().map(Param::OwnedBytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: ColumnKind, nullable: bool) -> Column {
        Column { name: "column".to_owned(), kind, nullable, has_default: false }
    }

    #[test]
    fn a_row_is_read_by_the_kinds_of_its_columns() {
        let required = [ColumnKind::Int, ColumnKind::Bytes, ColumnKind::Bool].map(|kind| column(kind, false));
        let columns = [&required[..], &[column(ColumnKind::Text, true)]].concat();
        let row = decode_row(&columns, br#"[-9223372036854775808,"AP8=",true,null]"#);
        let expected = [Param::Int(i64::MIN), Param::OwnedBytes(vec![0, 255]), Param::Bool(true), Param::Null];
        assert_eq!(format!("{:?}", row.unwrap()), format!("{expected:?}"));
    }

    #[test]
    fn a_row_of_another_shape_is_none() {
        for bad in ["[]", "[1,2]", "[null]", "[\"1\"]", "[1.5]", "[9223372036854775808]", "{}", "[1", "[true]"] {
            assert!(decode_row(&[column(ColumnKind::Int, false)], bad.as_bytes()).is_none(), "{bad}");
        }
        for bad in ["[null]", "[\"not base64\"]", "[1]"] {
            assert!(decode_row(&[column(ColumnKind::Bytes, false)], bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
