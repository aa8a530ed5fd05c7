//! Random days of two teams. After each step the consumers and the timers work until nothing is left to do, and an
//! independent model checks who waits and who has what.

use app::automation::opening_hours::ScheduleRequest;
use app::automation::routing::RuleRequest;
use app::inbox::conversations::AssignTo;
use app::people::labels::{LabelRequest, LabelsWanted};
use app::people::teams::{MemberRequest, TeamRequest};
use domain::automation::opening_hours::{Period, Week};
use domain::automation::routing::{OperatorPresence, OrderedRule, RoutingConditions, RoutingTarget, is_waiting};
use domain::delivery::events::FactCause;
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::people::teams::AssignmentMethod;
use domain::{AccountId, Change, ConversationId, LabelId, OpeningHoursId, TeamId, Timestamp};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use testkit::World;

use crate::callers::TestCaller;
use crate::routing::world::{Routed as _, id_of, phone, shop};

const NAMES: [&str; 3] = ["Ada", "Ben", "Cleo"];
const PERSONS: usize = 10;
const STEPS: usize = 60;
/// Ada and Ben, Ben and Cleo.
const MEMBERS: [&[usize]; 2] = [&[0, 1], &[1, 2]];
const TEAMS: [&str; 2] = ["Sales", "Support"];
/// Who has the skill of the label, in the first team.
const SKILLED: usize = 0;

#[derive(Debug, Clone)]
struct Operator {
    caller: TestCaller,
    capacity: i64,
    chosen: OperatorPresence,
    seen_at: Timestamp,
}

/// What the model knows: everything but the conversations.
struct Day<'w> {
    world: &'w World,
    dice: SmallRng,
    operators: Vec<Operator>,
    teams: [TeamId; 2],
    methods: [AssignmentMethod; 2],
    hours: OpeningHoursId,
    is_open: bool,
    vip: LabelId,
    /// In their order.
    rules: Vec<OrderedRule>,
    /// The number of the last event that was checked.
    checked: i64,
}

fn week(is_open: bool) -> Week {
    let day = || {
        let whole = Period { from: "00:00".parse().unwrap(), to: "24:00".parse().unwrap() };
        if is_open { vec![whole] } else { Vec::new() }
    };
    Week {
        monday: day(),
        tuesday: day(),
        wednesday: day(),
        thursday: day(),
        friday: day(),
        saturday: day(),
        sunday: day(),
    }
}

fn operator_of(one: &Conversation) -> Option<AccountId> {
    match &one.assignee {
        Some(Assignee::Operator { id, .. }) => Some(*id),
        _ => None,
    }
}

impl<'w> Day<'w> {
    async fn begin(world: &'w World, seed: u64) -> Self {
        let (me, app) = (world.me(), &world.app);
        let mut operators = Vec::new();
        for name in NAMES {
            let caller = world.hire(name).await;
            world.becomes(&caller, OperatorPresence::Available).await;
            let (chosen, seen_at) = (OperatorPresence::Available, world.now());
            operators.push(Operator { caller, capacity: 2, chosen, seen_at });
        }
        let hours = ScheduleRequest {
            name: Some("Office".to_owned()),
            time_zone: Some("UTC".to_owned()),
            periods: Some(week(true)),
            holidays: None,
        };
        let hours = app.automation().opening_hours().create(&me, hours).await.unwrap().hours.id;
        let vip = LabelRequest { name: Some("vip".to_owned()), color: None };
        let vip = app.people().labels().create(&me, vip).await.unwrap().id;
        let methods = [AssignmentMethod::RoundRobin, AssignmentMethod::LeastBusy];
        let teams = [world.team(TEAMS[0], methods[0], 1, &[]).await, world.team(TEAMS[1], methods[1], 1, &[]).await];
        let timed = TeamRequest { opening_hours_id: Change::Set(hours), ..TeamRequest::default() };
        app.people().teams().update(&me, teams[1], timed).await.unwrap();
        let labels = RoutingConditions { labels: [vip].into(), ..RoutingConditions::default() };
        world.rule("VIP", labels, RoutingTarget::Team(teams[0])).await;
        world.rule("Cleo's", RoutingConditions::default(), RoutingTarget::Operator(id_of(&operators[2].caller))).await;
        world.rule("Rest", RoutingConditions::default(), RoutingTarget::Team(teams[1])).await;
        let rules = app.automation().routing().list(&me).await.unwrap();
        let dice = SmallRng::seed_from_u64(seed);
        let day = Self { world, dice, operators, teams, methods, hours, is_open: true, vip, rules, checked: 0 };
        day.set_members().await;
        day
    }

