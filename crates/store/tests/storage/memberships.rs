//! Memberships, what tenants demand of their consoles, and the accounts of an earlier version.

use domain::identity::accounts::Account;
use domain::identity::memberships::{ConsoleAccess, Membership, Reach};
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::second_factors::{StoredPasskey, TotpFactor};
use domain::identity::tenants::Tenant;
use domain::{AccountId, Clock, Id, TenantId, Timestamp};
use store::identity::sessions::Session;
use store::identity::{accounts, console_access, memberships, second_factors, sessions, tenants};
use store::migrations::{MIGRATIONS, apply};
use store::{Db, Engine, migrate};
use testkit::database::TestDb;
use testkit::fresh::FreshDatabase;

use crate::fixtures::{START, account, on_both};

const INSTALLATION: TenantId = TenantId::INSTALLATION;

fn membership(account: AccountId, tenant: TenantId) -> Membership {
    Membership {
        account_id: account,
        member_of: tenant,
        membership_id: Id::new(START),
        reach: Reach::Own,
        password_by_administrator: true,
        created_at: START,
        last_used_at: None,
    }
}

async fn save(test: &TestDb, new: &Membership) {
    test.db.write(new.clone(), |tx, new| Box::pin(memberships::save(tx, new))).await.unwrap();
}

testkit::both_databases! {
    async fn memberships_are_found_by_account_and_by_row(test) {
        let (ada, other) = (AccountId::new(START), test.new_tenant("growth").await);
        let (ours, theirs) = (membership(ada, test.tenant), membership(ada, other));
        save(&test, &ours).await;
        save(&test, &theirs).await;
        save(&test, &membership(Id::new(START), test.tenant)).await;
        let mut expected = vec![ours.clone(), theirs.clone()];
        expected.sort_by_key(|it| it.member_of);
        assert_eq!(memberships::of_account(&test.db, ada).await.unwrap(), expected);
        assert_eq!(memberships::of_row(&test.db, test.tenant, ours.membership_id).await.unwrap(), Some(ours.clone()));
        assert_eq!(memberships::of_row(&test.db, other, ours.membership_id).await.unwrap(), None);
        let input = (ours.clone(), theirs.clone());
        test.db.write(input, |tx, (ours, theirs)| Box::pin(async move {
            memberships::set_reach(tx, ours.account_id, ours.member_of, Reach::Account).await?;
            memberships::record_use(tx, ours.member_of, ours.membership_id, START).await?;
            memberships::password_is_the_owner_s(tx, ours.account_id).await?;
            memberships::remove(tx, theirs.account_id, theirs.member_of).await
        })).await.unwrap();
        let changed = Membership {
            reach: Reach::Account, password_by_administrator: false, last_used_at: Some(START), ..ours
        };
        assert_eq!(memberships::of_account(&test.db, ada).await.unwrap(), [changed]);
    }

    async fn the_account_says_what_its_members_log_in_with(test) {
        let ada = account(&format!("ada@{}.example.com", test.tenant));
        let row = Membership { reach: Reach::Account, ..membership(ada.id, test.tenant) };
        let input = (ada.clone(), row.clone());
        test.db.write(input, |tx, (ada, row)| Box::pin(async move {
            accounts::insert(tx, INSTALLATION, ada, "hash").await?;
            memberships::save(tx, row).await
        })).await.unwrap();
        save(&test, &membership(Id::new(START), test.tenant)).await;
        let standings = memberships::standings(&test.db, test.tenant).await.unwrap();
        assert_eq!(standings.len(), 1);
        let one = &standings[0];
        assert_eq!((one.membership_id, one.has_password, one.has_second_factor), (row.membership_id, true, false));
        assert!(memberships::most_own(&test.db).await.unwrap() >= 1);
    }

    async fn a_tenant_demands_nothing_until_it_is_set(test) {
        assert_eq!(console_access::find(&test.db, test.tenant).await.unwrap(), ConsoleAccess::default());
        let networks = Networks::parse(["203.0.113.0/24", "2001:db8::/32"]).unwrap();
        for single_sign_on in [true, false] {
            let access = ConsoleAccess { single_sign_on, networks: networks.clone() };
            let input = (test.tenant, access.clone());
            let saved = test.db.write(input, |tx, (tenant, access)| Box::pin(console_access::save(tx, *tenant, access, START)));
            saved.await.unwrap();
            assert_eq!(console_access::find(&test.db, test.tenant).await.unwrap(), access);
        }
        let other = test.new_tenant("growth").await;
        assert_eq!(console_access::find(&test.db, other).await.unwrap(), ConsoleAccess::default());
    }
}

