//! A migrated database for one test: its own file on SQLite, its own tenant on the shared PostgreSQL.

use std::path::PathBuf;

use domain::identity::tenants::Tenant;
use domain::{Clock, TenantId, Timestamp};
use store::{Db, Engine, Location, Statement};
use tokio::sync::OnceCell;

pub use crate::folders::fresh_folder;
use crate::fresh::FreshDatabase;

#[derive(Debug)]
pub struct TestDb {
    pub db: Db,
    pub location: Location,
    pub clock: Clock,
    /// A tenant that only this test uses.
    pub tenant: TenantId,
    folder: Option<PathBuf>,
}

impl TestDb {
    #[expect(clippy::expect_used, reason = "a test without its database must fail")]
    pub async fn sqlite() -> Self {
        let folder = fresh_folder();
        let file = folder.join("switchboard.db");
        std::fs::write(&file, migrated_file().await).expect("the database is written");
        Self::open(Location::Sqlite { file }, Some(folder)).await
    }

    pub async fn postgres() -> Self {
        Self::open(Location::Postgres { url: crate::postgres::shared_url(), connections: 4 }, None).await
    }

    pub async fn on(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite().await,
            Engine::Postgres => Self::postgres().await,
        }
    }

    /// With a database that only this test uses, on either engine: for code that works across tenants.
    pub async fn alone(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite().await,
            Engine::Postgres => Self::open(FreshDatabase::migrated_postgres().await.location, None).await,
        }
    }

    #[expect(clippy::expect_used, reason = "a test without its database must fail")]
    async fn open(location: Location, folder: Option<PathBuf>) -> Self {
        let clock = Clock::manual(Timestamp::system_now());
        let db = Db::open(&location).expect("the database opens");
        store::migrate(&db, &clock).await.expect("the database migrates");
        let mut test = Self { db, location, clock, tenant: random_tenant(), folder };
        test.tenant = test.new_tenant("unlimited").await;
        test
    }

    /// A second handle of the same database, like that of another process.
    #[expect(clippy::expect_used, reason = "a test without its database must fail")]
    pub fn another_handle(&self) -> Db {
        Db::open(&self.location).expect("the database opens")
    }

    /// Inserts another tenant, with this plan.
    pub async fn new_tenant(&self, plan: &str) -> TenantId {
        let id = random_tenant();
        self.insert_tenant(id, plan).await;
        id
    }

    #[expect(clippy::expect_used, reason = "a test without its tenant must fail")]
    pub(crate) async fn insert_tenant(&self, id: TenantId, plan: &str) {
        let tenant = Tenant {
            id,
            name: "Test".to_owned(),
            plan: plan.to_owned(),
            created_at: self.clock.now().to_millis(),
            suspended_at: None,
        };
        let made = self.db.write(tenant, |tx, tenant| Box::pin(store::identity::tenants::insert(tx, tenant))).await;
        assert!(made.expect("the tenant is stored"), "a random tenant id was taken");
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A migrated database file, created once for all tests of the process.
#[expect(clippy::expect_used, reason = "a test without its database must fail")]
async fn migrated_file() -> &'static [u8] {
    static FILE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let create = || async {
        let folder = fresh_folder();
        let file = folder.join("switchboard.db");
        let db = Db::open(&Location::Sqlite { file: file.clone() }).expect("the database opens");
        store::migrate(&db, &Clock::system()).await.expect("the database migrates");
        let copy = folder.join("copy.db");
        let save = Statement::composed("test", format!("VACUUM INTO '{}'", copy.display()));
        db.each(&save, &[], |_| Ok(())).await.expect("the database is copied");
        drop(db);
        let bytes = std::fs::read(&copy).expect("the copy is readable");
        let _ = std::fs::remove_dir_all(folder);
        bytes
    };
    FILE.get_or_init(create).await
}

/// A random tenant id, because all tests of a run share one PostgreSQL.
pub fn random_tenant() -> TenantId {
    TenantId::from_number(rand::random_range(1_000_000..1_000_000_000_000_000))
}

/// Makes two tests of one body: `name::sqlite` and `name::postgres`. The body of `async fn name(test)` gets a `TestDb`;
/// that of `async fn name(world = World::new)` gets what this function makes of the engine.
#[macro_export]
macro_rules! both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($given:pat_param $(= $fixture:path)?) $body:block)+) => {
        $($(#[$meta])* mod $name {
            #[allow(unused_imports, reason = "a body may need nothing from around it")]
            use super::*;

            async fn body(engine: $crate::Engine) {
                let $given = $crate::fixture!(engine $($fixture)?);
                $body
            }

            #[tokio::test]
            async fn sqlite() {
                body($crate::Engine::Sqlite).await;
            }

            #[tokio::test]
            async fn postgres() {
                body($crate::Engine::Postgres).await;
            }
        })+
    };
}

/// What a body of `both_databases` gets.
#[doc(hidden)]
#[macro_export]
macro_rules! fixture {
    ($engine:ident) => {
        $crate::database::TestDb::on($engine).await
    };
    ($engine:ident $fixture:path) => {
        $fixture($engine).await
    };
}