    async fn set_members(&self) {
        for (team, members) in self.teams.iter().zip(MEMBERS) {
            let member = |which: &usize| MemberRequest {
                operator: id_of(&self.operators[*which].caller).to_string(),
                capacity: Some(self.operators[*which].capacity),
                labels: if *which == SKILLED { vec!["vip".to_owned()] } else { Vec::new() },
                ..MemberRequest::default()
            };
            let members = members.iter().map(member).collect();
            self.world.app.people().teams().set_members(&self.world.me(), *team, members).await.unwrap();
        }
        self.world.until_idle().await;
    }

    fn person(&mut self) -> usize {
        self.dice.random_range(0..PERSONS)
    }

    /// A person who has written.
    async fn someone(&mut self) -> Option<usize> {
        let person = self.person();
        let known = self.world.app.people().contacts().history(&self.world.me(), &phone(person)).await;
        known.is_ok().then_some(person)
    }

    async fn step(&mut self) -> String {
        match self.dice.random_range(0..20) {
            0..=5 => {
                let persons: Vec<usize> = (0..self.dice.random_range(1..=3)).map(|_| self.person()).collect();
                self.world.write(&persons).await;
                format!("{persons:?} write")
            }
            6..=8 => self.choose_presence().await,
            9..=11 => {
                let Some(person) = self.someone().await else { return "nothing".to_owned() };
                self.set_status(person).await
            }
            12 | 13 => {
                let Some(person) = self.someone().await else { return "nothing".to_owned() };
                self.assign(person).await
            }
            14 => {
                let Some(person) = self.someone().await else { return "nothing".to_owned() };
                self.set_labels(person).await
            }
            15 => {
                let (which, capacity) = (self.dice.random_range(0..NAMES.len()), self.dice.random_range(0..4));
                self.operators[which].capacity = capacity;
                self.set_members().await;
                format!("{} has a capacity of {capacity}", NAMES[which])
            }
            16 => self.change_a_rule().await,
            17 => self.change_hours().await,
            18 => self.change_a_team().await,
            _ => {
                let seconds = self.dice.random_range(10..60);
                self.world.advance(seconds);
                format!("{seconds} seconds pass")
            }
        }
    }

    async fn choose_presence(&mut self) -> String {
        let presence = *OperatorPresence::ALL.choose(&mut self.dice).unwrap();
        let which = self.dice.random_range(0..NAMES.len());
        let operator = &mut self.operators[which];
        (operator.chosen, operator.seen_at) = (presence, self.world.now());
        let automation = self.world.app.automation();
        automation.operators().set_presence(&operator.caller, "me", presence, false).await.unwrap();
        format!("{} becomes {presence}", NAMES[which])
    }

    async fn set_status(&mut self, person: usize) -> String {
        let statuses = [ConversationStatus::Solved, ConversationStatus::Solved, ConversationStatus::Pending];
        let status = *statuses.choose(&mut self.dice).unwrap();
        let conversations = self.world.app.inbox().conversations();
        conversations.set_status(&self.world.me(), (&phone(person)).into(), status).await.unwrap();
        format!("{person} is {status}")
    }

    async fn assign(&mut self, person: usize) -> String {
        let which = self.dice.random_range(0..7);
        let to = match which {
            0..3 => AssignTo::Operator(format!("{}@example.com", NAMES[which].to_lowercase())),
            3 | 4 => AssignTo::Team(TEAMS[which - 3].to_owned()),
            5 => AssignTo::Bot,
            _ => AssignTo::Unassigned,
        };
        let said = format!("{person} is assigned to {to:?}");
        self.world.assign_by_hand(person, to).await;
        if which < 3 {
            assert_eq!(self.world.holder(person).await, NAMES[which], "what a person assigns stays");
        }
        said
    }

