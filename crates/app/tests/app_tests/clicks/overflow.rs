//! Very many hits on one link: the number of rows is bounded, the counts are complete.

use app::messaging::clicks::{CountGrouping, CountSearch};
use domain::base::quotas::Quotas;
use domain::messaging::clicks::{ClickClass, Link, day};
use store::messaging::clicks::OverflowCount;
use store::{Statement, params};
use testkit::World;

use crate::clicks::world::{ADA, Clicks as _, PHONE, PREVIEW, tracked};

static KEPT: Statement = Statement::new(
    "test.kept_counts",
    "SELECT COUNT(*), COUNT(CASE WHEN message_id = $2 THEN 1 END) FROM click_overflow WHERE tenant_id = $1",
);

static SWEPT: Statement =
    Statement::new("test.swept", "SELECT value FROM installation WHERE tenant_id = $1 AND name = 'clicks_swept'");

/// Number of hits at the same time.
const TOGETHER: u64 = 250;

testkit::both_databases! {
    async fn hits_beyond_the_rows_of_a_link_are_counted_and_the_first_person_is_stored(test) {
        let most = Quotas::default().rows_per_link;
        let world = World::simulated(test.db.engine()).await;
        let template = world.template(tracked(), None).await;
        world.send_usual(&template).await;
        let codes = world.codes(ADA).await;
        for _ in 0..most / TOGETHER * 2 {
            let flood = (0..TOGETHER).map(|_| world.open(&codes[0], PREVIEW));
            assert!(futures_util::future::join_all(flood).await.iter().all(Result::is_ok));
        }
        world.open(&codes[1], PREVIEW).await.unwrap();
        world.open(&codes[0], PHONE).await.unwrap();
        world.open(&codes[0], PHONE).await.unwrap();
        let by = CountGrouping { class: true, button: true, ..CountGrouping::default() };
        let counted = world.app.messaging().clicks().counts(&world.me(), &CountSearch { by, ..CountSearch::default() }).await.unwrap();
        assert_eq!(counted.total, i64::try_from(most).unwrap() * 2 + 3);
        let of = |button: u8, class: ClickClass| {
            counted.counts.iter().filter(|one| one.button == Some(button) && one.class == Some(class)).map(|one| one.hits).sum::<i64>()
        };
        assert_eq!(of(0, ClickClass::Preview), i64::try_from(most).unwrap() * 2);
        assert_eq!((of(0, ClickClass::Human), of(0, ClickClass::Repeat), of(1, ClickClass::Preview)), (1, 1, 1));
        let rows = store::messaging::clicks::count_hits(world.app.db(), world.tenant()).await.unwrap();
        // The rows of the flood, of the first person and of the other link; groups that are written at the same time
        // may exceed the bound.
        let rows = u64::try_from(rows).unwrap();
        assert!((most + 2..=most + 2 + TOGETHER).contains(&rows), "{rows} rows");
        assert_eq!(world.click_payloads().await.len(), 1);
    }

    async fn counts_stay_when_old_hits_are_deleted(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        let message = world.send_usual(&template).await;
        let codes = world.codes(ADA).await;
        for (code, agent) in [(0, PHONE), (0, PHONE), (0, PREVIEW), (1, PHONE)] {
            world.open(&codes[code], agent).await.unwrap();
        }
        // As if the first link had more hits than rows.
        let (link, class) = (Link { message, card: None, button: Some(0) }, ClickClass::Preview);
        let more = OverflowCount { day: day(world.now()), template_id: template.id, link, class, hits: 7 };
        let write = world.app.db().write((world.tenant(), more), |tx, (tenant, more)| {
            Box::pin(async move { store::messaging::clicks::add_overflow(tx, *tenant, &[*more]).await })
        });
        write.await.unwrap();
        let counts = async || {
            let by = CountGrouping { class: true, button: true, day: true, template: true };
            let search = CountSearch { by, ..CountSearch::default() };
            let counted = world.app.messaging().clicks().counts(&world.me(), &search).await.unwrap();
            (counted.total, counted.counts)
        };
        let before = counts().await;
        assert_eq!(before.0, 11);
        let days = &[(domain::platform::retention::RetentionKind::Clicks, Some(5))];
        world.app.platform().retention().set(&app::Command(world.tenant()), days).await.unwrap();
        world.test.clock.advance(std::time::Duration::from_hours(24 * 6));
        for _ in 0..2 {
            world.app.platform().retention().sweep_tenant(world.tenant(), &|| false).await.unwrap();
            assert!(world.hits().await.is_empty());
            assert_eq!(counts().await, before);
        }
        let (kept, own): (i64, i64) = world.test.db.row(&KEPT, params![world.tenant(), message], store::read).await.unwrap().unwrap();
        let swept: Option<String> = world.test.db.row(&SWEPT, params![world.tenant()], store::read).await.unwrap();
        assert_eq!(swept, Some((day(world.now()) - 5).to_string()), "the next sweep begins with this day");
        assert_eq!((kept, own), (4, 0), "one row for each day, template, button and class, without its message");
    }

    async fn old_hits_are_deleted_and_their_event_is_not_emitted_again(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        world.send_usual(&template).await;
        let codes = world.codes(ADA).await;
        world.open(&codes[0], PHONE).await.unwrap();
        assert_eq!((world.hits().await.len(), world.click_payloads().await.len()), (1, 1));
        let days = &[(domain::platform::retention::RetentionKind::Clicks, Some(5))];
        world.app.platform().retention().set(&app::Command(world.tenant()), days).await.unwrap();
        world.test.clock.advance(std::time::Duration::from_hours(24 * 6));
        world.app.platform().retention().sweep(&|| false).await.unwrap();
        assert!(world.hits().await.is_empty());
        world.open(&codes[0], PHONE).await.unwrap();
        assert_eq!((world.hits().await.len(), world.click_payloads().await.len()), (1, 1));
    }
}
