//! The Resumable Upload API, and for how long the network keeps files.

use channels::transport::{empty, full};
use http::Request;
use serde_json::json;

use super::net::{ADA, Net};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0123456789";
const DAY: u64 = 86_400_000;

testkit::both_databases! {
    async fn a_file_arrives_in_parts(net = Net::new) {
        let app = net.get("app?fields=id").await.json()["id"].as_str().unwrap().to_owned();
        let answer = net.post(&format!("{app}/uploads?file_name=a.png&file_length=18&file_type=image/png"), &json!({})).await;
        let session = answer.json()["id"].as_str().unwrap().to_owned();
        assert!(session.starts_with("upload:") && session.contains("?sig="), "{session}");
        let state = |offset: usize| json!({"id": session, "file_offset": offset});
        assert_eq!(net.get(&session).await.json(), state(0));
        assert_eq!(net.upload(&session, "0", &PNG[..7]).await.json(), state(7));
        assert_eq!(net.get(&session).await.json(), state(7));
        for offset in ["0", "8", "x", ""] {
            assert_eq!(net.upload(&session, offset, &PNG[7..]).await.refusal(), (400, 100), "{offset:?}");
        }
        let handle = net.upload(&session, "7", &PNG[7..]).await.json();
        assert!(handle["h"].as_str().unwrap().starts_with("4:YS5wbmc=:aW1hZ2UvcG5n:"), "{handle}");
        // An empty post at the end answers the handle again, for a client that lost the answer.
        assert_eq!(net.upload(&session, "18", b"").await.json(), handle);
        let session = net.session("image/png", 4).await;
        assert_eq!(net.upload(&session, "0", b"fives").await.refusal(), (400, 100));
    }

    async fn a_session_belongs_to_its_token(net = Net::new) {
        let session = net.session("image/png", 4).await;
        let with = |session: &str, token: &str| Request::get(format!("/v23.0/{session}")).header("authorization", format!("OAuth {token}")).body(empty()).unwrap();
        assert_eq!(net.call(with(&session, "another")).await.refusal(), (401, 190));
        assert_eq!(net.call(with(&session, &net.token)).await.status, 200);
        let unsigned = session.split('?').next().unwrap();
        assert_eq!(net.call(with(unsigned, &net.token)).await.refusal(), (400, 100));
        let in_query = Request::get(format!("/v23.0/{session}&access_token={}", net.token)).body(empty()).unwrap();
        assert_eq!(net.call(in_query).await.refusal(), (401, 104));
        for (path, refusal) in [
            ("17/uploads?file_length=4&file_type=image/png", (400, 100)),
            ("app/uploads?file_type=image/png", (400, 100)),
            ("app/uploads?file_length=4", (400, 100)),
            ("app/uploads?file_length=104857601&file_type=image/png", (400, 100)),
            ("app/uploads?file_length=4&file_type=image/gif", (400, 100)),
        ] {
            assert_eq!(net.post(path, &json!({})).await.refusal(), refusal, "{path}");
        }
    }

    async fn a_handle_ends(net = Net::new) {
        let handle = net.sample("image/png", PNG).await;
        let header = json!({ "type": "HEADER", "format": "IMAGE", "example": { "header_handle": [handle] } });
        let new = |name: &str| json!({ "name": name, "language": "en", "category": "UTILITY", "components": [
            header, { "type": "BODY", "text": "All is well" }] });
        let templates = format!("{}/message_templates", net.channel.account_id);
        net.advance(29 * DAY);
        assert_eq!(net.post(&templates, &new("early")).await.status, 200);
        net.advance(DAY);
        let refused = net.post(&templates, &new("late")).await;
        assert_eq!((refused.refusal(), &refused.json()["error"]["error_subcode"]), ((400, 100), &json!(2_388_273)));
    }

    async fn uploaded_files_are_kept_for_30_days_and_received_ones_for_7(net = Net::new) {
        let (tenant, channel) = (net.test.tenant, net.channel.id);
        let received = net.sandbox.add_media(tenant, channel, "image/png", &PNG.into()).await.unwrap().id;
        let uploaded = upload(&net).await;
        let number = &net.channel.phone_number_id;
        // A request may name the number only for a file that the number uploaded.
        assert_eq!(net.get(&format!("{uploaded}?phone_number_id={number}")).await.status, 200);
        assert_eq!(net.get(&format!("{received}?phone_number_id={number}")).await.refusal(), (400, 100));
        net.advance(7 * DAY - 1);
        for id in [&received, &uploaded] {
            assert_eq!(net.get(id).await.status, 200);
            assert_eq!(net.get(&format!("media/{id}/content")).await.status, 200);
        }
        net.advance(1);
        assert_eq!(net.get(&received).await.refusal(), (400, 100));
        assert_eq!(net.get(&format!("media/{received}/content")).await.refusal(), (400, 100));
        net.person_writes(1).await;
        let image = |id: &str| json!({ "type": "image", "image": { "id": id } });
        assert_eq!(net.send(ADA, image(&received)).await.refusal(), (400, 131_009));
        net.sent(ADA, image(&uploaded)).await;
        net.advance(23 * DAY);
        net.person_writes(1).await;
        assert_eq!(net.send(ADA, image(&uploaded)).await.refusal(), (400, 131_009));
        assert_eq!(net.get(&uploaded).await.refusal(), (400, 100));
    }
}

async fn upload(net: &Net) -> String {
    let form = "--x\r\ncontent-disposition: form-data; name=\"messaging_product\"\r\n\r\nwhatsapp\r\n--x\r\n\
        content-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\ncontent-type: image/png\r\n\r\nfour\r\n--x--\r\n";
    let request = net.request("POST", &format!("{}/media", net.channel.phone_number_id));
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(full(form)).unwrap();
    net.call(request).await.json()["id"].as_str().unwrap().to_owned()
}
