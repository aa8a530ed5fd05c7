//! Concurrent inserts of the same person.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::ContactId;
use domain::people::contacts::Contact;
use domain::people::contacts::identity::IdentityKind;
use store::people::contacts;
use store::{Result, Tx};
use testkit::database::TestDb;
use tokio::sync::Barrier;

use super::book::{Book, contact, known_by};

/// Finds or inserts a contact, as use cases do.
async fn found_or_made(tx: &mut Tx<'_>, tenant: domain::TenantId, new: &Contact) -> Result<ContactId> {
    let phone = new.phone.as_deref().unwrap();
    if let Some(known) = contacts::known_by(tx, tenant, IdentityKind::Phone, phone).await? {
        return Ok(known.id);
    }
    contacts::insert(tx, tenant, new, &known_by(new)).await.map(|()| new.id)
}

/// A contact with the same number and otherwise different.
fn same_number(number: u32) -> Contact {
    Contact { phone: Some("14155552671".to_owned()), ..contact(number) }
}

testkit::both_databases! {
    async fn eight_at_once_make_one_contact(test) {
        let book = Book::new(&test);
        let start = |number| {
            let (db, input) = (test.another_handle(), (test.tenant, same_number(number)));
            tokio::spawn(async move {
                db.write(input, |tx, (tenant, new)| Box::pin(found_or_made(tx, *tenant, new))).await.unwrap()
            })
        };
        let tasks: Vec<_> = (0..8).map(start).collect();
        let mut ids = vec![];
        for task in tasks {
            ids.push(task.await.unwrap());
        }
        ids.dedup();
        let [id] = ids[..] else { panic!("several contacts: {ids:?}") };
        let made = (0..8).map(same_number).find(|contact| contact.id == id).unwrap();
        book.assert_holds(&[&made]).await;
    }
}

/// Both transactions look up the number, without a result, before either inserts.
async fn looked_then_wrote(
    tx: &mut Tx<'_>,
    tenant: domain::TenantId,
    new: &Contact,
    (looked, runs): &(Arc<Barrier>, AtomicUsize),
) -> Result<ContactId> {
    let known = contacts::known_by(tx, tenant, IdentityKind::Phone, new.phone.as_deref().unwrap()).await?;
    if runs.fetch_add(1, Ordering::SeqCst) == 0 {
        assert_eq!(known, None);
        looked.wait().await;
        return contacts::insert(tx, tenant, new, &known_by(new)).await.map(|()| new.id);
    }
    // The second run of the loser finds the contact of the winner.
    Ok(known.unwrap().id)
}

#[tokio::test]
async fn on_postgres_the_loser_runs_again_and_sees_the_winners_contact() {
    let test = TestDb::postgres().await;
    let looked = Arc::new(Barrier::new(2));
    let run = |number| {
        let state = Arc::new((Arc::clone(&looked), AtomicUsize::new(0)));
        let input = (test.tenant, same_number(number), Arc::clone(&state));
        let db = test.db.clone();
        async move {
            let body = db.write(input, |tx, (tenant, new, state)| Box::pin(looked_then_wrote(tx, *tenant, new, state)));
            (body.await.unwrap(), state.1.load(Ordering::SeqCst))
        }
    };
    let ((first, first_runs), (second, second_runs)) = tokio::join!(run(1), run(2));
    assert_eq!(first, second);
    assert_eq!(first_runs + second_runs, 3, "one of them twice");
    let made = [same_number(1), same_number(2)].into_iter().find(|contact| contact.id == first).unwrap();
    Book::new(&test).assert_holds(&[&made]).await;
}
