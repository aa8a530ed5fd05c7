//! Plans that a connection of PostgreSQL keeps while the tables fill: none may be one that fits empty tables only.
//!
//! A connection plans each statement while all tables are empty, as a server does that starts with a new database. Then
//! the tables fill in steps; after each, a node does what it does by itself (`Db::refresh_statistics`), and the same
//! connection is asked which plans it uses now.

use std::collections::{BTreeMap, BTreeSet};

use domain::Clock;
use store::base::tables::{self, Column, ColumnKind, TableShape};
use store::{Db, Engine, Location, Statement, migrate, read};
use testkit::fresh::FreshDatabase;

/// Rows of every table after each step.
const STEPS: [i64; 4] = [40, 400, 2000, 6000];
/// With fewer rows every plan is fast.
const FEW: i64 = 2000;

/// Reviewed: statements that read more of a table than an index would make necessary, with the reason.
const REVIEWED: &[(&str, &str)] = &[
    (
        "calls.list.count",
        "ranges of unknown size: two indexes look alike while there are few calls; `plans.rs` holds these",
    ),
    ("calls.list.page", "as calls.list.count"),
    ("inbox.list.by_filter", "a filter by channel: two indexes look alike while there are few conversations"),
    ("imports.claim", "few imports are open; the text over arrays is not used"),
    ("imports.finish_upload", "few imports are being uploaded; the text over arrays is not used"),
    ("webhooks.deliveries.release_next", "the index has open deliveries only, and is empty here"),
];

/// Columns that get few different values, as they have in a real database.
const FEW_VALUES: [&str; 22] = [
    "state",
    "status",
    "kind",
    "direction",
    "event",
    "network",
    "source",
    "role",
    "plan",
    "purpose",
    "category",
    "class",
    "channel_id",
    "webhook_id",
    "template_id",
    "operator_id",
    "import_id",
    "account_id",
    "priority",
    "facet",
    "shard",
    "broadcast_id",
];

fn value(column: &Column) -> String {
    let number = match column.name.as_str() {
        "tenant_id" => return "7 + n % 3".to_owned(),
        "conversation_id" | "contact_id" => "n / 3",
        name if FEW_VALUES.contains(&name) => "n % 5",
        _ => "n",
    };
    let value = match column.kind {
        ColumnKind::Int => number.to_owned(),
        ColumnKind::Text => format!("'t' || {number}"),
        ColumnKind::Bytes => format!("decode(lpad(to_hex({number}), 24, '0'), 'hex')"),
        ColumnKind::Bool => "n % 2 = 0".to_owned(),
    };
    if column.nullable { format!("CASE WHEN n % 4 > 0 THEN {value} END") } else { value }
}

async fn fill(db: &Db, table: &TableShape, from: i64, to: i64) {
    let values: Vec<String> = table.columns.iter().map(value).collect();
    let text = format!(
        "INSERT INTO {} ({}) SELECT {} FROM generate_series({from}, {to}) AS n ON CONFLICT DO NOTHING",
        table.name,
        tables::column_names(&table.columns),
        values.join(", ")
    );
    let insert = Statement::composed("test.fill", text);
    db.write(insert, |tx, insert| Box::pin(tx.execute(insert, &[]))).await.unwrap();
}

/// The columns of each index by table: partial indexes are left out, since a statement may not be able to use them.
async fn indexes(db: &Db) -> BTreeMap<String, Vec<Vec<String>>> {
    static INDEXES: Statement = Statement::new(
        "test.indexes",
        "SELECT t.relname::text, string_agg(a.attname, ' ' ORDER BY k.place)
         FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
         JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) ON true
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
         WHERE t.relnamespace = current_schema()::regnamespace AND i.indpred IS NULL GROUP BY t.relname, i.indexrelid",
    );
    let rows: Vec<(String, String)> = db.rows(&INDEXES, &[], read).await.unwrap();
    let mut all: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for (table, columns) in rows {
        all.entry(table).or_default().push(columns.split(' ').map(str::to_owned).collect());
    }
    all
}

/// A node of a plan that reads a table.
#[derive(Debug, Default)]
struct Look {
    table: String,
    /// Columns that the index compares with one value.
    by_index: BTreeSet<String>,
    /// Columns that are compared with one value at all.
    equal: BTreeSet<String>,
}

fn looks(plan: &[String]) -> Vec<Look> {
    let mut looks: Vec<Look> = Vec::new();
    let mut is_look = false;
    for line in plan.iter().map(|line| line.trim_start().trim_start_matches("->").trim_start()) {
        if let Some((conditions, is_index)) = conditions(line) {
            if let Some(look) = looks.last_mut().filter(|_| is_look) {
                let equal = equal_columns(conditions);
                if is_index {
                    look.by_index.extend(equal.iter().cloned());
                }
                look.equal.extend(equal);
            }
            continue;
        }
        let is_node = line.contains("  (cost=");
        let table = line.split_once(" on ").map(|(_, rest)| rest.split(' ').next().unwrap_or_default());
        let reads = ["Seq Scan on", "Index Scan", "Index Only Scan", "Bitmap Heap Scan on"];
        if is_node && reads.iter().any(|name| line.starts_with(name)) {
            looks.push(Look { table: table.unwrap_or_default().to_owned(), ..Look::default() });
            is_look = true;
        } else if is_node {
            // An index scan below a bitmap belongs to the node above it.
            is_look = line.starts_with("Bitmap Index Scan") || line.starts_with("BitmapAnd");
        }
    }
    looks
}

