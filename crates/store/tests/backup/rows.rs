//! Generated rows for every declared table, so that new tables and columns are covered.

use store::tables::{self, Column, ColumnKind, Fate, Table};
use store::{Db, Param, Statement, Tx};

pub const ROWS: usize = 12;

/// Texts that sort differently by locale and by bytes, and need escapes in JSON and SQL.
const TEXTS: [&str; ROWS] = [
    "",
    "a",
    "B",
    "Z",
    "ä",
    "_",
    "a b",
    "it's \"quoted\"; -- \\ $1 ?1",
    "two\nlines\r\t\u{1}",
    "\u{2028}\u{feff}",
    "😀",
    "zz",
];

pub enum Cell {
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

/// Fills every table that a restore changes: those that are in a backup, and those that a restore empties.
pub async fn fill(db: &Db) {
    for table in tables::TABLES.iter().filter(|table| table.fate != Fate::Left) {
        insert(db, table, (0..ROWS).map(|n| row(table, n)).collect()).await;
    }
}

pub async fn insert(db: &Db, table: &Table, rows: Vec<Vec<Cell>>) {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let values: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
    let text = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "));
    let work = (Statement::composed("test.fill", text), rows);
    db.write(work, |tx, (statement, rows)| Box::pin(store_all(tx, statement, rows))).await.unwrap();
}

async fn store_all(tx: &mut Tx<'_>, statement: &Statement, rows: &[Vec<Cell>]) -> store::Result<u64> {
    let rows: Vec<Vec<Param<'_>>> = rows.iter().map(|row| row.iter().map(Cell::param).collect()).collect();
    tx.execute_many(statement, &rows).await
}

/// Row `n` of `table`, distinct in every unique column.
pub fn row(table: &Table, n: usize) -> Vec<Cell> {
    let cells = table.columns.iter().enumerate();
    cells
        .map(
            |(i, column)| {
                if column.nullable && (n + i).is_multiple_of(3) { Cell::Null } else { cell(table, column, n) }
            },
        )
        .collect()
}

fn cell(table: &Table, column: &Column, n: usize) -> Cell {
    let number = i64::try_from(n).unwrap();
    match column.kind {
        ColumnKind::Int if n == 0 => Cell::Int(i64::MIN),
        ColumnKind::Int if n == ROWS - 1 => Cell::Int(i64::MAX),
        // The last column of a key is distinct, and so is the position in the audit log of a tenant.
        ColumnKind::Int if table.key.last() == Some(&column.name) || (table.name, column.name) == ("audit", "seq") => {
            Cell::Int(1_776_000_000_000_000 + number)
        }
        // Few different values, so that the rest of the key decides the order.
        ColumnKind::Int => Cell::Int(1_776_000_000_000_000 + number % 4),
        ColumnKind::Bool => Cell::Bool(n.is_multiple_of(2)),
        ColumnKind::Text => Cell::Text(TEXTS[n].to_owned()),
        ColumnKind::Bytes => Cell::Bytes((0..n).map(|i| u8::try_from(255 - 20 * i).unwrap()).collect()),
    }
}
