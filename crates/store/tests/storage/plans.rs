//! Plans of the statements: they use an index and never read rows of other tenants.

use domain::calls::{CallDirection, CallFilter, CallOutcome, OperatorRef};
use domain::{AccountId, Id, TenantId};
use store::calls;
use store::{Db, Location, Statement};
use testkit::database::TestDb;

use crate::fixtures::{START, operator, random, random_call, store_calls, stored_account};

/// Reviewed: statements that may read a whole table.
const SCANS: &[(&str, &str)] = &[
    ("alerts.tenants", "a row for each tenant with alerts, read once a minute"),
    ("backup.restore.any_tenant", "reads one row"),
    ("broadcasts.retries.without_timer", "once, when a node starts"),
    ("channel_tokens.due", "a row for each channel, read now and then"),
    ("consumers.behind", "looks now and then at all logs for those that are not processed"),
    ("consumers.on", "a row or two for each tenant, read when a tenant switches reactions on"),
    ("consumers.parked_count", "a row for each event that could not be processed, counted now and then"),
    ("contacts.erasures.open", "a row for each contact that was deleted a moment ago"),
    ("contacts.unindexed.reset", "once, when a backup is restored"),
    ("events.tenants", "a sweep, now and then"),
    ("imports.old", "a sweep, now and then"),
    ("installation.size", "no table: the database counts its pages"),
    ("limits.sweep", "a sweep, now and then"),
    ("media.usage.total", "a row for each tenant, when metrics are read"),
    ("oidc_states.sweep", "a sweep, now and then"),
    ("one_time_links.sweep", "a sweep, now and then"),
    ("outbox.channels_with_due", "all channels are asked whether something is due"),
    ("second_factors.sweep_enrolments", "a sweep, now and then"),
    ("second_factors.sweep_pending", "a sweep, now and then"),
    ("sessions.sweep", "a sweep, now and then"),
    ("tables.columns", "no table: the catalogue of the database"),
    ("tables.columns_of", "no table: the catalogue of the database"),
    ("tenants.list", "all tenants are wanted"),
    ("timers.next", "the first rows of an index"),
    ("webhooks.all_ids", "a sweep, now and then"),
    ("webhooks.dispatch_state.behind", "looks now and then at all endpoints for those that are behind"),
];

/// A page of each kind, and the index that answers it.
fn pages(operator: AccountId, email: &str) -> Vec<(CallFilter, &'static str)> {
    let page = CallFilter { limit: 20, ..CallFilter::default() };
    let by_id = Some(OperatorRef::Id(operator));
    let by_email = Some(OperatorRef::Email(email.to_owned()));
    let direction = Some(CallDirection::Outbound);
    let min_duration = Some(60);
    let mut pages = vec![
        (page.clone(), "the table itself"),
        (CallFilter { direction, ..page.clone() }, "calls_direction"),
        (CallFilter { min_duration, ..page.clone() }, "calls_facet"),
        (CallFilter { direction, min_duration, max_duration: Some(600), ..page.clone() }, "calls_facet"),
        (CallFilter { outcome: Some(CallOutcome::Answered), ..page.clone() }, "the table itself"),
        (CallFilter { outcome: Some(CallOutcome::Missed), ..page.clone() }, "calls_facet"),
    ];
    for operator in [by_id, by_email] {
        let page = CallFilter { operator, ..page.clone() };
        pages.push((page.clone(), "calls_operator"));
        pages.push((CallFilter { direction, ..page.clone() }, "calls_operator_facet"));
        pages.push((CallFilter { min_duration, ..page.clone() }, "calls_operator_facet"));
    }
    // With an offset, the skipped rows are read from an index and not from the table.
    let places = |index| if index == "the table itself" { "calls_time" } else { index };
    let deep: Vec<_> =
        pages.iter().map(|(page, index)| (CallFilter { offset: 40, ..page.clone() }, places(*index))).collect();
    let after: Vec<_> = pages
        .iter()
        .map(|(page, index)| {
            (CallFilter { after: Some((START, Id::from_bytes(*operator.bytes()))), ..page.clone() }, *index)
        })
        .collect();
    pages.into_iter().chain(deep).chain(after).collect()
}

/// The indexes that a plan uses for a table.
fn sqlite_indexes<'a>(plan: &'a [String], table: &str) -> Vec<&'a str> {
    let looks = plan.iter().filter(|line| line.trim_start().starts_with(&format!("SEARCH {table} USING ")));
    let index = |line: &'a String| match line.split_once("INDEX ") {
        Some((_, rest)) => rest.split(' ').next().unwrap_or_default(),
        None => "the table itself",
    };
    looks.map(index).collect()
}

