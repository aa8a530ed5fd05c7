//! Sessions and revoked legacy JWTs.

use domain::{AccountId, Id, JwtId, SessionId, TenantId, Timestamp};
use store::sessions::{self, Session};
use testkit::database::TestDb;

use crate::fixtures::START;

async fn stored_session(test: &TestDb, expires_at: Timestamp) -> Session {
    let new =
        Session { id: Id::new(START), account_id: Id::new(START), hash: [5; 32], credential_version: 4, expires_at };
    let input = (test.tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(sessions::insert(tx, *tenant, new, START))).await.unwrap();
    new
}

async fn find(test: &TestDb, tenant: TenantId, id: SessionId) -> Option<Session> {
    sessions::find(&test.db, tenant, id).await.unwrap()
}

async fn end(test: &TestDb, tenant: TenantId, id: SessionId) {
    test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(sessions::end(tx, *tenant, *id))).await.unwrap();
}

async fn revoke_jwt(test: &TestDb, tenant: TenantId, jti: JwtId) -> bool {
    let revoked = test.db.write((tenant, jti), |tx, (tenant, jti)| {
        Box::pin(sessions::revoke_jwt(tx, *tenant, *jti, AccountId::from_bytes(*jti.bytes()), START))
    });
    revoked.await.unwrap()
}

testkit::both_databases! {
    async fn what_was_stored_is_read(test) {
        let new = stored_session(&test, test.clock.now()).await;
        let read = find(&test, test.tenant, new.id).await.unwrap();
        assert_eq!((read.id, read.account_id, read.hash), (new.id, new.account_id, new.hash));
        assert_eq!((read.credential_version, read.expires_at), (4, new.expires_at));
    }

    async fn a_session_ends_in_its_own_tenant_only(test) {
        let other = test.new_tenant("growth").await;
        let new = stored_session(&test, test.clock.now()).await;
        assert!(find(&test, other, new.id).await.is_none());
        end(&test, other, new.id).await;
        assert!(find(&test, test.tenant, new.id).await.is_some());
        end(&test, test.tenant, new.id).await;
        assert!(find(&test, test.tenant, new.id).await.is_none());
    }

    async fn only_sessions_of_the_past_are_swept(test) {
        // A sweep covers all tenants: these times are earlier than those of any other test.
        let past = stored_session(&test, Timestamp::from_seconds(10)).await;
        let now = stored_session(&test, Timestamp::from_seconds(20)).await;
        let swept = test.db.write((), |tx, ()| Box::pin(sessions::sweep(tx, Timestamp::from_seconds(20)))).await.unwrap();
        assert_eq!(swept, 1);
        assert!(find(&test, test.tenant, past.id).await.is_none());
        assert!(find(&test, test.tenant, now.id).await.is_some());
        end(&test, test.tenant, now.id).await;
    }

    async fn a_jwt_is_revoked_once_in_its_own_tenant(test) {
        let other = test.new_tenant("growth").await;
        let jti = Id::new(START);
        assert!(!sessions::jwt_revoked(&test.db, test.tenant, jti).await.unwrap());
        assert!(revoke_jwt(&test, test.tenant, jti).await);
        assert!(!revoke_jwt(&test, test.tenant, jti).await);
        assert!(sessions::jwt_revoked(&test.db, test.tenant, jti).await.unwrap());
        assert!(!sessions::jwt_revoked(&test.db, other, jti).await.unwrap());
    }
}
