//! API tokens.

use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::{Token, TokenHash};
use domain::{AccountId, Id, TenantId, Timestamp, TokenId};
use store::identity::tokens::{self, TokenUse};
use testkit::database::TestDb;

use crate::fixtures::{START, stored_account};

const HASH: TokenHash = TokenHash([7; 32]);

fn token(account_id: AccountId) -> Token {
    Token {
        id: Id::new(START),
        account_id,
        name: "ci".to_owned(),
        scopes: ScopeSet::requested(["callsv3:read", "api"]).unwrap(),
        networks: Networks::parse(["10.0.0.0/8", "2001:db8::/32"]).unwrap(),
        rate_limit: Some(50),
        created_at: START,
        expires_at: Some(START.plus_seconds(1000)),
        revoked_at: None,
        password_version: 3,
        last_used_at: None,
        last_used_address: None,
    }
}

async fn stored(test: &TestDb, tenant: TenantId, new: &Token) {
    let input = (tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(tokens::insert(tx, *tenant, new, &HASH))).await.unwrap();
}

async fn stored_token(test: &TestDb) -> Token {
    let account = stored_account(test, test.tenant, "ada@example.com").await;
    let new = token(account.id);
    stored(test, test.tenant, &new).await;
    new
}

async fn read(test: &TestDb, id: TokenId) -> Token {
    tokens::find(&test.db, test.tenant, id).await.unwrap().unwrap()
}

async fn revoke(test: &TestDb, tenant: TenantId, id: TokenId, now: Timestamp) -> bool {
    test.db
        .write((tenant, id, now), |tx, (tenant, id, now)| Box::pin(tokens::revoke(tx, *tenant, *id, *now)))
        .await
        .unwrap()
}

async fn shorten(test: &TestDb, tenant: TenantId, id: TokenId, until: Timestamp) {
    let input = (tenant, id, until);
    test.db.write(input, |tx, (tenant, id, until)| Box::pin(tokens::shorten(tx, *tenant, *id, *until))).await.unwrap();
}

async fn touch(test: &TestDb, uses: Vec<TokenUse>) {
    test.db.write(uses, |tx, uses| Box::pin(tokens::touch(tx, uses))).await.unwrap();
}

