//! A migrated database without data. A backup covers a whole database, so tests cannot share one.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use domain::{Clock, Timestamp};
use store::platform::backup::{BackupError, Summary, backup, restore};
use store::{Db, Engine, Statement};
use testkit::fresh::FreshDatabase;

#[derive(Debug)]
pub struct Fresh {
    pub db: Db,
    database: FreshDatabase,
}

impl Fresh {
    pub async fn on(engine: Engine) -> Self {
        let database = FreshDatabase::on(engine).await;
        let db = database.open();
        store::migrate(&db, &clock()).await.unwrap();
        Self { db, database }
    }

    pub async fn remove(self) {
        drop(self.db);
        self.database.remove().await;
    }

    pub async fn backup(&self) -> Vec<u8> {
        let out = Shared::default();
        backup(&self.db, &clock(), out.clone(), None, |_| {}).await.unwrap();
        out.take()
    }

    pub async fn restore(&self, file: &[u8]) -> Result<Summary, BackupError> {
        restore(&self.db, Cursor::new(file.to_vec()), false, |_, _| {}).await
    }

    pub async fn replace(&self, file: &[u8]) -> Result<Summary, BackupError> {
        restore(&self.db, Cursor::new(file.to_vec()), true, |_, _| {}).await
    }
}

pub async fn run(db: &Db, sql: String) {
    db.each(&Statement::composed("test", sql), &[], |_| Ok(())).await.unwrap();
}

/// A clock with the same time for every backup, so that whole files can be compared.
pub fn clock() -> Clock {
    Clock::manual(Timestamp::from_seconds(1_776_000_000))
}

/// A writer that keeps the bytes of a backup.
#[derive(Debug, Clone, Default)]
pub struct Shared(pub Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn unpacked(file: &[u8]) -> String {
    try_unpacked(file).unwrap()
}

pub fn try_unpacked(file: &[u8]) -> std::io::Result<String> {
    std::io::read_to_string(flate2::read::GzDecoder::new(file))
}

/// One body, two tests: `name::sqlite` and `name::postgres`, each with a fresh database of the engine.
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($fresh:ident) $body:block)+) => {
        $($(#[$meta])* mod $name {
            #[allow(unused_imports, reason = "a body may need nothing from around it")]
            use super::*;

            async fn body($fresh: &$crate::fresh::Fresh) $body

            async fn on(engine: store::Engine) {
                let fresh = $crate::fresh::Fresh::on(engine).await;
                body(&fresh).await;
                fresh.remove().await;
            }

            #[tokio::test]
            async fn sqlite() {
                on(store::Engine::Sqlite).await;
            }

            #[tokio::test]
            async fn postgres() {
                on(store::Engine::Postgres).await;
            }
        })+
    };
}
pub(crate) use on_both;
