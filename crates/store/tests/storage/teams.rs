//! Teams.

use domain::people::contacts::Team;
use domain::{Id, TenantId};
use store::Db;
use store::people::teams;

use crate::fixtures::START;

fn team(number: u64, name: &str) -> Team {
    Team { id: Id::seeded(START, number), name: name.to_owned() }
}

async fn named(db: &Db, tenant: TenantId, key: &str, new: &Team) -> Team {
    let input = (tenant, key.to_owned(), new.clone());
    let body = db.write(input, |tx, (tenant, key, new)| Box::pin(teams::find_or_create(tx, *tenant, key, new, START)));
    body.await.unwrap()
}

testkit::both_databases! {
    async fn a_team_is_made_when_it_is_first_named(test) {
        let first = team(1, "Sales");
        assert_eq!(named(&test.db, test.tenant, "sales", &first).await, first);
        assert_eq!(named(&test.db, test.tenant, "sales", &team(2, "SALES")).await, first, "its first spelling stays");
        let other = team(3, "Support");
        assert_eq!(named(&test.db, test.tenant, "support", &other).await, other);
    }

    async fn a_team_of_another_tenant_does_not_exist(test) {
        let stranger = test.new_tenant("growth").await;
        let (ours, theirs) = (team(1, "Sales"), team(1, "sales"));
        assert_eq!(named(&test.db, test.tenant, "sales", &ours).await, ours);
        assert_eq!(named(&test.db, stranger, "sales", &theirs).await, theirs);
    }

    async fn many_who_name_it_at_once_get_one_team(test) {
        let start = |number| {
            let (db, tenant) = (test.another_handle(), test.tenant);
            tokio::spawn(async move { named(&db, tenant, "sales", &team(number, "Sales")).await })
        };
        let tasks: Vec<_> = (0..8).map(start).collect();
        let mut ids = vec![];
        for task in tasks {
            ids.push(task.await.unwrap().id);
        }
        ids.dedup();
        assert_eq!(ids.len(), 1, "{ids:?}");
    }
}
