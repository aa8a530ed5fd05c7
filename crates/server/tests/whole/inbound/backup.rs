//! A backup with data of the network: secrets cannot be read in it, and a restored server continues where the other one
//! stopped.

use std::fs::File;

use channels::graph::Content;
use domain::{ChannelId, Clock, Id};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use store::messaging::inbound::{JournalEntry, ParkedRecord};
use store::{Db, Tx};

use super::{ACCESS_TOKEN, ACCOUNT_ID, APP_SECRET, NUMBER, NUMBER_ID, TENANT};
use crate::eventually;
use crate::home::Home;
use crate::sandbox_commands::shop::{ADA, Shop};
use crate::server::Server;

/// The network's id of a message in a body that is not processed yet.
const WAITING: &str = "wamid.waiting";

fn waiting() -> Vec<u8> {
    let metadata = json!({"display_phone_number": NUMBER, "phone_number_id": NUMBER_ID});
    let message =
        json!({"id": WAITING, "from": ADA, "timestamp": "1750000000", "type": "text", "text": {"body": "Still here?"}});
    let value = json!({"messaging_product": "whatsapp", "metadata": metadata, "messages": [message]});
    let entry = json!({"id": ACCOUNT_ID, "changes": [{"field": "messages", "value": value}]});
    json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string().into_bytes()
}

/// The state after a server was killed between storing a body and processing it, with a parked record beside it.
async fn leave_work(db: &Db, channel: ChannelId) {
    async fn leave(tx: &mut Tx<'_>, channel: ChannelId) -> store::Result<()> {
        let now = Clock::system().now();
        store::messaging::inbound::append(
            tx,
            TENANT,
            channel,
            &JournalEntry { received_at: now, id: Id::new(now), body: waiting() },
        )
        .await?;
        let (reason, body) = ("a test".to_owned(), b"{}".to_vec());
        let parked =
            ParkedRecord { id: Id::new(now), channel_id: channel, received_at: now, parked_at: now, reason, body };
        store::messaging::inbound::park(tx, TENANT, &parked).await
    }
    db.write(channel, |tx, channel| Box::pin(leave(tx, *channel))).await.unwrap();
}

/// Checks that the backup holds no secret, neither as text nor in hexadecimal.
fn assert_hidden(file: File) {
    let text = std::io::read_to_string(GzDecoder::new(file)).unwrap();
    assert!(text.contains(NUMBER_ID) && text.contains("Hello Ada"), "the backup holds channels and messages");
    for secret in [ACCESS_TOKEN, APP_SECRET] {
        let hex = domain::base::hex::encode(secret.as_bytes());
        assert!(!text.contains(secret) && !text.to_lowercase().contains(&hex), "a secret is in the backup");
    }
}

/// A stopped server with rows in every table of the network and the sandbox.
async fn filled(home: Home) -> (Home, ChannelId) {
    let shop = Shop::at(home, &[]).greeted();
    let id = shop.reach(Content::text("Hello Ada")).await;
    shop.known(&id, |message| message.read_at.is_some()).await;
    shop.run(&format!("sandbox say --person {ADA} Look --image"));
    shop.run(r#"sandbox inject --field account_update --value {"event":"VERIFIED_ACCOUNT"}"#);
    shop.report("account", "VERIFIED_ACCOUNT").await;
    shop.run("sandbox fault create reset");
    // A webhook that the sandbox has yet to post.
    shop.run(&format!("sandbox call --person {ADA} --seconds 600"));
    let Shop { server, channel, db, home, .. } = shop;
    assert!(server.terminate().0.success());
    leave_work(&db, channel).await;
    (home, channel)
}

fn inbox(home: &Home) -> Value {
    home.run(&format!("sandbox inbox --person {ADA} --tenant {TENANT}"))
}

#[tokio::test]
async fn a_restored_server_continues_with_channels_and_the_journal() {
    let (home, channel) = filled(Home::sqlite()).await;
    let saved = home.run("backup one.backup");
    for table in ["inbound_journal", "inbound_parked", "network_reports", "messages", "channels", "sandbox_people"]
        .into_iter()
        .chain(["sandbox_messages", "sandbox_records", "sandbox_media_pieces", "sandbox_due"])
    {
        assert!(saved["rows"][table].as_u64().unwrap() > 0, "{table}: {saved}");
    }
    assert_hidden(File::open(home.file("one.backup")).unwrap());

    let other = Home::sqlite();
    std::fs::copy(home.file("one.backup"), other.file("one.backup")).unwrap();
    other.run("restore one.backup");
    std::fs::copy(home.file("data/secret.key"), other.file("data/secret.key")).unwrap();
    let server = Server::start(&other);
    let db = other.db();
    eventually("the waiting body is processed", async || {
        let all = store::messaging::messages::of_channel(&db, TENANT, channel, "", 100).await.unwrap();
        all.into_iter().find(|one| one.network_id.as_deref() == Some(WAITING))
    })
    .await;
    let parked = other.run(&format!("channel parked list --tenant {TENANT}"));
    assert_eq!((parked.as_array().unwrap().len(), &parked[0]["reason"]), (1, &json!("a test")));
    // The secrets can be opened, and the sandbox accepts them.
    let findings = other.run(&format!("channel check Shop --tenant {TENANT}"));
    assert!(findings.as_array().unwrap().iter().all(|finding| finding["ok"] == true), "{findings}");
    assert_eq!(inbox(&other)["messages"][0]["text"], "Hello Ada");
    assert_eq!(other.run("sandbox fault list")["faults"][0]["kind"], "reset");
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
}
