//! Files over the wire, on both databases.

use app::Command;
use app::messaging::media::{NewFile, StoredFile};
use axum::body::Bytes;
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::{Id, MessageId, TenantId};
use futures_util::stream;
use sandbox::driver::{Image, Say};
use serde_json::{Value, json};
use testkit::World;
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
use testkit::world::Answer;

const ADA: &str = "14155550132";
const FILE: &str = "/api/ext/v3/conversations/messages/file";

pub(crate) async fn taken(app: &World, tenant: TenantId, name: &str, bytes: &str) -> StoredFile {
    let new = NewFile { name: Some(name.to_owned()), mime: None };
    let bytes = stream::iter([Ok::<_, std::io::Error>(Bytes::from(bytes.to_owned()))]);
    app.app.messaging().media().receive(&Command(tenant), new, bytes).await.unwrap()
}

/// Inserts a sent message with this file.
pub(crate) async fn message_with(app: &World, tenant: TenantId, file: &StoredFile) -> MessageId {
    let now = app.now().to_millis();
    let message = Message {
        media_id: Some(file.id),
        ..Message::bare(
            Id::new(now),
            Id::new(now),
            MessageDirection::Outbound,
            MessageState::Sent,
            file.kind.name(),
            now,
        )
    };
    let input = (tenant, message.clone());
    let write =
        app.test.db.write(input, |tx, (tenant, one)| Box::pin(store::messaging::messages::insert(tx, *tenant, one)));
    assert!(write.await.unwrap());
    message.id
}

/// The status and the headers of an answer that are the same in every run.
fn head(answer: &Answer) -> Value {
    let names = [
        "content-type",
        "content-length",
        "content-disposition",
        "x-content-type-options",
        "content-security-policy",
        "cache-control",
    ];
    let headers = names.map(|name| (name.to_owned(), answer.headers[name].to_str().unwrap().into()));
    json!({"status": answer.status.as_u16(), "headers": headers.into_iter().collect::<serde_json::Map<_, _>>()})
}

