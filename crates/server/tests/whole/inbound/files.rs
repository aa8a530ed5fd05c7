//! Files that people send: a server that is killed between the webhook and the fetch loses none, and what is stored
//! survives the network, a backup and a restore.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use channels::signature;
use domain::ChannelId;
use serde_json::{Value, json};
use testkit::receiver::{Receiver, Reply};
use testkit::s3::TestBucket;

use super::{ACCESS_TOKEN, ACCOUNT_ID, APP_SECRET, NUMBER, NUMBER_ID, TENANT};
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http};

const FILE: &str = "media-1";
const MESSAGE: &str = "wamid.with-a-file";

fn contents() -> String {
    "All that she wrote. ".repeat(40_000)
}

/// A network with one file; it does not answer before `open` is true.
async fn network(open: Arc<AtomicBool>) -> Receiver {
    Receiver::answering(move |request| {
        if !open.load(Ordering::SeqCst) {
            return Reply::Hang;
        }
        let host = request.header("host");
        match request.path.as_str() {
            "/v23.0/media-1" => {
                let info = json!({
                    "id": FILE, "url": format!("http://{host}/files/media-1"), "mime_type": "text/plain",
                    "file_size": contents().len(),
                });
                Reply::With { status: 200, headers: vec![], body: info.to_string() }
            }
            "/files/media-1" => Reply::With { status: 200, headers: vec![], body: contents() },
            _ => Reply::Status(404),
        }
    })
    .await
}

/// Adds a channel of the network `lab`, which `networks` sets.
fn add_channel(home: &Home, networks: &str) -> ChannelId {
    for (file, secret) in [("token", ACCESS_TOKEN), ("secret", APP_SECRET)] {
        std::fs::write(home.file(file), secret).unwrap();
    }
    let arguments = format!(
        "channel create --tenant {TENANT} --name Shop --phone-number +{NUMBER} --phone-number-id {NUMBER_ID} \
         --account-id {ACCOUNT_ID} --network lab --access-token-file token --app-secret-file secret --json"
    );
    let mut command = home.binary();
    let output = command.env("SWITCHBOARD_NETWORKS", networks).args(arguments.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let added: Value = serde_json::from_slice(&output.stdout).unwrap();
    added["id"].as_str().unwrap().parse().unwrap()
}

/// The network posts a message with the file.
async fn post(server: &Server, channel: ChannelId) {
    let metadata = json!({"display_phone_number": NUMBER, "phone_number_id": NUMBER_ID});
    let document = json!({"id": FILE, "mime_type": "text/plain", "filename": "letter.txt"});
    let message = json!({"id": MESSAGE, "from": "14155550132", "timestamp": "1776000000", "type": "document", "document": document});
    let value = json!({"messaging_product": "whatsapp", "metadata": metadata, "messages": [message]});
    let entry = json!({"id": ACCOUNT_ID, "changes": [{"field": "messages", "value": value}]});
    let body = json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string();
    let signed = signature::sign(APP_SECRET.as_bytes(), body.as_bytes());
    let url = server.url(&format!("/hooks/whatsapp/{channel}"));
    let answer = http().post(url).header(signature::HEADER, signed).body(body).send().await.unwrap();
    assert!(answer.status().is_success());
}

/// The message once its file is stored.
async fn stored(home: &Home, channel: ChannelId) -> domain::MessageId {
    let db = home.db();
    eventually("the file is stored", async || {
        let all = store::messaging::messages::of_channel(&db, TENANT, channel, "", 10).await.unwrap();
        all.into_iter().find(|one| one.media_id.is_some()).map(|one| one.id)
    })
    .await
}

async fn read(server: &Server, token: &str, message: domain::MessageId) -> String {
    let url = server.url(&format!("/api/ext/v3/conversations/messages/file/{message}"));
    let answer = http().get(url).bearer_auth(token).send().await.unwrap();
    assert!(answer.status().is_success());
    answer.text().await.unwrap()
}

/// `store`: the settings that say where files are stored. `is_saved`: whether a backup holds their bytes.
async fn survives(home: Home, store: &[(&str, &str)], is_saved: bool) {
    let open = Arc::new(AtomicBool::new(false));
    let network = network(open.clone()).await;
    let networks = json!({"lab": network.url("/v23.0")}).to_string();
    let settings = [&[("SWITCHBOARD_NETWORKS", networks.as_str())], store].concat();
    let server = Server::start_with(&home, &settings);
    let token = server.token();
    let channel = add_channel(&home, &networks);
    post(&server, channel).await;
    eventually("the fetch begins", async || (!network.posts().is_empty()).then_some(())).await;
    server.kill_9();
    open.store(true, Ordering::SeqCst);
    let server = Server::start_with(&home, &settings);
    let message = stored(&home, channel).await;
    drop(network);
    assert_eq!(read(&server, &token, message).await, contents());

    let saved = home.run("backup one.backup");
    assert_eq!(saved["rows"]["media_pieces"], if is_saved { 4 } else { 0 }, "{saved}");
    assert_eq!(saved.get("files_elsewhere").and_then(Value::as_u64), (!is_saved).then_some(1), "{saved}");
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.run("restore one.backup --replace");
    let _ = std::fs::remove_dir_all(home.file("data/media"));
    let server = Server::start_with(&home, &settings);
    assert_eq!(read(&server, &token, message).await, contents());
    server.terminate();
    home.remove().await;
}

#[tokio::test]
async fn a_kill_between_webhook_and_fetch_loses_no_file_on_sqlite() {
    survives(Home::sqlite(), &[("SWITCHBOARD_MEDIA_STORE", "database")], true).await;
}

#[tokio::test]
async fn a_kill_between_webhook_and_fetch_loses_no_file_on_postgres() {
    survives(Home::postgres().await, &[("SWITCHBOARD_MEDIA_STORE", "folder")], true).await;
}

#[tokio::test]
async fn a_kill_between_webhook_and_fetch_loses_no_file_of_a_bucket() {
    let bucket = TestBucket::create().await;
    let settings = [
        ("SWITCHBOARD_MEDIA_STORE", "s3"),
        ("SWITCHBOARD_MEDIA_BUCKET", bucket.name.as_str()),
        ("SWITCHBOARD_MEDIA_BUCKET_ENDPOINT", bucket.endpoint.as_str()),
        ("SWITCHBOARD_MEDIA_BUCKET_KEY", "key"),
        ("SWITCHBOARD_MEDIA_BUCKET_SECRET", "not-in-any-log"),
    ];
    survives(Home::sqlite(), &settings, false).await;
    assert_eq!(bucket.objects().await.len(), 1);
}
