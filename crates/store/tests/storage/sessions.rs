//! Sessions and revoked legacy JWTs.

use domain::{AccountId, Id, JwtId, SessionId, TenantId, Timestamp};
use store::identity::sessions::{self, Session, SessionUse};
use testkit::database::TestDb;

use crate::fixtures::START;

fn session(expires_at: Timestamp) -> Session {
    Session {
        id: Id::new(START),
        account_id: Id::new(START),
        hash: [5; 32],
        credential_version: 4,
        created_at: START,
        expires_at,
        last_used_at: Some(START),
        address: Some("10.0.0.1".to_owned()),
        user_agent: None,
        log_in_method: None,
    }
}

async fn insert(test: &TestDb, new: Session) -> Session {
    let input = (test.tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(sessions::insert(tx, *tenant, new))).await.unwrap();
    new
}

async fn stored_session(test: &TestDb, expires_at: Timestamp) -> Session {
    insert(test, session(expires_at)).await
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
        assert_eq!((read.created_at, read.last_used_at), (START, Some(START)));
        assert_eq!((read.address.as_deref(), read.user_agent), (Some("10.0.0.1"), None));
    }

    async fn an_account_has_the_sessions_of_its_present_credentials_that_have_not_expired(test) {
        let later = START.plus_seconds(60);
        let own = insert(&test, session(later)).await;
        let of = |change: fn(&mut Session)| {
            let mut other = Session { account_id: own.account_id, ..session(later) };
            change(&mut other);
            other
        };
        let second = insert(&test, of(|_| {})).await;
        insert(&test, of(|it| it.credential_version = 3)).await;
        insert(&test, of(|it| it.expires_at = START)).await;
        insert(&test, of(|it| it.account_id = Id::new(START))).await;
        let found = sessions::of_account(&test.db, test.tenant, own.account_id, 4, START).await.unwrap();
        let mut ids: Vec<_> = found.iter().map(|it| it.id).collect();
        ids.sort();
        assert_eq!(ids, [own.id, second.id]);
        let other = test.new_tenant("growth").await;
        assert!(sessions::of_account(&test.db, other, own.account_id, 4, START).await.unwrap().is_empty());
    }

    async fn a_use_never_goes_back(test) {
        let new = stored_session(&test, START.plus_seconds(60)).await;
        for (seconds, stored) in [(5, 5), (3, 5), (9, 9)] {
            let seen = SessionUse { tenant: test.tenant, id: new.id, at: START.plus_seconds(seconds) };
            test.db.write(vec![seen], |tx, uses| Box::pin(sessions::touch(tx, uses))).await.unwrap();
            let read = find(&test, test.tenant, new.id).await.unwrap();
            assert_eq!(read.last_used_at, Some(START.plus_seconds(stored)));
        }
    }

    async fn a_session_is_ended_by_its_own_account_only(test) {
        let new = stored_session(&test, START.plus_seconds(60)).await;
        let other = AccountId::new(START);
        for (account, ended) in [(other, false), (new.account_id, true), (new.account_id, false)] {
            let input = (test.tenant, new.id, account);
            let end = test.db.write(input, |tx, (tenant, id, account)| Box::pin(sessions::end_own(tx, *tenant, *id, *account)));
            assert_eq!(end.await.unwrap(), ended);
        }
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
