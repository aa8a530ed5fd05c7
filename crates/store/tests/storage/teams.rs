//! Teams.

use domain::people::contacts::Team;
use domain::people::teams::{AssignmentMethod, TeamMember, TeamRouting, TeamSettings};
use domain::{AccountId, Id, TeamId, TenantId};
use store::Db;
use store::people::teams;
use testkit::database::TestDb;

use crate::fixtures::{START, stored_account};

fn team(number: u64, name: &str) -> Team {
    Team { id: Id::seeded(START, number), name: name.to_owned() }
}

async fn named(db: &Db, tenant: TenantId, key: &str, new: &Team) -> Team {
    let input = (tenant, key.to_owned(), new.clone());
    let body = db.write(input, |tx, (tenant, key, new)| Box::pin(teams::find_or_create(tx, *tenant, key, new, START)));
    body.await.unwrap()
}

async fn insert(test: &TestDb, tenant: TenantId, key: &str, new: &TeamSettings) -> bool {
    let input = (tenant, key.to_owned(), new.clone());
    let body = test.db.write(input, |tx, (tenant, key, new)| Box::pin(teams::insert(tx, *tenant, key, new)));
    body.await.unwrap()
}

async fn update(test: &TestDb, key: &str, changed: &TeamSettings) {
    let input = (test.tenant, key.to_owned(), changed.clone());
    let body = test.db.write(input, |tx, (tenant, key, one)| Box::pin(teams::update(tx, *tenant, key, one)));
    body.await.unwrap();
}

async fn set_members(test: &TestDb, team: TeamId, members: &[TeamMember]) {
    let input = (test.tenant, team, members.to_vec());
    let body =
        test.db.write(input, |tx, (tenant, team, members)| Box::pin(teams::set_members(tx, *tenant, *team, members)));
    body.await.unwrap();
}

async fn remove(test: &TestDb, tenant: TenantId, id: TeamId) -> bool {
    test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(teams::remove(tx, *tenant, *id))).await.unwrap()
}

fn member(account_id: AccountId) -> TeamMember {
    let languages = ["de", "pt"].map(|code| code.parse().unwrap()).into();
    TeamMember { account_id, capacity: Some(3), languages, labels: [Id::seeded(START, 7)].into() }
}

testkit::both_databases! {
    async fn a_team_has_settings_and_members(test) {
        let ada = stored_account(&test, test.tenant, "ada@example.com").await.id;
        let ben = stored_account(&test, test.tenant, "ben@example.com").await.id;
        let sales = TeamSettings {
            method: AssignmentMethod::LeastBusy,
            capacity: 4,
            opening_hours_id: Some(Id::seeded(START, 9)),
            ..TeamSettings::new(team(1, "Sales"), START)
        };
        let support = TeamSettings::new(team(2, "Support"), START);
        assert!(insert(&test, test.tenant, "support", &support).await);
        assert!(insert(&test, test.tenant, "sales", &sales).await);
        assert!(!insert(&test, test.tenant, "sales", &TeamSettings::new(team(3, "SALES"), START)).await);
        let plain = TeamMember { capacity: None, languages: [].into(), labels: [].into(), ..member(ben) };
        let mut members = vec![plain, member(ada)];
        members.sort_by_key(|member| member.account_id);
        set_members(&test, sales.id, &members).await;
        let routing = TeamRouting { settings: sales.clone(), members };
        assert_eq!(teams::find(&test.db, test.tenant, sales.id).await.unwrap(), Some(routing.clone()));
        let empty = TeamRouting { settings: support.clone(), members: vec![] };
        assert_eq!(teams::list_with_members(&test.db, test.tenant).await.unwrap(), [routing, empty]);
        assert_eq!(teams::list(&test.db, test.tenant).await.unwrap(), [sales.clone(), support]);
        assert_eq!(teams::names(&test.db, test.tenant).await.unwrap(), [team(1, "Sales"), team(2, "Support")]);
        assert_eq!(teams::member_counts(&test.db, test.tenant).await.unwrap(), [(sales.id, 2)]);
        set_members(&test, sales.id, &[member(ben)]).await;
        let renamed = TeamSettings { name: "Revenue".into(), opening_hours_id: None, capacity: 5, ..sales.clone() };
        update(&test, "revenue", &renamed).await;
        let routing = TeamRouting { settings: renamed, members: vec![member(ben)] };
        assert_eq!(teams::find(&test.db, test.tenant, sales.id).await.unwrap(), Some(routing));
        assert_eq!(teams::by_key(&test.db, test.tenant, "sales").await.unwrap(), None);
    }

    async fn members_are_those_with_active_accounts(test) {
        let ada = stored_account(&test, test.tenant, "ada@example.com").await.id;
        let ben = stored_account(&test, test.tenant, "ben@example.com").await.id;
        let cleo = stored_account(&test, test.tenant, "cleo@example.com").await.id;
        let sales = TeamSettings::new(team(1, "Sales"), START);
        assert!(insert(&test, test.tenant, "sales", &sales).await);
        set_members(&test, sales.id, &[member(ada), member(ben), member(cleo)]).await;
        let out = test.db.write((test.tenant, ada, ben), |tx, (tenant, ada, ben)| Box::pin(async move {
            store::identity::accounts::remove(tx, *tenant, *ada, START).await?;
            store::identity::accounts::set_disabled(tx, *tenant, *ben, true, START).await
        }));
        assert!(out.await.unwrap());
        let found = teams::find(&test.db, test.tenant, sales.id).await.unwrap().unwrap();
        assert_eq!(found.members, [member(cleo)]);
        assert_eq!(teams::list_with_members(&test.db, test.tenant).await.unwrap(), [found]);
        assert_eq!(teams::member_counts(&test.db, test.tenant).await.unwrap(), [(sales.id, 1)]);
    }

    async fn a_removed_team_takes_its_members_with_it(test) {
        let ada = stored_account(&test, test.tenant, "ada@example.com").await.id;
        let sales = TeamSettings::new(team(1, "Sales"), START);
        assert!(insert(&test, test.tenant, "sales", &sales).await);
        set_members(&test, sales.id, &[member(ada)]).await;
        let stranger = test.new_tenant("growth").await;
        assert!(!remove(&test, stranger, sales.id).await, "the team of another tenant does not exist");
        assert_eq!(teams::find(&test.db, stranger, sales.id).await.unwrap(), None);
        assert!(remove(&test, test.tenant, sales.id).await);
        assert!(!remove(&test, test.tenant, sales.id).await);
        assert!(insert(&test, test.tenant, "sales", &sales).await);
        assert_eq!(teams::find(&test.db, test.tenant, sales.id).await.unwrap().unwrap().members, []);
    }

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
