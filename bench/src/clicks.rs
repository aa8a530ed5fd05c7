//! Benchmark of tracked links: redirects of people and of previews, compared with the floor. No message leaves
//! meanwhile: the messages with the links are scheduled far in the future.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use app::messaging::messages::{SendFields, TemplateRecipient, TemplateSend};
use domain::messaging::messages::MessageSource;
use domain::messaging::templates::{Action, Button, Category, Content, Template, TemplateStatus};
use domain::{ChannelId, Field, Id, MessageId, TenantId, Timestamp};
use serde_json::Value;
use server::commands::seed;
use store::{Statement, params};

use crate::floor;
use crate::load::{Case, Plan};
use crate::options::Common;
use crate::report::{Report, Row};
use crate::served::{Database, Prepared, Served};

const TENANT: TenantId = TenantId::FIRST;
const SEED: u64 = 7;
/// Creation time of the last contact in Unix seconds: fixed, so that every run measures the same data.
const UNTIL: i64 = 1_776_000_000;
/// Recipients of one send.
const AT_ONCE: usize = 10_000;
const FAR_AHEAD_SECONDS: i64 = 300 * 86_400;
const ACCOUNT: &str = "102290129340398";
const TEMPLATE: &str = "spring_links";
/// Bytes of the floor's answers: a redirect has no body, but the floor needs a few bytes.
const FLOOR_BYTES: usize = 12;
const PERSON: &str = "user-agent: Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) \
                      Chrome/141.0.0.0 Mobile Safari/537.36\r\naccept-language: en-US,en;q=0.9\r\n\
                      sec-fetch-dest: document\r\nsec-fetch-mode: navigate\r\nsec-fetch-site: none\r\n";
const PREVIEW: &str = "user-agent: WhatsApp/2.24.20.89 A\r\n";

static HITS: Statement = Statement::new("bench.hits", "SELECT COUNT(*) FROM clicks WHERE tenant_id = $1");
static FIRSTS: Statement = Statement::new("bench.firsts", "SELECT COUNT(*) FROM click_firsts WHERE tenant_id = $1");