testkit::both_databases! {
    async fn a_file_is_answered_with_its_type_and_name(app = World::new) {
        let (tenant, token) = (app.tenant(), app.token(app.tenant(), &["conversationsv3:read"]).await);
        let legacy = app.token(tenant, &["conversations:read"]).await;
        let pdf = "%PDF-".repeat(120_000);
        let document = taken(&app, tenant, "../Räume 1.pdf", &pdf).await;
        let picture = taken(&app, tenant, "dot.png", "\u{1}\u{2}\u{3}").await;
        for (file, bytes, disposition) in [
            (&document, pdf.as_str(), "attachment; filename=\"R_ume 1.pdf\"; filename*=UTF-8''R%C3%A4ume%201.pdf"),
            (&picture, "\u{1}\u{2}\u{3}", "inline; filename=\"dot.png\""),
        ] {
            let message = message_with(&app, tenant, file).await;
            let expected = json!({"status": 200, "headers": {
                "content-type": file.mime, "content-length": bytes.len().to_string(), "content-disposition": disposition,
                "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox",
                "cache-control": "private",
            }});
            for (path, token) in [
                (format!("{FILE}/{message}"), &token),
                (format!("/{tenant}/api/v1/getMedia?fileName={}", file.file_name), &legacy),
                (format!("/{tenant}/api/file/showFile?fileName={}", file.file_name), &legacy),
                (format!("/{tenant}/API/File/showfile?fileName={message}.bin"), &legacy),
            ] {
                let answer = app.by(token).get(&path).await;
                assert_eq!(head(&answer), expected, "{path}");
                assert!(answer.text == bytes, "{path}");
            }
        }
    }

    /// A token that may read a message or its event may read its file.
    async fn scopes_of_readers(app = World::new) {
        let tenant = app.tenant();
        let file = taken(&app, tenant, "dot.png", "\u{1}\u{2}\u{3}").await;
        for (scope, status) in [
            ("conversations:read", 200),
            ("conversationsv3:read", 200),
            ("service_integration:read", 200),
            ("webhooksv3:read", 200),
            ("contacts:read", 403),
        ] {
            let token = app.token(tenant, &[scope]).await;
            for path in ["v1/getMedia", "file/showFile"] {
                let answer = app.by(&token).get(&format!("/{tenant}/api/{path}?fileName={}", file.file_name)).await;
                assert_eq!(answer.status, status, "{scope} {path}");
            }
        }
    }

    async fn what_is_not_there_or_not_ours_is_missing(app = World::new) {
        let (tenant, token) = (app.tenant(), app.token(app.tenant(), &["api"]).await);
        let other = app.test.new_tenant("unlimited").await;
        let foreign = taken(&app, other, "a.pdf", "foreign").await;
        let message = message_with(&app, other, &foreign).await;
        let names = ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "C%3A%5Cx", "a.pdf", "507f1f77bcf86cd799439011.jpg"];
        let of_names = names.iter().copied().chain([foreign.file_name.as_str()]);
        let paths = of_names.flat_map(|name| {
            [format!("/{tenant}/api/v1/getMedia?fileName={name}"), format!("/{tenant}/api/file/showFile?fileName={name}")]
        });
        let by_id = [message.to_string(), "507f1f77bcf86cd799439011".to_owned(), "a.pdf".to_owned(), "..%2F..%2Fx".to_owned()];
        for path in paths.chain(by_id.into_iter().map(|id| format!("{FILE}/{id}"))) {
            let answer = app.by(&token).get(&path).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{path}");
        }
        for path in [format!("/{tenant}/api/v1/getMedia"), format!("/{tenant}/api/file/showFile?fileName=")] {
            let answer = app.by(&token).get(&path).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some("fileName")), "{path}");
        }
        let nul = app.by(&token).get(&format!("/{tenant}/api/v1/getMedia?fileName=a%00b")).await;
        assert_eq!(nul.status, 400);
        let mismatch = app.by(&token).get(&format!("/{other}/api/file/showFile?fileName={}", foreign.file_name)).await;
        assert_eq!((mismatch.status.as_u16(), mismatch.reason().as_str()), (403, "tenant_mismatch"));
    }

    async fn an_unreachable_network_is_distinct_from_a_missing_file(app = World::with_api_token) {
        let (channel, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let now = app.now().to_millis();
        let message = Message {
            content: Some(json!({"type": "image", "image": {"id": "1", "mime_type": "image/jpeg"}}).to_string()),
            ..Message::bare(Id::new(now), channel.id, MessageDirection::Inbound, MessageState::RECEIVED, "image", now)
        };
        let input = (app.tenant(), message.clone());
        let write = app.test.db.write(input, |tx, (tenant, one)| Box::pin(store::messaging::messages::insert(tx, *tenant, one)));
        assert!(write.await.unwrap());
        let answer = app.get(&format!("{FILE}/{}", message.id)).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "network_unavailable"), "{}", answer.text);
        assert!(!answer.text.contains("127.0.0.1"), "{}", answer.text);
    }

    async fn a_received_file_is_shown_with_its_state_and_fetched_again_on_request(test) {
        let app = World::with_network(TestDb::alone(test.db.engine()).await, NetworkSettings::default()).await;
        let token = app.token(app.tenant(), &["conversationsv3:read", "conversationsv3:write"]).await;
        let sandbox = app.sandbox();
        let say = Say { image: Some(Image { caption: Some("Look".to_owned()) }), ..Say::default() };
        sandbox.say(app.tenant(), ADA, say).await.unwrap();
        app.advance(5);
        sandbox.post_due().await.unwrap();
        app.app.messaging().process_inbound(&|| false).await.unwrap();
        let path = format!("/api/ext/v3/conversations/{ADA}/messages");
        let shown = async || app.by(&token).get(&path).await.json()["message_list"][0].clone();
        let message = shown().await;
        let id = message["id"].as_str().unwrap().to_owned();
        let name = format!("{id}.png");
        let pending = json!({
            "status": "pending", "name": name, "mime_type": "image/png", "next_attempt": message["file"]["next_attempt"],
        });
        assert_eq!(message["file"], pending);
        let again = app.by(&token).post(&format!("{FILE}/{id}/fetch"), &json!({})).await;
        assert_eq!((again.status.as_u16(), &again.json()["status"]), (200, &json!("pending")));
        app.app.messaging().fetch_received(&|| false).await.unwrap();
        let stored = json!({"status": "stored", "name": name, "mime_type": "image/png", "size": 67});
        let message = shown().await;
        assert_eq!(message["file"], stored);
        assert!(message["data"].as_str().unwrap().ends_with(&format!("fileName={name}")), "{message}");
        assert_eq!(app.by(&token).post(&format!("{FILE}/{id}/fetch"), &json!({})).await.json(), stored);
        let answer = app.by(&token).get(&format!("{FILE}/{id}")).await;
        assert_eq!(head(&answer), json!({"status": 200, "headers": {
            "content-type": "image/png", "content-length": "67", "content-disposition": format!("inline; filename=\"{name}\""),
            "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox",
            "cache-control": "private",
        }}));
        for missing in ["507f1f77bcf86cd799439011", "nonsense"] {
            let answer = app.by(&token).post(&format!("{FILE}/{missing}/fetch"), &json!({})).await;
            assert_eq!((answer.status.as_u16(), answer.reason()), (404, "not_found".to_owned()));
        }
    }
}
