//! Teams: creating, changing and deleting them, their members, and the contacts that have them.

use app::identity::accounts::NewAccount;
use app::people::contacts::{ContactNames, NewContact};
use app::people::labels::LabelRequest;
use app::people::teams::{MemberRequest, TeamRequest, TeamView};
use app::{Command, Config, Error, Thing};
use domain::base::quotas::Quotas;
use domain::delivery::events::{EventType, EventTypes};
use domain::identity::roles::Role;
use domain::people::teams::{AssignmentMethod, DEFAULT_CAPACITY};
use domain::{Change, Id, Timestamp};
use testkit::World;
use testkit::world::{OnWorld, config};

const ADA: &str = "ada@example.com";
const BEN: &str = "ben@example.com";
const PHONE: &str = "14155552671";

trait Staff: OnWorld {
    async fn hire(self, email: &str, name: &str) {
        let new = NewAccount { email: email.into(), name: Some(name.into()), role: Role::Operator, password: None };
        self.app.identity().accounts().create(&self.me(), new).await.unwrap();
    }

    async fn team(self, name: &str) -> TeamView {
        self.app.people().teams().create(&self.me(), named(name)).await.unwrap()
    }

    async fn actions(self) -> Vec<String> {
        let log = self.app.identity().audit().latest(&self.me(), 100).await.unwrap();
        let mut actions: Vec<_> = log.into_iter().map(|entry| entry.action).collect();
        actions.retain(|action| action.starts_with("team."));
        actions.reverse();
        actions
    }

