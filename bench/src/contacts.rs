//! Benchmark of contacts: lists, filtered lists, one contact by each form of target, and creating, each compared with
//! the floor.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use domain::{TenantId, Timestamp};
use serde_json::Value;
use server::commands::seed;

use crate::load::{Case, get_request, post_request};
use crate::options::Common;
use crate::report::{Report, Row};
use crate::served::{Database, Served};
use crate::{child, floor};

const SEED: u64 = 7;
/// Creation time of the last seeded contact in Unix seconds: fixed, so that every run measures the same data.
const UNTIL: i64 = 1_776_000_000;

/// Measures one database with one number of rows.
pub async fn run(common: &Common, database: Database, count: u64) -> Result<Report> {
    let prepared = Served::prepare(database).await?;
    let plan = seed::Plan { tenant: TenantId::FIRST, count, seed: SEED, until: Timestamp::from_seconds(UNTIL) };
    let imported = prepared.import_contacts(plan).await?;
    let served = prepared.start()?;
    let mut facts = common.facts();
    facts.push(("import", imported.fact()));
    facts.push(("resident memory when idle", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    let rows = rows(common, &served).await?;
    facts.push(("totals that are not remembered", totals(&served).await?));
    facts.push(("resident memory after the rows", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    Ok(Report { title: format!("Contacts on {}, {count} rows", database.name()), facts, rows })
}

async fn rows(common: &Common, served: &Served) -> Result<Vec<Row>> {
    let plan = common.plan();
    let page = served.child.measure(&served.list("V3 list", "page_size=20"), plan).await?;
    let bytes = usize::try_from(page.load.bytes_per_answer).context("a page larger than memory")?;
    let floor = floor::measure(bytes, plan).await?;
    let of_pages = floor.load.requests_per_second;
    let mut rows = vec![
        Row { name: format!("floor: a prepared body of {bytes} bytes"), measured: floor, floor: None },
        Row { name: "V3 list".to_owned(), measured: page, floor: Some(of_pages) },
    ];
    for case in lists(served) {
        let measured = served.child.measure(&case, plan).await?;
        rows.push(Row { name: case.name, measured, floor: Some(of_pages) });
    }
    let one = floor::measure(ONE_CONTACT_BYTES, plan).await?;
    let of_one = one.load.requests_per_second;
    rows.push(Row { name: format!("floor: {ONE_CONTACT_BYTES} bytes"), measured: one, floor: None });
    for case in single(served).await? {
        let measured = served.child.measure(&case, plan).await?;
        rows.push(Row { name: case.name, measured, floor: Some(of_one) });
    }
    // The floor once more at the end: the difference to the first shows how much the machine itself varied.
    let again = floor::measure(bytes, plan).await?;
    rows.push(Row { name: "floor again: pages".to_owned(), measured: again, floor: Some(of_pages) });
    Ok(rows)
}

/// Filters whose matches are counted in three ways: in the index alone; by reading each contact that the index names;
/// by reading all contacts.
const TOTALS: [(&str, &str); 3] = [("city", "=="), ("city", "contain"), ("name", "contain")];

/// For each filter, the time of the first request for its total after a change, and the longest time of other lists
/// meanwhile, which counting must not delay.
async fn totals(served: &Served) -> Result<String> {
    let (address, token) = (served.child.address, &served.token);
    let mut said = Vec::new();
    for (index, (name, operator)) in TOTALS.into_iter().enumerate() {
        let body = format!("{{\"whatsapp_number\":\"494019{index:06}\",\"name\":\"Bench Total\"}}");
        child::tell(address, "/api/ext/v3/contacts", token, &body).await?;
        let value = if operator == "==" { "Berlin" } else { "er" };
        let filter = attribute(name, operator, value);
        let path = format!("/{}/api/v1/getContacts?pageSize=1&{filter}", TenantId::FIRST);
        let (began, mut longest) = (Instant::now(), Duration::ZERO);
        let mut counted = pin!(child::ask(address, &path, token));
        let answer = loop {
            let asked = Instant::now();
            let other = child::ask(address, "/api/ext/v3/contacts?page_size=20", token);
            tokio::select! {
                biased;
                answer = &mut counted => break answer?,
                other = other => drop(other?),
            }
            longest = longest.max(asked.elapsed());
        };
        let took = began.elapsed();
        let answer: Value = serde_json::from_slice(&answer).context("the page is not JSON")?;
        let total = &answer["link"]["total"];
        said.push(format!("{name} {operator} {value}: {total} in {took:.1?}, other lists at most {longest:.1?}"));
    }
    Ok(said.join("; "))
}

fn attribute(name: &str, operator: &str, value: &str) -> String {
    format!("attribute=%5B%7B%22name%22:%22{name}%22,%22operator%22:%22{operator}%22,%22value%22:%22{value}%22%7D%5D")
}

const ONE_CONTACT_BYTES: usize = 640;

fn lists(served: &Served) -> Vec<Case> {
    let two = "attribute=%5B%7B%22name%22:%22city%22,%22operator%22:%22==%22,%22value%22:%22Berlin%22%7D,\
               %7B%22name%22:%22tier%22,%22operator%22:%22==%22,%22value%22:%22platinum%22%7D%5D";
    let v3 = [
        ("V3 ==", attribute("city", "==", "Berlin")),
        ("V3 == twice", two.to_owned()),
        ("V3 exist", attribute("tier", "exist", "")),
        ("V3 contain, 4 letters", attribute("city", "contain", "ambu")),
        ("V3 contain, nothing has it", attribute("city", "contain", "zzzz")),
        ("V3 notContain", attribute("city", "notContain", "ambu")),
        ("V3 notExist, no match", attribute("tier", "notExist", "")),
        ("V3 search, 3 letters", "search=aue".to_owned()),
        ("V3 search, full name", "search=Katharina%20Bauer".to_owned()),
        ("V3 search, last digits of a number", "search=2671".to_owned()),
        ("V3 search, seven digits", "search=5000671".to_owned()),
        ("V3 search, two common parts, rare together", "search=4151".to_owned()),
        ("V3 search, 2 letters", "search=zo".to_owned()),
    ];
    let v1 = [
        ("V1 list, with total", String::new()),
        ("V1 ==, with total", attribute("city", "==", "Berlin")),
        ("V1 name, with total", "name=aue".to_owned()),
        ("V1 createdDate, with total", format!("createdDate={}", &Timestamp::system_now().to_rfc3339()[..10])),
    ];
    let tenant = TenantId::FIRST;
    let mut cases: Vec<Case> = v3.iter().map(|(name, query)| served.list(name, query)).collect();
    cases.extend(v1.iter().map(|(name, query)| served.case(name, &format!("/{tenant}/api/v1/getContacts?{query}"))));
    cases
}

/// Reading one contact by each form of target, and creating contacts.
async fn single(served: &Served) -> Result<Vec<Case>> {
    let page = child::ask(served.child.address, "/api/ext/v3/contacts?page_size=1", &served.token).await?;
    let page: Value = serde_json::from_slice(&page).context("the page is not JSON")?;
    let contact = &page["contact_list"][0];
    let target = |member: &str| Ok::<_, anyhow::Error>(contact[member].as_str().context("no contact")?.to_owned());
    Ok(vec![
        served.one("V3 get by phone", &target("phone")?),
        served.one("V3 get by id", &target("id")?),
        served.one("V3 get by BSUID", &target("bsuid")?),
        served.one("V3 get by channel and phone", &format!("Main:{}", target("phone")?)),
        create(served),
    ])
}

/// Posts new contacts; the numbers of a connection are distinct for 100 000 requests.
fn create(served: &Served) -> Case {
    let bearer = format!("authorization: Bearer {}\r\n", served.token);
    let write = move |connection: usize, i: u64, out: &mut Vec<u8>| {
        // Numbers of Hamburg, which no seeded contact has.
        let body = format!(
            "{{\"whatsapp_number\":\"4940{:03}{:05}\",\"name\":\"Bench Person {i}\",\"custom_params\":\
             [{{\"name\":\"city\",\"value\":\"Hamburg\"}},{{\"name\":\"tier\",\"value\":\"gold\"}}]}}",
            200 + connection,
            i % 100_000
        );
        post_request(out, "/api/ext/v3/contacts", &bearer, &body);
    };
    Case { name: "V3 create".to_owned(), expected_status: 200, write_request: Arc::new(write) }
}

impl Served {
    fn case(&self, name: &str, path: &str) -> Case {
        Case::fixed(name, get_request(path, &format!("authorization: Bearer {}\r\n", self.token)), 200)
    }

    fn list(&self, name: &str, query: &str) -> Case {
        self.case(name, &format!("/api/ext/v3/contacts?{query}"))
    }

    fn one(&self, name: &str, target: &str) -> Case {
        self.case(name, &format!("/api/ext/v3/contacts/{target}"))
    }
}