/// An account of a version in which each tenant had its own.
struct Earlier {
    tenant: TenantId,
    account: Account,
    password: &'static str,
    logged_in: bool,
}

fn earlier(tenant: TenantId, email: &str, password: &'static str, role: Role) -> Earlier {
    Earlier { tenant, account: Account { role, ..account(email) }, password, logged_in: false }
}

fn session_of(account: &Account) -> Session {
    Session {
        id: Id::new(START),
        account_id: account.id,
        hash: [5; 32],
        credential_version: account.credential_version,
        created_at: START,
        expires_at: START.plus_seconds(60),
        last_used_at: None,
        address: None,
        user_agent: None,
        log_in_method: None,
    }
}

fn passkey_of(one: &Earlier) -> StoredPasskey {
    StoredPasskey {
        id: Id::new(START),
        account_id: one.account.id,
        host: "switchboard.example".to_owned(),
        name: one.password.to_owned(),
        credential: "{}".to_owned(),
        created_at: START,
        last_used_at: None,
    }
}

async fn insert_earlier(db: &Db, one: &Earlier) {
    let factor = TotpFactor {
        account_id: one.account.id,
        secret: one.password.as_bytes().to_vec(),
        last_step: 7,
        created_at: START,
        last_used_at: None,
    };
    let input = (one.tenant, one.account.clone(), one.password, one.logged_in, factor, passkey_of(one));
    db.write(input, |tx, (tenant, account, password, logged_in, factor, passkey)| {
        Box::pin(async move {
            accounts::insert(tx, *tenant, account, password).await?;
            sessions::insert(tx, *tenant, &session_of(account)).await?;
            if *logged_in {
                accounts::record_log_in(tx, *tenant, account.id, START).await?;
            }
            if !password.is_empty() {
                second_factors::save_totp(tx, *tenant, factor).await?;
                second_factors::insert_passkey(tx, *tenant, passkey).await?;
                second_factors::replace_recovery_codes(tx, *tenant, account.id, &[[1; 32], [2; 32]], START).await?;
            }
            Ok::<_, store::Error>(())
        })
    })
    .await
    .unwrap();
}

async fn insert_tenant(db: &Db, id: TenantId) {
    let (name, plan) = ("Acme".to_owned(), "unlimited".to_owned());
    let tenant = Tenant { id, name, plan, created_at: START, suspended_at: None };
    assert!(db.write(tenant, |tx, tenant| Box::pin(tenants::insert(tx, tenant))).await.unwrap());
}

async fn password_of(db: &Db, tenant: TenantId, id: AccountId) -> String {
    accounts::for_log_in(db, tenant, id).await.unwrap().unwrap().password_hash
}

/// The secret of the app, the names of passkeys, and how many recovery codes are left.
async fn factors_of(db: &Db, tenant: TenantId, id: AccountId) -> (Option<Vec<u8>>, Vec<String>, i64) {
    let totp = second_factors::totp(db, tenant, id).await.unwrap().map(|factor| factor.secret);
    let passkeys = second_factors::passkeys(db, tenant, id).await.unwrap();
    let codes = second_factors::recovery_codes_left(db, tenant, id).await.unwrap();
    (totp, passkeys.into_iter().map(|passkey| passkey.name).collect(), codes)
}

fn factors(password: &str) -> (Option<Vec<u8>>, Vec<String>, i64) {
    (Some(password.into()), vec![password.to_owned()], 2)
}