fn conditions(line: &str) -> Option<(&str, bool)> {
    let index = line.strip_prefix("Index Cond: ").map(|rest| (rest, true));
    index.or_else(|| line.strip_prefix("Filter: ").map(|rest| (rest, false)))
}

/// Names before ` = `, without their table.
fn equal_columns(conditions: &str) -> Vec<String> {
    let parts: Vec<&str> = conditions.split(" = ").collect();
    let compared = parts.windows(2).filter(|pair| !pair[1].starts_with("ANY")).map(|pair| pair[0]);
    let name = |before: &str| {
        let name = before.rsplit(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).next();
        name.unwrap_or_default().to_owned()
    };
    // A comparison inside of an `OR` does not restrict the rows.
    if conditions.contains(" OR ") { Vec::new() } else { compared.map(name).collect() }
}

/// Whether few rows have the same value in this column.
fn leads_to_few(column: &str) -> bool {
    !FEW_VALUES.contains(&column) && !["tenant_id", "conversation_id", "contact_id"].contains(&column)
}

/// The number of leading columns of an index that are compared with one value.
fn run(index: &[String], equal: &BTreeSet<String>) -> usize {
    index.iter().take_while(|column| equal.contains(*column)).count()
}

/// What the plan reads although an index would lead to fewer rows.
fn faults(plan: &[String], indexes: &BTreeMap<String, Vec<Vec<String>>>) -> Vec<String> {
    let fault = |look: Look| {
        let best = indexes.get(&look.table)?.iter().map(|index| run(index, &look.equal)).max()?;
        let is_fault = look.by_index.len() < best && !look.by_index.iter().any(|column| leads_to_few(column));
        is_fault.then(|| format!("{} by {:?} of {:?}", look.table, look.by_index, look.equal))
    };
    looks(plan).into_iter().filter_map(fault).collect()
}

#[tokio::test]
async fn no_kept_plan_fits_empty_tables_only() {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let Location::Postgres { url, .. } = &fresh.location else { panic!("not PostgreSQL") };
    let one = Db::open(&Location::Postgres { url: url.clone(), connections: 1 }).unwrap();
    let filler = fresh.open();
    migrate(&filler, &Clock::system()).await.unwrap();
    let statements = store::statements();
    for statement in &statements {
        one.explain_kept(statement).await.unwrap();
    }
    let (tables, indexes) = (tables::shapes(&filler).await.unwrap(), indexes(&filler).await);
    let mut last = 0;
    let mut analyzed = BTreeSet::new();
    for rows in STEPS {
        for table in tables.iter().filter(|table| table.name != "schema_migrations") {
            fill(&filler, table, last + 1, rows).await;
        }
        last = rows;
        analyzed.extend(filler.refresh_statistics().await.unwrap());
        if rows < FEW {
            continue;
        }
        let mut bad = BTreeMap::new();
        for statement in &statements {
            let plan = one.explain_kept(statement).await.unwrap();
            let found = faults(&plan, &indexes);
            if !found.is_empty() && REVIEWED.iter().all(|(name, _)| *name != statement.name()) {
                bad.insert(statement.name(), format!("{}\n{}", found.join("; "), plan.join("\n")));
            }
        }
        let bad: Vec<String> = bad.iter().map(|(name, fault)| format!("{name}: {fault}")).collect();
        assert!(bad.is_empty(), "with {rows} rows, {} statements:\n{}", bad.len(), bad.join("\n\n"));
    }
    assert!(analyzed.contains("calls") && analyzed.contains("messages"), "{analyzed:?}");
    // Tables that do not grow are not analyzed again.
    assert!(filler.refresh_statistics().await.unwrap().is_empty());
    drop((one, filler));
    fresh.remove().await;
}

/// Pages without an offset and without a filter by duration, whose calls come from one scan.
fn is_plain_page(statement: &Statement) -> bool {
    statement.name() == "calls.list.page" && !statement.text().contains("merged") && !statement.text().contains(" p ")
}

/// An import, or a test of load, can give many calls one time. An index that has no ids returns them in no order.
#[tokio::test]
async fn many_calls_of_one_time_are_not_sorted_for_a_page() {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let Location::Postgres { url, .. } = &fresh.location else { panic!("not PostgreSQL") };
    let one = Db::open(&Location::Postgres { url: url.clone(), connections: 1 }).unwrap();
    let filler = fresh.open();
    migrate(&filler, &Clock::system()).await.unwrap();
    let tables = tables::shapes(&filler).await.unwrap();
    fill(&filler, tables.iter().find(|table| table.name == "calls").unwrap(), 1, 20_000).await;
    for text in ["UPDATE calls SET started_at = 1777024800000000", "ANALYZE calls"] {
        filler.each(&Statement::composed("test.prepare", text.to_owned()), &[], |_| Ok(())).await.unwrap();
    }
    let pages: Vec<_> = store::statements().into_iter().filter(|statement| is_plain_page(statement)).collect();
    assert!(pages.len() >= 8, "{}", pages.len());
    for statement in pages {
        let plan = one.explain_kept(statement).await.unwrap();
        let sorts = plan.iter().any(|line| line.contains("Sort"));
        assert!(!sorts, "{}\n{}", statement.text(), plan.join("\n"));
    }
    drop((one, filler));
    fresh.remove().await;
}
