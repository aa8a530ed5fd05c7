//! Deleting a contact: no table keeps anything of the person, and nothing of contacts that were merged into it.

use app::people::contacts::{ConsentUpdate, NewContact};
use app::{ActsFor as _, Error};
use domain::ContactId;
use domain::people::contacts::{CustomParam, Sighting};
use store::{Statement, params};
use testkit::World;

use super::people::sighting;
use crate::contacts::world::Contacts as _;

/// Reads every text that is stored about a tenant's contacts.
const TEXTS: &str = "
    SELECT name || ' ' || custom_params || ' ' || COALESCE(phone, '') || ' ' || bsuid FROM contacts WHERE tenant_id = $1
    UNION ALL SELECT value FROM contact_identities WHERE tenant_id = $1
    UNION ALL SELECT before FROM contact_merges WHERE tenant_id = $1
    UNION ALL SELECT source FROM contact_consents WHERE tenant_id = $1";
static KEPT: Statement = Statement::new("test.texts", TEXTS);
static TERMS: Statement = Statement::new("test.terms_left", "SELECT COUNT(*) FROM contact_terms WHERE tenant_id = $1");
static DELETED: Statement = Statement::new(
    "test.deleted",
    "SELECT id, bsuid, parent_bsuid FROM deleted_contacts WHERE tenant_id = $1 ORDER BY id",
);

async fn texts(world: &World) -> Vec<String> {
    world.test.db.rows(&KEPT, params![world.tenant()], store::read::<String>).await.unwrap()
}

fn named(target: &str, name: &str) -> NewContact {
    let custom_params = vec![CustomParam { name: "secret".to_owned(), value: format!("of {name}") }];
    NewContact { target: target.to_owned(), name: name.to_owned(), custom_params, source: None, own_in_params: false }
}

testkit::both_databases! {
    async fn nothing_stays_but_the_id_and_the_bsuids(world = World::new) {
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let ada = contacts.add(&me, named("14155552671", "Ada")).await.unwrap();
        world.tick();
        contacts.add(&me, named("4915123456789", "Bob")).await.unwrap();
        let source = Some("the form of Bob".to_owned());
        let consent = ConsentUpdate { opted_in: Some(false), blocked: Some(true), source, ..ConsentUpdate::default() };
        contacts.set_consent(&me, "4915123456789", consent).await.unwrap();
        world.resolve(me.tenant(), &Sighting { username: Some("bob".to_owned()), ..sighting(Some("4915123456789"), &["US.5"], 3) }).await;
        contacts.merge(&me, "14155552671", "US.5").await.unwrap();
        let deleted = contacts.delete(&me, "US.5").await.unwrap();
        assert_eq!(deleted, ada.id);

        assert_eq!(texts(&world).await, Vec::<String>::new());
        let terms = world.test.db.row(&TERMS, params![me.tenant()], store::read::<i64>).await.unwrap();
        assert_eq!(terms, Some(0));
        let read = store::read::<(ContactId, String, String)>;
        let kept = world.test.db.rows(&DELETED, params![me.tenant()], read).await.unwrap();
        assert_eq!(kept, [(ada.id, "US.5".to_owned(), ada.parent_bsuid.clone())]);
        assert_eq!(world.state(me.tenant()).await.contacts.len(), 0);
        for form in ["14155552671", "4915123456789", "US.5", &ada.bsuid, &ada.id.to_string()] {
            assert!(matches!(contacts.find(&me, form, &mut |_| ()).await, Err(Error::NotFound(app::Thing::Contact))), "{form}");
            assert!(matches!(contacts.delete(&me, form).await, Err(Error::NotFound(app::Thing::Contact))), "{form}");
        }

        world.tick();
        let again = contacts.add(&me, named("14155552671", "Ada")).await.unwrap();
        assert!(again.id != ada.id && again.bsuid != ada.bsuid && again.parent_bsuid != ada.parent_bsuid);
        let history = contacts.history(&me, "14155552671").await.unwrap();
        assert!(history.merges.is_empty() && history.consents.is_empty());
    }

    /// Contacts whose merge with the deleted one was undone keep nothing of it.
    async fn contacts_it_was_merged_with_keep_nothing_of_it(world = World::new) {
        let (me, contacts) = (world.me(), world.app.people().contacts());
        for (phone, name) in [("14155552671", "Zoe"), ("4915123456789", "Ada"), ("442071838750", "Bob")] {
            contacts.add(&me, named(phone, name)).await.unwrap();
            world.tick();
        }
        let inner = contacts.merge(&me, "4915123456789", "442071838750").await.unwrap();
        let outer = contacts.merge(&me, "14155552671", "4915123456789").await.unwrap();
        contacts.undo_merge(&me, outer.id).await.unwrap();
        contacts.undo_merge(&me, inner.id).await.unwrap();
        contacts.delete(&me, "442071838750").await.unwrap();
        let left = texts(&world).await.join("\n");
        assert!(left.contains("Zoe") && left.contains("Ada"));
        assert!(!left.contains("Bob") && !left.contains("442071838750"), "{left}");
        // The other two are still two contacts.
        world.resolve(me.tenant(), &sighting(Some("4915123456789"), &["US.5"], 3)).await;
        assert_eq!(world.state(me.tenant()).await.contacts.len(), 2);
    }
}
