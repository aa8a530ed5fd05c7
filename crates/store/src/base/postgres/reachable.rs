//! A read across tenants of a distributed database while a worker is away, for the tenants of all others.
//!
//! Citus refuses a statement that concerns a shard of a missing worker, and a list of tenants takes it long to plan: 2 s
//! for 50 000 of them. So the read has two steps. The first runs it on each shard of the workers that respond, and
//! returns the tenants that have such rows, which are those with work. The second is the statement itself, for these
//! tenants alone, with its order and its limit.

use std::fmt::Write as _;

use tokio_postgres::Row as PgRow;

use super::PooledClient;
use crate::base::table_list::TABLES;
use crate::{Error, Param, Result, Statement, params};

/// Runs a command on each shard of these tables, all shards of a worker in one statement. `$1` is the command, in which
/// `%1$s` is the shard of the first table, `%2$s` that of the second; `$2` has the names of the tables. Does not fail if
/// a worker does.
static ON_SHARDS: &str = "SELECT run.node_name || ':' || run.node_port, run.success, COALESCE(run.result, '')
    FROM (
        SELECT array_agg(nodename) AS names, array_agg(nodeport) AS ports, array_agg(command) AS commands FROM (
            SELECT n.nodename, n.nodeport, 'SELECT string_agg(tenants, '','') FROM ('
                || string_agg(format(CAST($1 AS TEXT), VARIADIC shards), ' UNION ALL ') || ') found (tenants)' AS command
            FROM (
                SELECT MIN(p.groupid) AS groupid, array_agg(shard_name(s.logicalrelid, s.shardid)
                    ORDER BY array_position(string_to_array(CAST($2 AS TEXT), ','), s.logicalrelid::text)) AS shards
                FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
                WHERE s.logicalrelid::text = ANY (string_to_array(CAST($2 AS TEXT), ','))
                GROUP BY s.shardminvalue
            ) shard_groups
            JOIN pg_dist_node n ON n.groupid = shard_groups.groupid AND n.noderole::text = 'primary'
            GROUP BY n.nodename, n.nodeport
        ) workers
    ) all_workers, master_run_on_worker(names, ports, commands, true) run";

/// Fetches the rows of the tenants on the workers that respond. `away` are the addresses of the others.
pub(super) async fn fetch(
    client: &PooledClient,
    away: &[String],
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<Vec<PgRow>> {
    let (command, tables) = command(statement.for_postgres(), params);
    let found = client.fetch_text(statement.name(), ON_SHARDS, params![&command, &tables]).await?;
    let mut tenants = Vec::new();
    for row in &found {
        let column = |_| Error::Column(0);
        let (worker, succeeded): (String, bool) = (row.try_get(0).map_err(column)?, row.try_get(1).map_err(column)?);
        let result: String = row.try_get(2).map_err(column)?;
        if succeeded {
            tenants.extend((!result.is_empty()).then_some(result));
        } else if !away.contains(&worker) {
            return Err(Error::Unavailable(format!("{} on {worker}: {result}", statement.name())));
        }
    }
    if tenants.is_empty() {
        return Ok(Vec::new());
    }
    client.fetch_text(statement.name(), &limited(statement.for_postgres(), &tenants.join(",")), params).await
}

/// The command of the first step, and the names of its tables.
fn command(text: &str, params: &[Param<'_>]) -> (String, String) {
    let tables = tables_of(text);
    let shards = tables.iter().enumerate();
    let shards = shards.map(|(index, name)| format!("{name} AS NOT MATERIALIZED (SELECT * FROM %{}$s)", index + 1));
    let shards = shards.collect::<Vec<_>>().join(", ");
    let rows = with_values(text, params).replace('%', "%%");
    let tenants = "SELECT string_agg(DISTINCT tenant_id::text, ',')";
    (format!("(WITH {shards} {tenants} FROM ({rows}) hits)"), tables.join(","))
}

/// The text of a statement for these tenants alone. In a `WITH` that is not recursive, a name inside of its own
/// definition is that of the table.
fn limited(text: &str, tenants: &str) -> String {
    let tables = tables_of(text).into_iter();
    let tables =
        tables.map(|name| format!("{name} AS NOT MATERIALIZED (SELECT * FROM {name} WHERE tenant_id IN ({tenants}))"));
    let tables = tables.collect::<Vec<_>>().join(", ");
    match text.trim_start().strip_prefix("WITH ") {
        Some(rest) => format!("WITH {tables}, {rest}"),
        None => format!("WITH {tables} {text}"),
    }
}

/// The tables that a statement reads.
fn tables_of(text: &str) -> Vec<&'static str> {
    let words: Vec<&str> = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_read = |table: &str| words.windows(2).any(|pair| ["FROM", "JOIN"].contains(&pair[0]) && pair[1] == table);
    TABLES.iter().map(|table| table.name).filter(|name| is_read(name)).collect()
}

/// The text with values in place of its parameters: a command for a worker has none.
fn with_values(text: &str, params: &[Param<'_>]) -> String {
    let mut parts = text.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        let param = number.parse::<usize>().ok().and_then(|number| params.get(number.checked_sub(1)?));
        out.push_str(&literal(param.unwrap_or(&Param::Null)));
        out.push_str(rest);
    }
    out
}

fn literal(param: &Param<'_>) -> String {
    let text = |text: &str| format!("'{}'::text", text.replace('\'', "''"));
    match param {
        Param::Null => "NULL".to_owned(),
        Param::Int(value) => format!("'{value}'::bigint"),
        Param::Bool(value) => value.to_string(),
        Param::Text(value) => text(value),
        Param::Owned(value) => text(value),
        Param::Bytes(value) => bytes(value),
        Param::OwnedBytes(value) => bytes(value),
        Param::Id(value) => bytes(value),
    }
}

fn bytes(value: &[u8]) -> String {
    let mut hex = String::from("'\\x");
    for byte in value {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex + "'::bytea"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_limited_in_each_table_that_it_reads() {
        let limited_to =
            |table: &str| format!("{table} AS NOT MATERIALIZED (SELECT * FROM {table} WHERE tenant_id IN (7,9))");
        assert_eq!(
            limited("SELECT c.id FROM channels c WHERE EXISTS (SELECT 1 FROM outbox o)", "7,9"),
            format!(
                "WITH {}, {} SELECT c.id FROM channels c WHERE EXISTS (SELECT 1 FROM outbox o)",
                limited_to("channels"),
                limited_to("outbox")
            )
        );
        assert_eq!(
            limited("WITH a AS (SELECT id FROM orders) SELECT id FROM a", "7,9"),
            format!("WITH {}, a AS (SELECT id FROM orders) SELECT id FROM a", limited_to("orders"))
        );
    }

    #[test]
    fn a_command_for_a_shard_has_its_values_inside() {
        let params = params![-5, "it's 5 %", b"\x01\xff".as_slice(), None::<i64>, true];
        let text = "SELECT tenant_id FROM orders WHERE a < $1 AND b = $2 AND c = $3 AND d = $4 AND e = $5 AND f > $1";
        let (command, tables) = command(text, params);
        assert_eq!(
            command,
            "(WITH orders AS NOT MATERIALIZED (SELECT * FROM %1$s) SELECT string_agg(DISTINCT tenant_id::text, ',') \
             FROM (SELECT tenant_id FROM orders WHERE a < '-5'::bigint AND b = 'it''s 5 %%'::text AND \
             c = '\\x01ff'::bytea AND d = NULL AND e = true AND f > '-5'::bigint) hits)"
        );
        assert_eq!(tables, "orders");
    }
}
