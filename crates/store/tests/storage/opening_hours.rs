//! Schedules of opening hours.

use domain::automation::opening_hours::{Holiday, OpeningHours, Period, Schedule, ScheduleSpec, Week};
use domain::{Id, OpeningHoursId, TenantId};
use store::automation::opening_hours;
use testkit::database::TestDb;

use crate::fixtures::START;

fn hours(number: u64, name: &str) -> OpeningHours {
    let period = Period { from: "09:00".parse().unwrap(), to: "24:00".parse().unwrap() };
    let holiday =
        Holiday { date: "2026-12-24".parse().unwrap(), name: "Noël \"court\"".to_owned(), periods: vec![period] };
    let spec = ScheduleSpec {
        name: name.to_owned(),
        time_zone: "Europe/Paris".to_owned(),
        periods: Week { friday: vec![period], ..Week::default() },
        holidays: vec![holiday],
    };
    let schedule = Schedule::new(spec).unwrap();
    OpeningHours { id: Id::seeded(START, number), schedule, created_at: START, updated_at: START }
}

async fn insert(test: &TestDb, tenant: TenantId, key: &str, new: &OpeningHours) -> bool {
    let input = (tenant, key.to_owned(), new.clone());
    let body = test.db.write(input, |tx, (tenant, key, new)| Box::pin(opening_hours::insert(tx, *tenant, key, new)));
    body.await.unwrap()
}

async fn remove(test: &TestDb, tenant: TenantId, id: OpeningHoursId) -> bool {
    test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(opening_hours::remove(tx, *tenant, *id))).await.unwrap()
}

async fn list(test: &TestDb, tenant: TenantId) -> Vec<OpeningHours> {
    let listed = opening_hours::list(&test.db, tenant).await.unwrap();
    let within = test.db.write(tenant, |tx, tenant| Box::pin(opening_hours::list_in(tx, *tenant))).await.unwrap();
    assert_eq!(listed, within);
    listed
}

testkit::both_databases! {
    async fn schedules_are_stored_changed_and_removed(test) {
        let (support, sales) = (hours(1, "Support"), hours(2, "Sales"));
        assert!(insert(&test, test.tenant, "sales", &sales).await);
        assert!(insert(&test, test.tenant, "support", &support).await);
        assert!(!insert(&test, test.tenant, "support", &hours(3, "SUPPORT")).await, "a name is given once");
        assert_eq!(list(&test, test.tenant).await, [support.clone(), sales.clone()]);
        let changed = OpeningHours { updated_at: START.plus_seconds(9), schedule: hours(2, "Shop").schedule, ..sales };
        let input = (test.tenant, changed.clone());
        let update = test.db.write(input, |tx, (tenant, changed)| {
            Box::pin(opening_hours::update(tx, *tenant, "shop", changed))
        });
        update.await.unwrap();
        assert_eq!(opening_hours::find(&test.db, test.tenant, changed.id).await.unwrap(), Some(changed.clone()));
        assert!(insert(&test, test.tenant, "sales", &hours(4, "Sales")).await, "the name is free again");
        assert!(remove(&test, test.tenant, support.id).await);
        assert!(!remove(&test, test.tenant, support.id).await, "it is gone already");
        assert_eq!(list(&test, test.tenant).await, [changed, hours(4, "Sales")]);
    }

    async fn a_schedule_of_another_tenant_does_not_exist(test) {
        let stranger = test.new_tenant("growth").await;
        let ours = hours(1, "Support");
        assert!(insert(&test, test.tenant, "support", &ours).await);
        assert_eq!(opening_hours::find(&test.db, stranger, ours.id).await.unwrap(), None);
        assert!(!remove(&test, stranger, ours.id).await);
        assert!(insert(&test, stranger, "support", &ours).await);
        assert_eq!((list(&test, test.tenant).await, list(&test, stranger).await), (vec![ours.clone()], vec![ours]));
    }
}
