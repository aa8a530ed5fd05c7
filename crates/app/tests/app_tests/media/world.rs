//! An application that may fetch only from the allowed private networks, and counts of its rows.

use app::messaging::media::{NewFile, OpenFile, StoredFile};
use app::{App, Cause, Command, Config, Error};
use bytes::Bytes;
use domain::TenantId;
use domain::base::keys::{Keyring, SecretKey};
use futures_util::{TryStreamExt as _, stream};
use store::{Db, Statement, params};
use testkit::database::TestDb;
use testkit::world::{config, guarded, networks, new_app};

static LEFT: Statement = Statement::new(
    "test.left",
    "SELECT (SELECT COUNT(*) FROM media WHERE tenant_id = $1) + (SELECT COUNT(*) FROM media_pieces WHERE tenant_id = $1)
     + (SELECT COUNT(*) FROM media_uploads WHERE tenant_id = $1)",
);

pub fn app_on(test: &TestDb, allowed: &[&str]) -> App {
    app_with(test, allowed, domain::base::quotas::Quotas::default())
}

pub fn app_with(test: &TestDb, allowed: &[&str], quotas: domain::base::quotas::Quotas) -> App {
    let networks = networks().with_guarded(guarded(allowed));
    new_app(test, &Keyring::new(SecretKey::random(), None), Config { networks, quotas, ..config() })
}

/// The number of rows of files, pieces and uploads together.
pub async fn left(db: &Db, tenant: TenantId) -> i64 {
    db.row(&LEFT, params![tenant], store::read::<i64>).await.unwrap().unwrap()
}

/// Bytes whose pattern differs from piece to piece.
pub fn noise(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from((at * 31 + at / 251) % 256).unwrap()).collect()
}

pub fn new_file(name: &str, mime: &str) -> NewFile {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    NewFile { name: text(name), mime: text(mime) }
}

/// The bytes in chunks that do not end where pieces end.
pub fn chunks(bytes: &[u8]) -> impl futures_util::Stream<Item = Result<Bytes, std::io::Error>> + Send + use<> {
    let chunks: Vec<_> = bytes.chunks(70_001).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    stream::iter(chunks)
}

pub async fn stored(app: &App, tenant: TenantId, name: &str, mime: &str, bytes: &[u8]) -> StoredFile {
    app.messaging().media().receive(&Command(tenant), new_file(name, mime), chunks(bytes)).await.unwrap()
}

pub async fn bytes_of(opened: OpenFile) -> Vec<u8> {
    opened.body.try_collect::<Vec<Bytes>>().await.unwrap().concat()
}

#[track_caller]
pub fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (Cause, String, String) {
    match outcome {
        Err(Error::Refused { cause, place, message }) => (cause, place.to_string(), message),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Polls a call once; panics if it has ended.
pub async fn go_on(call: &mut (impl Future<Output: std::fmt::Debug> + Unpin)) {
    tokio::select! {
        biased;
        ended = call => panic!("it has ended: {ended:?}"),
        () = tokio::task::yield_now() => {}
    }
}