    async fn set_labels(&mut self, person: usize) -> String {
        let labels = if self.dice.random() { vec!["vip".to_owned()] } else { Vec::new() };
        let said = format!("{person} has the labels {labels:?}");
        let conversations = self.world.app.inbox().conversations();
        let wanted = LabelsWanted::Replace(labels);
        conversations.set_labels(&self.world.me(), (&phone(person)).into(), wanted).await.unwrap();
        said
    }

    async fn change_hours(&mut self) -> String {
        self.is_open = !self.is_open;
        let request = ScheduleRequest { periods: Some(week(self.is_open)), ..ScheduleRequest::default() };
        let automation = self.world.app.automation();
        automation.opening_hours().update(&self.world.me(), self.hours, request).await.unwrap();
        format!("Support is open: {}", self.is_open)
    }

    async fn change_a_team(&mut self) -> String {
        let which = self.dice.random_range(0..2);
        self.methods[which] = *AssignmentMethod::ALL.choose(&mut self.dice).unwrap();
        let request = TeamRequest { method: Some(self.methods[which]), ..TeamRequest::default() };
        self.world.app.people().teams().update(&self.world.me(), self.teams[which], request).await.unwrap();
        format!("{} is {}", TEAMS[which], self.methods[which])
    }

    async fn change_a_rule(&mut self) -> String {
        let which = self.dice.random_range(0..self.rules.len());
        let request = match self.dice.random_range(0..4) {
            // Without any rule, nobody would use routing.
            0 if self.rules[which].rule.name != "Rest" => {
                RuleRequest { enabled: Some(!self.rules[which].enabled), ..RuleRequest::default() }
            }
            1 => {
                let targets = [
                    RoutingTarget::Team(self.teams[0]),
                    RoutingTarget::Team(self.teams[1]),
                    RoutingTarget::Operator(id_of(&self.operators[0].caller)),
                    RoutingTarget::Unassigned,
                ];
                RuleRequest { target: targets.choose(&mut self.dice).copied(), ..RuleRequest::default() }
            }
            2 => RuleRequest { to_former_operator: Some(self.dice.random()), ..RuleRequest::default() },
            _ => RuleRequest { position: Some(self.dice.random_range(1..=3)), ..RuleRequest::default() },
        };
        let said = format!("{} changes: {request:?}", self.rules[which].rule.name);
        self.world.change_rule(Some(&self.rules[which]), request).await;
        self.rules = self.world.app.automation().routing().list(&self.world.me()).await.unwrap();
        said
    }

    fn has_room(&self, which: usize, all: &[Conversation]) -> bool {
        let Operator { capacity, chosen, seen_at, .. } = &self.operators[which];
        let is_there = *chosen == OperatorPresence::Available && self.world.now() < seen_at.plus_seconds(90);
        is_there && self.open(which, all) < *capacity
    }

    fn open(&self, which: usize, all: &[Conversation]) -> i64 {
        let id = id_of(&self.operators[which].caller);
        let is_open = |one: &&Conversation| one.status == ConversationStatus::Open && operator_of(one) == Some(id);
        i64::try_from(all.iter().filter(is_open).count()).unwrap()
    }

    /// The operators who may be given a conversation that waits in a team.
    fn permitted(&self, team: usize, one: &Conversation) -> Vec<usize> {
        if self.methods[team] == AssignmentMethod::ByHand || (team == 1 && !self.is_open) {
            return Vec::new();
        }
        let needs_skill = team == 0 && one.labels.contains(&self.vip);
        MEMBERS[team].iter().copied().filter(|which| !needs_skill || *which == SKILLED).collect()
    }

    async fn conversations(&self) -> Vec<Conversation> {
        let tenant = self.world.tenant();
        let read = self.world.test.db.write(tenant, |tx, tenant| {
            Box::pin(store::automation::routing::waiting::conversations_after(tx, *tenant, ConversationId::LEAST, 1000))
        });
        read.await.unwrap()
    }