pub async fn run(common: &Common, database: Database, links: u64) -> Result<Report> {
    let prepared = Served::prepare(database).await?;
    let began = Instant::now();
    let codes = codes(&prepared, links).await?;
    let mut facts = common.facts();
    facts.push(("links", format!("{links}, sent in {:.1} s", began.elapsed().as_secs_f64())));
    prepared.settle().await?;
    let db = prepared.db();
    let served = prepared.start()?;
    let (rows, asked) = rows(common, &served, &codes).await?;
    let hits = count(&db, &HITS).await?;
    ensure!(hits == asked, "{hits} hits were kept of {asked} that were answered");
    facts.push(("hits kept", hits.to_string()));
    facts.push(("clicks emitted as events", count(&db, &FIRSTS).await?.to_string()));
    facts.push(("resident memory after the rows", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    Ok(Report { title: format!("Clicks on {}", database.name()), facts, rows })
}

/// Measures the rows; returns them and the total number of answered hits.
async fn rows(common: &Common, served: &Served, codes: &Arc<[String]>) -> Result<(Vec<Row>, u64)> {
    let plan = common.plan();
    let alone = Plan { connections: 1, ..plan };
    let floor = floor::measure(FLOOR_BYTES, plan).await?;
    let per_second = floor.load.requests_per_second;
    let mut rows = vec![Row { name: "floor: a prepared body of 12 bytes".to_owned(), measured: floor, floor: None }];
    let mut asked = 0;
    let cases = [
        ("previews", PREVIEW, plan, 302),
        ("people, each link first and then again", PERSON, plan, 302),
        ("people again", PERSON, plan, 302),
        ("people again, one after the other", PERSON, alone, 302),
    ];
    let commit = floor::database::measure(floor::database::Kind::Commit, served, plan).await?;
    let commits = commit.load.requests_per_second;
    rows.push(Row { name: "floor: one committed row a request, in groups".to_owned(), measured: commit, floor: None });
    for (name, headers, plan, status) in cases {
        let case = open(name, headers, codes.clone(), plan.connections, status);
        let measured = served.child.measure(&case, plan).await.with_context(|| name.to_owned())?;
        asked += measured.load.count_with_warm_up;
        rows.push(Row { name: name.to_owned(), measured, floor: Some(commits) });
    }
    let forged: Arc<[String]> = ["A".repeat(47)].into();
    let case = open("a forged code", PERSON, forged, plan.connections, 404);
    let measured = served.child.measure(&case, plan).await?;
    rows.push(Row { name: case.name, measured, floor: Some(per_second) });
    let again = floor::database::measure(floor::database::Kind::Commit, served, plan).await?;
    rows.push(Row { name: "floor of commits again".to_owned(), measured: again, floor: Some(commits) });
    let again = floor::measure(FLOOR_BYTES, plan).await?;
    rows.push(Row { name: "floor again".to_owned(), measured: again, floor: Some(per_second) });
    Ok((rows, asked))
}

/// Requests of links: all connections together go through the links in turn, again and again.
fn open(name: &str, headers: &'static str, codes: Arc<[String]>, connections: usize, expected_status: u16) -> Case {
    let write = move |connection: usize, i: u64, out: &mut Vec<u8>| {
        use std::io::Write as _;
        let index = usize::try_from(i).unwrap_or(0) * connections + connection;
        let code = codes.get(index % codes.len().max(1)).map_or("", String::as_str);
        // Writing to memory cannot fail.
        let _ = write!(out, "GET /c/{code} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n{headers}\r\n");
    };
    Case { name: name.to_owned(), expected_status, write_request: Arc::new(write) }
}

async fn count(db: &store::Db, statement: &'static Statement) -> Result<u64> {
    let count = db.row(statement, params![TENANT], store::read::<i64>).await?;
    Ok(u64::try_from(count.unwrap_or(0))?)
}

/// Sends messages with `links` links in all, one each; returns the codes of the links.
async fn codes(prepared: &Prepared, links: u64) -> Result<Arc<[String]>> {
    let channel = prepared.add_channel("whatsapp").await?;
    let template = template(channel, prepared.app().now());
    let made = prepared
        .app()
        .db()
        .write(template, |tx, new| Box::pin(store::messaging::templates::insert(tx, TENANT, new)))
        .await;
    ensure!(made?, "the template is there already");
    let plan = seed::Plan { tenant: TENANT, count: links, seed: SEED, until: Timestamp::from_seconds(UNTIL) };
    seed::contacts::fill(prepared.app(), plan, |_| ()).await?;
    let phones: Vec<String> = seed::contacts::ContactGenerator::new(plan).filter_map(|contact| contact.phone).collect();
    let mut codes = Vec::with_capacity(phones.len());
    for people in phones.chunks(AT_ONCE) {
        for message in sent(prepared, people).await? {
            codes.push(code(&prepared.db(), message).await?);
        }
    }
    ensure!(!codes.is_empty(), "no link was sent");
    Ok(codes.into())
}

async fn sent(prepared: &Prepared, people: &[String]) -> Result<Vec<MessageId>> {
    let app = prepared.app();
    let recipient = |phone: &String| TemplateRecipient {
        target: phone.clone(),
        named_by: Field::PhoneNumber,
        local_id: None,
        params: Vec::new(),
    };
    let send = TemplateSend {
        channel: None,
        template: TEMPLATE.to_owned(),
        language: None,
        broadcast_name: TEMPLATE.to_owned(),
        recipients: people.iter().map(recipient).collect(),
        scheduled_at: Some(app.now().plus_seconds(FAR_AHEAD_SECONDS)),
        source: MessageSource::Api,
        dry_run: false,
        fields: SendFields::default(),
    };
    let accepted = app.messaging().messages().send_template(&app::Command(TENANT), send).await?;
    Ok(accepted.recipients.into_iter().filter_map(|one| one.message_id).collect())
}

/// The code at the end of a message's link.
async fn code(db: &store::Db, message: MessageId) -> Result<String> {
    let message = store::messaging::messages::find(db, TENANT, message).await?.context("the message is not there")?;
    let content: Value = serde_json::from_str(&message.content.unwrap_or_default())?;
    let text = find(&content).context("the message has no link")?;
    Ok(text.to_owned())
}

/// The parameter of the only URL button.
fn find(value: &Value) -> Option<&str> {
    match value {
        Value::Object(members) if members.get("sub_type").is_some_and(|kind| kind == "url") => {
            members.get("parameters")?.get(0)?.get("text")?.as_str()
        }
        Value::Object(members) => members.values().find_map(find),
        Value::Array(all) => all.iter().find_map(find),
        _ => None,
    }
}

fn template(channel: ChannelId, now: Timestamp) -> Template {
    let url = "https://shop.example/spring".to_owned();
    let button = Button { text: "Look".to_owned(), action: Action::Url { url, parameter: None } };
    Template {
        id: Id::new(now),
        account_id: ACCOUNT.to_owned(),
        channel_id: channel,
        name: TEMPLATE.to_owned(),
        language: "en".to_owned(),
        category: Category::Marketing,
        status: TemplateStatus::Approved,
        quality: None,
        reason: None,
        network_id: Some("1".to_owned()),
        content: Content {
            body: "Spring is here.".to_owned(),
            buttons: vec![button],
            tracked_url: Some("https://wa.example.com/c/{{1}}".to_owned()),
            ..Content::default()
        },
        origin: "API".to_owned(),
        created_at: now.to_millis(),
        updated_at: now.to_millis(),
        reported_at: now.to_millis(),
        deleted_at: None,
    }
}
