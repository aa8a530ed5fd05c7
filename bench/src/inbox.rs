//! Benchmark of the inbox: its first page, a page far down and a thread, with few conversations and with many. Opening
//! must cost the same.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context as _, Result, anyhow, ensure};
use app::inbox::conversations::{ConversationQuery, PageRequest};
use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::{ChannelId, ContactId, Id, TenantId, Timestamp};
use serde_json::Value;
use server::commands::seed;
use store::Traffic;

use crate::load::{Case, get_request};
use crate::options::Common;
use crate::report::{Report, Row};
use crate::served::{Database, Prepared, Served};
use crate::{child, floor};

/// Conversations of the smaller database.
pub const FEW: u64 = 100;
/// Messages of the conversation whose thread is opened.
const THREAD: u32 = 300;
/// Conversations of one page of the console.
const PAGE: usize = 50;
const SEED: u64 = 7;
/// Creation time of the last seeded contact in Unix seconds: fixed, so that every run measures the same data.
const UNTIL: i64 = 1_776_000_000;
const BATCH: usize = 1_000;

pub async fn run(common: &Common, database: Database, count: u64) -> Result<Report> {
    let prepared = Served::prepare(database).await?;
    let channel = prepared.add_channel("whatsapp").await?;
    let plan = seed::Plan { tenant: TenantId::FIRST, count, seed: SEED, until: Timestamp::from_seconds(UNTIL) };
    prepared.import_contacts(plan).await?;
    let newest = converse(&prepared, channel, count).await?;
    prepared.settle().await?;
    let mut facts = common.facts();
    facts.push(("list of 50, asked of the database", counted(&prepared, Asked::List).await?));
    facts.push(("thread of 50, asked of the database", counted(&prepared, Asked::Thread(newest)).await?));
    let served = prepared.start()?;
    let rows = rows(common, &served, newest).await?;
    Ok(Report { title: format!("Inbox on {}, {count} conversations", database.name()), facts, rows })
}

async fn rows(common: &Common, served: &Served, newest: domain::ConversationId) -> Result<Vec<Row>> {
    let (plan, list) = (common.plan(), format!("/api/ext/v3/conversations?page_size={PAGE}&details=true"));
    let case = |name: &str, path: &str| {
        Case::fixed(name, get_request(path, &format!("authorization: Bearer {}\r\n", served.token)), 200)
    };
    let first = served.child.measure(&case("", &list), plan).await?;
    let bytes = usize::try_from(first.load.bytes_per_answer).context("a page larger than memory")?;
    let floor = floor::measure(bytes, plan).await?;
    let of_floor = Some(floor.load.requests_per_second);
    let mut rows = vec![
        Row { name: format!("floor: a prepared body of {bytes} bytes"), measured: floor, floor: None },
        Row { name: "first page of the inbox".to_owned(), measured: first, floor: of_floor },
    ];
    let others = [
        ("open and unread", format!("{list}&status=open&unread=true")),
        ("second page", format!("{list}&cursor={}", cursor(served, &list).await?)),
        (
            "a thread, the newest 50 of 300 messages",
            format!("/api/ext/v3/conversations/{newest}/messages?page_size=50"),
        ),
    ];
    for (name, path) in others {
        let measured = served.child.measure(&case(name, &path), plan).await?;
        rows.push(Row { name: name.to_owned(), measured, floor: of_floor });
    }
    Ok(rows)
}

async fn cursor(served: &Served, list: &str) -> Result<String> {
    let page = child::ask(served.child.address, list, &served.token).await?;
    let page: Value = serde_json::from_slice(&page).context("the page is not JSON")?;
    Ok(page["next_cursor"].as_str().context("there is one page only")?.to_owned())
}

#[derive(Clone, Copy)]
enum Asked {
    List,
    Thread(domain::ConversationId),
}

/// Statements, round trips and rows of one request, after one that is not counted.
async fn counted(prepared: &Prepared, asked: Asked) -> Result<String> {
    let app = prepared.app();
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let caller =
        app.identity().authenticate(prepared.token(), address).await.map_err(|denial| anyhow!("{denial:?}"))?;
    let mut before = prepared.db().traffic();
    for _ in 0..2 {
        before = prepared.db().traffic();
        match asked {
            Asked::List => {
                let query = ConversationQuery { details: true, ..ConversationQuery::default() };
                let page = app.inbox().conversations().inbox(caller.as_ref(), &query, None, PAGE).await?;
                ensure!(page.conversations.len() == PAGE, "{} conversations", page.conversations.len());
            }
            Asked::Thread(of) => {
                let page = PageRequest::new(1, 50)?;
                app.inbox().conversations().history(caller.as_ref(), (&of.to_string()).into(), page, false).await?;
            }
        }
    }
    let Traffic { statements, round_trips, rows_read, bytes_sent, .. } = prepared.db().traffic().since(before);
    Ok(format!("{statements} statements, {round_trips} round trips, {rows_read} rows, {bytes_sent} bytes sent"))
}

/// Opens a conversation with every contact, each with one message; the newest has a thread. Returns the newest.
async fn converse(prepared: &Prepared, channel: ChannelId, count: u64) -> Result<domain::ConversationId> {
    let contacts = contacts(prepared).await?;
    ensure!(contacts.len() as u64 == count, "{} contacts", contacts.len());
    let mut newest = None;
    for (i, some) in contacts.chunks(BATCH).enumerate() {
        let mut conversations = Vec::new();
        for (place, contact) in some.iter().enumerate() {
            let at = Timestamp::from_seconds(UNTIL + i64::try_from(i * BATCH + place)?);
            let mut one = Conversation::new(channel, *contact, at);
            one.status = ConversationStatus::Open;
            one.record_inbound(at, Some("Is my order ready?"), at);
            conversations.push(one);
        }
        let mut messages: Vec<Message> = conversations.iter().map(|one| message(one, one.last_at)).collect();
        if i == (contacts.len() - 1) / BATCH
            && let Some(last) = conversations.last()
        {
            newest = Some(last.id);
            messages.extend((1..THREAD).map(|n| message(last, last.last_at.plus_seconds(-i64::from(n)))));
        }
        let db = prepared.db();
        let write = db.write((conversations, messages), |tx, (conversations, messages)| {
            Box::pin(async move {
                store::messaging::conversations::insert_many(tx, TenantId::FIRST, conversations).await?;
                store::messaging::messages::insert_many(tx, TenantId::FIRST, messages).await
            })
        });
        write.await?;
    }
    newest.context("no conversation")
}

fn message(of: &Conversation, at: Timestamp) -> Message {
    Message {
        contact_id: Some(of.contact_id),
        conversation_id: Some(of.id),
        ticket_id: Some(of.ticket_id),
        text: Some("Is my order ready?".to_owned()),
        content: Some(r#"{"type":"text","text":{"body":"Is my order ready?"}}"#.to_owned()),
        ..Message::bare(Id::new(at), of.channel_id, MessageDirection::Inbound, MessageState::RECEIVED, "text", at)
    }
}

async fn contacts(prepared: &Prepared) -> Result<Vec<ContactId>> {
    static ALL: store::Statement =
        store::Statement::new("bench.contacts", "SELECT id FROM contacts WHERE tenant_id = $1 ORDER BY id");
    Ok(prepared.db().rows(&ALL, store::params![TenantId::FIRST], store::read).await?)
}