    /// The conversations that have a row.
    async fn rows(&self) -> Vec<ConversationId> {
        let tenant = self.world.tenant();
        let read = self.world.test.db.write(tenant, |tx, tenant| {
            Box::pin(store::automation::routing::waiting::after(tx, *tenant, ConversationId::LEAST, 1000))
        });
        read.await.unwrap().into_iter().map(|row| row.conversation_id).collect()
    }

    /// The conversations that rules have given to operators since the last check.
    async fn given(&mut self) -> Vec<(ConversationId, AccountId)> {
        let facts = store::delivery::events::page(&self.world.test.db, self.world.tenant(), self.checked, 10_000);
        let facts = facts.await.unwrap();
        self.checked = facts.last().map_or(self.checked, |fact| fact.last);
        let by_rule = facts.iter().map(|logged| &logged.fact).filter(|fact| fact.cause == FactCause::Rule);
        let given = by_rule.filter_map(|fact| {
            let body: serde_json::Value = serde_json::from_str(&fact.body).unwrap();
            assert!(fact.depth >= 1 && body["reason"].is_string(), "every assignment is explained: {body}");
            // Teams have no address.
            body["assignee"].get("email")?;
            Some((fact.conversation_id?, body["assignee"]["id"].as_str()?.parse().ok()?))
        });
        given.collect()
    }

    async fn check(&mut self, said: &str) {
        self.world.until_idle().await;
        let (all, mut rows, given) = (self.conversations().await, self.rows().await, self.given().await);
        let mut waiting: Vec<ConversationId> = all.iter().filter(|one| is_waiting(one)).map(|one| one.id).collect();
        rows.sort_unstable();
        waiting.sort_unstable();
        assert_eq!(rows, waiting, "no conversation is forgotten, and none is remembered too long: {said}");
        for (place, (conversation, _)) in given.iter().enumerate() {
            assert!(given[..place].iter().all(|(other, _)| other != conversation), "assigned twice: {said}");
        }
        for (which, operator) in self.operators.iter().enumerate() {
            let was_given = given.iter().any(|(_, to)| *to == id_of(&operator.caller));
            let open = self.open(which, &all);
            assert!(!was_given || open <= operator.capacity, "{} has {open}: {said}", NAMES[which]);
        }
        for one in all.iter().filter(|one| is_waiting(one)) {
            match &one.assignee {
                Some(Assignee::Team { id, name }) => {
                    let team = self.teams.iter().position(|team| team == id).unwrap();
                    for which in self.permitted(team, one) {
                        assert!(!self.has_room(which, &all), "{} has room, and {name} waits: {said}", NAMES[which]);
                    }
                }
                _ => self.check_unassigned(one, &all, said),
            }
        }
    }

    /// A conversation that nobody has: the first rule that applies leaves it so, or its operator has no room.
    fn check_unassigned(&self, one: &Conversation, all: &[Conversation], said: &str) {
        let holds = |rule: &&OrderedRule| {
            let labels = &rule.rule.conditions.labels;
            rule.enabled && (labels.is_empty() || one.labels.contains(&self.vip))
        };
        match self.rules.iter().find(holds).map(|rule| rule.rule.target) {
            None | Some(RoutingTarget::Unassigned) => {}
            Some(RoutingTarget::Team(_)) => panic!("a rule for a team applies to {one:?}: {said}"),
            Some(RoutingTarget::Operator(id)) => {
                let which = self.operators.iter().position(|operator| id_of(&operator.caller) == id).unwrap();
                assert!(!self.has_room(which, all), "{} has room, and it waits: {said}", NAMES[which]);
            }
        }
    }
}

async fn simulate(world: &World, seed: u64) {
    let mut day = Day::begin(world, seed).await;
    let mut story = format!("seed {seed}");
    for _ in 0..STEPS {
        world.advance(1);
        story = format!("{story}\n{}", day.step().await);
        day.check(&story).await;
    }
}

testkit::both_databases! {
    async fn nobody_waits_while_an_operator_has_room_and_nobody_has_too_much(test) {
        let engine = test.db.engine();
        let days = if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { 200 } else { 4 };
        for seed in 0..days {
            simulate(&shop(engine).await, seed).await;
        }
    }
}
