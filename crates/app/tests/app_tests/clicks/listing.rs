//! Lists and counts of hits.

use app::Error;
use app::messaging::clicks::{ClickSearch, CountGrouping, CountSearch, GroupCount};
use domain::messaging::clicks::ClickClass;
use domain::{ClickId, MessageId, TemplateId, Timestamp};
use testkit::{Engine, World};

use crate::clicks::world::{ADA, Clicks as _, PHONE, PREVIEW, single, tracked};

const BEN: &str = "442079460123";

async fn busy(engine: Engine) -> (World, MessageId, TemplateId) {
    let world = World::simulated(engine).await;
    let (one, other) = (world.template(tracked(), None).await, named(&world, "other").await);
    let to_ada = world.send_usual(&one).await;
    let given = crate::templates::bad::params(&[("name", "Ben"), ("order_id", "18")]);
    world.deliver(&other, BEN, None, given).await;
    let (ada, ben) = (world.codes(ADA).await, world.codes(BEN).await);
    for (code, agent) in [(&ada[0], PREVIEW), (&ada[0], PHONE), (&ada[1], PHONE), (&ada[0], PHONE), (&ben[0], PHONE)] {
        world.test.clock.advance(std::time::Duration::from_mins(1));
        world.open(code, agent).await.unwrap();
    }
    (world, to_ada, other.id)
}

async fn named(world: &World, name: &str) -> domain::messaging::templates::Template {
    let new = domain::messaging::templates::NewTemplate { name: name.to_owned(), ..single(true) };
    world.template(new, None).await
}

async fn found(world: &World, filter: ClickSearch) -> usize {
    let filter = ClickSearch { limit: 100, ..filter };
    let page = world.app.messaging().clicks().list(&world.me(), &filter).await.unwrap();
    assert!(page.next_cursor.is_none());
    page.clicks.len()
}

testkit::both_databases! {
    async fn every_filter_excludes_the_right_hits((world, message, other) = busy) {
        let all = world.hits().await;
        assert_eq!(all.len(), 5);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(found(&world, ClickSearch { template: some("order_update"), ..ClickSearch::default() }).await, 4);
        assert_eq!(found(&world, ClickSearch { template: Some(other.to_string()), ..ClickSearch::default() }).await, 1);
        assert_eq!(found(&world, ClickSearch { message: Some(message), ..ClickSearch::default() }).await, 4);
        assert_eq!(found(&world, ClickSearch { message: Some(message), template: some("other"), ..ClickSearch::default() }).await, 0);
        assert_eq!(found(&world, ClickSearch { target: some(BEN), ..ClickSearch::default() }).await, 1);
        assert_eq!(found(&world, ClickSearch { class: Some(ClickClass::Human), ..ClickSearch::default() }).await, 3);
        assert_eq!(found(&world, ClickSearch { class: Some(ClickClass::Preview), ..ClickSearch::default() }).await, 1);
        assert_eq!(found(&world, ClickSearch { button: Some(1), ..ClickSearch::default() }).await, 1);
        assert_eq!(found(&world, ClickSearch { card: Some(0), ..ClickSearch::default() }).await, 0);
        let (from, to) = (Some(all[1].hit.at), Some(all[3].hit.at));
        assert_eq!(found(&world, ClickSearch { from, to, ..ClickSearch::default() }).await, 3);
        assert_eq!(all[0].button_text.as_deref(), Some("Track it"));
        assert_eq!(all[0].request.as_ref().unwrap().agent(), PREVIEW);
        for missing in [ClickSearch { template: some("none"), ..ClickSearch::default() }, ClickSearch { target: some("14155559999"), ..ClickSearch::default() }] {
            let missing = ClickSearch { limit: 1, ..missing };
            assert!(matches!(world.app.messaging().clicks().list(&world.me(), &missing).await, Err(Error::NotFound(_))));
        }
    }

    async fn pages_follow_each_other_without_a_gap((world, ..) = busy) {
        let all: Vec<ClickId> = world.hits().await.into_iter().rev().map(|one| one.hit.id).collect();
        for class in [None, Some(ClickClass::Human)] {
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let filter = ClickSearch { class, limit: 2, cursor, ..ClickSearch::default() };
                let page = world.app.messaging().clicks().list(&world.me(), &filter).await.unwrap();
                assert!(page.clicks.len() <= 2);
                seen.extend(page.clicks.iter().map(|one| one.hit.id));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen.len(), if class.is_some() { 3 } else { 5 });
            assert!(seen.iter().all(|id| all.contains(id)) && seen.is_sorted_by(|a, b| a >= b));
        }
        let forged = ClickSearch { cursor: Some("AAAA".to_owned()), limit: 1, ..ClickSearch::default() };
        assert!(matches!(world.app.messaging().clicks().list(&world.me(), &forged).await, Err(Error::Invalid { .. })));
    }

    async fn counts_add_up_in_every_grouping((world, ..) = busy) {
        let by = |template, button, day, class| CountGrouping { template, button, day, class };
        let groups = [
            (by(false, false, false, false), 1),
            (by(true, false, false, false), 2),
            (by(false, true, false, false), 3),
            (by(false, false, false, true), 3),
            (by(true, false, false, true), 4),
            (by(true, true, true, true), 5),
        ];
        for (by, expected) in groups {
            let counts = world.app.messaging().clicks().counts(&world.me(), &CountSearch { by, ..CountSearch::default() }).await.unwrap();
            assert_eq!(counts.counts.len(), expected, "{by:?}: {counts:?}");
            assert_eq!((counts.total, counts.counts.iter().map(|one| one.hits).sum::<i64>()), (5, 5));
        }
        let only = CountSearch { template: Some("order_update".to_owned()), by: by(false, true, false, true), ..CountSearch::default() };
        let counts = world.app.messaging().clicks().counts(&world.me(), &only).await.unwrap();
        let row = |one: &GroupCount| (one.button, one.button_text.clone().unwrap(), one.class.unwrap(), one.hits);
        let rows: Vec<_> = counts.counts.iter().map(row).collect();
        let (first, shop) = ("Track it".to_owned(), "Shop".to_owned());
        let expected = [
            (Some(0), first.clone(), ClickClass::Human, 1),
            (Some(0), first.clone(), ClickClass::Preview, 1),
            (Some(0), first, ClickClass::Repeat, 1),
            (Some(1), shop, ClickClass::Human, 1),
        ];
        assert_eq!(rows, expected);
    }

    async fn the_number_of_days_is_bounded((world, ..) = busy) {
        let now = world.now();
        let counts = async |from: Option<Timestamp>, to: Option<Timestamp>| {
            let filter = CountSearch { from, to, ..CountSearch::default() };
            world.app.messaging().clicks().counts(&world.me(), &filter).await.map(|counts| counts.total)
        };
        let day = 86_400;
        assert_eq!(counts(Some(now.plus_seconds(-365 * day)), None).await.unwrap(), 5);
        assert!(matches!(counts(Some(now.plus_seconds(-366 * day)), None).await, Err(Error::Invalid { .. })));
        assert!(matches!(counts(Some(now.plus_seconds(day)), None).await, Err(Error::Invalid { .. })));
        assert_eq!(counts(None, Some(now.plus_seconds(-day))).await.unwrap(), 0);
    }
}
