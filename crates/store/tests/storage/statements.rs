//! All statements: both engines accept each, each names its tenant, and none is missing from the list.

use std::collections::BTreeSet;
use std::path::Path;

use store::Statement;

/// Reviewed: statements without a tenant.
const TENANTLESS: &[(&str, &str)] = &[
    ("accounts.for_log_in", "a log-in names an e-mail address and no tenant"),
    (
        "accounts.most_of_one_address",
        "every log-in verifies as many hashes as the address with the most accounts needs",
    ),
    ("activity.behind", "the worker looks for logs of all tenants that are not counted"),
    ("alert_settings.tenants", "the worker finds tenants with settings of alerts"),
    ("backup.applied", "the schema belongs to the installation"),
    ("broadcast_retries.due", "the worker looks for due retries of all tenants"),
    ("channel_tokens.due", "the worker finds channels of all tenants whose token is to be checked"),
    ("channels.by_account_id", "a request to the sandbox names an account and no tenant"),
    ("channels.by_id", "a hook names its channel and no tenant"),
    ("channels.by_number_id", "a request to the sandbox names a number and no tenant"),
    ("channels.page_of_network", "a request to the sandbox names an access token and no tenant"),
    ("contact_terms.clear", "the index is built anew for the whole installation"),
    ("contact_terms.next_tenant", "the index is built anew for the whole installation"),
    ("conversations.due_to_wake", "the worker looks for snoozes of all tenants that are over"),
    ("events.logs", "the sweep drops old events of every tenant"),
    ("events.moved", "a node finds logs that another node has numbered lately"),
    ("events.waiting", "the numbering worker finds facts without a number"),
    ("factor_enrolments.sweep", "the sweep deletes expired enrolments of every tenant"),
    ("idempotency.expired", "the sweep finds expired keys of every tenant"),
    ("imports.old", "a sweep across tenants"),
    ("imports.open", "workers look for work across tenants"),
    ("inbound.waiting", "the worker finds channels with journal entries"),
    ("installation.size", "the size of the whole database"),
    ("limits.forget", "the sweep deletes past windows of every tenant"),
    ("media_fetches.waiting", "the worker finds channels with files to fetch"),
    ("media_usage.total", "the metric of the installation"),
    ("oidc_states.sweep", "the sweep deletes used states of every tenant"),
    ("one_time_links.sweep", "the sweep deletes expired links of every tenant"),
    ("orders.due", "workers look for work across tenants"),
    ("orders.next_lookup", "workers look for work across tenants"),
    ("outbox.lanes", "the sender finds channels with due messages"),
    ("pending_log_ins.sweep", "the sweep deletes expired log-ins of every tenant"),
    ("presences.sweep", "a sweep across tenants"),
    ("restore.any_tenant", "a restore is about the whole installation"),
    ("sandbox_due.next", "the sandbox waits for the next due webhook across tenants"),
    ("sandbox_due.take", "the sandbox posts due webhooks across tenants"),
    ("sandbox_records.owners", "a request to the sandbox names a file or a template and no tenant"),
    ("sessions.sweep", "the sweep deletes expired sessions of every tenant"),
    ("tenants.list", "the installation's administrator lists its tenants"),
    ("webhook_deliveries.due_lanes", "the worker finds endpoints with due retries"),
    ("webhook_lanes.behind", "a node finds endpoints that are behind their log and have no lease holder"),
    ("webhooks.all_ids", "the sweep deletes old deliveries of every endpoint"),
    ("webhooks.enabled", "a node keeps all enabled endpoints in memory"),
];

/// Composed statements: several texts share one name.
const MADE_FROM_FILTERS: [&str; 8] = [
    "calls.count",
    "calls.list",
    "contacts.found",
    "contacts.found_count",
    "contacts.onward_found",
    "conversations.inbox",
    "conversations.list",
    "message_terms.candidates",
];

testkit::both_databases! {
    async fn every_statement_is_accepted(test) {
        for statement in store::statements() {
            let accepted = test.db.prepare(statement).await;
            assert!(accepted.is_ok(), "{accepted:?} in {}", statement.text());
        }
    }

    async fn a_wrong_statement_is_not_accepted(test) {
        static WRONG: Statement = Statement::new("wrong", "SELECT nothing FROM nowhere WHERE tenant_id = $1");
        let error = test.db.prepare(&WRONG).await.unwrap_err();
        assert!(matches!(&error, store::Error::Statement { statement, .. } if statement == "wrong"), "{error:?}");
    }
}

