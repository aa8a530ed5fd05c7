//! Files that people send are fetched when they arrive and kept, in every kind of store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use app::messaging::media::{FileState, FileView, MediaPolicy, OwnLimits};
use app::{Command, Error};
use channels::transport::{Body, BoxError};
use domain::Id;
use domain::messaging::messages::{FetchFailure, FileStore, Message, MessageDirection, MessageState};
use http_body_util::{BodyExt as _, Full};
use sandbox::driver::{Image, Say};
use serde_json::{Value, json};
use store::messaging::media::fetches::{self, PendingFetch};
use store::{Engine, Statement, params};
use testkit::World;
use testkit::database::{TestDb, fresh_folder};
use testkit::network::NetworkSettings;
use testkit::s3::TestBucket;

use crate::media::world::{bytes_of, left, noise};

const ADA: &str = "14155550132";
const DAY: Duration = Duration::from_hours(24);

static ALTER: Statement = Statement::new(
    "test.alter",
    "UPDATE sandbox_media_pieces SET bytes = $3 WHERE tenant_id = $1 AND media_id = $2 AND place = 0",
);

static FORGET: Statement =
    Statement::new("test.forget", "DELETE FROM media_fetches WHERE tenant_id = $1 AND message_id = $2");

static MOVE: Statement = Statement::new("test.move", "UPDATE media SET store = $2 WHERE tenant_id = $1");

/// A server with one kind of store.
struct Keeper {
    world: World,
    outside: Option<Outside>,
}

/// Where the files of a server are stored, if not in its database.
enum Outside {
    Folder(PathBuf),
    Bucket(TestBucket),
}

/// One server for each kind of store.
async fn keepers(engine: Engine) -> Vec<Keeper> {
    let mut all = Vec::new();
    for store in [FileStore::Database, FileStore::Folder, FileStore::S3] {
        let mut media = MediaPolicy { store, ..MediaPolicy::default() };
        let outside = match store {
            FileStore::Database => None,
            FileStore::Folder => Some(Outside::Folder(media.folder.insert(fresh_folder()).clone())),
            FileStore::S3 => {
                let bucket = TestBucket::create().await;
                media.bucket = Some(bucket.open());
                Some(Outside::Bucket(bucket))
            }
        };
        let settings = NetworkSettings { media, ..NetworkSettings::default() };
        all.push(Keeper { world: World::simulation(TestDb::alone(engine).await, settings).await, outside });
    }
    all
}

impl Keeper {
    /// Lets Ada send a picture, and returns the message, whose file is not fetched yet.
    async fn picture(&self) -> Message {
        let say = Say { image: Some(Image { caption: Some("Look".to_owned()) }), ..Say::default() };
        self.world.sandbox().say(self.world.tenant(), ADA, say).await.unwrap();
        self.world.later(5).await;
        let db = &self.world.test.db;
        let all = store::messaging::messages::of_channel(db, self.world.tenant(), self.world.channel().id, "", 10)
            .await
            .unwrap();
        let newest = all.into_iter().filter(|one| one.kind == "image").max_by_key(|one| (one.created_at, one.id));
        newest.unwrap()
    }

    /// Stores a message with this file as its webhook would, with a pending fetch.
    async fn arrived(&self, kind: &str, mime: &str, name: &str, bytes: &[u8]) -> Message {
        let body: Body = Full::new(bytes::Bytes::copy_from_slice(bytes)).map_err(BoxError::from).boxed_unsync();
        let graph = self.world.graph().await;
        let id = graph.upload("application/pdf", name, bytes.len() as u64, body).await.unwrap();
        let now = self.world.now().to_millis();
        let channel = self.world.channel().id;
        let content = json!({"type": kind, kind: {"id": id, "mime_type": mime, "filename": name}});
        let message = Message {
            content: Some(content.to_string()),
            ..Message::bare(Id::new(now), channel, MessageDirection::Inbound, MessageState::RECEIVED, kind, now)
        };
        let input = (self.world.tenant(), message.clone());
        let write = self.world.test.db.write(input, |tx, (tenant, message)| {
            Box::pin(async move {
                store::messaging::messages::insert(tx, *tenant, message).await?;
                let fetch = PendingFetch::new(message.id, message.channel_id, message.at);
                fetches::insert_many(tx, *tenant, &[fetch]).await
            })
        });
        write.await.unwrap();
        message
    }

    async fn fetch(&self) {
        self.world.app.messaging().fetch_received(&|| false).await.unwrap();
    }

    /// Makes the network lose the file of a message.
    async fn forget(&self, message: &Message) {
        self.world.graph().await.delete_media(&network_id(message)).await.unwrap();
    }

