//! Contacts.

use domain::contacts::{Contact, CustomParam};
use domain::{Id, TenantId, Timestamp};
use store::contacts::{self, Stretch};
use testkit::database::TestDb;

use crate::fixtures::START;

fn contact(number: u32, created_at: Timestamp) -> Contact {
    Contact {
        id: Id::new(created_at),
        bsuid: format!("US.{number}"),
        parent_bsuid: format!("US.ENT.{number}"),
        username: Some(format!("person{number}")),
        phone: Some(format!("1415555{number:04}")),
        name: "Ада 李".to_owned(),
        source: "WHATSAPP".to_owned(),
        custom_params: vec![CustomParam { name: "city".to_owned(), value: "Zürich \"old\"".to_owned() }],
        opted_in: true,
        allow_broadcast: false,
        allow_sms: true,
        created_at,
        updated_at: created_at,
    }
}

async fn insert(test: &TestDb, tenant: TenantId, new: &Contact) -> bool {
    let input = (tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(contacts::insert(tx, *tenant, new))).await.unwrap()
}

async fn by_phone(test: &TestDb, tenant: TenantId, phone: &str) -> Option<Contact> {
    let input = (tenant, phone.to_owned());
    test.db.write(input, |tx, (tenant, phone)| Box::pin(contacts::by_phone(tx, *tenant, phone))).await.unwrap()
}

const ALL: Stretch = Stretch {
    from: Timestamp::from_micros(0),
    before: (Timestamp::from_micros(i64::MAX), None),
    offset: 0,
    limit: 1000,
};

async fn ids(test: &TestDb, tenant: TenantId, stretch: Stretch) -> Vec<Id> {
    contacts::page(&test.db, tenant, stretch).await.unwrap().iter().map(|contact| contact.id).collect()
}

/// Twelve contacts, three for each second; newest first.
async fn stored_dozen(test: &TestDb) -> Vec<(Timestamp, Id)> {
    let mut keys = vec![];
    for number in 0..12 {
        let new = contact(number, START.plus_seconds(i64::from(number / 3)));
        assert!(insert(test, test.tenant, &new).await);
        keys.push((new.created_at, new.id));
    }
    keys.sort_unstable_by(|a, b| b.cmp(a));
    keys
}

testkit::both_databases! {
    async fn what_was_stored_is_read(test) {
        let full = contact(1, START);
        let bare = Contact { username: None, phone: None, custom_params: vec![], opted_in: false, ..contact(2, START.plus_seconds(1)) };
        assert!(insert(&test, test.tenant, &full).await && insert(&test, test.tenant, &bare).await);
        assert_eq!(contacts::page(&test.db, test.tenant, ALL).await.unwrap(), [bare, full.clone()]);
        assert_eq!(by_phone(&test, test.tenant, "14155550001").await, Some(full));
        assert_eq!(contacts::count(&test.db, test.tenant).await.unwrap(), 2);
    }

    async fn number_and_bsuid_are_taken_once(test) {
        assert!(insert(&test, test.tenant, &contact(1, START)).await);
        let same_number = Contact { bsuid: "US.77".to_owned(), ..contact(1, START) };
        let same_bsuid = Contact { phone: Some("14155550077".to_owned()), ..contact(1, START) };
        assert!(!insert(&test, test.tenant, &same_number).await);
        assert!(!insert(&test, test.tenant, &same_bsuid).await);
        assert_eq!(contacts::count(&test.db, test.tenant).await.unwrap(), 1);
    }

    async fn many_may_have_no_number(test) {
        for number in 1..4 {
            assert!(insert(&test, test.tenant, &Contact { phone: None, ..contact(number, START) }).await);
        }
    }

    async fn a_contact_does_not_exist_in_another_tenant(test) {
        let other = test.new_tenant("growth").await;
        let ours = contact(1, START);
        insert(&test, test.tenant, &ours).await;
        assert_eq!(by_phone(&test, other, "14155550001").await, None);
        assert_eq!(contacts::count(&test.db, other).await.unwrap(), 0);
        assert!(ids(&test, other, ALL).await.is_empty());
        let stolen = Contact { name: "Stolen".to_owned(), ..ours.clone() };
        test.db.write((other, stolen), |tx, (other, stolen)| Box::pin(contacts::update(tx, *other, stolen))).await.unwrap();
        assert_eq!(by_phone(&test, test.tenant, "14155550001").await, Some(ours.clone()));
        assert!(insert(&test, other, &ours).await, "the same id, number and BSUID are free elsewhere");
    }

    async fn name_and_parameters_are_updated(test) {
        let mut changed = contact(1, START);
        insert(&test, test.tenant, &changed).await;
        changed.name = String::from("Grace");
        changed.custom_params.push(CustomParam { name: "tier".to_owned(), value: "gold".to_owned() });
        changed.updated_at = START.plus_seconds(60);
        let input = (test.tenant, changed.clone());
        test.db.write(input, |tx, (tenant, changed)| Box::pin(contacts::update(tx, *tenant, changed))).await.unwrap();
        assert_eq!(by_phone(&test, test.tenant, "14155550001").await, Some(changed));
    }

    async fn pages_follow_each_other_newest_first(test) {
        let keys = stored_dozen(&test).await;
        let expected: Vec<Id> = keys.iter().map(|key| key.1).collect();
        assert_eq!(ids(&test, test.tenant, ALL).await, expected);
        assert_eq!(ids(&test, test.tenant, Stretch { offset: 4, limit: 5, ..ALL }).await, expected[4..9]);
        assert_eq!(ids(&test, test.tenant, Stretch { offset: 11, limit: 5, ..ALL }).await, expected[11..]);
        assert!(ids(&test, test.tenant, Stretch { offset: 12, ..ALL }).await.is_empty());
        let after_fourth = Stretch { before: (keys[3].0, Some(keys[3].1)), limit: 5, ..ALL };
        assert_eq!(ids(&test, test.tenant, after_fourth).await, expected[4..9]);
    }

    async fn a_stretch_is_bounded_by_time(test) {
        let keys = stored_dozen(&test).await;
        let stretch = Stretch { from: START.plus_seconds(1), before: (START.plus_seconds(3), None), ..ALL };
        let expected: Vec<Id> = keys.iter().filter(|key| key.0 >= stretch.from && key.0 < stretch.before.0).map(|key| key.1).collect();
        assert_eq!(expected.len(), 6);
        assert_eq!(ids(&test, test.tenant, stretch).await, expected);
    }
}
