//! What backup, restore, export and deletion do with each table. The columns and the key of a table come from the
//! database's own catalogue; a test compares the names, so that a backup cannot miss a new table.

use const_format::concatcp;

use crate::base::columns::columns;
pub use crate::base::table_list::{BackupRule, TABLES, Table};
use crate::{Db, Error, Result, Tx, params, read};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Int,
    Text,
    Bytes,
    Bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
    pub nullable: bool,
    /// A backup of an earlier version may lack the column: the database fills in the default.
    pub has_default: bool,
}

/// A table as the database describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    pub name: &'static str,
    pub backup_rule: BackupRule,
    pub columns: Vec<Column>,
    /// The columns of the primary key.
    pub key: Vec<String>,
}

impl TableShape {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// The names of columns, separated by commas.
pub fn column_names<'c>(columns: impl IntoIterator<Item = &'c Column>) -> String {
    columns.into_iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

const SELECT: &str = "SELECT {sqlite t.name, c.cid, c.name, lower(c.type), c.\"notnull\" = 0,
        c.dflt_value IS NOT NULL, NULLIF(c.pk, 0)
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'}
    {postgres t.relname::text, c.attnum::bigint, c.attname::text, format_type(c.atttypid, NULL), NOT c.attnotnull,
        c.atthasdef, array_position(k.indkey::int2[], c.attnum)::bigint
    FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
    LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
    WHERE t.relkind IN ('r', 'p') AND t.relnamespace = current_schema()::regnamespace}";

statements! {
    pub(crate) COLUMNS tenantless "the catalogue is that of the whole database" = SELECT;
    COLUMNS_OF tenantless "the catalogue is that of the whole database" =
        concatcp!(SELECT, " AND {sqlite t.name}{postgres t.relname::text} = $1");
}

/// A column as the catalogue lists it.
#[derive(Debug)]
pub(crate) struct CatalogueRow {
    table: String,
    position: i64,
    name: String,
    type_name: String,
    nullable: bool,
    has_default: bool,
    key_position: Option<i64>,
}

columns! { CatalogueRow { table, position, name, type_name, nullable, has_default, key_position } }

/// The tables of this list that the database has.
pub async fn shapes(db: &Db) -> Result<Vec<TableShape>> {
    shapes_of(db.rows(&COLUMNS, &[], read).await?)
}

pub(crate) async fn shapes_in(tx: &mut Tx<'_>) -> Result<Vec<TableShape>> {
    shapes_of(tx.rows(&COLUMNS, &[], read).await?)
}

pub(crate) async fn shape(db: &Db, table: &str) -> Result<Option<TableShape>> {
    Ok(shapes_of(db.rows(&COLUMNS_OF, params![table], read).await?)?.pop())
}

/// Ignores tables of others in the same database.
pub(crate) fn shapes_of(mut catalogue: Vec<CatalogueRow>) -> Result<Vec<TableShape>> {
    catalogue.sort_by_key(|row| row.position);
    let mut shapes = Vec::new();
    for Table { name, backup_rule } in TABLES {
        let rows = || catalogue.iter().filter(|row| row.table == *name);
        let mut key: Vec<_> = rows().filter_map(|row| Some((row.key_position?, row.name.clone()))).collect();
        key.sort();
        let key = key.into_iter().map(|(_, name)| name).collect();
        let columns = rows().map(column).collect::<Result<Vec<_>>>()?;
        if !columns.is_empty() {
            shapes.push(TableShape { name, backup_rule: *backup_rule, columns, key });
        }
    }
    Ok(shapes)
}

fn column(row: &CatalogueRow) -> Result<Column> {
    let kind = match row.type_name.as_str() {
        "bigint" => ColumnKind::Int,
        "text" => ColumnKind::Text,
        "bytea" => ColumnKind::Bytes,
        "boolean" => ColumnKind::Bool,
        other => return Err(Error::Migration(format!("{}.{} has the type {other}", row.table, row.name))),
    };
    Ok(Column { name: row.name.clone(), kind, nullable: row.nullable, has_default: row.has_default })
}
