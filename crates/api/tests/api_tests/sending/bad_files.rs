//! Files that the network would refuse, and malformed forms.

use serde_json::json;

use crate::sending::world::{ADA, FILE, FILE_VIA_URL, Stage as _, form, peopled, stage};

testkit::both_databases! {
    async fn files_of_wrong_types_and_sizes(stage = peopled) {
        let large = vec![b'x'; (16 << 20) + 1];
        for (name, mime, bytes, message) in [
            ("a.exe", "application/octet-stream", b"MZ".as_slice(), "file: the file's type cannot be determined from its content type, name or first bytes; the network accepts"),
            ("a.html", "text/html", b"<html>", "file: the network does not accept files of type text/html; it accepts"),
            ("a.gif", "image/gif", b"GIF89a", "file: the network does not accept files of type image/gif; it accepts"),
            ("a.pdf", "application/pdf", b"", "file: the file is empty"),
            ("a.webp", "image/webp", &large[..512_001], "file: the file is too large: the network accepts at most 512000 bytes for a sticker"),
            ("a.png", "image/png", &large[..5_242_881], "file: the file is too large: the network accepts at most 5242880 bytes for an image"),
            ("a.mp4", "video/mp4", &large, "file: the file is too large: the network accepts at most 16777216 bytes for a video"),
        ] {
            let (kind, body) = form(&[("target", ADA)], Some(("file", name, mime, bytes)));
            let answer = stage.raw("POST", FILE, &kind, body).await;
            let reply = answer.json();
            assert_eq!((reply["code"].as_u64(), reply["parameter"].as_str()), (Some(40014), Some("file")), "{name}: {reply}");
            assert!(reply["message"].as_str().unwrap().starts_with(message), "{name}: {reply}");
            let (kind, body) = form(&[], Some(("file", name, mime, bytes)));
            let legacy = stage.raw("POST", &stage.v1(&format!("sendSessionFile/{ADA}")), &kind, body).await.json();
            assert!(legacy["info"].as_str().unwrap().starts_with(message), "{name}: {legacy}");
        }
        assert_eq!(stage.stored().await, 0);
    }

    async fn a_file_larger_than_any_may_be(stage = stage) {
        let huge = vec![b'x'; (100 << 20) + 1];
        let (kind, body) = form(&[("target", ADA)], Some(("file", "a.txt", "text/plain", &huge)));
        let answer = stage.raw("POST", FILE, &kind, body.clone()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (413, "body_too_large"), "{}", answer.text);
        let answer = stage.raw("POST", &stage.v1(&format!("sendSessionFile/{ADA}")), &kind, body).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (413, "body_too_large"), "{}", answer.text);
        assert_eq!(stage.stored().await, 0);
    }

    async fn addresses_inside_are_not_asked(stage = peopled) {
        for url in ["http://127.0.0.1:9/a.pdf", "https://10.0.0.1/a.pdf", "http://[::1]/a.pdf", "https://169.254.169.254/latest", "https://localhost/a.pdf"] {
            let answer = stage.post(FILE_VIA_URL, &json!({"target": ADA, "file_url": url})).await;
            let reply = answer.json();
            assert_eq!((reply["code"].as_u64(), reply["parameter"].as_str()), (Some(40015), Some("file_url")), "{url}: {reply}");
            let legacy = stage.good(&stage.v1(&format!("sendSessionFileViaUrl/{ADA}")), &json!({"fileUrl": url})).await;
            assert!(legacy["result"] == false && legacy["info"].as_str().unwrap().starts_with("fileUrl: "), "{url}: {legacy}");
        }
        assert_eq!(stage.stored().await, 0);
    }

    async fn forms_that_are_none(stage = peopled) {
        let (kind, whole) = form(&[("target", ADA)], Some(("file", "a.txt", "text/plain", b"hello")));
        let (_, no_file) = form(&[("target", ADA)], None);
        let (_, no_target) = form(&[], Some(("file", "a.txt", "text/plain", b"hello")));
        let (_, long) = form(&[("target", ADA), ("caption", &"x".repeat(1025))], Some(("file", "a.txt", "text/plain", b"hello")));
        let (_, stuffed) = form(&[("target", ADA), ("note", &"x".repeat(1 << 20))], Some(("file", "a.txt", "text/plain", b"hello")));
        let mut twice = no_target[..no_target.len() - "--a-line-between-parts--\r\n".len()].to_vec();
        twice.extend_from_slice(&whole);
        let cut = whole[..whole.len() / 2].to_vec();
        for (kind, body, code, place) in [
            (kind.as_str(), no_file, 40002, json!("file")),
            (&kind, no_target, 40002, json!("target")),
            (&kind, long, 40001, json!("caption")),
            (&kind, stuffed, 41301, json!(null)),
            (&kind, twice, 40002, json!("file")),
            ("multipart/form-data", whole, 40002, json!(null)),
            ("application/json", b"{}".to_vec(), 41501, json!(null)),
        ] {
            let answer = stage.raw("POST", FILE, kind, body).await;
            assert_eq!((answer.json()["code"].as_u64(), &answer.json()["parameter"]), (Some(code), &place), "{}", answer.text);
        }
        let answer = stage.raw("POST", FILE, &kind, cut).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert_eq!(stage.stored().await, 0);
    }
}
