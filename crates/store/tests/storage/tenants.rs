//! Tenants.

use domain::TenantId;
use domain::identity::tenants::Tenant;
use store::identity::tenants;

use crate::fixtures::START;

fn tenant(id: TenantId) -> Tenant {
    Tenant { id, name: "Acme".to_owned(), plan: "business".to_owned(), created_at: START, suspended_at: None }
}

testkit::both_databases! {
    async fn an_id_is_given_once(test) {
        let new = tenant(testkit::database::random_tenant());
        let insert = |new: &Tenant| test.db.write(new.clone(), |tx, new| Box::pin(tenants::insert(tx, new)));
        assert!(insert(&new).await.unwrap());
        assert!(!insert(&Tenant { name: "Other".to_owned(), ..new.clone() }).await.unwrap());
        assert_eq!(tenants::find(&test.db, new.id).await.unwrap(), Some(new.clone()));
        assert!(tenants::list(&test.db).await.unwrap().contains(&new));
        assert_eq!(tenants::find(&test.db, testkit::database::random_tenant()).await.unwrap(), None);
    }

    async fn a_plan_is_set_where_there_is_a_tenant(test) {
        let set = |id| test.db.write(id, |tx, id| Box::pin(tenants::set_plan(tx, *id, "growth", START)));
        assert!(set(test.tenant).await.unwrap());
        assert!(!set(testkit::database::random_tenant()).await.unwrap());
        assert_eq!(tenants::find(&test.db, test.tenant).await.unwrap().unwrap().plan, "growth");
    }

    async fn tenants_are_listed_by_number(test) {
        let other = test.new_tenant("growth").await;
        let listed: Vec<_> = tenants::list(&test.db).await.unwrap().iter().map(|tenant| tenant.id).collect();
        assert!(listed.is_sorted());
        assert!(listed.contains(&test.tenant) && listed.contains(&other));
    }
}