    /// How often open consoles were told that teams have changed.
    async fn announced(self) -> usize {
        self.app.delivery().events().number().await.unwrap();
        let types: EventTypes = [EventType::InboxChanged].into_iter().collect();
        let page = self.app.delivery().events().pull(&self.me(), 0, types, 1000).await.unwrap();
        page.events.iter().filter(|event| event.payload().contains(r#""what":"teams""#)).count()
    }

    /// The names of the contact's teams.
    async fn teams_of(self, phone: &str) -> Vec<String> {
        let contacts = self.app.people().contacts();
        let names: ContactNames = contacts.names(&self.me()).await.unwrap();
        let mut shown = Vec::new();
        let mut show = |contact: &domain::people::contacts::ContactView<'_>| {
            shown = names.teams_of(contact).into_iter().map(str::to_owned).collect();
        };
        contacts.find(&self.me(), phone, &mut show).await.unwrap();
        shown
    }
}

impl Staff for &World {}

fn named(name: &str) -> TeamRequest {
    TeamRequest { name: Some(name.to_owned()), ..TeamRequest::default() }
}

fn member(operator: &str) -> MemberRequest {
    MemberRequest { operator: operator.to_owned(), ..MemberRequest::default() }
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome.unwrap_err() {
        Error::Invalid { place, .. } => place.to_string(),
        Error::Conflict { place, .. } => format!("conflict {place}"),
        other => panic!("{other:?}"),
    }
}

testkit::both_databases! {
    async fn a_team_is_created_changed_and_deleted(world = World::new) {
        let (me, teams) = (world.me(), world.app.people().teams());
        let sales = world.team(" Sales ").await.settings;
        assert_eq!((sales.name.as_str(), sales.method, sales.capacity), ("Sales", AssignmentMethod::ByHand, DEFAULT_CAPACITY));
        let schedule = Id::seeded(Timestamp::from_seconds(0), 1);
        let change = TeamRequest {
            method: Some(AssignmentMethod::LeastBusy),
            capacity: Some(3),
            opening_hours_id: Change::Set(schedule),
            ..TeamRequest::default()
        };
        let changed = teams.update(&me, sales.id, change).await.unwrap().settings;
        assert_eq!((changed.name.as_str(), changed.method, changed.capacity, changed.opening_hours_id), ("Sales", AssignmentMethod::LeastBusy, 3, Some(schedule)));
        let renamed = teams.update(&me, sales.id, TeamRequest { opening_hours_id: Change::Clear, ..named("SALES") }).await.unwrap().settings;
        assert_eq!((renamed.name.as_str(), renamed.capacity, renamed.opening_hours_id), ("SALES", 3, None));
        assert_eq!(teams.list(&me).await.unwrap()[0].settings, renamed);
        teams.remove(&me, sales.id).await.unwrap();
        assert!(teams.list(&me).await.unwrap().is_empty());
        assert!(matches!(teams.find(&me, sales.id).await, Err(Error::NotFound(Thing::Team))));
        assert!(matches!(teams.remove(&me, sales.id).await, Err(Error::NotFound(Thing::Team))));
        assert_eq!(world.actions().await, ["team.create", "team.update", "team.update", "team.delete"]);
        assert_eq!(world.announced().await, 4);
    }

    async fn wrong_settings_are_refused_by_field(world = World::new) {
        let (me, teams) = (world.me(), world.app.people().teams());
        let sales = world.team("Sales").await.settings;
        world.team("Support").await;
        for (request, place) in [
            (named(" "), "name"),
            (named("a\tb"), "name"),
            (named("sales"), "conflict name"),
            (TeamRequest { capacity: Some(0), ..named("New") }, "capacity"),
            (TeamRequest { capacity: Some(1_001), ..named("New") }, "capacity"),
            (TeamRequest::default(), "name"),
        ] {
            assert_eq!(refused(teams.create(&me, request).await), place);
        }
        assert_eq!(refused(teams.update(&me, sales.id, named("SUPPORT")).await), "conflict name");
        assert_eq!(world.actions().await.len(), 2, "nothing else has happened");
        let unknown = teams.update(&me, Id::seeded(Timestamp::from_seconds(0), 9), named("New")).await;
        assert!(matches!(unknown, Err(Error::NotFound(Thing::Team))));
    }

    async fn members_are_set_with_their_skills(world = World::new) {
        let (me, teams) = (world.me(), world.app.people().teams());
        world.hire(BEN, "Ben").await;
        world.hire(ADA, "ada").await;
        let vip = LabelRequest { name: Some("VIP".to_owned()), color: None };
        let vip = world.app.people().labels().create(&me, vip).await.unwrap();
        let sales = world.team("Sales").await.settings;
        let skilled = MemberRequest {
            capacity: Some(0),
            languages: vec!["pt_BR".into(), "DE".into(), "pt".into()],
            labels: vec!["vip".into(), vip.id.to_string()],
            ..member(" Ada@Example.com ")
        };
        let set = teams.set_members(&me, sales.id, vec![member(BEN), skilled.clone()]).await.unwrap();
        let shown: Vec<_> = set.members.iter().map(|one| (one.account.email.as_str(), one.member.capacity)).collect();
        assert_eq!(shown, [(ADA, Some(0)), (BEN, None)]);
        let languages: Vec<_> = set.members[0].member.languages.iter().map(ToString::to_string).collect();
        assert_eq!((languages, &set.members[0].labels), (vec!["de".to_owned(), "pt".to_owned()], &vec![vip.clone()]));
        assert_eq!(teams.find(&me, sales.id).await.unwrap(), set);
        assert_eq!(teams.list(&me).await.unwrap()[0].members, 2);
        world.app.people().labels().remove(&me, vip.id).await.unwrap();
        assert_eq!(teams.find(&me, sales.id).await.unwrap().members[0].labels, []);
        let by_id = member(&set.members[1].account.id.to_string());
        let fewer = teams.set_members(&me, sales.id, vec![by_id]).await.unwrap();
        assert_eq!(fewer.members, [set.members[1].clone()]);
        assert_eq!(world.actions().await, ["team.create", "team.members", "team.members"]);
        assert_eq!(world.announced().await, 3);
    }

    async fn wrong_members_are_refused_by_field(world = World::new) {
        let (me, teams) = (world.me(), world.app.people().teams());
        world.hire(ADA, "Ada").await;
        world.hire(BEN, "Ben").await;
        world.app.identity().accounts().set_disabled(&me, BEN, true).await.unwrap();
        let sales = world.team("Sales").await.settings;
        teams.set_members(&me, sales.id, vec![member(ADA)]).await.unwrap();
        for (members, place) in [
            (vec![member(ADA), member("nobody@example.com")], "members[1].operator"),
            (vec![member(BEN)], "members[0].operator"),
            (vec![member(ADA), member(ADA)], "members[1].operator"),
            (vec![MemberRequest { capacity: Some(-1), ..member(ADA) }], "members[0].capacity"),
            (vec![MemberRequest { languages: vec!["de".into(), "german".into()], ..member(ADA) }], "members[0].languages[1]"),
            (vec![MemberRequest { labels: vec!["none".into()], ..member(ADA) }], "members[0].labels[0]"),
            (vec![member(ADA); 201], "members"),
        ] {
            assert_eq!(refused(teams.set_members(&me, sales.id, members).await), place);
        }
        assert_eq!(teams.find(&me, sales.id).await.unwrap().members.len(), 1, "the members stay");
        let unknown = teams.set_members(&me, Id::seeded(Timestamp::from_seconds(0), 9), vec![]).await;
        assert!(matches!(unknown, Err(Error::NotFound(Thing::Team))));
    }

    async fn contacts_show_the_present_names_of_their_teams(world = World::new) {
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let new = NewContact { target: PHONE.into(), name: "Cleo".into(), custom_params: vec![], source: None, own_in_params: false };
        contacts.add(&me, new).await.unwrap();
        let names = ["Sales", "Support"].map(str::to_owned).to_vec();
        contacts.set_teams(&me, PHONE, names).await.unwrap();
        let all = world.app.people().teams().list(&me).await.unwrap();
        assert_eq!(all.iter().map(|team| team.settings.name.as_str()).collect::<Vec<_>>(), ["Sales", "Support"]);
        world.app.people().teams().update(&me, all[0].settings.id, named("Revenue")).await.unwrap();
        assert_eq!(world.teams_of(PHONE).await, ["Revenue", "Support"]);
        world.app.people().teams().remove(&me, all[1].settings.id).await.unwrap();
        assert_eq!(world.teams_of(PHONE).await, ["Revenue"]);
    }

    async fn a_team_of_another_tenant_does_not_exist(world = World::new) {
        let (me, other) = (world.me(), Command(world.test.new_tenant("growth").await));
        world.hire(ADA, "Ada").await;
        let teams = world.app.people().teams();
        let sales = world.team("Sales").await.settings;
        assert!(teams.list(&other).await.unwrap().is_empty());
        assert!(matches!(teams.find(&other, sales.id).await, Err(Error::NotFound(Thing::Team))));
        assert!(matches!(teams.update(&other, sales.id, named("Mine")).await, Err(Error::NotFound(Thing::Team))));
        assert!(matches!(teams.set_members(&other, sales.id, vec![]).await, Err(Error::NotFound(Thing::Team))));
        assert!(matches!(teams.remove(&other, sales.id).await, Err(Error::NotFound(Thing::Team))));
        let theirs = teams.create(&other, named("Sales")).await.unwrap().settings;
        assert_eq!(refused(teams.set_members(&other, theirs.id, vec![member(ADA)]).await), "members[0].operator");
        assert_eq!(teams.find(&me, sales.id).await.unwrap().settings, sales);
    }

    async fn a_tenant_has_at_most_its_quota_of_teams(test) {
        let quotas = Quotas { teams: 1, ..Quotas::default() };
        let world = World::with_config(test, Config { quotas, ..config() });
        world.team("Sales").await;
        let refused = world.app.people().teams().create(&world.me(), named("Support")).await.unwrap_err();
        assert!(matches!(refused, Error::LimitReached { limit: "teams", used: 1, max: 1 }), "{refused:?}");
    }
}
