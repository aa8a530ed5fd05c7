//! Caps on accounts, memberships, invitations and legacy JWTs hold for requests at the same time, too.

use app::identity::accounts::Invitation;
use domain::identity::accounts::Account;
use domain::identity::memberships::{
    MAX_LEGACY_JWTS, MAX_MEMBERS, MAX_OPEN_INVITATIONS, MAX_TENANTS, Membership, Reach,
};
use domain::{Id, Timestamp};
use futures_util::future::join_all;

use super::*;

/// Requests at the same time, of which one is within the cap.
const AT_ONCE: usize = 8;

/// One outcome is a success, and all others name the limit.
#[track_caller]
fn assert_one<T: std::fmt::Debug>(outcomes: Vec<app::Result<T>>, name: &str, most: u64) {
    assert_eq!(outcomes.len(), AT_ONCE);
    let (made, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    for refusal in refused {
        let error = refusal.unwrap_err();
        let is_limit = matches!(&error, app::Error::LimitReached { limit, used, max } if *limit == name && used == max && *max == most);
        assert!(is_limit, "{error:?}");
    }
    assert_eq!(made.len(), 1, "{name}: a cap of {most}");
}

/// Adds rows of accounts without a password to a tenant.
async fn add_rows(app: &World, tenant: TenantId, count: u64) {
    let now = app.now().to_millis();
    let fill = app.test.db.write((tenant, now), move |tx, (tenant, now): &(TenantId, Timestamp)| {
        Box::pin(async move {
            for number in 0..count {
                let account = Account {
                    id: Id::new(*now),
                    email: email(&format!("row-{number}"), *tenant),
                    name: "Row".to_owned(),
                    role: Role::Operator,
                    disabled: false,
                    removed_at: None,
                    password_version: 1,
                    credential_version: 1,
                    created_at: *now,
                };
                assert!(store::identity::accounts::insert(tx, *tenant, &account, "").await?);
            }
            Ok::<_, store::Error>(())
        })
    });
    fill.await.unwrap();
}

/// Adds memberships of tenants that do not exist.
async fn add_memberships(app: &World, account: AccountId, count: u64) {
    let input = (account, app.tenant().number(), app.now().to_millis());
    let fill = app.test.db.write(input, move |tx, (account, tenant, now): &(AccountId, i64, Timestamp)| {
        Box::pin(async move {
            for number in 1..=i64::try_from(count).unwrap() {
                let membership = Membership {
                    account_id: *account,
                    member_of: TenantId::from_number(tenant * 1_000 + number),
                    membership_id: Id::new(*now),
                    reach: Reach::Account,
                    password_by_administrator: false,
                    created_at: *now,
                    last_used_at: None,
                };
                store::identity::memberships::save(tx, &membership).await?;
            }
            Ok::<_, store::Error>(())
        })
    });
    fill.await.unwrap();
}

fn invitation(name: &str, tenant: TenantId) -> Invitation {
    Invitation { email: email(name, tenant), name: None, role: Role::Operator }
}

testkit::both_databases! {
    async fn a_tenant_has_a_limited_number_of_accounts(app = World::new) {
        let tenant = app.test.new_tenant("unlimited").await;
        add_rows(&app, tenant, MAX_MEMBERS - 1).await;
        let (accounts, by) = (app.app.identity().accounts(), Command(tenant));
        let new = |n: usize| NewAccount { email: email(&format!("new-{n}"), tenant), name: None, role: Role::Operator, password: None };
        let outcomes = join_all((0..AT_ONCE).map(|n| accounts.create(&by, new(n)))).await;
        assert_one(outcomes, "accounts", MAX_MEMBERS);
        // One that is removed makes room, and counts again when it comes back.
        accounts.remove(&by, &email("row-0", tenant)).await.unwrap();
        let outcomes = join_all((0..AT_ONCE).map(|n| accounts.create(&by, new(AT_ONCE + n)))).await;
        assert_one(outcomes, "accounts", MAX_MEMBERS);
        let back = NewAccount { email: email("row-0", tenant), ..new(0) };
        assert!(matches!(accounts.create(&by, back).await, Err(app::Error::LimitReached { limit: "accounts", .. })));
    }

    async fn an_account_belongs_to_a_limited_number_of_tenants(app = World::new) {
        let ada = email("ada", app.tenant());
        make(&app, app.tenant(), &ada, Role::Operator, PASSWORD).await;
        let found = store::identity::accounts::by_email(&app.test.db, TenantId::INSTALLATION, &ada).await.unwrap();
        add_memberships(&app, found.unwrap().id, MAX_TENANTS - 2).await;
        let (accounts, mut others) = (app.app.identity().accounts(), Vec::new());
        for _ in 0..AT_ONCE {
            others.push(Command(app.test.new_tenant("unlimited").await));
        }
        let new = || Invitation { email: ada.clone(), name: None, role: Role::Operator };
        let outcomes = join_all(others.iter().map(|other| accounts.add(other, new()))).await;
        assert_one(outcomes, "memberships", MAX_TENANTS);
    }

    async fn a_tenant_has_a_limited_number_of_invitations_open(app = World::new) {
        let (accounts, by, tenant) = (app.app.identity().accounts(), Command(app.tenant()), app.tenant());
        for n in 1..MAX_OPEN_INVITATIONS {
            accounts.invite(&by, invitation(&format!("guest-{n}"), tenant)).await.unwrap();
        }
        let outcomes = join_all((0..AT_ONCE).map(|n| accounts.invite(&by, invitation(&format!("last-{n}"), tenant)))).await;
        assert_one(outcomes, "invitations", MAX_OPEN_INVITATIONS);
        // A link that replaces one is no further invitation; one for another account is.
        let links = app.app.identity().one_time_links();
        links.issue(&by, &email("guest-1", tenant)).await.unwrap();
        app.account(tenant, &email("quiet", tenant), Role::Operator).await;
        let refused = links.issue(&by, &email("quiet", tenant)).await;
        assert!(matches!(refused, Err(app::Error::LimitReached { limit: "invitations", .. })), "{refused:?}");
    }

    async fn an_account_has_a_limited_number_of_legacy_jwts_at_once(app = World::new) {
        let ada = email("ada", app.tenant());
        app.account(app.tenant(), &ada, Role::Developer).await;
        let (tokens, by) = (app.app.identity().tokens(), Command(app.tenant()));
        for _ in 1..MAX_LEGACY_JWTS {
            tokens.legacy(&by, &ada).await.unwrap();
        }
        let outcomes = join_all((0..AT_ONCE).map(|_| tokens.legacy(&by, &ada))).await;
        assert_one(outcomes, "legacy_jwts", MAX_LEGACY_JWTS);
    }
}