    async fn alter(&self, message: &Message, bytes: &[u8]) {
        let input = (self.world.tenant(), network_id(message), bytes.to_vec());
        let write = self.world.test.db.write(input, |tx, (tenant, id, bytes)| {
            Box::pin(async move { tx.execute(&ALTER, params![*tenant, &*id, &*bytes]).await })
        });
        assert_eq!(write.await.unwrap(), 1);
    }

    /// Says that the bytes of all files are in this store.
    async fn moved(&self, store: &'static str) {
        let input = (self.world.tenant(), store);
        let write = self.world.test.db.write(input, |tx, (tenant, store)| {
            Box::pin(async move { tx.execute(&MOVE, params![*tenant, *store]).await })
        });
        assert_eq!(write.await.unwrap(), 1);
    }

    /// The file as the history shows it.
    async fn view(&self, message: &Message) -> FileView {
        let message = self.world.message(message.id).await;
        let (entry, _) = self.world.app.inbox().conversations().history_entry(&self.world.me(), message).await.unwrap();
        entry.file.unwrap()
    }

    async fn state(&self, message: &Message) -> (FileState, Option<FetchFailure>) {
        let view = self.view(message).await;
        (view.state, view.failure)
    }

    async fn read(&self, message: &Message) -> Vec<u8> {
        bytes_of(self.world.app.messaging().media().open(&self.world.me(), message.id).await.unwrap()).await
    }

    async fn stored(&self) -> (u64, u64) {
        let usage = self.world.app.messaging().media().usage(&Command(self.world.tenant())).await.unwrap();
        (usage.files, usage.bytes)
    }

    /// Number of files outside the database.
    async fn files(&self) -> usize {
        match &self.outside {
            None => 0,
            Some(Outside::Folder(folder)) => count_files(folder),
            Some(Outside::Bucket(bucket)) => bucket.objects().await.len(),
        }
    }
}

fn count_files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { count_files(&path) } else { 1 }).sum()
}

fn network_id(message: &Message) -> String {
    let content: Value = serde_json::from_str(message.content.as_deref().unwrap()).unwrap();
    content[&message.kind]["id"].as_str().unwrap().to_owned()
}

fn is_missing<T>(outcome: &Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::NotFound(app::Thing::File)))
}

