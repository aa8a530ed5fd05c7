//! Benchmark of the call log: list, filtered list, deep pages and recording, each compared with the floor.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use domain::{TenantId, Timestamp};
use server::commands::seed;

use crate::floor;
use crate::load::{Case, get_request, post_request};
use crate::options::Common;
use crate::report::{Report, Row};
use crate::served::{Database, Served};

/// Offset of the deep page: large enough that skipping rows would be expensive.
const DEEP: u64 = 100_000;
const SEED: u64 = 7;
/// The end of the seeded calls in Unix seconds: fixed, so that every run measures the same data.
const UNTIL: i64 = 1_776_000_000;

/// Measures one database with one number of rows.
pub async fn run(common: &Common, database: Database, count: u64) -> Result<Report> {
    let served = Served::prepare(database).await?;
    let filling = Instant::now();
    let plan = seed::Plan { tenant: TenantId::FIRST, count, seed: SEED, until: Timestamp::from_seconds(UNTIL) };
    let operators = served.fill(plan).await?;
    let filled = filling.elapsed();
    let served = served.start()?;
    let mut facts = common.facts();
    facts.push(("calls", format!("{count}, seeded in {:.1} s", filled.as_secs_f64())));
    facts.push(("resident memory when idle", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    let rows = rows(common, &served, &operators, count).await?;
    facts.push(("resident memory after the rows", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    Ok(Report { title: format!("Calls on {}, {count} rows", database.name()), facts, rows })
}

async fn rows(common: &Common, served: &Served, operators: &[String], count: u64) -> Result<Vec<Row>> {
    let plan = common.plan();
    let page = served.child.measure(&served.get("GET /calls?limit=20", "limit=20"), plan).await?;
    let bytes = usize::try_from(page.load.bytes_per_answer).context("a page larger than memory")?;
    let floor = floor::measure(bytes, plan).await?;
    let per_second = floor.load.requests_per_second;
    let mut rows = vec![
        Row { name: format!("floor: a prepared body of {bytes} bytes"), measured: floor, floor: None },
        Row { name: "GET /calls?limit=20".to_owned(), measured: page, floor: Some(per_second) },
    ];
    if served.location().url.is_some() {
        let bare = floor::database::measure(floor::database::Kind::Page, served, plan).await?;
        let page = served.child.measure(&served.get("GET /calls?limit=20", "limit=20"), plan).await?;
        let of = bare.load.requests_per_second;
        rows.push(Row {
            name: "floor: a bare driver that runs the same statement".to_owned(),
            measured: bare,
            floor: None,
        });
        rows.push(Row {
            name: "GET /calls?limit=20, against the bare driver".to_owned(),
            measured: page,
            floor: Some(of),
        });
    }
    let operator = operators.first().context("no operators were seeded")?;
    let mut cases: Vec<Case> = filters(operator).iter().map(|(name, query)| served.get(name, query)).collect();
    if count > DEEP {
        cases.push(served.get("offset 100000", &format!("offset={DEEP}")));
        cases.push(served.get("cursor at the same place", &format!("cursor={}", served.cursor_at(DEEP).await?)));
    }
    cases.push(record(served));
    for case in cases {
        let measured = served.child.measure(&case, plan).await?;
        rows.push(Row { name: case.name, measured, floor: Some(per_second) });
    }
    // The floor once more at the end: the difference to the first shows how much the machine itself varied.
    let again = floor::measure(bytes, plan).await?;
    rows.push(Row { name: "floor again".to_owned(), measured: again, floor: Some(per_second) });
    Ok(rows)
}

/// Names and queries of lists with one kind of filter, and of one list with several.
fn filters(operator: &str) -> Vec<(&'static str, String)> {
    vec![
        ("direction", "direction=outbound".to_owned()),
        ("operator by e-mail", format!("operator={operator}")),
        ("min_duration and max_duration", "min_duration=60&max_duration=600".to_owned()),
        ("min_duration, rare", "min_duration=5000".to_owned()),
        ("start_date and end_date", "start_date=2026-02-01&end_date=2026-02-03".to_owned()),
        (
            "all together",
            format!("direction=inbound&operator={operator}&min_duration=30&start_date=2026-01-01&end_date=2026-03-31"),
        ),
    ]
}

/// Posts new calls with distinct ids.
fn record(served: &Served) -> Case {
    let (bearer, run) = (format!("authorization: Bearer {}\r\n", served.token), std::process::id());
    let write = move |connection: usize, i: u64, out: &mut Vec<u8>| {
        let body = format!(
            "{{\"call_id\":\"bench-{run}-{connection}-{i}\",\"direction\":\"inbound\",\"from_number\":\"14155552671\",\
             \"to_number\":\"14155550100\",\"started_at\":\"2026-04-13T10:00:00Z\"}}"
        );
        post_request(out, "/api/ext/v3/calls", &bearer, &body);
    };
    Case { name: "POST /calls".to_owned(), expected_status: 200, write_request: Arc::new(write) }
}

impl Served {
    fn get(&self, name: &str, query: &str) -> Case {
        let headers = format!("authorization: Bearer {}\r\n", self.token);
        Case::fixed(name, get_request(&format!("/api/ext/v3/calls?{query}"), &headers), 200)
    }
}
