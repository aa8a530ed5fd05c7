//! A new database gets its schema at once, from a script that is written from a database that ran every step. Both must
//! have the same schema and the same rows.
//!
//! After a change of the migrations: `SWITCHBOARD_WRITE_SCHEMA=1 scripts/test --test storage whole_schema::`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::Clock;
use store::migrations::{MIGRATIONS, migrate};
use store::tables::{TABLES, Table};
use store::{Db, Engine, Error, Location, Statement, read};
use testkit::fresh::FreshDatabase;

use crate::fixtures::{on_both, run};
use crate::schema::postgres_client;
use crate::upgrading::apply_first;

const WRITE: &str = "SWITCHBOARD_WRITE_SCHEMA";
const HEAD: &str = "-- The schema of a new database. Written by a test from a database that ran every step:
-- SWITCHBOARD_WRITE_SCHEMA=1 scripts/test --test storage whole_schema::\n";

/// Indexes are created in the order of the steps: SQLite and PostgreSQL take the first of two indexes that fit equally.
const SQLITE_SCRIPT: &[&str] =
    &["SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"];
const POSTGRES_SCRIPT: &[&str] = &[
    "SELECT format(E'CREATE TABLE %I (\\n    %s%s\\n)%s;', c.relname, (
         SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
             || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
             || COALESCE(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true), ''), E',\\n    ' ORDER BY a.attnum)
         FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     ), (
         SELECT string_agg(format(E',\\n    CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid, true)), ''
             ORDER BY k.oid)
         FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype <> 'n'
     ), ' WITH (' || array_to_string(c.reloptions, ', ') || ')')
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
         AND c.relname <> 'migration_guard' ORDER BY c.oid",
    "SELECT pg_get_indexdef(i.indexrelid, 0, true) || ';'
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = current_schema()::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY i.indexrelid",
];

const SQLITE_FACTS: &[&str] = &[
    "SELECT concat_ws(' ', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY rowid",
    "SELECT concat_ws(' ', 'settings', application_id, auto_vacuum, encoding, page_size, user_version)
     FROM pragma_application_id, pragma_auto_vacuum, pragma_encoding, pragma_page_size, pragma_user_version",
];
/// Without the names of NOT NULL constraints, which PostgreSQL has from version 18 on: nothing refers to them. Without the
/// option `pg_attver`, a number that the server itself gives to each column from version 15.20 on.
const POSTGRES_FACTS: &[&str] = &[
    "SELECT concat_ws(' ', c.relkind, c.relname, m.amname, c.relpersistence, c.relreplident, c.reltablespace,
         c.relrowsecurity, c.relhastriggers, c.relhasrules, c.relispartition, c.relacl, c.reloptions, t.reloptions)
     FROM pg_class c LEFT JOIN pg_am m ON m.oid = c.relam LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
     WHERE c.relnamespace = current_schema()::regnamespace ORDER BY c.relname",
    "SELECT concat_ws(' ', c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
         format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attstorage,
         a.attcompression, a.attstattarget, a.attidentity, a.attgenerated, a.attcollation::regcollation,
         (SELECT array_agg(option) FROM unnest(a.attoptions) option WHERE NOT starts_with(option, 'pg_attver=')))
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
     ORDER BY c.relname, a.attnum",
    "SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
     WHERE connamespace = current_schema()::regnamespace AND contype <> 'n' ORDER BY conrelid::regclass::text, conname",
    "SELECT concat_ws(' ', 'index', row_number() OVER (PARTITION BY i.indrelid ORDER BY i.indexrelid),
         pg_get_indexdef(i.indexrelid), i.indisprimary, i.indisclustered, i.indisvalid, i.indisreplident)
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace
     ORDER BY i.indrelid::regclass::text, i.indexrelid",
    "SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname) FROM pg_trigger ORDER BY 1",
    "SELECT concat_ws(' ', 'function', proname) FROM pg_proc
     WHERE pronamespace = current_schema()::regnamespace ORDER BY 1",
    "SELECT concat_ws(' ', 'type', typname, typtype) FROM pg_type
     WHERE typnamespace = current_schema()::regnamespace ORDER BY 1",
    "SELECT concat_ws(' ', 'statistics', pg_get_statisticsobjdef(oid)) FROM pg_statistic_ext ORDER BY 1",
    "SELECT concat_ws(' ', 'comment', objoid::regclass, objsubid, description) FROM pg_description
     JOIN pg_class c ON c.oid = objoid WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1",
];

/// The lines of all queries, each of which has one column.
async fn lines<Q: AsRef<str> + Sync>(location: &Location, queries: &[Q]) -> Vec<String> {
    let mut lines = Vec::new();
    match location {
        Location::Sqlite { file } => {
            let connection = rusqlite::Connection::open(file).unwrap();
            for query in queries {
                let mut query = connection.prepare(query.as_ref()).unwrap();
                lines.extend(query.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap));
            }
        }
        Location::Postgres { url, .. } => {
            let client = postgres_client(url).await;
            for query in queries {
                let rows = client.query(query.as_ref(), &[]).await.unwrap();
                lines.extend(rows.iter().map(|row| row.get::<_, String>(0)));
            }
        }
    }
    lines
}