testkit::both_databases! {
    async fn a_received_file_survives_the_network_forgetting_it(test) {
        for server in keepers(test.db.engine()).await {
            let message = server.picture().await;
            let view = server.view(&message).await;
            assert_eq!((view.state, view.size, view.mime.as_deref()), (FileState::Pending, None, Some("image/png")));
            server.fetch().await;
            server.forget(&message).await;
            let bytes = server.read(&message).await;
            assert!(bytes.starts_with(b"\x89PNG"));
            let view = server.view(&message).await;
            assert_eq!((view.state, view.size), (FileState::Stored, Some(bytes.len() as u64)));
            assert_eq!(view.name, format!("{}.png", message.id));
            let (named, me) = (app::messaging::media::name_in_history(&message).unwrap(), server.world.me());
            let opened = server.world.app.messaging().media().open_named(&me, &named).await.unwrap();
            assert_eq!((opened.mime.as_str(), opened.length), ("image/png", Some(bytes.len() as u64)));
            assert_eq!(server.stored().await, (1, bytes.len() as u64));
            assert_eq!(server.files().await, usize::from(server.outside.is_some()));
        }
    }

    async fn a_large_file_of_any_type_is_kept_whole(test) {
        for server in keepers(test.db.engine()).await {
            let bytes = noise(700_001);
            let message = server.arrived("document", "application/zip", "../plans.zip", &bytes).await;
            let fake = server.arrived("image", "image/jpeg", "a.jpg", b"<script>alert(1)</script>").await;
            server.fetch().await;
            assert!(server.read(&message).await == bytes);
            let (kept, fake) = (server.view(&message).await, server.view(&fake).await);
            assert_eq!((kept.mime.as_deref(), kept.name.as_str()), (Some("application/zip"), "plans.zip"));
            assert_eq!(fake.mime.as_deref(), Some("application/octet-stream"), "its bytes are no picture");
            assert_eq!(server.stored().await, (2, 700_001 + 25));
        }
    }

    async fn a_restart_before_and_within_the_fetch_loses_nothing(test) {
        for mut server in keepers(test.db.engine()).await {
            let (first, second) = (server.picture().await, server.picture().await);
            // A process that is killed holds the claim of one of them.
            let channel = fetches::waiting(&server.world.test.db, server.world.now(), 10).await.unwrap().remove(0);
            let now = server.world.now();
            let claim: domain::FetchClaimId = Id::new(now);
            let input = (channel, claim, now);
            let write = server.world.test.db.write(input, |tx, (channel, claim, now)| {
                Box::pin(fetches::claim(tx, *channel, *claim, (*now, now.plus_seconds(10)), 1))
            });
            let lost = write.await.unwrap()[0];
            server.world.restart();
            server.fetch().await;
            let (held, other) = if lost.message == first.id { (first, second) } else { (second, first) };
            assert_eq!(server.state(&other).await, (FileState::Stored, None));
            assert_eq!(server.state(&held).await, (FileState::Pending, None));
            server.world.advance(10);
            server.fetch().await;
            assert_eq!(server.state(&held).await, (FileState::Stored, None));
            // If the killed process was only slow, it has lost the claim and cannot end the fetch.
            let write = server.world.test.db.write(lost, |tx, lost| Box::pin(fetches::done(tx, lost)));
            assert!(!write.await.unwrap());
            assert_eq!(server.stored().await.0, 2);
        }
    }

    async fn a_full_quota_leaves_the_message_with_its_reason(test) {
        for server in keepers(test.db.engine()).await {
            let (app, tenant) = (&server.world.app, server.world.tenant());
            let limit = async |quota| {
                let own = OwnLimits { quota: Some(quota), keep_days: None };
                app.messaging().media().set_limits(&Command(tenant), own).await.unwrap();
            };
            limit(1000).await;
            let fits = server.arrived("document", "text/plain", "a.txt", &[b'a'; 600]).await;
            server.fetch().await;
            let full = server.arrived("document", "text/plain", "b.txt", &[b'b'; 401]).await;
            server.fetch().await;
            assert_eq!(server.state(&fits).await, (FileState::Stored, None));
            let view = server.view(&full).await;
            assert_eq!((view.state, view.failure, view.next_attempt), (FileState::Failed, Some(FetchFailure::QuotaFull), None));
            assert_eq!(view.detail.as_deref(), Some("the tenant's quota of 1000 bytes for received files is full"));
            assert!(server.read(&full).await == [b'b'; 401], "the network still has it");
            limit(1001).await;
            let asked = app.messaging().media().request(&server.world.me(), full.id).await.unwrap();
            assert_eq!((asked.state, asked.failure), (FileState::Pending, None));
            server.fetch().await;
            assert_eq!(server.state(&full).await, (FileState::Stored, None));
            assert_eq!(server.stored().await, (2, 1001));
            let asked = app.messaging().media().request(&server.world.me(), full.id).await.unwrap();
            assert_eq!(asked.state, FileState::Stored, "what is stored stays");
        }
    }

    async fn a_file_that_is_altered_on_its_way_is_fetched_again(test) {
        for server in keepers(test.db.engine()).await {
            let (bytes, message) = (noise(500), server.arrived("document", "text/plain", "a.txt", &noise(500)).await);
            server.alter(&message, &noise(499)).await;
            server.fetch().await;
            let view = server.view(&message).await;
            assert_eq!((view.state, view.failure), (FileState::Pending, Some(FetchFailure::Altered)));
            assert_eq!(view.next_attempt, Some(server.world.now().plus_seconds(2)));
            server.alter(&message, &bytes).await;
            server.fetch().await;
            assert_eq!(server.state(&message).await.0, FileState::Pending, "not before its time");
            server.world.advance(2);
            server.fetch().await;
            assert_eq!(server.state(&message).await, (FileState::Stored, None));
            assert!(server.read(&message).await == bytes);
            assert_eq!((server.stored().await, server.files().await), ((1, 500), usize::from(server.outside.is_some())));
        }
    }

    async fn a_file_that_the_network_lost_stays_missing_until_it_is_asked_for(test) {
        for server in keepers(test.db.engine()).await {
            let message = server.picture().await;
            server.forget(&message).await;
            server.fetch().await;
            assert_eq!(server.state(&message).await, (FileState::Failed, Some(FetchFailure::Gone)));
            assert!(is_missing(&server.world.app.messaging().media().open(&server.world.me(), message.id).await));
            server.world.test.clock.advance(DAY);
            server.fetch().await;
            assert_eq!(server.state(&message).await, (FileState::Failed, Some(FetchFailure::Gone)));
            let asked = server.world.app.messaging().media().request(&server.world.me(), message.id).await.unwrap();
            assert_eq!(asked.state, FileState::Pending);
            let foreign = Command(server.world.test.new_tenant("unlimited").await);
            assert!(is_missing(&server.world.app.messaging().media().request(&foreign, message.id).await));
            assert_eq!(server.stored().await, (0, 0));
        }
    }

    async fn reading_a_file_that_was_never_fetched_keeps_it(test) {
        for server in keepers(test.db.engine()).await {
            let message = server.arrived("document", "text/plain", "a.txt", b"0123456789abcdef").await;
            // As an earlier version left it: without a fetch.
            let input = (server.world.tenant(), message.id);
            let write = server.world.test.db.write(input, |tx, (tenant, id)| {
                Box::pin(async move { tx.execute(&FORGET, params![*tenant, *id]).await })
            });
            assert_eq!(write.await.unwrap(), 1);
            assert_eq!(server.state(&message).await, (FileState::Remote, None));
            assert!(server.read(&message).await == b"0123456789abcdef");
            server.fetch().await;
            assert_eq!(server.state(&message).await, (FileState::Stored, None));
        }
    }

    async fn the_files_of_a_deleted_contact_are_deleted_at_once(test) {
        for server in keepers(test.db.engine()).await {
            let picture = server.picture().await;
            server.fetch().await;
            assert_eq!((server.stored().await.0, server.files().await), (1, usize::from(server.outside.is_some())));
            let (app, me) = (&server.world.app, server.world.me());
            let contact = picture.contact_id.unwrap();
            app.people().contacts().delete(&me, &contact.to_string()).await.unwrap();
            assert!(app.platform().erasures().begin(&me, contact).await);
            let left = left(&server.world.test.db, server.world.tenant()).await;
            assert_eq!((left, server.files().await, server.stored().await), (0, 0, (0, 0)));
        }
    }

    async fn a_deletion_whose_files_cannot_be_deleted_yet_is_not_complete(test) {
        let in_folder = |server: &Keeper| matches!(server.outside, Some(Outside::Folder(_)));
        let server = keepers(test.db.engine()).await.into_iter().find(in_folder).unwrap();
        let picture = server.picture().await;
        server.fetch().await;
        let (app, me, contact) = (&server.world.app, server.world.me(), picture.contact_id.unwrap());
        // This server has no bucket.
        server.moved("s3").await;
        app.people().contacts().delete(&me, &contact.to_string()).await.unwrap();
        assert!(!app.platform().erasures().begin(&me, contact).await);
        app.platform().erasures().complete(&|| false).await.unwrap();
        assert_eq!(server.files().await, 1);
        server.moved("folder").await;
        app.platform().erasures().complete(&|| false).await.unwrap();
        assert_eq!((left(&server.world.test.db, server.world.tenant()).await, server.files().await), (0, 0));
        assert!(app.platform().erasures().begin(&me, contact).await);
    }

    async fn files_are_kept_for_the_days_of_the_tenant_and_removed_with_the_person(test) {
        for server in keepers(test.db.engine()).await {
            let (app, db, tenant) = (&server.world.app, &server.world.test.db, server.world.tenant());
            let old = server.arrived("document", "text/plain", "a.txt", &[b'a'; 600]).await;
            server.fetch().await;
            let own = OwnLimits { quota: None, keep_days: Some(30) };
            app.messaging().media().set_limits(&Command(tenant), own).await.unwrap();
            server.world.test.clock.advance(29 * DAY);
            let young = server.picture().await;
            server.fetch().await;
            app.messaging().sweep_media().await.unwrap();
            assert_eq!(server.state(&old).await, (FileState::Stored, None));
            server.world.test.clock.advance(2 * DAY);
            app.messaging().sweep_media().await.unwrap();
            let view = server.view(&old).await;
            assert_eq!((view.state, view.failure), (FileState::Failed, Some(FetchFailure::Expired)));
            assert_eq!(view.detail.as_deref(), Some("received files are kept for 30 days"));
            assert_eq!((server.state(&young).await.0, server.stored().await.0), (FileState::Stored, 1));
            // Bytes outside the database are kept for a day, for a backup that is running.
            assert_eq!(server.files().await, if server.outside.is_some() { 2 } else { 0 });
            server.world.test.clock.advance(2 * DAY);
            app.messaging().sweep_media().await.unwrap();
            assert_eq!(server.files().await, usize::from(server.outside.is_some()));
            let contact = young.contact_id.unwrap();
            app.people().contacts().delete(&server.world.me(), &contact.to_string()).await.unwrap();
            app.messaging().sweep_media().await.unwrap();
            server.world.test.clock.advance(2 * DAY);
            app.messaging().sweep_media().await.unwrap();
            assert_eq!((left(db, tenant).await, server.files().await, server.stored().await), (0, 0, (0, 0)));
        }
    }
}
