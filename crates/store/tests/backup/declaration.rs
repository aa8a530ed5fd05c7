//! The declarations in `tables` fit the schema of the migrations.

use std::collections::BTreeMap;

use store::tables::{ColumnKind, TABLES};
use store::{Db, Engine, Row, Statement};

use crate::fresh::on_both;

static OF_SQLITE: Statement = Statement::tenantless(
    "test.schema",
    "a test",
    "SELECT m.name, c.name, c.type, c.\"notnull\" = 0, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' ORDER BY m.name, c.cid",
);
static OF_POSTGRES: Statement = Statement::tenantless(
    "test.schema",
    "a test",
    "SELECT c.table_name::text, c.column_name::text, c.data_type::text, c.is_nullable = 'YES',
         COALESCE(k.ordinal_position, 0)::bigint
     FROM information_schema.columns c
     LEFT JOIN information_schema.key_column_usage k USING (table_schema, table_name, column_name)
     WHERE table_schema = 'public' ORDER BY c.table_name, c.ordinal_position",
);

/// Columns as name, kind and nullability, and the key.
#[derive(Debug, Default, PartialEq)]
struct Shape {
    columns: Vec<(String, ColumnKind, bool)>,
    key: Vec<String>,
}

async fn real(db: &Db) -> BTreeMap<String, Shape> {
    let statement = if db.engine() == Engine::Sqlite { &OF_SQLITE } else { &OF_POSTGRES };
    let mut found: BTreeMap<String, (Shape, BTreeMap<i64, String>)> = BTreeMap::new();
    let keep = |row: &Row<'_>| {
        let (table, column, type_name, required, place_in_key): (_, String, String, _, i64) = store::read(row)?;
        let (shape, key) = found.entry(table).or_default();
        if place_in_key > 0 {
            key.insert(place_in_key, column.clone());
        }
        shape.columns.push((column, kind(&type_name), required));
        Ok(())
    };
    db.each(statement, &[], keep).await.unwrap();
    found.into_iter().map(|(name, (shape, key))| (name, Shape { key: key.into_values().collect(), ..shape })).collect()
}

fn kind(sql: &str) -> ColumnKind {
    match sql.to_lowercase().as_str() {
        "bigint" => ColumnKind::Int,
        "text" => ColumnKind::Text,
        "bytea" => ColumnKind::Bytes,
        "boolean" => ColumnKind::Bool,
        other => panic!("a column has the type {other}, which the dialect does not know"),
    }
}

fn declared(engine: Engine) -> BTreeMap<String, Shape> {
    let there = TABLES.iter().filter(|table| engine == Engine::Postgres || table.name != "migration_guard");
    let shape = |table: &store::tables::Table| Shape {
        columns: table.columns.iter().map(|column| (column.name.to_owned(), column.kind, column.nullable)).collect(),
        key: table.key.iter().map(|&name| name.to_owned()).collect(),
    };
    there.map(|table| (table.name.to_owned(), shape(table))).collect()
}

on_both! {
    async fn every_table_is_declared_as_it_is(fresh) {
        assert_eq!(declared(fresh.db.engine()), real(&fresh.db).await);
    }
}
