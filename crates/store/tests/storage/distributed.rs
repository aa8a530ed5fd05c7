//! Rules that let any PostgreSQL that is distributed by tenant take the statements. Citus, an extension that
//! distributes PostgreSQL, was tried: it finds the node of a statement by its tenant, and refuses what would lock or
//! change rows of several nodes in an order of its own.
//!
//! Reads across tenants are allowed: each is a statement without a tenant, reviewed in `statements.rs`.

use store::Statement;
use store::base::tables::TABLES;
use store::migrations::{MIGRATIONS, commands};

/// Reviewed: statements that break a rule, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Why a distributed database would refuse a statement; none if it would accept it.
fn refused(text: &str, is_tenantless: bool) -> Option<&'static str> {
    let words: Vec<&str> = text.split(|letter: char| !(letter.is_alphanumeric() || "_$.".contains(letter))).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let has = |phrase: &[&str]| words.windows(phrase.len()).any(|part| part == phrase);
    let locks = has(&["FOR", "UPDATE"]) || has(&["FOR", "SHARE"]) || has(&["SKIP", "LOCKED"]);
    let changes = ["INSERT", "UPDATE", "DELETE"].contains(&words[0]);
    if is_tenantless && locks {
        return Some("a lock spans tenants");
    }
    if is_tenantless && words[0] != "SELECT" && words.contains(&"SELECT") {
        return Some("a change of several tenants depends on what it reads of them");
    }
    if changes && has(&["LIMIT"]) && is_tenantless {
        return Some("a change of several tenants has a limit");
    }
    if words.windows(3).any(|part| part[0] == "CASE" && part[1] != "WHEN" && part[2] == "WHEN") {
        return Some("CASE compares with a value: the type of a bound value is not known there");
    }
    if let Some((rows, conflict)) = text.split_once("ON CONFLICT")
        && text.starts_with("INSERT")
        && rows.contains("SELECT")
        && conflict.contains('$')
    {
        return Some("a value after ON CONFLICT of an insert that selects its rows");
    }
    let reads: usize = TABLES.iter().map(|table| looks_into(&words, table.name)).sum();
    let tenants = words.iter().filter(|word| word.ends_with("tenant_id")).count();
    if reads > 1 && tenants < reads {
        return Some("a join without the tenant");
    }
    if let Some(conflict) = text.split("ON CONFLICT (").nth(1)
        && !conflict.starts_with("tenant_id")
    {
        return Some("a conflict is found by a key without the tenant");
    }
    None
}

/// Number of reads of a table.
fn looks_into(words: &[&str], table: &str) -> usize {
    words.windows(2).filter(|pair| ["FROM", "JOIN"].contains(&pair[0]) && pair[1] == table).count()
}

#[test]
fn a_database_distributed_by_tenant_takes_every_statement() {
    let refused = |statement: &&Statement| {
        let reason = refused(statement.for_postgres(), statement.tenantless_reason().is_some())?;
        Some((statement.name(), reason))
    };
    let refused: Vec<_> = store::statements().iter().filter_map(refused).collect();
    let unknown: Vec<_> =
        refused.iter().filter(|(name, _)| EXCEPTIONS.iter().all(|(known, _)| known != name)).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    let kept: Vec<_> = EXCEPTIONS.iter().filter(|(name, _)| refused.iter().all(|(one, _)| one != name)).collect();
    assert!(kept.is_empty(), "no exception any more: {kept:?}");
}

/// Inserts of many rows that skip existing ones, and whose number of inserted rows is used. Citus counts the skipped
/// rows of an insert over arrays as well, unless the statement returns the inserted ones.
const COUNTED: [&str; 4] =
    ["calls.insert", "contacts.identities.claim", "conversations.rows.insert", "messages.insert"];

#[test]
fn an_insert_that_is_counted_returns_the_inserted_rows() {
    for name in COUNTED {
        let found = store::statements().into_iter().find(|statement| statement.name() == name);
        let statement = found.unwrap_or_else(|| panic!("{name} is no statement"));
        assert!(statement.for_postgres().contains("DO NOTHING RETURNING "), "{}", statement.for_postgres());
        assert!(!statement.for_sqlite().contains("RETURNING"), "{}", statement.for_sqlite());
    }
}

#[test]
fn bad_statements_are_refused() {
    let bad = [
        ("SELECT id FROM orders WHERE lookup_at <= $1 ORDER BY lookup_at LIMIT $2 FOR UPDATE SKIP LOCKED", true),
        ("DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE expires_at <= $1 LIMIT $2)", true),
        ("UPDATE messages SET state = CASE state WHEN $3 THEN $4 END WHERE tenant_id = $1 AND id = $2", false),
        ("SELECT c.id FROM contacts c JOIN contact_identities i ON i.contact_id = c.id WHERE c.tenant_id = $1", false),
        ("INSERT INTO leases (tenant_id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", false),
        (
            "INSERT INTO media_usage (tenant_id, bytes) SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT)
             ON CONFLICT (tenant_id) DO UPDATE SET bytes = excluded.bytes WHERE media_usage.bytes < $3",
            false,
        ),
        ("UPDATE sessions SET expires_at = 0 WHERE id IN (SELECT id FROM accounts WHERE disabled)", true),
    ];
    for (text, is_tenantless) in bad {
        assert!(refused(text, is_tenantless).is_some(), "{text}");
    }
}

#[test]
fn a_migration_sends_one_command_in_a_message() {
    let words = ["ALTER ", "CREATE ", "DELETE ", "DROP ", "INSERT ", "SET ", "UPDATE "];
    let begins = |line: &&str| {
        let line = line.trim_start_matches("{sqlite ").trim_start_matches("{postgres ");
        words.iter().any(|word| line.starts_with(word))
    };
    for step in MIGRATIONS {
        let all = commands(step.sql);
        assert!(all.iter().all(|command| command.lines().filter(begins).count() <= 1), "{}: {all:#?}", step.name);
    }
}