#[test]
fn every_statement_names_its_tenant_but_the_reviewed_few() {
    let mut tenantless = Vec::new();
    for statement in store::statements() {
        match statement.tenantless_reason() {
            None => assert!(names_tenant(statement.text()), "{}: {}", statement.name(), statement.text()),
            Some(reason) => {
                assert!(!reason.is_empty(), "{} gives no reason", statement.name());
                tenantless.push(statement.name());
            }
        }
    }
    tenantless.sort_unstable();
    assert_eq!(tenantless, TENANTLESS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

fn names_tenant(text: &str) -> bool {
    let values = ["VALUES ($1, ", "SELECT CAST($1 AS BIGINT), "].iter().any(|values| text.contains(values));
    let inserts = text.starts_with("INSERT INTO ") && text.contains("(tenant_id, ") && values;
    inserts || text.contains("tenant_id = $1")
}

#[test]
fn every_look_into_a_table_names_its_tenant() {
    // A statement must have as many of these conditions as reads of tables.
    const NAMED: [&str; 3] = ["tenant_id = $1", "tenant_id = t.tenant_id", "tenant_id = i.tenant_id"];
    for statement in store::statements().into_iter().filter(|statement| statement.tenantless_reason().is_none()) {
        for text in [statement.for_postgres(), &statement.for_sqlite().replace('?', "$")] {
            let looks: usize = store::tables::TABLES.iter().map(|table| looks_into(text, table.name)).sum();
            let named: usize = NAMED.iter().map(|named| text.matches(named).count()).sum();
            assert!(named >= looks, "{}: {looks} looks, {named} with a tenant: {text}", statement.name());
        }
    }
}

/// Number of reads of a table in a text.
fn looks_into(text: &str, table: &str) -> usize {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let after = ["FROM ", "JOIN "].into_iter().flat_map(|word| text.split(word).skip(1));
    after.filter_map(|rest| rest.strip_prefix(table)).filter(|rest| ends(rest)).count()
}

#[test]
fn placeholders_are_numbered_without_gaps() {
    for statement in store::statements() {
        let used = placeholders(statement.text());
        let expected: BTreeSet<usize> = (1..=used.len()).collect();
        assert_eq!(used, expected, "{}: {}", statement.name(), statement.text());
    }
}

fn placeholders(text: &str) -> BTreeSet<usize> {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.split('$').skip(1).map(|part| digits(part).parse().unwrap()).collect()
}

#[test]
fn no_template_is_left_in_a_text() {
    for statement in store::statements() {
        for text in [statement.for_sqlite(), statement.for_postgres()] {
            assert!(!text.contains(['{', '}']), "{}: {text}", statement.name());
        }
        assert!(!statement.for_sqlite().contains('$'), "{}", statement.for_sqlite());
    }
}

#[test]
fn no_statement_of_the_sources_is_missing_from_the_catalogue() {
    let mut in_sources = BTreeSet::from(MADE_FROM_FILTERS.map(str::to_owned));
    collect_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut in_sources);
    let listed: BTreeSet<String> = store::statements().iter().map(|statement| statement.name().to_owned()).collect();
    assert_eq!(in_sources, listed);
}

fn collect_names(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_names(&path, names);
        } else {
            let source = std::fs::read_to_string(&path).unwrap();
            for start in ["Statement::new(", "Statement::tenantless("] {
                let quoted = |rest: &str| {
                    rest.trim_start().strip_prefix('"').map(|rest| rest.split('"').next().map(str::to_owned))
                };
                names.extend(source.split(start).skip(1).filter_map(|rest| quoted(rest)?));
            }
        }
    }
}

#[test]
fn every_name_is_given_once() {
    let mut names = BTreeSet::new();
    for statement in store::statements() {
        let name = statement.name();
        assert!(names.insert(name) || MADE_FROM_FILTERS.contains(&name), "{name} is there twice");
    }
}
