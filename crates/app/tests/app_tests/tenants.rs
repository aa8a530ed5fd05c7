//! Deleting a tenant: no table keeps a row of it, and the audit log of the installation says that it was deleted.

use app::Command;
use app::identity::audit::ChainState;
use app::platform::tenants::NewTenant;
use domain::identity::memberships::{Membership, Reach};
use domain::{AccountId, Id, TenantId, Timestamp};
use serde_json::{Value, json};
use store::base::{tables, tenant_data};
use store::identity::memberships;
use store::platform::limits::Demand;
use store::{Statement, params};
use testkit::World;

const ADA: &str = "14155550132";

/// The tables of the catalogue that have rows of the tenant, with their number.
async fn rows_of(world: &World, tenant: TenantId) -> Vec<(&'static str, i64)> {
    let mut found = Vec::new();
    for table in tables::shapes(&world.test.db).await.unwrap() {
        let text = format!("SELECT COUNT(*) FROM {} WHERE tenant_id = $1", table.name);
        let count = Statement::composed("test.count", text);
        let rows = world.test.db.row(&count, params![tenant], store::read::<i64>).await.unwrap().unwrap();
        found.extend((rows > 0).then_some((table.name, rows)));
    }
    found
}

/// The tables with rows of the installation that name the tenant or its channel.
async fn tables_naming(world: &World, tenant: TenantId) -> Vec<&'static str> {
    let (id, part, channel) = (tenant.to_string(), format!("/{tenant}/"), world.channel().id.to_string());
    let names = |value: &Value| {
        value.as_str().is_some_and(|text| text == id || text.contains(&part) || text.contains(&channel))
    };
    let mut found = Vec::new();
    for table in tables::shapes(&world.test.db).await.unwrap() {
        let mut is_named = false;
        let mut look = |row: Value| {
            is_named |= row.as_object().unwrap().values().any(names);
            Ok(())
        };
        tenant_data::each_row(&world.test.db, table.name, TenantId::INSTALLATION, &mut look).await.unwrap();
        found.extend(is_named.then_some(table.name));
    }
    found
}

/// Writes what a server writes that has not noticed the deletion: a count, and the membership of an accepted
/// invitation.
async fn write_late(world: &World, tenant: TenantId) -> AccountId {
    let at = Timestamp::from_seconds(1_776_000_000);
    let demand = Demand { tenant, bucket: "usage".to_owned(), window: at, amount: 1, limit: 10 };
    store::platform::limits::lease(&world.test.db, demand).await.unwrap();
    let membership = Membership {
        account_id: Id::new(at),
        member_of: tenant,
        membership_id: Id::new(at),
        reach: Reach::Account,
        password_by_administrator: false,
        created_at: at,
        last_used_at: None,
    };
    let row = membership.membership_id;
    world.test.db.write(membership, |tx, membership| Box::pin(memberships::save(tx, membership))).await.unwrap();
    row
}

testkit::both_databases! {
    async fn a_deleted_tenant_leaves_no_row_in_any_table(world = World::simulated) {
        let (tenant, life_cycle) = (world.tenant(), world.app.platform().tenants());
        world.say(ADA, "Hello").await;
        world.leave().await;
        world.account(tenant, "ada@example.com", domain::identity::roles::Role::Operator).await;
        assert!(rows_of(&world, tenant).await.len() > 10);
        assert_eq!(tables_naming(&world, tenant).await, ["leases"]);

        life_cycle.suspend(&Command(tenant)).await.unwrap();
        assert!(life_cycle.delete(&Command(tenant), &mut |_| ()).await.unwrap() > 0);
        assert_eq!(rows_of(&world, tenant).await, []);
        assert_eq!(tables_naming(&world, tenant).await, ["audit"]);
        let installation = Command(TenantId::INSTALLATION);
        // Other tests write to the same log on PostgreSQL.
        let log = world.app.identity().audit().latest(&installation, 100).await.unwrap();
        assert!(log.iter().any(|it| it.action == "tenant.delete" && it.subject == tenant.to_string()), "{log:?}");
        let state = world.app.identity().audit().verify(&installation, None).await.unwrap();
        assert!(matches!(state, ChainState::Whole { .. }), "{state:?}");
    }

    async fn a_change_of_the_public_address_is_in_the_log_of_the_installation(world = World::simulated) {
        let (first, second) = ("https://first.example", "https://second.example");
        for url in [first, first, second, second, first] {
            world.app.platform().save_public_url(url).await.unwrap();
        }
        let mut log = world.app.identity().audit().latest(&Command(TenantId::INSTALLATION), 100).await.unwrap();
        log.retain(|entry| entry.action == "settings.update");
        log.reverse();
        assert!(log.iter().all(|entry| entry.actor == "system" && entry.subject == "public_url"), "{log:?}");
        let details: Vec<Value> = log.iter().map(|entry| serde_json::from_str(&entry.details).unwrap()).collect();
        let change = |before: Option<&str>, after: &str| json!({"before": before, "after": after});
        let expected = [change(None, first), change(Some(first), second), change(Some(second), first)];
        assert_eq!(details, expected);
    }

    async fn what_a_server_writes_after_the_deletion_is_deleted_too(world = World::simulated) {
        let (tenant, life_cycle) = (world.tenant(), world.app.platform().tenants());
        life_cycle.suspend(&Command(tenant)).await.unwrap();
        life_cycle.delete(&Command(tenant), &mut |_| ()).await.unwrap();
        let db = &world.test.db;
        let is_member = async |row: AccountId| memberships::of_row(db, tenant, row).await.unwrap().is_some();
        let row = write_late(&world, tenant).await;
        assert_eq!(rows_of(&world, tenant).await, [("limit_windows", 1)]);
        assert!(is_member(row).await);
        life_cycle.sweep_deleted().await.unwrap();
        assert_eq!(rows_of(&world, tenant).await, []);
        assert!(!is_member(row).await);
        // A new tenant with the same id keeps its rows.
        let new = NewTenant { name: "Acme".to_owned(), plan: None, with_sandbox: false };
        life_cycle.create(&Command(tenant), new).await.unwrap();
        let row = write_late(&world, tenant).await;
        life_cycle.sweep_deleted().await.unwrap();
        assert!(rows_of(&world, tenant).await.contains(&("limit_windows", 1)) && is_member(row).await);
        assert!(world.app.identity().tenants().find(tenant).await.is_ok());
    }
}