/// Reads every row as text. The time and the version of a step, and the holder of the guard, are of no account.
fn rows_query(table: &Table, engine: Engine) -> String {
    let is_compared = |name: &str| match table.name {
        "schema_migrations" => name == "name",
        "migration_guard" => name == "tenant_id",
        _ => true,
    };
    let quote = if engine == Engine::Sqlite { "quote" } else { "quote_nullable" };
    let columns = table.columns.iter().filter(|column| is_compared(column.name));
    let columns: Vec<String> = columns.map(|column| format!("{quote}({})", column.name)).collect();
    format!("SELECT concat_ws(' ', '{}', {}) FROM {} ORDER BY 1", table.name, columns.join(", "), table.name)
}

async fn facts(location: &Location, engine: Engine) -> Vec<String> {
    let facts = if engine == Engine::Sqlite { SQLITE_FACTS } else { POSTGRES_FACTS };
    let tables = TABLES.iter().filter(|table| engine == Engine::Postgres || table.name != "migration_guard");
    let rows: Vec<String> = tables.map(|table| rows_query(table, engine)).collect();
    let mut all = lines(location, facts).await;
    all.extend(lines(location, &rows).await);
    all
}

fn file(engine: Engine) -> PathBuf {
    let name = if engine == Engine::Sqlite { "schema.sqlite.sql" } else { "schema.postgres.sql" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/migrations").join(name)
}

/// A database that ran every step: one with a first step does not get the schema at once.
async fn stepped(engine: Engine) -> (FreshDatabase, Db) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    apply_first(&db, &MIGRATIONS[..1]).await;
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len() - 1);
    (fresh, db)
}

/// The version that is recorded for the first step.
async fn recorded_version(db: &Db) -> Option<String> {
    let text = format!("SELECT version FROM schema_migrations WHERE name = '{}'", MIGRATIONS[0].name);
    db.row(&Statement::composed("test", text), &[], read).await.unwrap().unwrap()
}

#[track_caller]
fn assert_same(new: &[String], stepped: &[String]) {
    let gone: Vec<&String> = stepped.iter().filter(|line| !new.contains(line)).collect();
    let added: Vec<&String> = new.iter().filter(|line| !stepped.contains(line)).collect();
    assert!(
        new == stepped,
        "the schema of new databases lacks {gone:#?} and has {added:#?}. Write it anew: run this test with {WRITE}=1."
    );
}

async fn a_new_database_is_like_one_that_ran_every_step(engine: Engine) {
    let (old, old_db) = stepped(engine).await;
    if std::env::var_os(WRITE).is_some() {
        let script = if engine == Engine::Sqlite { SQLITE_SCRIPT } else { POSTGRES_SCRIPT };
        let text = lines(&old.location, script).await.join("\n");
        // Compared by the next run, whose build has the new file.
        std::fs::write(file(engine), format!("{HEAD}{text}\n")).unwrap();
        return;
    }
    let new = FreshDatabase::on(engine).await;
    let new_db = new.open();
    assert_eq!(migrate(&new_db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len());
    assert_eq!(recorded_version(&old_db).await, None);
    assert_eq!(recorded_version(&new_db).await.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    let facts_of_new = facts(&new.location, engine).await;
    assert!(facts_of_new.len() > 100 + MIGRATIONS.len(), "{}", facts_of_new.len());
    assert_same(&facts_of_new, &facts(&old.location, engine).await);
    drop((old_db, new_db));
    old.remove().await;
    new.remove().await;
}

/// The tables of the schema that are there. The guard of the migrations exists before the schema.
async fn tables(db: &Db) -> Vec<String> {
    static PRESENT: Statement = Statement::tenantless(
        "test.tables",
        "a test",
        "SELECT {sqlite name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'}
         {postgres relname::text FROM pg_class
           WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'migration_guard'}",
    );
    db.rows(&PRESENT, &[], read).await.unwrap()
}

async fn a_schema_that_fails_leaves_nothing_and_is_created_later(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    run(&db, "CREATE VIEW segments AS SELECT 1 AS one").await;
    let failed = migrate(&db, &Clock::system()).await.unwrap_err();
    assert!(matches!(&failed, Error::Migration(said) if said.starts_with("new schema: ")), "{failed:?}");
    assert_eq!(tables(&db).await, Vec::<String>::new());
    run(&db, "DROP VIEW segments").await;
    // Does not wait for a guard that the failed start left.
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len());
    drop(db);
    fresh.remove().await;
}

on_both! {
    a_new_database_is_like_one_that_ran_every_step
    a_schema_that_fails_leaves_nothing_and_is_created_later
}

/// The first start is cut off after different times, with its connection.
#[tokio::test]
async fn a_start_that_is_cut_off_on_postgres_leaves_all_or_nothing() {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let watching = fresh.open();
    // The guard of the migrations is declared too.
    let complete = TABLES.len() - 1;
    for milliseconds in [1, 3, 5, 10, 20, 30, 40, 60, 80, 120] {
        let db = fresh.open();
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), migrate(&db, &Clock::system())).await;
        drop(db);
        let there = tables(&watching).await.len();
        assert!(there == 0 || there == complete, "{there} tables after {milliseconds} ms");
    }
    migrate(&watching, &Clock::system()).await.unwrap();
    assert_eq!(tables(&watching).await.len(), complete);
    assert!(migrate(&watching, &Clock::system()).await.unwrap().is_empty());
    drop(watching);
    fresh.remove().await;
}

/// A start of an earlier version that was cut off before it recorded its first step.
#[tokio::test]
async fn a_start_of_an_earlier_version_is_continued_on_postgres() {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let db = fresh.open();
    run(&db, MIGRATIONS[0].sql).await;
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len());
    assert_eq!(recorded_version(&db).await, None);
    drop(db);
    fresh.remove().await;
}
