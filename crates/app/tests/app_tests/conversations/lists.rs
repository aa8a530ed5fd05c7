//! Pages of conversations: filters, order, depth.

use app::Error;
use app::inbox::conversations::{AssignTo, Assignment, ConversationQuery, PageRequest};
use domain::messaging::conversations::ConversationStatus;
use testkit::World;

use crate::conversations::world::Talks as _;

async fn listed(world: &World, filter: ConversationQuery, number: i64, size: i64) -> Vec<String> {
    let page = PageRequest::new(number, size).unwrap();
    let found = world.app.inbox().conversations().list(&world.me(), &filter, page).await.unwrap();
    found.into_iter().map(|one| one.contact.name).collect()
}

testkit::both_databases! {
    async fn filters_order_and_pages(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let sales = world.open_channel("Sales", "14155550101").await;
        let names = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn"];
        for (n, name) in names.iter().enumerate() {
            let contact = world.person(&format!("1415555267{n}"), name).await;
            world.said(if n < 4 { &support } else { &sales }, &contact, "hi").await;
        }
        world.operator("grace@example.com").await;
        let grace = || Assignment { to: AssignTo::Operator("grace@example.com".to_owned()), from: None, take_over: false };
        let conversations = world.app.inbox().conversations();
        for target in ["14155552670", "14155552674"] {
            conversations.assign(&world.me(), target.into(), grace()).await.unwrap();
        }
        conversations.assign(&world.me(), "14155552671".into(), Assignment { to: AssignTo::Bot, ..grace() }).await.unwrap();
        world.app.people().contacts().set_teams(&world.me(), "14155552672", vec!["Night Shift".to_owned()]).await.unwrap();
        let team = Assignment { to: AssignTo::Team("night shift".to_owned()), ..grace() };
        conversations.assign(&world.me(), "14155552672".into(), team).await.unwrap();
        world.status("14155552670", ConversationStatus::Solved).await;
        world.status("14155552671", ConversationStatus::Pending).await;
        world.status("14155552673", ConversationStatus::Blocked).await;
        // The conversation with the latest message comes first.
        let bob = world.app.people().contacts().history(&world.me(), "14155552671").await.unwrap().contact;
        world.said(&support, &bob, "again").await;

        for (filter, expected) in [
            (ConversationQuery::default(), vec!["Bob", "Finn", "Eve", "Dan", "Cleo", "Ada"]),
            (ConversationQuery { status: Some(ConversationStatus::Open), ..ConversationQuery::default() }, vec!["Bob", "Finn", "Eve", "Cleo"]),
            (ConversationQuery { status: Some(ConversationStatus::Blocked), ..ConversationQuery::default() }, vec!["Dan"]),
            (ConversationQuery { status: Some(ConversationStatus::Pending), ..ConversationQuery::default() }, vec![]),
            (ConversationQuery { channel: Some("sales".to_owned()), ..ConversationQuery::default() }, vec!["Finn", "Eve"]),
            (ConversationQuery { channel: Some("14155550100".to_owned()), status: Some(ConversationStatus::Open), ..ConversationQuery::default() }, vec!["Bob", "Cleo"]),
            (ConversationQuery { assignee: Some("Grace@Example.com".to_owned()), ..ConversationQuery::default() }, vec!["Eve", "Ada"]),
            (ConversationQuery { assignee: Some("grace@example.com".to_owned()), status: Some(ConversationStatus::Solved), ..ConversationQuery::default() }, vec!["Ada"]),
            (ConversationQuery { assignee: Some("grace@example.com".to_owned()), channel: Some("Sales".to_owned()), ..ConversationQuery::default() }, vec!["Eve"]),
            (ConversationQuery { assignee: Some("bot".to_owned()), ..ConversationQuery::default() }, vec!["Bob"]),
            (ConversationQuery { assignee: Some("unassigned".to_owned()), ..ConversationQuery::default() }, vec!["Finn", "Dan"]),
            (ConversationQuery { assignee: Some("unassigned".to_owned()), channel: Some("Sales".to_owned()), ..ConversationQuery::default() }, vec!["Finn"]),
            (ConversationQuery { assignee: Some("Night shift".to_owned()), ..ConversationQuery::default() }, vec!["Cleo"]),
            (ConversationQuery { search: Some("cle".to_owned()), ..ConversationQuery::default() }, vec!["Cleo"]),
            (ConversationQuery { search: Some("1415555267".to_owned()), ..ConversationQuery::default() }, vec!["Bob", "Finn", "Eve", "Dan", "Cleo", "Ada"]),
            (ConversationQuery { search: Some("1415555267".to_owned()), status: Some(ConversationStatus::Open), channel: Some("Support".to_owned()), ..ConversationQuery::default() }, vec!["Bob", "Cleo"]),
            (ConversationQuery { search: Some("1415555267".to_owned()), assignee: Some("bot".to_owned()), ..ConversationQuery::default() }, vec!["Bob"]),
            (ConversationQuery { search: Some("nobody".to_owned()), ..ConversationQuery::default() }, vec![]),
        ] {
            assert_eq!(listed(&world, filter.clone(), 1, 100).await, expected, "{filter:?}");
            // Pages of two conversations give the same list.
            let mut paged = Vec::new();
            for number in 1..=4 {
                paged.extend(listed(&world, filter.clone(), number, 2).await);
            }
            assert_eq!(paged, expected, "{filter:?}");
        }
        for (filter, parameter) in [
            (ConversationQuery { assignee: Some("nobody@example.com".to_owned()), ..ConversationQuery::default() }, "assignee"),
            (ConversationQuery { assignee: Some("No Such Team".to_owned()), ..ConversationQuery::default() }, "assignee"),
            (ConversationQuery { channel: Some("Press".to_owned()), ..ConversationQuery::default() }, "channel"),
        ] {
            let page = PageRequest::new(1, 20).unwrap();
            match conversations.list(&world.me(), &filter, page).await {
                Err(Error::Invalid { place: named, .. } | Error::NoChannel { place: named, .. }) => assert_eq!(named.to_string(), parameter),
                other => panic!("{filter:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_page_is_at_most_ten_thousand_rows_deep() {
    assert!(PageRequest::new(100, 100).is_ok());
    assert!(PageRequest::new(10_000, 1).is_ok());
    for (number, size) in [(101, 100), (10_001, 1), (i64::MAX, 2), (0, 20), (1, 0), (-1, 20)] {
        let Err(Error::Invalid { place, message }) = PageRequest::new(number, size) else { panic!("{number} {size}") };
        assert_eq!(place.to_string(), "page_number");
        assert!(message.contains("at most 10000 rows"), "{message}");
    }
}
