//! Care for the file of an embedded database. PostgreSQL has nothing to care for.

use std::time::Duration;

use domain::Clock;
use store::migrations::is_empty;
use store::{Engine, FileCheck, migrate};
use testkit::fresh::FreshDatabase;

use crate::fixtures::on_both;

async fn an_intact_database_has_no_fault_and_room(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    assert!(is_empty(&db).await.unwrap());
    migrate(&db, &Clock::system()).await.unwrap();
    assert!(!is_empty(&db).await.unwrap());
    assert_eq!(db.quick_check(Duration::from_mins(10)).unwrap(), FileCheck::default());
    assert_eq!(db.full_check().unwrap(), FileCheck::default());
    assert_eq!(db.quick_check(Duration::ZERO).unwrap().is_cut_short, engine == Engine::Sqlite);
    db.check_room().unwrap();
    assert!(db.checkpoint().unwrap());
    drop(db);
    fresh.remove().await;
}

on_both! { an_intact_database_has_no_fault_and_room }
