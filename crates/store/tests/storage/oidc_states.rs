//! Used states of log-ins at OpenID Connect providers.

use domain::{TenantId, Timestamp};
use store::identity::oidc_states::{self, UsedState};
use testkit::database::TestDb;

use crate::fixtures::START;

async fn use_up(test: &TestDb, tenant: TenantId, hash: u8, expires_at: Timestamp) -> bool {
    let used = UsedState { hash: [hash; 32], expires_at };
    let first = test.db.write((tenant, used), |tx, (tenant, used)| Box::pin(oidc_states::insert(tx, *tenant, used)));
    first.await.unwrap()
}

testkit::both_databases! {
    async fn a_state_is_used_once_in_its_tenant(test) {
        let other = test.new_tenant("growth").await;
        assert!(use_up(&test, test.tenant, 1, START).await);
        assert!(!use_up(&test, test.tenant, 1, START.plus_seconds(1)).await);
        assert!(use_up(&test, test.tenant, 2, START).await);
        assert!(use_up(&test, other, 1, START).await);
    }

    async fn only_states_of_the_past_are_swept(test) {
        // A sweep covers all tenants: these times are earlier than those of any other test.
        assert!(use_up(&test, test.tenant, 1, Timestamp::from_seconds(10)).await);
        assert!(use_up(&test, test.tenant, 2, Timestamp::from_seconds(20)).await);
        let swept = test.db.write((), |tx, ()| Box::pin(oidc_states::sweep(tx, Timestamp::from_seconds(20))));
        assert_eq!(swept.await.unwrap(), 1);
        assert!(use_up(&test, test.tenant, 1, START).await, "it was swept");
        assert!(!use_up(&test, test.tenant, 2, START).await);
    }
}
