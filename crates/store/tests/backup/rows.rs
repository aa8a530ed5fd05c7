//! Generated rows for every table, so that new tables and columns are covered.

use store::base::tables::{self, BackupRule, Column, ColumnKind, TableShape};
use store::{Db, Param, Statement};

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

/// Fills every table that a restore changes: those that are in a backup, and those that a restore empties.
pub async fn fill(db: &Db) {
    for table in tables::shapes(db).await.unwrap().iter().filter(|table| table.backup_rule != BackupRule::Untouched) {
        insert(db, table).await;
    }
}

pub async fn insert(db: &Db, table: &TableShape) {
    let values: Vec<String> = (1..=table.columns.len()).map(|n| format!("${n}")).collect();
    let text =
        format!("INSERT INTO {} ({}) VALUES ({})", table.name, tables::column_names(&table.columns), values.join(", "));
    let rows: Vec<_> = (0..ROWS).map(|n| row(table, n)).collect();
    let work = (Statement::composed("test.fill", text), rows);
    db.write(work, |tx, (statement, rows)| Box::pin(tx.execute_many(statement, rows))).await.unwrap();
}

/// Row `n` of `table`, distinct in every unique column.
fn row(table: &TableShape, n: usize) -> Vec<Param<'static>> {
    // A restore empties this column, because it writes all terms itself.
    let is_emptied = |column: &Column| (table.name, &*column.name) == ("imports", "unindexed_from");
    let is_null = |i: usize, column: &Column| is_emptied(column) || column.nullable && (n + i).is_multiple_of(3);
    let cells = table.columns.iter().enumerate();
    cells.map(|(i, column)| if is_null(i, column) { Param::Null } else { cell(table, column, n) }).collect()
}

fn cell(table: &TableShape, column: &Column, n: usize) -> Param<'static> {
    let number = i64::try_from(n).unwrap();
    match column.kind {
        ColumnKind::Int if n == 0 => Param::Int(i64::MIN),
        ColumnKind::Int if n == ROWS - 1 => Param::Int(i64::MAX),
        // The last column of a key is distinct, and so is the position in the audit log of a tenant.
        ColumnKind::Int
            if table.key.last() == Some(&column.name) || (table.name, &*column.name) == ("audit", "seq") =>
        {
            Param::Int(1_776_000_000_000_000 + number)
        }
        // Few different values, so that the rest of the key decides the order.
        ColumnKind::Int => Param::Int(1_776_000_000_000_000 + number % 4),
        ColumnKind::Bool => Param::Bool(n.is_multiple_of(2)),
        ColumnKind::Text => Param::Text(TEXTS[n]),
        ColumnKind::Bytes => Param::OwnedBytes((0..n).map(|i| u8::try_from(255 - 20 * i).unwrap()).collect()),
    }
}
