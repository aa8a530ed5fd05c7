//! A tenant with a channel, operators and teams.

use app::automation::routing::RuleRequest;
use app::inbox::conversations::{AssignTo, Assignment};
use app::people::teams::{MemberRequest, TeamRequest};
use domain::automation::routing::{OperatorPresence, OrderedRule, RoutingConditions, RoutingTarget};
use domain::delivery::consumers::ConsumerGroup;
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::people::teams::AssignmentMethod;
use domain::{AccountId, MessageId, TeamId};
use serde_json::{Value, json};
use testkit::world::OnWorld;
use testkit::{Engine, World};

use crate::callers::TestCaller;

/// Consumers and timers work for all tenants, so each test has a database of its own.
pub async fn shop(engine: Engine) -> World {
    World::alone(engine).await.with_channel("Support", "14155550100").await
}

/// The number of a person.
pub fn phone(person: usize) -> String {
    format!("1415555{:04}", 2000 + person)
}

pub trait Routed: OnWorld {
    /// Lets the consumers and the timers work until nothing is left to do.
    async fn until_idle(self) {
        for _ in 0..1000 {
            self.app.delivery().events().number().await.unwrap();
            let behind = store::delivery::consumers::behind(&self.test.db, ConsumerGroup::Reactions).await.unwrap();
            let timers = store::base::timers::next(&self.test.db, 1).await.unwrap();
            if behind.is_empty() && timers.iter().all(|timer| timer.due_at > self.now()) {
                let parked = self.app.delivery().consumers().parked(&self.me()).await.unwrap();
                assert!(parked.is_empty(), "{parked:?}");
                return;
            }
            self.app.delivery().consumers().process_behind(ConsumerGroup::Reactions).await.unwrap();
            self.app.fire_timers().await.unwrap();
        }
        panic!("routing does not come to rest");
    }

    /// Persons write, each one message, in one post of the network.
    async fn write(self, persons: &[usize]) {
        self.advance(1);
        let (channel, now) = (self.channel(), self.now());
        let contact = |person: &usize| json!({"profile": {"name": phone(*person)}, "wa_id": phone(*person)});
        let message = |person: &usize| {
            let id = format!("wamid.{}", MessageId::new(now));
            json!({"from": phone(*person), "id": id, "timestamp": now.seconds().to_string(), "type": "text", "text": {"body": "hi"}})
        };
        let value = json!({
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": channel.phone_number, "phone_number_id": channel.phone_number_id},
            "contacts": persons.iter().map(contact).collect::<Vec<Value>>(),
            "messages": persons.iter().map(message).collect::<Vec<Value>>(),
        });
        let change = json!({"field": "messages", "value": value});
        let entry = json!({"id": channel.account_id, "time": now.seconds(), "changes": [change]});
        let body = json!({"object": "whatsapp_business_account", "entry": [entry]});
        self.post_hook(body.to_string().into_bytes()).await.unwrap();
        self.process_inbound().await;
    }

    /// A person writes, and routing does what follows.
    async fn writes(self, person: usize) {
        self.write(&[person]).await;
        self.until_idle().await;
    }

    async fn talk(self, person: usize) -> Conversation {
        let contact = self.app.people().contacts().history(&self.me(), &phone(person)).await.unwrap().contact;
        let all = store::messaging::conversations::of_contact(&self.test.db, self.tenant(), contact.id).await.unwrap();
        all.into_iter().next().unwrap()
    }

    /// The name of the operator or of the team that has the conversation.
    async fn holder(self, person: usize) -> String {
        match self.talk(person).await.assignee {
            Some(Assignee::Operator { name, .. } | Assignee::Team { name, .. }) => name,
            Some(Assignee::Bot) => "bot".to_owned(),
            None => "-".to_owned(),
        }
    }

    /// The latest entry about the ticket in the thread.
    async fn thread(self, person: usize) -> String {
        use crate::conversations::world::Talks as _;
        let texts = self.texts(&phone(person)).await;
        texts.into_iter().find(|text| text.starts_with("The ")).unwrap()
    }

    async fn solve(self, person: usize) {
        self.advance(1);
        let (target, status) = (phone(person), ConversationStatus::Solved);
        self.app.inbox().conversations().set_status(&self.me(), (&target).into(), status).await.unwrap();
        self.until_idle().await;
    }

    async fn assign_by_hand(self, person: usize, to: AssignTo) {
        self.advance(1);
        let assignment = Assignment { to, from: None, take_over: true };
        self.app.inbox().conversations().assign(&self.me(), (&phone(person)).into(), assignment).await.unwrap();
        self.until_idle().await;
    }

    /// An operator with an account, who has never chosen a presence.
    async fn hire(self, name: &str) -> TestCaller {
        TestCaller::operator(&self, &format!("{}@example.com", name.to_lowercase()), Some(name)).await
    }

    async fn becomes(self, who: &TestCaller, presence: OperatorPresence) {
        self.app.automation().operators().set_presence(who, "me", presence, false).await.unwrap();
        self.until_idle().await;
    }

    /// A team whose members have no skills and no capacities of their own.
    async fn team(self, name: &str, method: AssignmentMethod, capacity: i64, members: &[&TestCaller]) -> TeamId {
        use app::ActsFor as _;
        let request = TeamRequest {
            name: Some(name.to_owned()),
            method: Some(method),
            capacity: Some(capacity),
            ..TeamRequest::default()
        };
        let team = self.app.people().teams().create(&self.me(), request).await.unwrap().settings.id;
        let member = |who: &&TestCaller| MemberRequest { operator: who.email().unwrap(), ..MemberRequest::default() };
        let members = members.iter().map(member).collect();
        self.app.people().teams().set_members(&self.me(), team, members).await.unwrap();
        self.until_idle().await;
        team
    }

    async fn rule(self, name: &str, conditions: RoutingConditions, target: RoutingTarget) -> OrderedRule {
        let request = RuleRequest {
            name: Some(name.to_owned()),
            conditions: Some(conditions),
            target: Some(target),
            ..RuleRequest::default()
        };
        self.change_rule(None, request).await
    }

    async fn change_rule(self, of: Option<&OrderedRule>, request: RuleRequest) -> OrderedRule {
        let automation = self.app.automation();
        let written = match of {
            Some(one) => automation.routing().update(&self.me(), one.rule.id, request).await.unwrap(),
            None => automation.routing().create(&self.me(), request).await.unwrap(),
        };
        self.until_idle().await;
        written
    }
}

impl Routed for &World {}

pub fn id_of(who: &TestCaller) -> AccountId {
    use app::ActsFor as _;
    who.account().unwrap().id
}
