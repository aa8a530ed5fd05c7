//! Statistics of tables that grow fast, and the plans that connections keep.
//!
//! A connection plans a statement once and keeps the plan (`SETTINGS`). A plan that was made while a table was empty
//! may use an index by which every row of the tenant is read: with no rows all indexes cost the same. PostgreSQL makes
//! a kept plan anew when the table is analyzed, which its own maintenance does after a minute or more. So a node looks
//! which tables have outgrown their statistics, by their size alone, and analyzes those: a new installation fills its
//! tables within seconds.
//!
//! The cost is bounded: a table is analyzed when it has grown fourfold, from a small sample, one table at a time, and
//! large tables are left to PostgreSQL. `ANALYZE` delays neither reads nor writes. Two nodes that analyze the same
//! table do it one after the other.

use std::sync::atomic::Ordering;

use deadpool_postgres::ClientWrapper;
use tokio_postgres::SimpleQueryMessage;

use crate::base::postgres::driver::Postgres;
use crate::base::tables::TABLES;
use crate::{Error, Result, Statement};

/// The tables of this database that have grown fourfold since their pages were last counted. Below three pages every
/// plan is fast; above a hundred thousand (800 MB) the statistics that there are describe the table well enough. A
/// table whose rows were not committed when it was analyzed looked empty: it is analyzed again.
const OUTGROWN: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relpages < 100000
        AND (pg_relation_size(c.oid) >= 8192::bigint * GREATEST(3, 4 * c.relpages)
            OR (c.reltuples = 0 AND c.relpages >= 3 AND s.last_analyze < now() - interval '10 seconds'))";
/// Rows that this process writes between two looks at the sizes of tables. A look costs about as much as writing a few
/// rows.
const ROWS_BETWEEN_LOOKS: u64 = 200;
/// A sample of 3 000 rows: enough to tell the indexes apart.
const SAMPLE: &str = "SET LOCAL default_statistics_target = 10";

impl Postgres {
    /// Runs `refresh_statistics`, if this process has written `ROWS_BETWEEN_LOOKS` rows since the last look.
    pub async fn refresh_statistics_if_due(&self) -> Result<Vec<String>> {
        let written = self.traffic.rows_written();
        if written < self.looked_after.load(Ordering::Relaxed) + ROWS_BETWEEN_LOOKS {
            return Ok(Vec::new());
        }
        self.looked_after.store(written, Ordering::Relaxed);
        self.refresh_statistics().await
    }

    pub async fn refresh_statistics(&self) -> Result<Vec<String>> {
        let wrong = |error: tokio_postgres::Error| Error::postgres("statistics", &error);
        let client = self.client().await?;
        let rows = client.query_typed(OUTGROWN, &[]).await.map_err(wrong)?;
        self.traffic.statements(1);
        self.traffic.round_trip();
        let outgrown = rows.iter().map(|row| row.try_get(0).map_err(|_| Error::Column(0)));
        let mut outgrown: Vec<String> = outgrown.collect::<Result<_>>()?;
        outgrown.retain(|name| TABLES.iter().any(|table| table.name == *name));
        for table in &outgrown {
            client.batch_execute(&format!("BEGIN; {SAMPLE}; ANALYZE {table}; COMMIT")).await.map_err(wrong)?;
            self.traffic.statements(4);
            self.traffic.round_trip();
        }
        Ok(outgrown)
    }

    /// The plans that the connection keeps for a statement and, where there is one, for its text over arrays. Values
    /// are not looked at: a kept plan is the same for all.
    pub async fn explain_kept(&self, statement: &Statement) -> Result<Vec<String>> {
        let client = self.client().await?;
        let types = client.parameter_types(statement).await?;
        let texts = [Some(statement.for_postgres()), statement.over_arrays(types)];
        let mut lines = Vec::new();
        for text in texts.into_iter().flatten() {
            let plan = kept_plan(&client, text).await.map_err(|error| Error::postgres(statement.name(), &error))?;
            lines.extend(plan);
        }
        Ok(lines)
    }
}

async fn kept_plan(client: &ClientWrapper, text: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    let prepared = client.prepare_cached(text).await?;
    let named = client.query_one("SELECT name FROM pg_prepared_statements WHERE statement = $1", &[&text]).await?;
    let name: String = named.try_get(0)?;
    let values = vec!["NULL"; prepared.params().len()].join(", ");
    let values = if values.is_empty() { values } else { format!("({values})") };
    let plan = client.simple_query(&format!("EXPLAIN EXECUTE {name}{values}")).await?;
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    Ok(plan.iter().filter_map(line).collect())
}