testkit::both_databases! {
    async fn what_was_stored_is_read(test) {
        let new = stored_token(&test).await;
        assert_eq!(read(&test, new.id).await, new);
        let inside = test.db.write((test.tenant, new.id), |tx, (tenant, id)| Box::pin(tokens::find_in(tx, *tenant, *id)));
        assert_eq!(inside.await.unwrap(), Some(new));
    }

    async fn a_token_without_limits_is_read(test) {
        let account = stored_account(&test, test.tenant, "ada@example.com").await;
        let plain = Token { networks: Networks::default(), rate_limit: None, expires_at: None, ..token(account.id) };
        stored(&test, test.tenant, &plain).await;
        assert_eq!(read(&test, plain.id).await, plain);
    }

    async fn the_gate_reads_token_account_and_tenant_at_once(test) {
        let new = stored_token(&test).await;
        let seen = tokens::for_gate(&test.db, test.tenant, new.id).await.unwrap().unwrap();
        assert!(seen.hash == HASH);
        assert_eq!((seen.scopes, seen.networks, seen.rate_limit), (new.scopes, new.networks, new.rate_limit));
        assert_eq!((seen.expires_at, seen.revoked_at, seen.password_version), (new.expires_at, None, 3));
        assert_eq!((seen.account_id, seen.account_email.as_str()), (new.account_id, "ada@example.com"));
        assert_eq!((seen.account_role, seen.account_disabled), (Role::Operator, false));
        assert_eq!((seen.account_removed_at, seen.account_password_version), (None, 1));
        assert_eq!(seen.plan, "unlimited");
    }

    async fn the_gate_sees_a_change_of_the_account(test) {
        let new = stored_token(&test).await;
        test.db.write((test.tenant, new.account_id), |tx, (tenant, account)| Box::pin(async move {
            store::identity::accounts::set_password(tx, *tenant, *account, "new", START).await?;
            store::identity::accounts::set_disabled(tx, *tenant, *account, true, START).await?;
            store::identity::accounts::remove(tx, *tenant, *account, START).await
        })).await.unwrap();
        let seen = tokens::for_gate(&test.db, test.tenant, new.id).await.unwrap().unwrap();
        assert_eq!((seen.account_password_version, seen.account_disabled), (2, true));
        assert_eq!(seen.account_removed_at, Some(START));
    }

    async fn a_token_does_not_exist_in_another_tenant(test) {
        let other = test.new_tenant("growth").await;
        let ours = stored_token(&test).await;
        assert!(tokens::find(&test.db, other, ours.id).await.unwrap().is_none());
        assert!(tokens::for_gate(&test.db, other, ours.id).await.unwrap().is_none());
        assert!(tokens::list(&test.db, other).await.unwrap().is_empty());
        assert!(!revoke(&test, other, ours.id, START).await);
        shorten(&test, other, ours.id, START).await;
        touch(&test, vec![TokenUse { tenant: other, id: ours.id, at: START, address: "192.0.2.1".to_owned() }]).await;
        test.db.write((other, ours.id), |tx, (other, id)| Box::pin(tokens::rehash(tx, *other, *id, &TokenHash([9; 32])))).await.unwrap();
        assert_eq!(read(&test, ours.id).await, ours);
        assert!(tokens::for_gate(&test.db, test.tenant, ours.id).await.unwrap().unwrap().hash == HASH);
    }

    async fn the_same_id_may_be_in_two_tenants(test) {
        let other = test.new_tenant("growth").await;
        let ours = stored_token(&test).await;
        let account = stored_account(&test, other, "ada@example.com").await;
        let theirs = Token { name: "theirs".to_owned(), account_id: account.id, ..ours.clone() };
        stored(&test, other, &theirs).await;
        assert!(revoke(&test, other, ours.id, START).await);
        assert_eq!(read(&test, ours.id).await, ours);
        assert_eq!(tokens::list(&test.db, other).await.unwrap().len(), 1);
    }

    async fn a_token_is_revoked_once(test) {
        let new = stored_token(&test).await;
        assert!(revoke(&test, test.tenant, new.id, START).await);
        assert!(!revoke(&test, test.tenant, new.id, START.plus_seconds(9)).await);
        assert!(!revoke(&test, test.tenant, Id::new(START), START).await);
        assert_eq!(read(&test, new.id).await.revoked_at, Some(START));
    }

    async fn shortening_never_lengthens(test) {
        let new = stored_token(&test).await;
        shorten(&test, test.tenant, new.id, START.plus_seconds(2000)).await;
        assert_eq!(read(&test, new.id).await.expires_at, new.expires_at);
        shorten(&test, test.tenant, new.id, START.plus_seconds(10)).await;
        assert_eq!(read(&test, new.id).await.expires_at, Some(START.plus_seconds(10)));
    }

    async fn a_token_without_end_gets_one(test) {
        let account = stored_account(&test, test.tenant, "ada@example.com").await;
        let endless = Token { expires_at: None, ..token(account.id) };
        stored(&test, test.tenant, &endless).await;
        shorten(&test, test.tenant, endless.id, START).await;
        assert_eq!(read(&test, endless.id).await.expires_at, Some(START));
    }

    async fn the_last_use_never_goes_backwards(test) {
        let new = stored_token(&test).await;
        let seen = |after: i64, address: &str| {
            TokenUse { tenant: test.tenant, id: new.id, at: START.plus_seconds(after), address: address.to_owned() }
        };
        touch(&test, vec![seen(5, "192.0.2.5"), seen(9, "192.0.2.9"), seen(7, "192.0.2.7")]).await;
        touch(&test, vec![seen(8, "192.0.2.8")]).await;
        let read = read(&test, new.id).await;
        assert_eq!(read.last_used_at, Some(START.plus_seconds(9)));
        assert_eq!(read.last_used_address.as_deref(), Some("192.0.2.9"));
    }

    async fn a_rehash_changes_only_the_hash(test) {
        let new = stored_token(&test).await;
        let input = (test.tenant, new.id);
        test.db.write(input, |tx, (tenant, id)| Box::pin(tokens::rehash(tx, *tenant, *id, &TokenHash([9; 32])))).await.unwrap();
        assert!(tokens::for_gate(&test.db, test.tenant, new.id).await.unwrap().unwrap().hash == TokenHash([9; 32]));
        assert_eq!(read(&test, new.id).await, new);
    }

    async fn tokens_are_listed_by_id_with_the_revoked(test) {
        let account = stored_account(&test, test.tenant, "ada@example.com").await;
        let mut made = vec![];
        for _ in 0..5 {
            let new = token(account.id);
            stored(&test, test.tenant, &new).await;
            made.push(new.id);
        }
        revoke(&test, test.tenant, made[2], START).await;
        made.sort_unstable();
        let listed = tokens::list(&test.db, test.tenant).await.unwrap();
        assert_eq!(listed.iter().map(|token| token.id).collect::<Vec<_>>(), made);
    }
}
