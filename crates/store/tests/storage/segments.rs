//! Segments.

use domain::people::contacts::{Condition, ConditionOperator};
use domain::people::segments::{Segment, SegmentMembers};
use domain::{Id, SegmentId, TenantId};
use store::people::segments;
use testkit::database::TestDb;

use crate::fixtures::START;

fn segment(number: u64, name: &str, members: SegmentMembers) -> Segment {
    Segment { id: Id::seeded(START, number), name: name.to_owned(), members, created_at: START }
}

fn dynamic() -> SegmentMembers {
    let is =
        |value: &str| Condition { name: "city".into(), operator: ConditionOperator::NotEqual, value: value.into() };
    SegmentMembers::Dynamic(vec![vec![is("Zürich \"old\""), is("")], vec![is("Bern")]])
}

async fn insert(test: &TestDb, tenant: TenantId, key: &str, new: &Segment) -> bool {
    let input = (tenant, key.to_owned(), new.clone());
    let body = test.db.write(input, |tx, (tenant, key, new)| Box::pin(segments::insert(tx, *tenant, key, new)));
    body.await.unwrap()
}

async fn remove(test: &TestDb, tenant: TenantId, id: SegmentId) -> bool {
    test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(segments::remove(tx, *tenant, *id))).await.unwrap()
}

async fn list(test: &TestDb, tenant: TenantId) -> Vec<Segment> {
    let listed = segments::list(&test.db, tenant).await.unwrap();
    let within = test.db.write(tenant, |tx, tenant| Box::pin(segments::list_in(tx, *tenant))).await.unwrap();
    assert_eq!(listed, within);
    listed
}

testkit::both_databases! {
    async fn segments_are_listed_in_the_order_of_their_making(test) {
        let (fixed, chosen) = (segment(1, "VIP", SegmentMembers::Static), segment(2, "Elsewhere", dynamic()));
        assert!(insert(&test, test.tenant, "elsewhere", &chosen).await);
        assert!(insert(&test, test.tenant, "vip", &fixed).await);
        assert_eq!(list(&test, test.tenant).await, [fixed.clone(), chosen.clone()]);
        assert!(remove(&test, test.tenant, fixed.id).await);
        assert!(!remove(&test, test.tenant, fixed.id).await, "it is gone already");
        assert_eq!(list(&test, test.tenant).await, [chosen]);
    }

    async fn a_name_is_given_once(test) {
        let first = segment(1, "VIP", SegmentMembers::Static);
        assert!(insert(&test, test.tenant, "vip", &first).await);
        assert!(!insert(&test, test.tenant, "vip", &segment(2, "Vip", dynamic())).await);
        assert_eq!(list(&test, test.tenant).await, [first]);
    }

    async fn a_segment_of_another_tenant_does_not_exist(test) {
        let stranger = test.new_tenant("growth").await;
        let (ours, theirs) = (segment(1, "VIP", SegmentMembers::Static), segment(1, "vip", dynamic()));
        assert!(insert(&test, test.tenant, "vip", &ours).await);
        assert_eq!(list(&test, stranger).await, []);
        assert!(!remove(&test, stranger, ours.id).await);
        assert!(insert(&test, stranger, "vip", &theirs).await);
        assert_eq!((list(&test, test.tenant).await, list(&test, stranger).await), (vec![ours], vec![theirs]));
    }
}
