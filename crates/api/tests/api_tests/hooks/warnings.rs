//! Refused posts are counted, and logged once a minute for each channel.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use testkit::World;
use testkit::database::TestDb;

use crate::hooks::{SandboxNumber, TEXT};

/// Collects the log of the test's thread.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn warnings(&self) -> usize {
        self.text().matches("check its app secret").count()
    }
}

#[tokio::test]
async fn wrong_signatures_are_logged_once_a_minute_without_the_body() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let _kept = tracing::subscriber::set_default(subscriber);
    let app = World::on(TestDb::sqlite().await);
    let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
    for _ in 0..3 {
        line.post_signed(&app, TEXT.as_bytes(), "sha256=00").await;
    }
    assert_eq!(log.warnings(), 1, "{}", log.text());
    app.test.clock.advance(Duration::from_mins(1));
    line.post_signed(&app, TEXT.as_bytes(), "sha256=00").await;
    line.post(&app, TEXT.as_bytes()).await;
    let text = log.text();
    assert_eq!(log.warnings(), 2, "{text}");
    assert!(text.contains(&line.channel.id.to_string()) && text.contains("signature_invalid"), "{text}");
    assert!(!text.contains("wa_id") && !text.contains("sha256=") && !text.contains("app-secret-of"), "{text}");
}
