//! Accounts.

use domain::identity::accounts::Account;
use domain::identity::roles::Role;
use domain::{AccountId, TenantId};
use store::identity::accounts;
use testkit::database::TestDb;

use crate::fixtures::{START, account, stored_account};

async fn read(test: &TestDb, id: AccountId) -> Account {
    accounts::by_id(&test.db, test.tenant, id).await.unwrap().unwrap()
}

async fn insert(test: &TestDb, tenant: TenantId, new: &Account) -> bool {
    let input = (tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(accounts::insert(tx, *tenant, new, "hash"))).await.unwrap()
}

async fn remove(test: &TestDb, id: AccountId) {
    let input = (test.tenant, id);
    test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::remove(tx, *tenant, *id, START))).await.unwrap();
}

async fn revive(test: &TestDb, new: &Account) -> Option<Account> {
    let input = (test.tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(accounts::revive(tx, *tenant, new, "new"))).await.unwrap()
}

/// An e-mail address of this test only.
fn own_address(test: &TestDb) -> String {
    format!("ada@{}.example.com", test.tenant.number())
}

testkit::both_databases! {
    async fn what_was_stored_is_read(test) {
        let new = Account { disabled: true, role: Role::Administrator, ..account("ada@example.com") };
        assert!(insert(&test, test.tenant, &new).await);
        assert_eq!(accounts::by_email(&test.db, test.tenant, "ada@example.com").await.unwrap(), Some(new.clone()));
        let input = (test.tenant, new.id);
        let inside = test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::by_id_in(tx, *tenant, *id)));
        assert_eq!(inside.await.unwrap(), Some(new.clone()));
        let inside = test.db.write(test.tenant, |tx, tenant| Box::pin(accounts::by_email_in(tx, *tenant, "ada@example.com")));
        assert_eq!(inside.await.unwrap(), Some(new));
    }

    async fn an_account_does_not_exist_in_another_tenant(test) {
        let other = test.new_tenant("growth").await;
        let ours = stored_account(&test, test.tenant, "ada@example.com").await;
        assert_eq!(accounts::by_id(&test.db, other, ours.id).await.unwrap(), None);
        assert_eq!(accounts::by_email(&test.db, other, &ours.email).await.unwrap(), None);
        assert!(accounts::list(&test.db, other).await.unwrap().is_empty());
        let theirs = stored_account(&test, other, "ada@example.com").await;
        assert_eq!(accounts::by_email(&test.db, other, &ours.email).await.unwrap().unwrap().id, theirs.id);
    }

    async fn a_change_does_not_reach_another_tenant(test) {
        let other = test.new_tenant("growth").await;
        let ours = stored_account(&test, test.tenant, "ada@example.com").await;
        test.db.write((other, ours.id), |tx, (other, id)| Box::pin(async move {
            accounts::set_password(tx, *other, *id, "stolen", START).await?;
            accounts::set_role(tx, *other, *id, Role::Administrator, START).await?;
            accounts::set_disabled(tx, *other, *id, true, START).await?;
            accounts::remove(tx, *other, *id, START).await?;
            accounts::end_credentials(tx, *other, *id, START).await
        })).await.unwrap();
        assert_eq!(read(&test, ours.id).await, ours);
    }

    async fn an_address_is_taken_once_in_a_tenant(test) {
        stored_account(&test, test.tenant, "ada@example.com").await;
        assert!(!insert(&test, test.tenant, &account("ada@example.com")).await);
    }

    async fn accounts_are_listed_by_address_as_bytes(test) {
        // A linguistic order would put "a-z" after "ab".
        for email in ["b@x.org", "ab@x.org", "a-z@x.org", "a.b@x.org", "a_b@x.org"] {
            stored_account(&test, test.tenant, email).await;
        }
        let listed = accounts::list(&test.db, test.tenant).await.unwrap();
        let addresses: Vec<_> = listed.iter().map(|account| account.email.as_str()).collect();
        assert_eq!(addresses, ["a-z@x.org", "a.b@x.org", "a_b@x.org", "ab@x.org", "b@x.org"]);
    }

    async fn a_new_password_ends_tokens_and_sessions_and_a_log_out_only_sessions(test) {
        let before = stored_account(&test, test.tenant, &own_address(&test)).await;
        let input = (test.tenant, before.id);
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::end_credentials(tx, *tenant, *id, START))).await.unwrap();
        let logged_out = read(&test, before.id).await;
        assert_eq!((logged_out.password_version, logged_out.credential_version), (1, 2));
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::set_password(tx, *tenant, *id, "new", START))).await.unwrap();
        let changed = read(&test, before.id).await;
        assert_eq!((changed.password_version, changed.credential_version), (2, 3));
        let found = accounts::for_log_in(&test.db, test.tenant, before.id).await.unwrap().unwrap();
        assert_eq!((found.tenant, found.password_hash.as_str()), (test.tenant, "new"));
    }

    async fn the_first_password_ends_nothing(test) {
        let new = account(&own_address(&test));
        let input = (test.tenant, new.clone());
        assert!(test.db.write(input, |tx, (tenant, new)| Box::pin(accounts::insert(tx, *tenant, new, ""))).await.unwrap());
        let details = accounts::details(&test.db, test.tenant, new.id).await.unwrap().unwrap();
        assert_eq!((details.has_password, details.last_log_in_at), (false, None));
        for (password, versions) in [("first", (1, 1)), ("second", (2, 2))] {
            let input = (test.tenant, new.id, password);
            test.db.write(input, |tx, (tenant, id, password)| Box::pin(accounts::set_password(tx, *tenant, *id, password, START))).await.unwrap();
            let now = read(&test, new.id).await;
            assert_eq!((now.password_version, now.credential_version), versions, "{password}");
        }
        let input = (test.tenant, new.id);
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::record_log_in(tx, *tenant, *id, START))).await.unwrap();
        let listed = accounts::list_details(&test.db, test.tenant).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].account.id, listed[0].has_password, listed[0].last_log_in_at), (new.id, true, Some(START)));
    }

    async fn role_and_switch_are_set(test) {
        let before = stored_account(&test, test.tenant, "ada@example.com").await;
        test.db.write((test.tenant, before.id), |tx, (tenant, id)| Box::pin(async move {
            accounts::set_role(tx, *tenant, *id, Role::Developer, START).await?;
            accounts::set_disabled(tx, *tenant, *id, true, START).await
        })).await.unwrap();
        assert_eq!(read(&test, before.id).await, Account { role: Role::Developer, disabled: true, ..before });
    }

    async fn a_log_in_finds_the_account_of_one_tenant(test) {
        let other = test.new_tenant("growth").await;
        let email = own_address(&test);
        let ours = stored_account(&test, test.tenant, &email).await;
        let theirs = stored_account(&test, other, &email).await;
        for (tenant, account) in [(test.tenant, &ours), (other, &theirs)] {
            let found = accounts::for_log_in_by_email(&test.db, tenant, &email).await.unwrap().unwrap();
            assert_eq!((found.tenant, found.account.id, found.password_hash.as_str()), (tenant, account.id, "hash"));
        }
        assert!(accounts::for_log_in(&test.db, other, ours.id).await.unwrap().is_none());
        let unknown = accounts::for_log_in_by_email(&test.db, test.tenant, "nobody@nowhere.example").await.unwrap();
        assert!(unknown.is_none());
    }

    async fn a_password_of_the_account_ends_what_its_memberships_have_and_a_forgotten_one_ends_nothing(test) {
        let before = stored_account(&test, test.tenant, &own_address(&test)).await;
        let input = (test.tenant, before.id);
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::forget_password(tx, *tenant, *id, START))).await.unwrap();
        assert_eq!(read(&test, before.id).await, before);
        assert!(!accounts::details(&test.db, test.tenant, before.id).await.unwrap().unwrap().has_password);
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::end_with_password(tx, *tenant, *id, START))).await.unwrap();
        let after = read(&test, before.id).await;
        assert_eq!((after.password_version, after.credential_version), (2, 2));
        let count = async || test.db.write(test.tenant, |tx, tenant| Box::pin(accounts::count(tx, *tenant))).await.unwrap();
        assert_eq!(count().await, 1);
        remove(&test, before.id).await;
        assert_eq!(count().await, 0);
        test.db.write(input, |tx, (tenant, id)| Box::pin(accounts::delete(tx, *tenant, *id))).await.unwrap();
        assert_eq!(accounts::by_id(&test.db, test.tenant, before.id).await.unwrap(), None);
    }

    async fn a_removed_account_comes_back_under_its_old_id(test) {
        let old = stored_account(&test, test.tenant, "ada@example.com").await;
        let new = Account { name: "Ada L.".to_owned(), role: Role::Developer, ..account("ada@example.com") };
        assert_eq!(revive(&test, &new).await, None, "no account was removed");
        remove(&test, old.id).await;
        let removed = read(&test, old.id).await;
        assert_eq!(removed.removed_at, Some(START));
        assert!(accounts::list(&test.db, test.tenant).await.unwrap().is_empty());

        let back = revive(&test, &new).await.unwrap();
        assert_eq!((back.id, back.name.as_str(), back.role, back.removed_at), (old.id, "Ada L.", Role::Developer, None));
        assert!(back.password_version > removed.password_version, "tokens from before stay ended");
        assert!(back.credential_version > removed.credential_version, "sessions from before stay ended");
        assert_eq!(read(&test, old.id).await, back);
        assert_eq!(revive(&test, &new).await, None, "it is there already");
    }

    async fn reviving_does_not_reach_another_tenant(test) {
        let old = stored_account(&test, test.tenant, "ada@example.com").await;
        remove(&test, old.id).await;
        let input = (test.new_tenant("growth").await, account("ada@example.com"));
        let revived = test.db.write(input, |tx, (other, new)| Box::pin(accounts::revive(tx, *other, new, "new")));
        assert_eq!(revived.await.unwrap(), None);
        assert!(read(&test, old.id).await.removed_at.is_some());
    }
}
