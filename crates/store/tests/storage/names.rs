//! Names that databases and operators rely on. Each list is a file that changes only on purpose: `names/tables.txt`
//! (tables and columns), `names/statements.txt` (names of statements, which logs and traces show) and
//! `names/migrations.txt` (each step with a digest of its text, since a step that has run never runs again).

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use store::migrations::MIGRATIONS;
use store::tables::TABLES;

const WRITE: &str = "SWITCHBOARD_WRITE_PROTECTED";

/// Compares a file with the present names, or writes it on request.
#[track_caller]
fn assert_kept(file: &str, present: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/storage/names").join(file);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, present.join("\n") + "\n").unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let kept: Vec<String> = kept.lines().map(str::to_owned).collect();
    let gone: Vec<&String> = kept.iter().filter(|line| !present.contains(line)).collect();
    let new: Vec<&String> = present.iter().filter(|line| !kept.contains(line)).collect();
    assert!(
        kept == present,
        "{file} has changed: gone {gone:#?}, new {new:#?}. If that is meant, run the test with {WRITE}=1."
    );
}

#[test]
fn tables_and_columns() {
    let column = |column: &store::tables::Column| {
        format!("{} {:?}{}", column.name, column.kind, if column.nullable { "?" } else { "" })
    };
    let line = |table: &store::tables::Table| {
        let columns: Vec<String> = table.columns.iter().map(column).collect();
        format!("{} {:?} ({}): {}", table.name, table.fate, table.key.join(", "), columns.join(", "))
    };
    assert_kept("tables.txt", &TABLES.iter().map(line).collect::<Vec<_>>());
}

#[test]
fn statements() {
    let names: BTreeSet<String> = store::statements().iter().map(|statement| statement.name().to_owned()).collect();
    assert_kept("statements.txt", &names.into_iter().collect::<Vec<_>>());
}

#[test]
fn migrations() {
    let digest = |sql: &str| domain::hex::encode(Sha256::digest(sql.as_bytes()));
    let steps = MIGRATIONS.iter().map(|step| format!("{} {}", step.name, digest(step.sql)));
    assert_kept("migrations.txt", &steps.collect::<Vec<_>>());
}