async fn accounts_of_an_earlier_version_become_memberships_of_one(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    apply(&db, &Clock::system(), &MIGRATIONS[..1]).await.unwrap();
    let (first, second) = (TenantId::FIRST, TenantId::from_number(100_002));
    for tenant in [first, second] {
        insert_tenant(&db, tenant).await;
    }
    let ada = earlier(first, "ada@example.com", "of the first", Role::Administrator);
    let ada_again = earlier(second, "ada@example.com", "of the second", Role::Operator);
    let ben = earlier(second, "ben@example.com", "of ben", Role::Administrator);
    let invited = earlier(first, "cleo@example.com", "", Role::Operator);
    let by_provider = Earlier { logged_in: true, ..earlier(second, "dan@example.com", "", Role::Operator) };
    for one in [&ada, &ada_again, &ben, &invited, &by_provider] {
        insert_earlier(&db, one).await;
    }
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len() - 1);

    // The account keeps the id, the password and the second factors that it had in the first tenant.
    let account = accounts::by_email(&db, INSTALLATION, "ada@example.com").await.unwrap().unwrap();
    assert_eq!((account.id, account.role), (ada.account.id, Role::Administrator), "of the first start's tenant");
    assert_eq!(password_of(&db, INSTALLATION, account.id).await, "of the first");
    assert_eq!(password_of(&db, first, ada.account.id).await, "");
    assert_eq!(factors_of(&db, INSTALLATION, account.id).await, factors("of the first"));
    assert_eq!(factors_of(&db, first, ada.account.id).await, (None, Vec::new(), 0));
    // In the other tenant, its own password and factors work until they are joined.
    assert_eq!(password_of(&db, second, ada_again.account.id).await, "of the second");
    assert_eq!(factors_of(&db, second, ada_again.account.id).await, factors("of the second"));
    let found = memberships::of_account(&db, account.id).await.unwrap();
    let found: Vec<_> = found.iter().map(|it| (it.member_of, it.membership_id, it.reach)).collect();
    let expected = [(first, ada.account.id, Reach::Account), (second, ada_again.account.id, Reach::Own)];
    assert_eq!(found, expected);

    let account = accounts::by_email(&db, INSTALLATION, "ben@example.com").await.unwrap().unwrap();
    assert_eq!(account.role, Role::Trial, "an administrator of another tenant does not administer the installation");
    assert_eq!(accounts::by_email(&db, INSTALLATION, "cleo@example.com").await.unwrap(), None, "only invited");
    let dan = accounts::by_email(&db, INSTALLATION, "dan@example.com").await.unwrap().unwrap();
    assert_eq!(memberships::of_account(&db, dan.id).await.unwrap()[0].reach, Reach::Own);

    // Sessions, and what other tables refer to, are as they were.
    for one in [&ada, &ada_again, &ben] {
        let row = accounts::by_id(&db, one.tenant, one.account.id).await.unwrap().unwrap();
        assert_eq!(row, one.account);
        let (version, now) = (row.credential_version, START);
        assert_eq!(sessions::of_account(&db, one.tenant, row.id, version, now).await.unwrap().len(), 1);
    }
    // Once, also if an account without a link is there later.
    insert_earlier(&db, &earlier(second, "late@example.com", "late", Role::Operator)).await;
    assert!(migrate(&db, &Clock::system()).await.unwrap().is_empty());
    assert_eq!(accounts::by_email(&db, INSTALLATION, "late@example.com").await.unwrap(), None);
    drop(db);
    fresh.remove().await;
}

/// Several servers that start at once make each account once.
async fn servers_that_start_at_once_make_each_account_once(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    apply(&db, &Clock::system(), &MIGRATIONS[..1]).await.unwrap();
    insert_tenant(&db, TenantId::FIRST).await;
    for n in 0..20 {
        let email = format!("ada-{n}@example.com");
        insert_earlier(&db, &earlier(TenantId::FIRST, &email, "a password", Role::Operator)).await;
    }
    let start = |db: Db| async move { migrate(&db, &Clock::system()).await };
    let tasks: Vec<_> = (0..4).map(|_| tokio::spawn(start(fresh.open()))).collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let made = accounts::list(&db, INSTALLATION).await.unwrap();
    assert_eq!(made.len(), 20);
    for account in made {
        assert_eq!(password_of(&db, INSTALLATION, account.id).await, "a password");
        assert_eq!(memberships::of_account(&db, account.id).await.unwrap().len(), 1);
    }
    drop(db);
    fresh.remove().await;
}

on_both! {
    accounts_of_an_earlier_version_become_memberships_of_one
    servers_that_start_at_once_make_each_account_once
}

testkit::both_databases! {
    async fn the_oldest_sessions_end_beyond_the_most(test) {
        let ada = account(&format!("ada@{}.example.com", test.tenant));
        let mut ids = Vec::new();
        for n in 0..4 {
            let at = |seconds: i64| Timestamp::from_seconds(1_776_000_000 + seconds);
            let session = Session { created_at: at(n), expires_at: at(1000), ..session_of(&ada) };
            ids.push(session.id);
            test.db.write((test.tenant, session), |tx, (tenant, session)| Box::pin(async move {
                sessions::insert(tx, *tenant, session).await?;
                sessions::end_oldest(tx, *tenant, session, 3).await
            })).await.unwrap();
        }
        let open = sessions::of_account(&test.db, test.tenant, ada.id, ada.credential_version, START).await.unwrap();
        assert_eq!(open.len(), 3);
        assert!(open.iter().all(|it| it.id != ids[0]), "the oldest has ended");
    }
}
