//! All statements: both engines accept each, each names its tenant, and none is missing from the list.

use std::collections::BTreeSet;
use std::path::PathBuf;

use store::Statement;

/// Reviewed: statements without a tenant. Each says why.
const TENANTLESS: &[&str] = &[
    "alerts.tenants",
    "backup.restore.any_tenant",
    "backup.schema.applied",
    "broadcasts.retries.without_timer",
    "channel_tokens.due",
    "channels.by_account_id",
    "channels.by_id",
    "channels.by_number_id",
    "channels.page_of_network",
    "consumers.behind",
    "consumers.behind_on",
    "consumers.on",
    "consumers.parked_count",
    "contacts.erasures.open",
    "contacts.terms.clear",
    "contacts.terms.next_tenant",
    "contacts.unindexed.reset",
    "events.moved_since",
    "events.tenants",
    "events.waiting",
    "idempotency.expired",
    "imports.next_queued",
    "imports.next_unindexed",
    "imports.old",
    "inbound.waiting",
    "inbox.presences.changes",
    "inbox.presences.sweep",
    "inbox.snoozes.without_timer",
    "installation.size",
    "limits.sweep",
    "media.fetches.waiting",
    "media.usage.total",
    "memberships.adopt.accounts",
    "oidc_states.sweep",
    "one_time_links.sweep",
    "orders.lookups.due",
    "orders.lookups.next",
    "outbox.channels_with_due",
    "sandbox.due.list_due",
    "sandbox.due.next",
    "sandbox.records.owners",
    "second_factors.sweep_enrolments",
    "second_factors.sweep_pending",
    "sessions.sweep",
    "tables.columns",
    "tables.columns_of",
    "tenants.list",
    "timers.next",
    "webhooks.all_ids",
    "webhooks.deliveries.endpoints_with_due",
    "webhooks.dispatch_state.behind",
    "webhooks.enabled",
];

/// Composed statements: several texts share one name.
const MADE_FROM_FILTERS: [&str; 8] = [
    "calls.list.count",
    "calls.list.page",
    "contacts.list.count_with_terms",
    "contacts.list.with_terms",
    "contacts.oldest_first.with_terms",
    "inbox.list.by_filter",
    "inbox.pages.by_index",
    "messages.terms.candidates",
];

/// Folders that are no part of a statement's name.
const ROOMS: [&str; 8] = ["base", "identity", "people", "messaging", "commerce", "delivery", "automation", "platform"];

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
    assert_eq!(tenantless, TENANTLESS);
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
            let looks: usize = store::base::tables::TABLES.iter().map(|table| looks_into(text, table.name)).sum();
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

/// A module that declares statements is listed by the module above it: the names of statements begin with the path.
#[test]
fn no_statement_of_the_sources_is_missing_from_the_catalogue() {
    let listed: BTreeSet<&str> =
        store::statements().iter().filter_map(|one| Some(one.name().rsplit_once('.')?.0)).collect();
    let mut modules = 0;
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).unwrap().contains("\nstatements! {\n") {
                let path = path.with_extension("");
                let module = path.to_str().unwrap().rsplit_once("/src/").unwrap().1;
                let module = module.strip_suffix("/mod").unwrap_or(module);
                let in_room = module.split_once('/').filter(|(room, _)| ROOMS.contains(room));
                let area = in_room.map_or(module, |(_, area)| area).replace('/', ".");
                assert!(listed.contains(area.as_str()), "{area}");
                modules += 1;
            }
        }
    }
    assert!(modules > 70, "{modules}");
}

#[test]
fn every_name_is_given_once() {
    let mut names = BTreeSet::new();
    for statement in store::statements() {
        let name = statement.name();
        assert!(names.insert(name) || MADE_FROM_FILTERS.contains(&name), "{name} is there twice");
    }
}
