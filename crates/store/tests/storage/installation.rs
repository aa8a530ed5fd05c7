//! Named values of the installation, in a fresh database, since each database has them once.

use store::base::installation;
use store::{Engine, migrate};
use testkit::fresh::FreshDatabase;

async fn the_fingerprint_of_the_key_is_kept(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    migrate(&db, &domain::Clock::system()).await.unwrap();
    assert_eq!(installation::key_fingerprint(&db).await.unwrap(), None);
    for fingerprint in ["first", "second"] {
        let write = db.write(fingerprint, |tx, fingerprint| {
            Box::pin(async move {
                installation::set_key_fingerprint(tx, fingerprint).await?;
                installation::key_fingerprint_in(tx).await
            })
        });
        assert_eq!(write.await.unwrap().as_deref(), Some(fingerprint));
        assert_eq!(installation::key_fingerprint(&db).await.unwrap().as_deref(), Some(fingerprint));
    }
    drop(db);
    fresh.remove().await;
}

#[tokio::test]
async fn the_fingerprint_of_the_key_is_kept_on_sqlite() {
    the_fingerprint_of_the_key_is_kept(Engine::Sqlite).await;
}

#[tokio::test]
async fn the_fingerprint_of_the_key_is_kept_on_postgres() {
    the_fingerprint_of_the_key_is_kept(Engine::Postgres).await;
}
