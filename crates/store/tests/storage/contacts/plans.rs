//! PostgreSQL's plans on a large tenant: they use the intended index and stop at the limit.

use domain::{Clock, ContactId};
use store::{Engine, Location};
use testkit::fresh::FreshDatabase;

use super::book::contact;
use crate::fixtures::run;

const TENANT: &str = "100001";
/// 20 000 contacts of one tenant and a hundred of another. All have term 1, every second has term 2, every third term
/// 3, every fifth term 5. Each has twenty more terms, as contacts have for their names and numbers.
const DATA: [&str; 4] = [
    "INSERT INTO contacts (tenant_id, id, bsuid, parent_bsuid, phone, name, source, custom_params, teams, segments,
         opted_in, allow_broadcast, allow_sms, created_at, updated_at)
     SELECT CASE WHEN n % 200 = 0 THEN 100002 ELSE 100001 END, decode(lpad(to_hex(n), 24, '0'), 'hex'), 'US.' || n,
         'US.ENT.' || n, (14155500000 + n)::text, 'Name ' || n, 'API', '[]', '[]', '[]',
         true, true, true, n, n
     FROM generate_series(1, 20100) n",
    "INSERT INTO contact_identities (tenant_id, contact_id, kind, value, first_seen, last_seen)
     SELECT tenant_id, id, 'bsuid', bsuid, 1, 1 FROM contacts
     UNION ALL SELECT tenant_id, id, 'phone', phone, 1, 1 FROM contacts
     UNION ALL SELECT tenant_id, id, 'username', name, 1, 1 FROM contacts",
    "INSERT INTO contact_terms (tenant_id, term, id)
     SELECT tenant_id, divisor, id FROM contacts, (VALUES (1), (2), (3), (5)) AS divisors (divisor)
     WHERE created_at % divisor = 0",
    "INSERT INTO contact_terms (tenant_id, term, id)
     SELECT tenant_id, 1000 + (created_at * (place + 7)) % 5000, id FROM contacts, generate_series(1, 20) place
     ON CONFLICT DO NOTHING",
];

struct Planner(tokio_postgres::Client);

impl Planner {
    async fn over(location: &Location) -> Self {
        let Location::Postgres { url, .. } = location else { panic!("not PostgreSQL: {location:?}") };
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("ANALYZE; SET plan_cache_mode = force_generic_plan").await.unwrap();
        Self(client)
    }

    /// The generic plan, which does not depend on values: connections of a server use it.
    async fn plan(&self, text: &str, values: &[&str]) -> Vec<String> {
        self.0.batch_execute(&format!("PREPARE asked AS {text}")).await.unwrap();
        let plan = self.0.query(&format!("EXPLAIN EXECUTE asked ({})", values.join(", ")), &[]).await.unwrap();
        self.0.batch_execute("DEALLOCATE asked").await.unwrap();
        plan.iter().map(|line| line.get(0)).collect()
    }
}

fn texts(name: &str) -> Vec<&'static str> {
    let named = store::statements().into_iter().filter(|statement| statement.name() == name);
    named.map(store::Statement::for_postgres).collect()
}

/// Asserts that the plan reads in the order of this index: nothing is scanned, sorted or gathered before the first row.
fn assert_walks(plan: &[String], index: &str) {
    let text = plan.join("\n");
    for bad in ["Seq Scan", "Sort", "Bitmap", "Hash", "Merge Join", "Materialize"] {
        assert!(!text.contains(bad), "{bad} in\n{text}");
    }
    assert!(text.contains(index), "not by {index}:\n{text}");
}

async fn large_tenant() -> (FreshDatabase, Planner) {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let db = fresh.open();
    store::migrate(&db, &Clock::system()).await.unwrap();
    for sql in DATA {
        run(&db, sql).await;
    }
    let planner = Planner::over(&fresh.location).await;
    (fresh, planner)
}

fn bytes(id: ContactId) -> String {
    format!("'\\x{id}'")
}

/// One test for all plans, since a large table takes a while to fill.
#[tokio::test]
async fn on_postgres_contacts_are_read_in_order_from_the_index_meant() {
    let (fresh, planner) = large_tenant().await;
    let (above, below) = (bytes(contact(9).id), "'\\x'".to_owned());
    let window = [TENANT, &above, &below];

    for (name, limit, index) in [
        ("contacts.list.with_terms", "20", "Backward using contact_terms_pkey on contact_terms t"),
        ("contacts.list.count_with_terms", "10000", "Backward using contact_terms_pkey on contact_terms t"),
        ("contacts.oldest_first.with_terms", "500", "Scan using contact_terms_pkey on contact_terms t"),
    ] {
        let texts = texts(name);
        assert_eq!(texts.len(), 4, "{name}: one for each number of terms");
        for (text, terms) in texts.into_iter().zip(1..) {
            let values: Vec<&str> = window.into_iter().chain([limit, "5", "3", "2", "1"]).take(4 + terms).collect();
            let plan = planner.plan(text, &values).await;
            assert!(plan.iter().take(2).any(|line| line.contains("Limit")), "{}", plan.join("\n"));
            assert_walks(&plan, index);
        }
    }
    let [page] = texts("contacts.list.page")[..] else { panic!("one page") };
    let values: Vec<&str> = window.into_iter().chain(["20", "0"]).collect();
    assert_walks(&planner.plan(page, &values).await, "Index Scan Backward using contacts_pkey");

    let id = bytes(contact(1).id);
    let listed = r#"'["1"]'"#;
    for (name, values, index) in [
        (
            "contacts.rows.by_identity",
            vec![TENANT, "'phone'", "'1'"],
            "contact_identities_person on contact_identities i",
        ),
        ("contacts.identities.holder", vec![TENANT, "'phone'", "'1'"], "contact_identities_person"),
        (
            "contacts.rows.by_values",
            vec![TENANT, "'phone'", listed],
            "contact_identities_person on contact_identities i",
        ),
        ("contacts.identities.by_username", vec![TENANT, "'ada'"], "contact_identities_username"),
        ("contacts.identities.of_contact", vec![TENANT, &id], "contact_identities_pkey"),
        ("contacts.rows.by_id", vec![TENANT, &id], "contacts_pkey"),
        ("contacts.intersect.ids", vec![TENANT, "5", &above, &below, "128"], "Backward using contact_terms_pkey"),
        ("contacts.list.rarest", vec![TENANT, listed, "63"], "Backward using contact_terms_pkey on contact_terms t"),
        ("contacts.oldest_first.all", vec![TENANT, &above, &below, "500"], "Index Scan using contacts_pkey"),
        ("contacts.terms.next_contacts", vec![TENANT, &id, "2000"], "contacts_pkey"),
    ] {
        let [text] = texts(name)[..] else { panic!("{name}") };
        assert_walks(&planner.plan(text, &values).await, index);
    }
    fresh.remove().await;
}