/// True if a line scans a table. Subqueries and given lists (`listed`) appear under their alias.
fn scans_a_table(line: &str) -> bool {
    line.trim_start().strip_prefix("SCAN ").is_some_and(|scanned| {
        let name = scanned.split(' ').next().unwrap_or_default();
        // SQLite shows the subquery of a window function without a name.
        !name.starts_with("(subquery")
            && !["p", "merged", "listed", "earlier", "same", "first_ones", "oldest", "old", "counted", "CONSTANT"]
                .contains(&name)
    })
}

#[tokio::test]
async fn on_sqlite_no_statement_scans_but_the_reviewed_few() {
    let test = TestDb::sqlite().await;
    let mut scanning = vec![];
    for statement in store::statements() {
        let plan = test.db.explain(statement, &[]).await.unwrap();
        if plan.iter().any(|line| scans_a_table(line)) {
            scanning.push(statement.name());
        }
    }
    scanning.sort_unstable();
    assert_eq!(scanning, SCANS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[tokio::test]
async fn on_sqlite_nothing_is_sorted() {
    let test = TestDb::sqlite().await;
    for statement in store::statements() {
        let plan = test.db.explain(statement, &[]).await.unwrap();
        let sorts = plan.iter().any(|line| line.contains("TEMP B-TREE"));
        assert!(!sorts, "{} in\n{}", statement.text(), plan.join("\n"));
    }
}

#[tokio::test]
async fn on_sqlite_every_page_of_calls_is_read_by_the_index_meant() {
    let test = TestDb::sqlite().await;
    for (filter, index) in pages(Id::new(START), "ada@example.com") {
        let plan = calls::explain(&test.db, test.tenant, &filter).await.unwrap();
        let used = sqlite_indexes(&plan, "calls");
        assert!(!used.is_empty() && used.iter().all(|used| *used == index), "{filter:?}\n{}", plan.join("\n"));
        // Only the twenty shown rows are read by their key.
        assert!(sqlite_indexes(&plan, "c").iter().all(|used| *used == "the table itself"), "{}", plan.join("\n"));
    }
}

/// The nodes of a plan with their indentation.
fn nodes(plan: &[String]) -> Vec<(usize, &str)> {
    plan.iter()
        .enumerate()
        .filter(|(number, line)| *number == 0 || line.trim_start().starts_with("->"))
        .map(|(_, line)| {
            (line.len() - line.trim_start().len(), line.trim_start().trim_start_matches("->").trim_start())
        })
        .collect()
}

/// Every node that reads calls (`c` reads the shown ones), with its parent node.
fn looks_and_takers<'a>(nodes: &[(usize, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let is_look = |text: &str| text.contains(" on calls") && !text.contains(" on calls c ");
    let looks = nodes.iter().enumerate().filter(|(_, (_, text))| is_look(text));
    let taker = |place: usize, depth: usize| nodes[..place].iter().rev().find(|(above, _)| *above < depth);
    looks.map(|(place, (depth, text))| (*text, taker(place, *depth).map_or("", |(_, text)| *text))).collect()
}

async fn assert_read_in_order(db: &Db, tenant: TenantId, filter: &CallFilter) {
    let plan = calls::explain(db, tenant, filter).await.unwrap();
    let nodes = nodes(&plan);
    let looks = looks_and_takers(&nodes);
    assert!(!looks.is_empty(), "{filter:?}\n{}", plan.join("\n"));
    for (look, taker) in looks {
        let ordered = look.starts_with("Index") && look.contains(" using calls");
        assert!(ordered && taker.starts_with("Limit"), "{look} under {taker}: {filter:?}\n{}", plan.join("\n"));
    }
}

/// A connection that avoids sorts: with a dozen calls a sort is as cheap as the index, and the plan should be that for
/// millions.
fn without_sorts(location: &Location) -> Db {
    let Location::Postgres { url, connections } = location else { panic!("not PostgreSQL: {location:?}") };
    let joint = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{joint}options=-c%20enable_sort%3Doff%20-c%20enable_bitmapscan%3Doff");
    Db::open(&Location::Postgres { url, connections: *connections }).unwrap()
}

#[tokio::test]
async fn on_postgres_every_page_of_calls_is_read_in_order_from_an_index_up_to_its_limit() {
    static ANALYZE: Statement = Statement::new("analyze", "ANALYZE calls");
    let test = TestDb::postgres().await;
    let account = stored_account(&test, test.tenant, "ada@example.com").await;
    let mut rng = random(6);
    let operators = [operator(&account)];
    let many: Vec<_> = (0..4000).map(|number| random_call(&mut rng, &number.to_string(), &operators)).collect();
    store_calls(&test, test.tenant, &many).await;
    test.db.write((), |tx, ()| Box::pin(tx.execute(&ANALYZE, &[]))).await.unwrap();

    let without_sorts = without_sorts(&test.location);
    for (filter, index) in pages(account.id, &account.email) {
        assert_read_in_order(&without_sorts, test.tenant, &filter).await;
        if filter.offset == 0 && !index.ends_with("facet") {
            assert_read_in_order(&test.db, test.tenant, &filter).await;
        }
    }
}
