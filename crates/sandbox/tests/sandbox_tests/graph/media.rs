//! Files: upload, look-up, download, deletion.

use channels::transport::{empty, full};
use http::Request;
use serde_json::json;

use crate::graph::net::{ADA, Answer, Net};

/// A form in the format of browsers and curl.
fn form(fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(
            format!("--b0undary\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").into_bytes(),
        );
    }
    if let Some((mime, bytes)) = file {
        let head = "--b0undary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n";
        body.extend(format!("{head}Content-Type: {mime}\r\n\r\n").into_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b0undary--\r\n");
    body
}

async fn upload(net: &Net, body: Vec<u8>) -> Answer {
    let path = format!("{}/media", net.channel.phone_number_id);
    let request = net.request("POST", &path).header("content-type", "multipart/form-data; boundary=b0undary");
    net.call(request.body(full(body)).unwrap()).await
}

const WHATSAPP: (&str, &str) = ("messaging_product", "whatsapp");

testkit::both_databases! {
    async fn a_file_goes_up_and_comes_down_as_it_was(net = Net::new) {
        let bytes: Vec<u8> = (0..700_000_u32).map(|number| number.to_le_bytes()[0] ^ number.to_le_bytes()[1]).collect();
        let answer = upload(&net, form(&[WHATSAPP, ("type", "image/png")], Some(("image/png", &bytes)))).await;
        let id = answer.json()["id"].as_str().unwrap().to_owned();
        let info = net.get(&id).await.json();
        assert_eq!(info["url"], format!("http://127.0.0.1:4711/v23.0/media/{id}/content"));
        assert_eq!((&info["mime_type"], &info["file_size"]), (&json!("image/png"), &json!(700_000)));
        assert_eq!(info["sha256"].as_str().unwrap().len(), 64);
        let fetch = |token: &str| {
            let request = Request::get(info["url"].as_str().unwrap()).header("authorization", format!("Bearer {token}"));
            net.call(request.body(empty()).unwrap())
        };
        let down = fetch(&net.token).await;
        assert_eq!((down.status.as_u16(), down.headers["content-type"].to_str().unwrap()), (200, "image/png"));
        assert_eq!(down.headers["content-length"], "700000");
        assert!(down.bytes == bytes, "the same bytes");
        assert_eq!(fetch("EAAwrong").await.refusal(), (401, 190));
        net.person_writes(1).await;
        net.sent(ADA, json!({ "type": "image", "image": { "id": id, "caption": "Fern" } })).await;
        net.sent(ADA, json!({ "type": "document", "document": { "id": id } })).await;
        let wrong = net.send(ADA, json!({ "type": "video", "video": { "id": id } })).await;
        assert_eq!(wrong.refusal(), (400, 131_009), "a picture is no film");
        assert_eq!(net.delete(&id).await.json(), json!({ "success": true }));
        assert_eq!(net.get(&id).await.refusal(), (400, 100));
        assert_eq!(fetch(&net.token).await.refusal(), (400, 100));
    }

    async fn an_invalid_file_is_refused_and_leaves_nothing(net = Net::new) {
        let large = vec![7; 5 * 1024 * 1024 + 1];
        for (body, expected) in [
            (form(&[WHATSAPP], Some(("image/png", &large))), (400, 131_053)),
            (form(&[WHATSAPP], Some(("image/png", b""))), (400, 131_053)),
            (form(&[WHATSAPP], Some(("application/zip", b"x"))), (400, 100)),
            (form(&[WHATSAPP, ("type", "application/zip")], Some(("image/png", b"x"))), (400, 100)),
            (form(&[], Some(("image/png", b"x"))), (400, 100)),
            (form(&[WHATSAPP], None), (400, 100)),
            (form(&[WHATSAPP, ("type", &"x".repeat(5000))], Some(("image/png", b"x"))), (400, 131_009)),
            (b"--b0undary\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\ncut off".to_vec(), (400, 100)),
            (b"nothing of the kind".to_vec(), (400, 100)),
        ] {
            assert_eq!(upload(&net, body).await.refusal(), expected);
        }
        let path = format!("{}/media", net.channel.phone_number_id);
        assert_eq!(net.post(&path, &json!({ "file": "x" })).await.refusal(), (400, 100), "not a form");
        let count = store::platform::sandbox::records::list(&net.test.db, net.test.tenant, store::platform::sandbox::records::Kind::Media);
        assert_eq!(count.await.unwrap(), []);
    }

    async fn a_form_may_name_its_fields_after_the_file(net = Net::new) {
        let mut body = form(&[], Some(("audio/ogg; codecs=opus", b"OggS")));
        body.truncate(body.len() - b"--b0undary--\r\n".len());
        body.extend(form(&[WHATSAPP], None));
        let id = upload(&net, body).await.json()["id"].as_str().unwrap().to_owned();
        let info = net.get(&id).await.json();
        assert_eq!((&info["mime_type"], &info["file_size"]), (&json!("audio/ogg; codecs=opus"), &json!(4)));
    }
}
