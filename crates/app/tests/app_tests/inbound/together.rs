//! Records that are processed in one batch lead to the same rows and events as records that are processed one by one,
//! also where PostgreSQL applies them with few statements.

use domain::messaging::messages::Message;
use domain::{Id, MessageId};
use serde_json::{Value, json};
use store::{Engine, Statement, params, read};
use testkit::World;

use crate::inbound::world::{Inbound as _, change, outbound, support};

const AT: i64 = 1_776_000_000;

/// A body of the network about one person, who is named by number, by BSUID, or by both.
fn about(phone: Option<&str>, bsuid: Option<&str>, name: &str, more: &Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "14155552671", "phone_number_id": "106540352242922"},
        "contacts": [{"profile": {"name": name}, "wa_id": phone, "user_id": bsuid}],
    });
    for (key, given) in more.as_object().unwrap() {
        value[key] = given.clone();
    }
    change("messages", &value)
}

fn text(phone: Option<&str>, bsuid: Option<&str>, name: &str, id: &str, late: i64) -> Value {
    let message = json!({"from": phone, "from_user_id": bsuid, "id": id, "timestamp": (AT + late).to_string(),
        "type": "text", "text": {"body": format!("hello from {name} in {id}")}});
    about(phone, bsuid, name, &json!({"messages": [message]}))
}

fn picture(phone: Option<&str>, name: &str, id: &str, late: i64) -> Value {
    let message = json!({"from": phone, "id": id, "timestamp": (AT + late).to_string(), "type": "image",
        "image": {"id": format!("media.{id}"), "mime_type": "image/png", "sha256": "c2hh"}});
    about(phone, None, name, &json!({"messages": [message]}))
}

fn reported(ours: MessageId, network_id: &str, word: &str, late: i64) -> Value {
    let status = json!({"id": network_id, "status": word, "timestamp": (AT + late).to_string(),
        "recipient_id": "16505550001", "recipient_user_id": "US.1", "biz_opaque_callback_data": ours.to_string()});
    about(Some("16505550001"), Some("US.1"), "Ada", &json!({"statuses": [status]}))
}

/// Messages of known and new people, of one who writes twice and of one who is first known by a number and then also by
/// a BSUID; a repeated message; pictures, one of them repeated; and statuses of two of our messages, one of which has no network id yet.
fn bodies(ours: [MessageId; 2]) -> Vec<Value> {
    let (ada, bob) = ((Some("16505550001"), Some("US.1")), (Some("16505550002"), None));
    vec![
        text(ada.0, ada.1, "Ada", "wamid.1", 1),
        text(bob.0, bob.1, "Bob", "wamid.2", 2),
        text(ada.0, ada.1, "Ada", "wamid.3", 3),
        text(ada.0, ada.1, "Ada", "wamid.1", 1),
        text(bob.0, Some("US.2"), "Bob", "wamid.4", 4),
        picture(ada.0, "Ada", "wamid.p", 4),
        picture(bob.0, "Bob", "wamid.q", 4),
        picture(ada.0, "Ada", "wamid.p", 4),
        text(None, Some("US.3"), "Cem", "wamid.5", 5),
        text(Some("16505550003"), Some("US.3"), "", "wamid.6", 6),
        reported(ours[0], "wamid.a", "sent", 7),
        reported(ours[0], "wamid.a", "delivered", 8),
        reported(ours[1], "wamid.b", "delivered", 9),
        reported(ours[0], "wamid.a", "delivered", 8),
        reported(ours[0], "wamid.a", "read", 10),
        text(bob.0, None, "Bob", "wamid.7", 11),
        // Shows that two contacts are one person, so the run must be applied record by record.
        text(ada.0, Some("US.3"), "Ada", "wamid.8", 12),
        text(bob.0, None, "Bob", "wamid.9", 13),
    ]
}

static FACTS: Statement =
    Statement::new("test.facts", "SELECT kind, body FROM events_new WHERE tenant_id = $1 ORDER BY at, id");
