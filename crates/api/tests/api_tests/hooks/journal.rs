//! Signed posts are journalled byte by byte before they are answered.

use std::path::Path;

use axum::body::Body;
use testkit::World;
use testkit::world::request;

use crate::hooks::{SandboxNumber, TEXT};

/// Samples of the bodies that the network posts.
fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channels/tests/samples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 50, "{} samples", files.len());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Bodies that are no posts of the network.
fn garbage() -> Vec<Vec<u8>> {
    vec![
        Vec::new(),
        b"\0\xff\xfe not even text".to_vec(),
        b"{\"object\":".to_vec(),
        b"{\"object\":\"page\",\"entry\":[]}".to_vec(),
        b"[[[[".repeat(25_000),
        [b"[".repeat(100_000), b"]".repeat(100_000)].concat(),
        br#"{"a":"#.repeat(100_000),
        vec![b' '; 4 << 20],
    ]
}

testkit::both_databases! {
    async fn every_sample_is_journalled_byte_by_byte(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let samples = samples();
        for body in &samples {
            let answer = line.post(&app, body).await;
            assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, ""));
            app.test.clock.advance(std::time::Duration::from_millis(1));
        }
        assert!(line.journalled(&app).await == samples);
    }

    async fn signed_garbage_is_kept_too(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        for body in garbage() {
            assert_eq!(line.post(&app, &body).await.status, 200);
            app.test.clock.advance(std::time::Duration::from_millis(1));
        }
        assert!(line.journalled(&app).await == garbage());
    }

    async fn a_replay_is_stored_again(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let signature = line.sign(TEXT.as_bytes());
        for _ in 0..2 {
            assert_eq!(line.post_signed(&app, TEXT.as_bytes(), &signature).await.status, 200);
            app.test.clock.advance(std::time::Duration::from_hours(7 * 24));
        }
        assert_eq!(line.journalled(&app).await, [TEXT.as_bytes(), TEXT.as_bytes()]);
    }

    async fn the_content_type_and_the_spelling_of_the_path_do_not_matter(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let path = line.path().replace("hooks/whatsapp", "Hooks/WHATSAPP");
        for content_type in ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"] {
            let builder = request("POST", &path, None).header("content-type", content_type);
            let builder = builder.header("X-Hub-Signature-256", line.sign(TEXT.as_bytes()));
            assert_eq!(app.send(builder.body(Body::from(TEXT)).unwrap()).await.status, 200, "{content_type}");
        }
        assert_eq!(line.journalled(&app).await.len(), 5);
    }
}
