//! A contact of another tenant is not found, by any form of target.

use app::people::contacts::{AttributeUpdate, ConsentUpdate, NewContact, Start};
use app::people::segments::NewSegment;
use app::{Command, Error};
use domain::Field;
use domain::people::contacts::{ContactFilter, CustomParam};
use testkit::World;

use super::people::sighting;
use crate::contacts::world::Contacts as _;

fn params() -> Vec<CustomParam> {
    vec![CustomParam { name: "mine".to_owned(), value: "now".to_owned() }]
}

fn update(target: &str) -> AttributeUpdate {
    AttributeUpdate {
        target: target.to_owned(),
        named_by: Field::Target,
        custom_params: params(),
        removed_params: Vec::new(),
        name: None,
        own_in_params: false,
    }
}

fn absent<T: std::fmt::Debug>(outcome: &Result<T, Error>, form: &str) {
    assert!(
        matches!(outcome, Err(Error::NotFound(app::Thing::Contact) | Error::Missing { what: app::Thing::Contact, .. })),
        "{form}: {outcome:?}"
    );
}

/// Asserts that no operation of the tenant `other` finds the contact.
async fn assert_not_found(world: &World, other: Command, form: &str) {
    let contacts = world.app.people().contacts();
    absent(&contacts.find(&other, form, &mut |_| ()).await, form);
    absent(&contacts.history(&other, form).await, form);
    absent(&contacts.update(&other, update(form)).await, form);
    absent(&contacts.set_teams(&other, form, vec!["Mine".to_owned()]).await, form);
    absent(
        &contacts.set_consent(&other, form, ConsentUpdate { blocked: Some(true), ..Default::default() }).await,
        form,
    );
    absent(&contacts.merge(&other, form, "442071838750").await, form);
    absent(&contacts.merge(&other, "442071838750", form).await, form);
    absent(&contacts.delete(&other, form).await, form);
    let new =
        NewSegment { name: "Mine".to_owned(), dynamic: false, groups: Vec::new(), contacts: vec![form.to_owned()] };
    absent(&contacts.create_segment(&other, new).await, form);
}

testkit::both_databases! {
    async fn no_form_of_target_leads_to_another_tenant(world = World::new) {
        let (me, other) = (world.me(), Command(world.test.new_tenant("unlimited").await));
        let contacts = world.app.people().contacts();
        let first = world.resolve(me.0, &sighting(Some("14155552671"), &[], 1)).await;
        let second = world.resolve(me.0, &sighting(Some("4915123456789"), &["US.5"], 1)).await;
        let merge = contacts.merge(&me, "14155552671", "US.5").await.unwrap().id;
        let theirs = world.resolve(other.0, &sighting(Some("442071838750"), &["GB.1"], 1)).await;
        let (mine, before) = (world.state(me.0).await, world.state(other.0).await);

        let ids = [first.id.to_string(), second.id.to_string()];
        let plain = ["14155552671", "+49 1512 3456789", "US.5", &first.bsuid, &ids[0], &ids[1]];
        for form in plain.iter().flat_map(|form| [(*form).to_owned(), format!("MyChannel:{form}"), format!("85264318722:{form}")]) {
            assert_not_found(&world, other, &form).await;
        }
        assert!(matches!(contacts.undo_merge(&other, merge).await, Err(Error::NotFound(app::Thing::Merge))));
        absent(&contacts.update_listed(&other, vec![update("442071838750"), update("US.5")]).await, "a list");
        assert_eq!(world.state(me.0).await, mine);
        assert_eq!(world.state(other.0).await, before, "nothing of a refused list or segment stays");

        let mut listed = Vec::new();
        let end = contacts.list(&other, &ContactFilter::default(), Start::Page(0), 10, true, &mut |contact| listed.push(contact.id)).await;
        assert_eq!((listed, end.unwrap().total), (vec![theirs.id], Some(1)));
        // A cursor of one tenant is refused for another.
        let end = contacts.list(&me, &ContactFilter { search: Some("1".to_owned()), ..ContactFilter::default() }, Start::Page(0), 10, false, &mut |_| ()).await.unwrap();
        assert_eq!(end.next_cursor, None);
        contacts.add(&me, NewContact { target: "GB.7".to_owned(), name: String::new(), custom_params: Vec::new(), source: None, own_in_params: false }).await.unwrap();
        let cursor = contacts.list(&me, &ContactFilter::default(), Start::Page(0), 1, false, &mut |_| ()).await.unwrap().next_cursor.unwrap();
        assert!(contacts.position(&me, &cursor).is_some() && contacts.position(&other, &cursor).is_none());
    }

    /// The same number and BSUID in two tenants are two contacts.
    async fn the_same_person_in_two_tenants_is_two(world = World::new) {
        let (me, other) = (world.me(), Command(world.test.new_tenant("unlimited").await));
        let mine = world.resolve(me.0, &sighting(Some("14155552671"), &["US.5"], 1)).await;
        let before = world.state(me.0).await;
        let theirs = world.resolve(other.0, &sighting(Some("14155552671"), &["US.5"], 2)).await;
        assert_ne!(mine.id, theirs.id);
        let new = NewContact { target: "14155552671".to_owned(), name: "Ada".to_owned(), custom_params: params(), source: None, own_in_params: false };
        assert_eq!(world.app.people().contacts().add(&other, new).await.unwrap().id, theirs.id);
        world.app.people().contacts().delete(&other, "US.5").await.unwrap();
        assert_eq!(world.state(me.0).await, before);
        assert_eq!(world.app.people().contacts().count(&me, None, ContactFilter::default()).await.unwrap(), 1);
        assert_eq!(world.app.people().contacts().count(&other, None, ContactFilter::default()).await.unwrap(), 0);
    }
}
