//! The sweep removes unused files.

use std::time::Duration;

use app::{App, Command, Error};
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::{Id, MediaId};
use futures_util::{StreamExt as _, stream};
use testkit::database::TestDb;

use crate::media::world::{app_on, chunks, go_on, left, new_file, noise, stored};

const HOUR: Duration = Duration::from_hours(1);

/// Stores a sent message that has this file.
pub async fn sent(app: &App, test: &TestDb, media: MediaId, kind: &str) -> Message {
    let (id, now) = (Id::new(app.now()), app.now().to_millis());
    let message = Message {
        media_id: Some(media),
        content: Some(serde_json::json!({"type": kind, kind: {"id": media}}).to_string()),
        ..Message::bare(id, Id::new(now), MessageDirection::Outbound, MessageState::Queued, kind, now)
    };
    let input = (test.tenant, message.clone());
    let write = test
        .db
        .write(input, |tx, (tenant, message)| Box::pin(store::messaging::messages::insert(tx, *tenant, message)));
    assert!(write.await.unwrap());
    message
}

testkit::both_databases! {
    async fn after_a_day_only_files_of_messages_are_left(test) {
        let test = TestDb::alone(test.db.engine()).await;
        let (app, me) = (app_on(&test, &[]), Command(test.tenant));
        let used = stored(&app, test.tenant, "used.pdf", "", &noise(600_000)).await;
        sent(&app, &test, used.id, "document").await;
        let unused = stored(&app, test.tenant, "unused.pdf", "", &noise(600_000)).await;
        let elsewhere = test.new_tenant("unlimited").await;
        stored(&app, elsewhere, "unused.pdf", "", b"0123456789abcdef").await;
        // As after a crash in the middle: the writer is never dropped.
        let stalled = chunks(&noise(600_000)).chain(stream::pending());
        let media = app.messaging().media();
        let mut call = Box::pin(media.receive(&me, new_file("stalled.pdf", ""), stalled));
        while left(&test.db, test.tenant).await < 4 + 4 + 3 {
            go_on(&mut call).await;
        }
        std::mem::forget(call);

        test.clock.advance(23 * HOUR);
        app.messaging().sweep_media().await.unwrap();
        assert_eq!((left(&test.db, test.tenant).await, left(&test.db, elsewhere).await), (11, 2));
        test.clock.advance(2 * HOUR);
        app.messaging().sweep_media().await.unwrap();
        assert_eq!((left(&test.db, test.tenant).await, left(&test.db, elsewhere).await), (4, 0));
        assert!(app.messaging().media().open_named(&me, &used.file_name).await.is_ok());
        assert!(matches!(app.messaging().media().open_named(&me, &unused.file_name).await, Err(Error::NotFound(app::Thing::File))));
    }

    async fn a_file_of_a_message_is_not_discarded(test) {
        let app = app_on(&test, &[]);
        let file = stored(&app, test.tenant, "a.pdf", "", b"0123456789abcdef").await;
        sent(&app, &test, file.id, "document").await;
        app.messaging().media().discard(&Command(test.tenant), file.id).await.unwrap();
        assert_eq!(left(&test.db, test.tenant).await, 2);
    }
}
