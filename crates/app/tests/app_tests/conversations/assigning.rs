//! Assigning conversations, also concurrently, and setting their status.

use std::sync::Arc;

use app::Error;
use app::inbox::conversations::{AssignTo, Assignment};
use app::people::contacts::ConsentUpdate;
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::world::{ADA, Talks as _};

fn to(email: &str) -> Assignment {
    Assignment { to: AssignTo::Operator(email.to_owned()), from: None, take_over: false }
}

trait Assigning: OnWorld {
    async fn assign(self, assignment: Assignment) -> Result<Conversation, Error> {
        self.tick();
        self.app.inbox().conversations().assign(&self.me(), ADA.into(), assignment).await
    }

    async fn refused(self, assignment: Assignment) -> String {
        match self.assign(assignment).await {
            Err(Error::Conflict { place, message }) => format!("{place}: {message}"),
            other => panic!("not a conflict: {other:?}"),
        }
    }
}

impl Assigning for &World {}

async fn one_talk(world: &World) {
    let support = world.open_channel("Support", "14155550100").await;
    let ada = world.person(ADA, "Ada").await;
    world.said(&support, &ada, "hi").await;
}

testkit::both_databases! {
    async fn an_operators_conversation_is_taken_only_with_from_or_take_over(world = World::new) {
        one_talk(&world).await;
        let grace = world.operator("grace@example.com").await;
        world.operator("linus@example.com").await;
        let taken = world.assign(to(" Grace@Example.com ")).await.unwrap();
        assert!(matches!(&taken.assignee, Some(Assignee::Operator { id, name, .. }) if *id == grace && name == "grace"));
        // Repeating the assignee is allowed and changes nothing.
        assert_eq!(world.assign(to("grace@example.com")).await.unwrap().version, taken.version);
        let why = world.refused(to("linus@example.com")).await;
        assert!(why.starts_with("assignee_email: grace@example.com has taken the conversation"), "{why}");
        let from = |who: &str| Assignment { from: Some(who.to_owned()), ..to("linus@example.com") };
        for other in ["ada@example.com", "unassigned"] {
            let why = world.refused(from(other)).await;
            assert_eq!(why, "from: the conversation is assigned to grace@example.com now");
        }
        world.assign(from("Grace@example.com")).await.unwrap();
        world.assign(Assignment { take_over: true, ..to("grace@example.com") }).await.unwrap();
        world.assign(Assignment { to: AssignTo::Bot, ..to("") }).await.unwrap();
        world.assign(Assignment { from: Some("bot".to_owned()), ..to("linus@example.com") }).await.unwrap();
        let texts = world.texts(ADA).await;
        assert_eq!(texts, [
            "The ticket was assigned to linus",
            "The ticket was assigned to the bot",
            "The ticket was assigned to grace",
            "The ticket was assigned to linus",
            "The ticket was assigned to grace",
            "hi",
        ]);
    }

    async fn only_existing_operators_and_teams_can_be_assigned(world = World::new) {
        one_talk(&world).await;
        world.operator("gone@example.com").await;
        let accounts = world.app.identity().accounts();
        accounts.set_disabled(&app::Command(world.tenant()), "gone@example.com", true).await.unwrap();
        for email in ["gone@example.com", "nobody@example.com", ""] {
            let answer = world.assign(to(email)).await;
            assert!(matches!(&answer, Err(Error::Missing { place, what: app::Thing::Operator }) if place.to_string() == "assignee_email"), "{answer:?}");
        }
        let team = |name: &str| Assignment { to: AssignTo::Team(name.to_owned()), ..to("") };
        assert!(matches!(world.assign(team("Sales")).await, Err(Error::Missing { what: app::Thing::Team, .. })));
        world.app.people().contacts().set_teams(&world.me(), ADA, vec!["Sales".to_owned()]).await.unwrap();
        let assigned = world.assign(team(" sales ")).await.unwrap().assignee;
        assert!(matches!(assigned, Some(Assignee::Team { name, .. }) if name == "Sales"));
        assert_eq!(world.texts(ADA).await, ["The ticket was assigned to the team Sales", "hi"]);
    }

    async fn of_twenty_who_take_it_at_once_one_gets_it(test) {
        let world = Arc::new(World::on(test));
        one_talk(&world).await;
        for n in 0..20 {
            world.operator(&format!("operator{n}@example.com")).await;
        }
        let start = Arc::new(tokio::sync::Barrier::new(20));
        let takers = (0..20).map(|n| {
            let (world, start) = (world.clone(), start.clone());
            tokio::spawn(async move {
                start.wait().await;
                let assignment = to(&format!("operator{n}@example.com"));
                world.app.inbox().conversations().assign(&world.me(), ADA.into(), assignment).await
            })
        });
        let mut winners = Vec::new();
        for taker in takers.collect::<Vec<_>>() {
            match taker.await.unwrap() {
                Ok(taken) => winners.push(taken.assignee),
                Err(Error::Conflict { place, .. }) => assert_eq!(place.to_string(), "assignee_email"),
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(winners.len(), 1);
        let support = world.app.messaging().channels().find(&world.me(), "Support").await.unwrap();
        let ada = world.app.people().contacts().history(&world.me(), ADA).await.unwrap().contact;
        assert_eq!(world.between(&support, &ada).await.unwrap().assignee, winners[0]);
        assert_eq!(world.texts(ADA).await.len(), 2);
    }

    async fn the_last_status_wins(world = World::new) {
        one_talk(&world).await;
        let solved = world.status(ADA, ConversationStatus::Solved).await;
        assert_eq!(world.status(ADA, ConversationStatus::Solved).await, solved);
        let open = world.status(ADA, ConversationStatus::Open).await;
        assert_ne!(open.ticket_id, solved.ticket_id);
        world.status(ADA, ConversationStatus::Pending).await;
        world.status(ADA, ConversationStatus::Blocked).await;
        assert_eq!(world.texts(ADA).await, [
            "The conversation was blocked",
            "The ticket was set to pending",
            "The ticket was opened again",
            "The ticket was solved",
            "hi",
        ]);
        // A blocked contact can still write, and stays blocked.
        let support = world.app.messaging().channels().find(&world.me(), "Support").await.unwrap();
        let ada = world.app.people().contacts().history(&world.me(), ADA).await.unwrap().contact;
        assert_eq!(world.said(&support, &ada, "please").await.status, ConversationStatus::Blocked);
    }

    async fn a_status_never_lifts_a_block_by_consent(world = World::new) {
        one_talk(&world).await;
        let block = |blocked| ConsentUpdate { blocked: Some(blocked), ..ConsentUpdate::default() };
        let history = async || world.app.people().contacts().history(&world.me(), ADA).await.unwrap();
        let entries = async || {
            let consents = history().await.consents;
            consents.into_iter().map(|entry| (entry.change, entry.source)).collect::<Vec<_>>()
        };
        let entry = |change: &str, source: &str| (change.to_owned(), source.to_owned());
        let status = "status of the conversation";
        world.status(ADA, ConversationStatus::Blocked).await;
        world.tick();
        world.status(ADA, ConversationStatus::Open).await;
        assert!(history().await.contact.blocked_at.is_none());
        assert_eq!(entries().await, [entry("block", status), entry("unblock", status)]);
        world.tick();
        world.app.people().contacts().set_consent(&world.me(), ADA, block(true)).await.unwrap();
        for other in [ConversationStatus::Solved, ConversationStatus::Blocked, ConversationStatus::Open] {
            world.tick();
            world.status(ADA, other).await;
            assert!(history().await.contact.blocked_at.is_some(), "{other:?}");
        }
        assert_eq!(entries().await.len(), 3);
        world.tick();
        world.app.people().contacts().set_consent(&world.me(), ADA, block(false)).await.unwrap();
        assert!(history().await.contact.blocked_at.is_none());
    }

    async fn a_contact_stays_blocked_while_one_conversation_is(world = World::new) {
        one_talk(&world).await;
        let support = world.app.messaging().channels().find(&world.me(), "Support").await.unwrap();
        let sales = world.open_channel("Sales", "14155550177").await;
        let ada = world.app.people().contacts().history(&world.me(), ADA).await.unwrap().contact;
        world.said(&sales, &ada, "hello").await;
        let blocked = async || world.app.people().contacts().history(&world.me(), ADA).await.unwrap().contact.blocked_at.is_some();
        for channel in [&support, &sales] {
            world.tick();
            world.status(&format!("{}:{ADA}", channel.name), ConversationStatus::Blocked).await;
        }
        world.tick();
        world.status(&format!("Support:{ADA}"), ConversationStatus::Open).await;
        assert!(blocked().await);
        world.tick();
        world.status(&format!("Sales:{ADA}"), ConversationStatus::Solved).await;
        assert!(!blocked().await);
    }
}
