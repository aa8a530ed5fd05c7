//! Contacts through backup and restore: the index is not saved, and is rebuilt.

use std::collections::BTreeSet;

use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Contact, NewContact, Term, terms};
use domain::people::imports::{Import, ImportCounts, ImportStatus};
use domain::{ContactId, Id, TenantId};
use store::people::contacts;
use store::{Db, Engine, Statement, params};

use crate::fresh::{Fresh, clock, unpacked};

const TENANT: TenantId = TenantId::from_number(100_001);

fn contact(number: u32) -> Contact {
    let new = NewContact {
        phone: Some(format!("1415555{number:04}")),
        name: format!("Ada {number}"),
        source: "API".to_owned(),
        ..NewContact::default()
    };
    Contact::new(new, clock().now())
}

async fn store_contacts(db: &Db, new: &[Contact]) {
    for contact in new {
        let phone = Identity::seen(IdentityKind::Phone, contact.phone.as_deref().unwrap(), contact.created_at);
        let input = (contact.clone(), [phone]);
        let stored = db.write(input, |tx, (new, phone)| Box::pin(contacts::insert(tx, TENANT, new, phone)));
        stored.await.unwrap();
    }
}

async fn index(db: &Db) -> BTreeSet<(Term, ContactId)> {
    static TERMS: Statement = Statement::new("test.terms", "SELECT term, id FROM contact_terms WHERE tenant_id = $1");
    let rows = db.rows(&TERMS, params![TENANT], store::read).await.unwrap();
    rows.into_iter().collect()
}

fn expected(all: &[Contact]) -> BTreeSet<(Term, ContactId)> {
    all.iter().flat_map(|contact| terms(contact).into_iter().map(|term| (term, contact.id))).collect()
}

/// Restores a backup of one engine into an installation on the other engine that has contacts.
async fn moves(from: Engine, to: Engine) {
    let (old, new) = (Fresh::on(from).await, Fresh::on(to).await);
    let (kept, replaced) = ([contact(1), contact(2)], [contact(3)]);
    store_contacts(&old.db, &kept).await;
    store_contacts(&new.db, &replaced).await;
    let file = old.backup().await;
    assert!(!unpacked(&file).contains("contact_terms"), "the index is no part of a backup, nor is its version");
    new.replace(&file).await.unwrap();
    assert!(index(&new.db).await.is_empty(), "nothing is found by what was replaced");

    // The next start rebuilds the index.
    store::migrate(&new.db, &clock()).await.unwrap();
    assert_eq!(index(&new.db).await, expected(&kept));
    assert_eq!(contacts::count(&new.db, TENANT).await.unwrap(), contacts::count(&old.db, TENANT).await.unwrap());
    assert_eq!(unpacked(&new.backup().await), unpacked(&file));
    old.remove().await;
    new.remove().await;
}

/// A backup made while an import had contacts without terms: the rebuild writes them, so the mark is not restored.
#[tokio::test]
async fn contacts_of_a_running_import_are_found_after_a_restore() {
    let (old, new) = (Fresh::on(Engine::Sqlite).await, Fresh::on(Engine::Postgres).await);
    let now = clock().now();
    let import = Import {
        id: Id::new(now),
        status: ImportStatus::Local,
        format: "csv".to_owned(),
        dry_run: false,
        fingerprint: String::new(),
        bytes_total: 1,
        bytes_done: 0,
        counts: ImportCounts::default(),
        consent: ConsentColumn::default(),
        header: None,
        error: None,
        actor: "ada".to_owned(),
        holder: None,
        leased_until: now,
        started_at: now,
        finished_at: None,
    };
    let imported = contact(1);
    let input = (import.clone(), imported.clone());
    let begun = old.db.write(input, |tx, (import, contact)| {
        Box::pin(async move {
            store::people::imports::insert(tx, TENANT, import).await?;
            contacts::insert_unindexed(tx, TENANT, import.id, &[(contact, &[])]).await
        })
    });
    begun.await.unwrap();
    assert_eq!(contacts::unindexed_of(&old.db, TENANT, import.id).await.unwrap(), Some(imported.id));
    new.replace(&old.backup().await).await.unwrap();
    store::migrate(&new.db, &clock()).await.unwrap();
    assert_eq!(contacts::unindexed_of(&new.db, TENANT, import.id).await.unwrap(), None);
    assert_eq!(index(&new.db).await, expected(&[imported]));
    old.remove().await;
    new.remove().await;
}

#[tokio::test]
async fn contacts_are_found_again_after_a_move_to_postgres() {
    moves(Engine::Sqlite, Engine::Postgres).await;
}

#[tokio::test]
async fn contacts_are_found_again_after_a_move_to_sqlite() {
    moves(Engine::Postgres, Engine::Sqlite).await;
}