static IDENTITIES: Statement = Statement::new(
    "test.identities",
    "SELECT kind, value, first_seen, last_seen FROM contact_identities
     WHERE tenant_id = $1 AND kind <> 'id' ORDER BY kind, value",
);
static HISTORY: Statement = Statement::new(
    "test.history",
    "SELECT event, state, text, network_id FROM messages WHERE tenant_id = $1 ORDER BY event, network_id, text",
);
static CONVERSATIONS: Statement = Statement::new(
    "test.conversations",
    "SELECT status, last_text FROM conversations WHERE tenant_id = $1 ORDER BY last_text",
);
static FETCHES: Statement = Statement::new(
    "test.fetches",
    "SELECT g.network_id, f.attempts, f.due_at IS NOT NULL FROM media_fetches f
     JOIN messages g ON g.tenant_id = $1 AND g.id = f.message_id WHERE f.tenant_id = $1 ORDER BY g.network_id",
);

/// Everything that does not differ between runs. BSUIDs that Switchboard generates are random and left out.
async fn outcome(world: &World) -> Value {
    let (db, tenant) = (&world.test.db, world.tenant());
    let facts: Vec<(String, String)> = db.rows(&FACTS, params![tenant], read).await.unwrap();
    let shown = |(kind, body): &(String, String)| {
        let body: Value = serde_json::from_str(body).unwrap();
        json!([kind, body["text"], body["senderName"], body["waId"], body["whatsappMessageId"]])
    };
    let identities: Vec<(String, String, i64, i64)> = db.rows(&IDENTITIES, params![tenant], read).await.unwrap();
    let given = |one: &&(String, String, i64, i64)| one.0 == "phone" || one.1.len() < 6;
    let history: Vec<(String, String, Option<String>, Option<String>)> =
        db.rows(&HISTORY, params![tenant], read).await.unwrap();
    let conversations: Vec<(String, Option<String>)> = db.rows(&CONVERSATIONS, params![tenant], read).await.unwrap();
    let fetches: Vec<(String, i64, bool)> = db.rows(&FETCHES, params![tenant], read).await.unwrap();
    json!({
        "fetches": fetches,
        "facts": facts.iter().map(shown).collect::<Vec<_>>(),
        "identities": identities.iter().filter(given).collect::<Vec<_>>(),
        "history": history,
        "conversations": conversations,
    })
}

async fn run(engine: Engine, together: bool) -> Value {
    let world = support(engine).await;
    let at = domain::Timestamp::from_seconds(AT);
    let ours: [MessageId; 2] = [Id::seeded(at, 1), Id::seeded(at, 2)];
    let known = Message { network_id: Some("wamid.a".to_owned()), ..outbound(world.channel().id, ours[0], at) };
    let unknown = outbound(world.channel().id, ours[1], at);
    let input = (world.tenant(), vec![known, unknown]);
    let insert = world.test.db.write(input, |tx, (tenant, messages)| {
        Box::pin(async move { store::messaging::messages::insert_many(tx, *tenant, messages).await })
    });
    assert_eq!(insert.await.unwrap(), 2);
    for body in bodies(ours) {
        world.journal(&body).await;
        if !together {
            world.process_inbound().await;
        }
    }
    world.process_inbound().await;
    assert!(world.parked().await.is_empty());
    outcome(&world).await
}

#[tokio::test]
async fn a_batch_leads_to_what_single_records_lead_to() {
    let expected = run(Engine::Sqlite, false).await;
    assert_eq!(expected["history"].as_array().unwrap().iter().filter(|row| row[3] == "wamid.9").count(), 1);
    assert_eq!(expected["fetches"], json!([["wamid.p", 0, true], ["wamid.q", 0, true]]));
    for (engine, together) in [(Engine::Sqlite, true), (Engine::Postgres, false), (Engine::Postgres, true)] {
        assert_eq!(run(engine, together).await, expected, "{engine:?}, together: {together}");
    }
}
