//! Files that clients upload.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use app::{Cause, Command, Error};
use bytes::Bytes;
use channels::graph::Content;
use domain::Id;
use domain::base::quotas::Quotas;
use domain::messaging::messages::files::FileKind;
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use testkit::database::TestDb;

use crate::media::world::{app_on, app_with, bytes_of, chunks, go_on, left, new_file, noise, refusal, stored};

const MEGABYTE: usize = 1 << 20;

testkit::both_databases! {
    async fn a_file_is_stored_in_pieces_and_read_back(test) {
        let app = app_on(&test, &[]);
        let me = Command(test.tenant);
        for (length, pieces) in [(1, 1), (262_144, 1), (262_145, 2), (700_000, 3)] {
            let (before, bytes) = (left(&test.db, test.tenant).await, noise(length));
            let file = stored(&app, test.tenant, "C:\\plans\\Räume 1.pdf", "application/pdf", &bytes).await;
            assert_eq!(left(&test.db, test.tenant).await - before, 1 + pieces);
            assert_eq!((file.kind, file.mime, file.size), (FileKind::Document, "application/pdf", length as u64));
            assert_eq!((file.shown_name.as_str(), file.file_name.clone()), ("Räume 1.pdf", format!("{}.pdf", file.id)));
            let opened = app.messaging().media().open_named(&me, &file.file_name).await.unwrap();
            assert_eq!((opened.mime.as_str(), opened.name.as_str(), opened.length), ("application/pdf", "Räume 1.pdf", Some(length as u64)));
            assert!(bytes_of(opened).await == bytes, "{length}");
            let foreign = Command(test.new_tenant("unlimited").await);
            assert!(matches!(app.messaging().media().open_named(&foreign, &file.file_name).await, Err(Error::NotFound(app::Thing::File))));
        }
    }

    async fn the_type_is_found_by_declaration_name_or_bytes(test) {
        let app = app_on(&test, &[]);
        for (name, mime, bytes, expected) in [
            ("x", "image/jpg", b"..".as_slice(), ("image/jpeg", "x")),
            ("x.mp3", "application/octet-stream", b"..", ("audio/mpeg", "x.mp3")),
            ("", "", b"%PDF-1.7 and so on", ("application/pdf", "file.pdf")),
            ("", "", b"%PDF-", ("application/pdf", "file.pdf")),
            ("photo", "application/octet-stream", b"\x89PNG\r\n\x1a\n0123456789", ("image/png", "photo")),
        ] {
            let file = stored(&app, test.tenant, name, mime, bytes).await;
            assert_eq!((file.mime, file.shown_name.as_str()), expected);
        }
    }

    async fn a_file_that_the_network_refuses_is_refused_and_leaves_nothing(test) {
        let app = app_on(&test, &[]);
        let me = Command(test.tenant);
        for (name, mime, length, said) in [
            ("x.html", "text/html", 9, "the network does not accept files of type text/html; it accepts image/jpeg, "),
            ("x.exe", "", 9, "the file's type cannot be determined from its content type"),
            ("x.exe", "", 900_000, "the file's type cannot be determined from its content type"),
            ("x.jpg", "image/jpeg", 0, "the file is empty"),
            ("", "", 0, "the file is empty"),
            ("x.jpg", "image/jpeg", 5 * MEGABYTE + 1, "the file is too large: the network accepts at most 5242880 bytes for an image"),
            ("x.webp", "", 512_001, "the file is too large: the network accepts at most 512000 bytes for a sticker"),
        ] {
            let (reason, parameter, message) = refusal(app.messaging().media().receive(&me, new_file(name, mime), chunks(&vec![1; length])).await);
            assert_eq!((reason, parameter.as_str()), (Cause::MediaRefused, "file"));
            assert!(message.starts_with(said), "{message}");
            assert_eq!(left(&test.db, test.tenant).await, 0, "{name} {mime} {length}");
        }
        let largest = stored(&app, test.tenant, "x.webp", "", &vec![1; 512_000]).await;
        assert_eq!((largest.kind, largest.size), (FileKind::Sticker, 512_000));
    }

    async fn an_incomplete_file_leaves_nothing(test) {
        let app = app_on(&test, &[]);
        let broken = chunks(&noise(600_000)).chain(stream::iter([Err(std::io::Error::other("gone"))]));
        let outcome = app.messaging().media().receive(&Command(test.tenant), new_file("x.pdf", ""), broken).await;
        assert_eq!(refusal(outcome), (Cause::MediaRefused, "file".to_owned(), "the file was not received completely".to_owned()));
        assert_eq!(left(&test.db, test.tenant).await, 0);
        // The client disconnects in the middle of the upload: the future of `receive` is dropped before it ends.
        let stalled = chunks(&noise(600_000)).chain(stream::pending());
        let (media, me) = (app.messaging().media(), Command(test.tenant));
        let mut call = Box::pin(media.receive(&me, new_file("x.pdf", ""), stalled));
        while left(&test.db, test.tenant).await < 3 {
            go_on(&mut call).await;
        }
        let part = store::messaging::media::list_after(&test.db, test.tenant, Id::from_bytes([0; 12]), 10).await.unwrap()[0];
        let opened = app.messaging().media().open_named(&me, &format!("{}.pdf", part.id)).await;
        assert!(matches!(opened, Err(Error::NotFound(app::Thing::File))), "a part is not taken for the whole");
        drop(call);
        for _ in 0..1000 {
            if left(&test.db, test.tenant).await == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(left(&test.db, test.tenant).await, 0);
    }

    async fn a_tenant_uploads_at_most_its_share_of_bytes(test) {
        let quotas = Quotas { media_bytes: 1_000, ..Quotas::default() };
        let me = Command(test.tenant);
        let full = |outcome| matches!(outcome, Err(Error::LimitReached { limit: "media_bytes", max: 1_000, .. }));
        // The second application reads the sum of the files that the first one stored.
        for app in [app_with(&test, &[], quotas), app_with(&test, &[], quotas)] {
            stored(&app, test.tenant, "a.pdf", "", &noise(400)).await;
            assert!(full(app.messaging().media().receive(&me, new_file("b.pdf", ""), chunks(&noise(700))).await));
        }
        let app = app_with(&test, &[], quotas);
        stored(&app, test.tenant, "c.pdf", "", &noise(200)).await;
        assert!(full(app.messaging().media().receive(&me, new_file("d.pdf", ""), stream::pending::<Result<Bytes, std::io::Error>>()).await));
        assert_eq!(left(&test.db, test.tenant).await, 6);
        stored(&app, test.new_tenant("unlimited").await, "e.pdf", "", &noise(1_000)).await;
    }

    async fn content_has_our_file_id_until_the_sender_replaces_it(test) {
        let app = app_on(&test, &[]);
        for (name, kind, caption, expected) in [
            ("a.jpg", "image", Some("Hi"), json!({"caption": "Hi"})),
            ("a.mp4", "video", None, json!({})),
            ("a.ogg", "audio", Some("not shown"), json!({})),
            ("a.webp", "sticker", None, json!({})),
            ("a.pdf", "document", Some(""), json!({"filename": "a.pdf"})),
        ] {
            let file = stored(&app, test.tenant, name, "", b"0123456789abcdef").await;
            let content: Content = app::messaging::media::content(&file, caption);
            let mut of_kind = expected;
            of_kind["id"] = file.id.to_string().into();
            assert_eq!(serde_json::to_value(&content).unwrap(), json!({"type": kind, kind: of_kind}));
        }
    }
}

/// On one database only, since it reads a hundred megabytes. The file is refused before the rest of it is read.
#[tokio::test]
async fn a_body_larger_than_every_limit_has_a_cause_of_its_own() {
    let test = TestDb::sqlite().await;
    let app = app_on(&test, &[]);
    let (read, chunk) = (AtomicUsize::new(0), Bytes::from(vec![b'x'; MEGABYTE]));
    let endless = stream::repeat_with(|| {
        read.fetch_add(1, Ordering::Relaxed);
        Ok::<_, std::io::Error>(chunk.clone())
    });
    let (reason, parameter, _) =
        refusal(app.messaging().media().receive(&Command(test.tenant), new_file("x.txt", ""), endless).await);
    assert_eq!((reason, parameter.as_str(), read.into_inner()), (Cause::FileTooLarge, "file", 101));
    assert_eq!(left(&test.db, test.tenant).await, 0);
}
